/** Liquid as the points that water is drawn from: particles where they can be seen, and one point a cell where it is too deep for that. Where
 *  there are no particles far below the surface, walls would be seen without liquid, so it gets points there. */
import { type BufferAttribute, BufferGeometry } from 'three'
import type { Grid } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { sampleNodal } from '../../liquid/solids.js'
import { createAttribute } from './mesh-geometry.js'

export interface WaterPoints {
  /** With an attribute «position», m. */
  readonly near: BufferGeometry
  readonly deep: BufferGeometry
  /** That each point of `near` stands for, m³; one of `deep` is a whole cell. */
  readonly nearVolume: number
  /** Of frames that have particles. */
  update(frame: Frame): void
  dispose(): void
}

/** Cells below the surface, before walls and from the sides of the domain: beyond, balls cannot be seen. */
export const DEEP = 0.97

/** Where deep liquid without particles comes to a wall, cells get that many points along each axis. */
const POINTS = 2
/** Cells from a wall at least, so that none is in solids, where surfaces go on. */
const AWAY = 0.3

export function createWaterPoints(): WaterPoints {
  const near = createPoints()
  const deep = createPoints()
  const finder = createDeepFinder()
  let nearVolume = 0
  return {
    near: near.geometry,
    deep: deep.geometry,
    get nearVolume() {
      return nearVolume
    },
    update(frame) {
      const { grid, liquid, solid } = frame
      const h = grid.spacing
      const { deepCells, bareCells, isDeep } = finder.find(frame)
      deep.begin(deepCells.length)
      for (const cell of deepCells) placeEvenly(grid, cell, 1, deep.add)
      deep.end()
      const { position } = frame.particles!
      near.begin(position.length / 3 + bareCells.length * POINTS ** 3)
      for (let n = 0; n < position.length; n += 3)
        if (!isDeep[cellAt(grid, position, n)]) near.add(position[n], position[n + 1], position[n + 2])
      for (const cell of bareCells)
        placeEvenly(grid, cell, POINTS, (x, y, z) => {
          if (sampleNodal(grid, solid, x / h, y / h, z / h) > AWAY * h) near.add(x, y, z)
        })
      const count = near.end()
      let filled = 0
      for (let cell = 0; cell < grid.cells; cell++) if (liquid[cell] < 0) filled++
      nearVolume = ((filled - deepCells.length) * h ** 3) / Math.max(count, 1)
    },
    dispose() {
      near.geometry.dispose()
      deep.geometry.dispose()
    },
  }
}

/** Of the particle whose coordinates begin at `n`; none of those outside of the domain is the number of a cell that is away from its sides. */
function cellAt({ shape: [nx, ny], spacing }: Grid, position: Float32Array, n: number): number {
  const [i, j, k] = [position[n] / spacing, position[n + 1] / spacing, position[n + 2] / spacing]
  return Math.floor(i) + nx * (Math.floor(j) + ny * Math.floor(k))
}

type Take = (x: number, y: number, z: number) => void

/** Evenly in a cell, so many along each axis, m. */
function placeEvenly({ shape: [nx, ny], spacing }: Grid, cell: number, along: number, take: Take): void {
  const row = Math.floor(cell / nx)
  const [i, j, k] = [cell - row * nx, row % ny, Math.floor(row / ny)]
  const place = (at: number, n: number) => spacing * (at + (n + 0.5) / along)
  for (let c = 0; c < along; c++)
    for (let b = 0; b < along; b++) for (let a = 0; a < along; a++) take(place(i, a), place(j, b), place(k, c))
}

/** Points in memory of the graphics card that is reused from frame to frame and grows where it must. */
function createPoints() {
  const geometry = new BufferGeometry()
  let values = new Float32Array(0)
  let end = 0
  function reserve(count: number): void {
    values = new Float32Array(3 * Math.ceil(count))
    geometry.dispose()
    geometry.setAttribute('position', createAttribute(values, 3))
  }
  function add(x: number, y: number, z: number): void {
    values[end] = x
    values[end + 1] = y
    values[end + 2] = z
    end += 3
  }
  reserve(1024)
  return {
    geometry,
    /** Up to so many are going to be added. */
    begin(most: number): void {
      if (3 * most > values.length) reserve(1.3 * most)
      end = 0
    },
    add,
    /** How many they are. */
    end(): number {
      const attribute = geometry.getAttribute('position') as BufferAttribute
      attribute.clearUpdateRanges()
      attribute.addUpdateRange(0, end)
      attribute.needsUpdate = true
      geometry.setDrawRange(0, end / 3)
      return end / 3
    },
  }
}

interface DeepCells {
  /** 1 in cells in which every point is deep, however values between cells are interpolated. */
  readonly isDeep: Uint8Array
  readonly deepCells: Int32Array
  /** Those far below the surface, but not away from walls, that hold no particle and are not all solid. */
  readonly bareCells: Int32Array
}

/** Keeps its memory from call to call. */
function createDeepFinder() {
  let isBelow = new Uint8Array(0)
  let isDeep = new Uint8Array(0)
  let scratch = new Uint8Array(0)
  let [deepCells, bareCells] = [new Int32Array(0), new Int32Array(0)]

  /** Those of `from` whose neighbours along an axis, which are `step` cells away, are marked, too. */
  function shrink(from: Uint8Array, to: Uint8Array, step: number, size: number): void {
    for (let first = 0; first < from.length; first += step * size)
      for (let at = 0; at < size; at++) {
        const before = at > 0 ? step : 0
        const after = at < size - 1 ? step : 0
        const start = first + at * step
        for (let cell = start; cell < start + step; cell++) to[cell] = from[cell - before] & from[cell] & from[cell + after]
      }
  }

  /** Nearest to a solid, of the corners of a cell, m; 0 at the sides of the domain, which are walls as well. */
  function leastAway({ grid: { shape }, solid }: Frame, i: number, j: number, k: number): number {
    const [nx, ny, nz] = shape
    if (i === 0 || j === 0 || k === 0 || i === nx - 1 || j === ny - 1 || k === nz - 1) return 0
    const node = i + (nx + 1) * (j + (ny + 1) * k)
    let least = Infinity
    for (let corner = 0; corner < 8; corner++) {
      const away = solid[node + (corner & 1) + (nx + 1) * (((corner >> 1) & 1) + (ny + 1) * (corner >> 2))]
      if (away < least) least = away
    }
    return least
  }

  return {
    find(frame: Frame): DeepCells {
      const { grid, liquid, particles } = frame
      const [nx, ny, nz] = grid.shape
      const far = DEEP * grid.spacing
      if (isDeep.length !== grid.cells) {
        ;[isBelow, isDeep, scratch] = [1, 2, 3].map(() => new Uint8Array(grid.cells))
        ;[deepCells, bareCells] = [1, 2].map(() => new Int32Array(grid.cells))
      }
      for (let cell = 0; cell < grid.cells; cell++) isBelow[cell] = liquid[cell] < -far ? 1 : 0
      shrink(isBelow, scratch, 1, nx)
      shrink(scratch, isDeep, nx, ny)
      shrink(isDeep, scratch, nx * ny, nz)
      const { position } = particles!
      // From here on: those without a particle.
      for (let n = 0; n < position.length; n += 3) isBelow[cellAt(grid, position, n)] = 0
      let [deep, bare] = [0, 0]
      for (let k = 0, cell = 0; k < nz; k++)
        for (let j = 0; j < ny; j++)
          for (let i = 0; i < nx; i++, cell++) {
            isDeep[cell] = 0
            if (!scratch[cell]) continue
            const away = leastAway(frame, i, j, k)
            if (away > far) {
              isDeep[cell] = 1
              deepCells[deep++] = cell
            } else if (isBelow[cell] && away > -grid.spacing) bareCells[bare++] = cell
          }
      return { isDeep, deepCells: deepCells.subarray(0, deep), bareCells: bareCells.subarray(0, bare) }
    },
  }
}
