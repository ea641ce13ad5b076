/** The loops on lattices, compiled: levels and vectors are in the memory of a machine, where each solve replaces the one before. */
import { InputError } from '../../input-error.js'
import { LatticeLayout } from '../../machine/generated/layouts.js'
import type { SolveMachine } from '../../machine/generated/solve.js'
import { recordAt } from '../../machine/record.js'
import { type Buffers, createBuffers } from '../../sparse/buffers.js'
import type { Box, BoxMatrix, CellList, Lattices } from './lattices.js'
import { fillSlots, LINE_WORDS, type Packed, placeOf, RECORD_WORDS, SLOT_VALUES } from './packed.js'
import { Packer } from './packing.js'

const LISTS: Readonly<Record<CellList, number>> = { red: 0, black: 1, bandRed: 2, bandBlack: 3 }

/** The address space of 32 bits, less the memory of the module itself. */
const ROOM = 2 ** 32 - 2 ** 20

/** A level, the cells whose pressure may get a bound, and how many vectors its method uses. */
export interface CompiledLevel {
  readonly matrix: BoxMatrix
  readonly bounded?: Int32Array
  readonly vectors: number
}

function checkRoom(name: string, { shape, strides }: Box, bytes: number): void {
  if (bytes <= ROOM) return
  const dims = strides[2] === 0 ? 2 : 3
  const shrink = (ROOM / bytes) ** (1 / dims)
  const cells = (scale: number) =>
    shape
      .slice(0, dims)
      .map(n => Math.max(1, Math.floor(scale * n)))
      .join(' × ')
  throw new InputError(
    `${name} on the compiled engine needs ${(bytes / 2 ** 30).toFixed(1)} GiB for ${cells(1)} cells, and the limit is 4; ` +
      `about ${cells(0.97 * shrink)} cells fit. --engine portable has no such limit.`,
  )
}

/** `buffers`: for arrays that are computed before they are copied to the memory of the machine. */
export function createCompiledLattices(
  machine: SolveMachine,
  levels: readonly CompiledLevel[],
  name: string,
  buffers: Buffers = createBuffers(),
): Lattices<number> {
  const { kernels } = machine
  const packer = new Packer(buffers)
  const packed = levels.map(({ matrix, bounded = new Int32Array(0) }, at) => packer.pack(matrix, bounded, `packed.${at}`))
  // Beyond the ends of a line, also at the ends of a vector, neighbours are read with weight 0.
  const guards = packed.map(({ box }) => 8 * (box.shape[0] + 16))
  const scratch = packed.map(({ box }) => 16 * (box.shape[0] + 16))
  const sizes = packed.map(
    ({ lineOf, lines, records, slotCells, pieces, length }, at) =>
      LatticeLayout.bytes +
      4 * (lineOf.length + lines.length + records.length + pieces.length) +
      8 * SLOT_VALUES * slotCells.length +
      pieces.length * scratch[at] +
      (8 * length + 2 * guards[at] + 64) * levels[at].vectors +
      512,
  )
  checkRoom(
    name,
    packed[0].box,
    sizes.reduce((sum, bytes) => sum + bytes, 0),
  )
  // Everything at once, because growth of memory detaches its arrays.
  kernels.releaseAll()
  const homes = packed.map((level, at) => ({
    header: kernels.allocate(LatticeLayout.bytes),
    lineOf: kernels.allocate(4 * level.lineOf.length),
    lines: kernels.allocate(4 * level.lines.length),
    records: kernels.allocate(4 * level.records.length),
    pieces: kernels.allocate(4 * level.pieces.length),
    slots: kernels.allocate(8 * SLOT_VALUES * level.slotCells.length),
    scratch: kernels.allocate(scratch[at] * level.pieces.length),
    vectors: Array.from({ length: levels[at].vectors }, () => kernels.allocate(8 * level.length + 2 * guards[at]) + guards[at]),
  }))
  const { buffer } = machine.memory
  packed.forEach((level, at) => {
    writeLevel(machine.memory, levels[at].matrix, level, homes[at], scratch[at])
  })
  const views = new Map<number, Float64Array>()
  homes.forEach(({ vectors }, at) => {
    for (const vector of vectors) {
      new Uint8Array(buffer, vector - guards[at], 8 * packed[at].length + 2 * guards[at]).fill(0)
      views.set(vector, new Float64Array(buffer, vector, packed[at].length))
    }
  })
  const lattices = homes.map(({ header }) => header)
  const scales = levels.map(({ matrix }) => 1 / matrix.lattice.shape.reduce((product, n) => (n > 1 ? 2 * product : product), 1))
  const taken = levels.map(() => 0)
  return {
    vector(at) {
      const vector = homes[at].vectors[taken[at]++]
      if (vector === undefined) throw new TypeError(`level ${at} has ${homes[at].vectors.length} vectors only`)
      return vector
    },
    values: (_, x) => views.get(x)!,
    places(at, cells, into = new Int32Array(cells.length)) {
      for (let n = 0; n < cells.length; n++) into[n] = placeOf(packed[at], cells[n])
      return into
    },
    relax: (at, list, p, b, lowest = 0) => kernels.latticeRelax(lattices[at], LISTS[list], p, b, lowest),
    jacobi: (at, damping, b, p, add) => kernels.latticeJacobi(lattices[at], add ? 1 : 0, damping, b, p),
    residual: (at, p, b, r) => kernels.latticeResidual(lattices[at], p, b, r),
    apply: (at, x, y) => kernels.latticeApply(lattices[at], x, y),
    restrict: (at, r, to) => kernels.latticeRestrict(lattices[at], lattices[at + 1], scales[at], r, to),
    prolong: (at, x, to) => kernels.latticeProlong(lattices[at], lattices[at + 1], x, to),
    dot: (at, x, y) => kernels.latticeDot(lattices[at], x, y),
    clear: (at, x) => kernels.latticeCombine(lattices[at], 0, 0, 0, x),
    combine: (at, a, x, b, to) => kernels.latticeCombine(lattices[at], a, x, b, to),
    step: (at, alpha, { d, Ad, x, r }) => kernels.latticeStep(lattices[at], alpha, d, Ad, x, r),
    clamp: (at, p, lowest) => kernels.latticeClamp(lattices[at], p, lowest),
    maskPinned: (at, p, lowest, from, to) => kernels.latticeMaskPinned(lattices[at], p, lowest, from, to),
    energy(at, { p, start, r, rStart }, contacts) {
      const needed = kernels.latticeEnergy(lattices[at], p, start, r, rStart, contacts)
      return { needed, change: machine.results[1] }
    },
    slopes(at, { p, start, r, rStart }) {
      const slope = kernels.latticeSlopes(lattices[at], p, start, r, rStart)
      return { slope, curvature: machine.results[1] }
    },
    natural(at, p, r, contacts) {
      const residual = kernels.latticeNatural(lattices[at], p, r, contacts)
      return { residual, pinned: machine.results[1] }
    },
  }
}

interface Home {
  readonly header: number
  readonly lineOf: number
  readonly lines: number
  readonly records: number
  readonly pieces: number
  readonly slots: number
  readonly scratch: number
}

function writeLevel(memory: WebAssembly.Memory, matrix: BoxMatrix, level: Packed, home: Home, scratchBytes: number): void {
  const { box, weights, diagonal, lineOf, lines, records, pieces, slotCells } = level
  const { buffer } = memory
  const [wx, wy, wz] = weights
  const [nx, ny, nz] = box.shape
  const arrays = { lineOf: home.lineOf, lines: home.lines, records: home.records, pieces: home.pieces, scratch: home.scratch }
  const header = { wx, wy, wz, diagonal, nx, ny, nz, ...arrays, pieceCount: pieces.length - 1, scratchBytes }
  Object.assign(recordAt(memory, LatticeLayout, home.header), header satisfies Record<keyof typeof LatticeLayout.fields, number>)
  new Int32Array(buffer, home.lineOf, lineOf.length).set(lineOf)
  new Int32Array(buffer, home.pieces, pieces.length).set(pieces)
  const line = new Uint32Array(buffer, home.lines, lines.length)
  line.set(lines)
  for (let at = 8; at < lines.length; at += LINE_WORDS) {
    line[at] = 8 * lines[at]
    line[at + 2] = 8 * lines[at + 2]
  }
  const record = new Uint32Array(buffer, home.records, records.length)
  for (let at = 0; at < records.length; at += RECORD_WORDS) {
    record[at] = 8 * records[at]
    record[at + 1] = records[at + 1]
    record[at + 2] = records[at + 2] < 0 ? 0 : home.slots + 8 * SLOT_VALUES * records[at + 2]
    for (let word = 3; word < RECORD_WORDS; word++) record[at + word] = 8 * records[at + word]
  }
  fillSlots(matrix, level, new Float64Array(buffer, home.slots, SLOT_VALUES * slotCells.length))
}
