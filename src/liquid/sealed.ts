/** Liquid that touches no air, directly or through other liquid: it fills whatever holds it, so its volume cannot be corrected. */
import type { Grid } from '../grid/grid.js'

export interface LiquidCells {
  readonly grid: Grid
  /** `phi` < 0 in liquid; shares of faces that solids leave open. */
  readonly arrays: Readonly<Record<'phi' | 'openX' | 'openY' | 'openZ', Float32Array>>
}

/** 1 in cells of such liquid, by the surface as it is now; nothing where there is none. Cells in a row form runs, which are joined where they
 *  meet in open faces: every array is gone through once, in the order of memory. */
export function sealedCells({ grid, arrays }: LiquidCells): Uint8Array | undefined {
  const { phi, openX, openY, openZ } = arrays
  const [nx, ny, nz] = grid.shape
  const runs = createRuns()
  /** Runs of the cells of a plane and of the one below, −1 where there is no liquid. What is beyond a side is no liquid. */
  let plane: Int32Array = new Int32Array(nx * ny)
  let below: Int32Array = new Int32Array(nx * ny).fill(-1)
  const beyond = new Int32Array(nx * ny).fill(-1)
  /** Whether rows of both planes have any liquid: most have none, and two such need not be compared. */
  let isWet = new Uint8Array(ny)
  let isWetBelow = new Uint8Array(ny)

  /** A row that begins at `last` and the next one, which begins at `at`, by the faces between them. */
  function join(lower: Int32Array, last: number, upper: Int32Array, at: number, open: Float32Array, face: number): void {
    // Long runs meet in many faces; one of them is enough.
    let joinedA = -1
    let joinedB = -1
    for (let i = 0; i < nx; i++) {
      const a = lower[last + i]
      const b = upper[at + i]
      if ((a === joinedA && b === joinedB) || !(open[face + i] > 0)) continue
      joinedA = a
      joinedB = b
      if (a < 0 && b < 0) continue
      if (a < 0) runs.free(b)
      else if (b < 0) runs.free(a)
      else runs.join(a, b)
    }
  }

  for (let k = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      const at = j * nx
      isWet[j] = findRuns(phi, openX, nx, j + ny * k, plane, at, runs) ? 1 : 0
      if (isWet[j] || (j > 0 && isWet[j - 1]))
        join(j > 0 ? plane : beyond, Math.max(0, at - nx), plane, at, openY, at + nx * (ny + 1) * k)
      if (grid.dims === 3 && (isWet[j] || isWetBelow[j])) join(below, at, plane, at, openZ, at + nx * ny * k)
    }
    if (isWet[ny - 1]) join(plane, nx * (ny - 1), beyond, 0, openY, nx * (ny + (ny + 1) * k))
    ;[plane, below] = [below, plane]
    ;[isWet, isWetBelow] = [isWetBelow, isWet]
  }
  if (grid.dims === 3) for (let j = 0; j < ny; j++) if (isWetBelow[j]) join(below, j * nx, beyond, 0, openZ, nx * (j + ny * nz))
  return runs.enclosed(grid.cells)
}

type Runs = ReturnType<typeof createRuns>

/** Liquid of one row: its runs, and those of them that have something else than liquid or a closed face at an end. Whether there is any. */
function findRuns(
  phi: Float32Array,
  openX: Float32Array,
  nx: number,
  row: number,
  ids: Int32Array,
  at: number,
  runs: Runs,
): boolean {
  const cell = row * nx
  const face = row * (nx + 1)
  let run = -1
  let isWet = false
  for (let i = 0; i < nx; i++) {
    if (!(phi[cell + i] < 0)) {
      if (run >= 0 && openX[face + i] > 0) runs.free(run)
      run = -1
    } else if (run >= 0 && openX[face + i] > 0) runs.extend(run)
    else {
      const isFirst = run < 0
      isWet = true
      run = runs.begin(cell + i)
      if (isFirst && openX[face + i] > 0) runs.free(run)
    }
    ids[at + i] = run
  }
  if (run >= 0 && openX[face + nx] > 0) runs.free(run)
  return isWet
}

/** Runs of cells, in sets that are joined: of each the next one towards the one that stands for its set. */
function createRuns() {
  let [next, first, length] = [new Int32Array(1024), new Int32Array(1024), new Int32Array(1024)]
  let isFree = new Uint8Array(1024)
  let count = 0
  const grown = <T extends Int32Array | Uint8Array>(old: T, empty: T): T => {
    empty.set(old)
    return empty
  }
  function setOf(run: number): number {
    while (next[run] !== run) {
      next[run] = next[next[run]]
      run = next[run]
    }
    return run
  }
  return {
    begin(cell: number): number {
      if (count === next.length) {
        next = grown(next, new Int32Array(2 * count))
        first = grown(first, new Int32Array(2 * count))
        length = grown(length, new Int32Array(2 * count))
        isFree = grown(isFree, new Uint8Array(2 * count))
      }
      next[count] = count
      first[count] = cell
      length[count] = 1
      return count++
    },
    extend(run: number): void {
      length[run]++
    },
    /** It touches something else than liquid. */
    free(run: number): void {
      isFree[setOf(run)] = 1
    },
    join(a: number, b: number): void {
      const one = setOf(a)
      const other = setOf(b)
      if (one === other) return
      const low = Math.min(one, other)
      const high = Math.max(one, other)
      next[high] = low
      isFree[low] |= isFree[high]
    },
    /** Cells of sets that touch nothing else. */
    enclosed(cells: number): Uint8Array | undefined {
      let marks: Uint8Array | undefined
      for (let run = 0; run < count; run++) {
        if (isFree[setOf(run)]) continue
        marks ??= new Uint8Array(cells)
        marks.fill(1, first[run], first[run] + length[run])
      }
      return marks
    },
  }
}
