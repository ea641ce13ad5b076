/** Every compiled loop on lattices against its definition in plain TypeScript, and the same bits for any number of threads. */
import { afterAll, describe, expect, it } from 'vitest'
import { InputError } from '../../../src/input-error.js'
import { type SolveMachine, solveModule } from '../../../src/machine/generated/solve.js'
import { startMachine } from '../../../src/machine/machine.js'
import { createCompiledLattices } from '../../../src/multigrid/lattice/compiled.js'
import type { Lattices } from '../../../src/multigrid/lattice/lattices.js'
import { createPortableLattices, type PortableLevel } from '../../../src/multigrid/lattice/plain.js'
import {
  coarsenLattice,
  createLattice,
  createTransfer,
  type Lattice,
  latticeIndex,
} from '../../../src/multigrid/lattice/transfer.js'
import { random } from '../../../src/random.js'
import { createBuffers } from '../../../src/sparse/buffers.js'

type Position = readonly [number, number, number]
type Wet = (i: number, j: number, k: number) => boolean

interface Level extends PortableLevel {
  readonly reds: number
  readonly band: Int32Array
  readonly bandReds: number
  readonly bounded: Int32Array
}

const VECTORS = 12

/** Unknowns where `wet` says so. Links are 1 but for a random half of them on one side; some lead to cells that are none. */
function createLevel(lattice: Lattice, wet: Wet, seed: number, coarse?: Lattice): Level {
  const [nx, ny, nz] = lattice.shape
  const positions: Position[] = []
  for (let k = 0; k < nz; k++) for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) positions.push([i, j, k])
  const at = (position: Position) => latticeIndex(lattice, ...position)
  const inside = positions.filter(position => wet(...position))
  const unknown = new Set(inside.map(at))
  const zeros = () => new Float64Array(lattice.size)
  const diagonal = zeros()
  const links = [zeros(), zeros(), zeros()] as const
  for (const position of inside) {
    const c = at(position)
    for (let axis = 0; axis < 3; axis++) {
      const stride = lattice.strides[axis]
      if (stride === 0 || lattice.shape[axis] === 1) continue
      const plain = position[0] < nx / 2 || random(seed, c, axis) < 0.5
      const weight = plain ? 1 : random(seed, c, axis, 1) ** 2
      if (position[axis] + 1 < lattice.shape[axis]) links[axis][c] = -weight
      diagonal[c] += weight
      if (unknown.has(c + stride)) diagonal[c + stride] += weight
    }
  }
  for (const position of inside) {
    const c = at(position)
    for (let axis = 0; axis < 3; axis++) {
      const stride = lattice.strides[axis]
      // What lies below and is no unknown holds the cell, too.
      if (stride !== 0 && lattice.shape[axis] > 1 && !unknown.has(c - stride)) diagonal[c] += 1
    }
    if (diagonal[c] === 0) diagonal[c] = 1
  }
  const byColour = (chosen: readonly Position[]) => {
    const red = chosen.filter(([i, j, k]) => ((i + j + k) & 1) === 0)
    const black = chosen.filter(([i, j, k]) => ((i + j + k) & 1) === 1)
    return { cells: Int32Array.from([...red, ...black].map(at)), reds: red.length }
  }
  const { cells, reds } = byColour(inside)
  const band = byColour(inside.filter(position => random(seed, at(position), 7) < 0.4))
  const bounded = cells.filter(c => random(seed, c, 8) < 0.3)
  const transfer = coarse && createTransfer(lattice, cells, coarse, createBuffers(), 't')
  return { lattice, cells, reds, band: band.cells, bandReds: band.reds, bounded, diagonal, links, nonZeros: 0, transfer }
}

function createLevels(shape: Position, flat: boolean, wet: Wet, seed = 1): Level[] {
  const fine = createLattice(shape, flat)
  const coarse = coarsenLattice(fine)
  return [createLevel(fine, wet, seed, coarse), createLevel(coarse, (i, j, k) => wet(2 * i, 2 * j, 2 * k), seed + 1)]
}

const compile = (machine: SolveMachine, levels: readonly Level[]) =>
  createCompiledLattices(
    machine,
    levels.map(matrix => ({ matrix, bounded: matrix.bounded, vectors: VECTORS })),
    'test',
  )

/** Everything the loops do, from the same start: what they return, and the vectors they leave, by cell. */
function exercise<Vector>(lattices: Lattices<Vector>, levels: readonly Level[]): { numbers: number[]; vectors: Float64Array[] } {
  const numbers: number[] = []
  const vectors: Float64Array[] = []
  const places = levels.map(({ cells }, at) => lattices.places(at, cells))
  /** Values from 1e-3 to 1e3 in size, some exactly 0. */
  const draw = (at: number, seed: number) => {
    const x = lattices.vector(at)
    const values = lattices.values(at, x)
    levels[at].cells.forEach((c, n) => {
      const size = 10 ** (6 * random(seed, c) - 3)
      values[places[at][n]] = random(seed, c, 1) < 0.1 ? 0 : random(seed, c, 2) < 0.5 ? -size : size
    })
    return x
  }
  const look = (at: number, x: Vector) => {
    const values = lattices.values(at, x)
    vectors.push(Float64Array.from(places[at], place => values[place]))
    // Nothing may be left where there is no unknown.
    let rest = 0
    const own = new Set(places[at])
    values.forEach((value, place) => {
      if (!own.has(place) && value !== 0) rest++
    })
    numbers.push(rest)
  }
  const [p, b, r, d, start] = [1, 2, 3, 4, 5].map(seed => draw(0, seed))
  const [coarseP, coarseB] = [draw(1, 6), draw(1, 7)]
  const lowest = lattices.vector(0)
  const bound = lattices.values(0, lowest).fill(-Infinity)
  const p0 = lattices.values(0, p)
  lattices.places(0, levels[0].bounded).forEach((place, n) => {
    bound[place] = n % 3 === 0 ? p0[place] : 0
  })

  lattices.maskPinned(0, p, lowest, b, r)
  look(0, r)
  const energy = lattices.energy(0, { p, start, r, rStart: d }, lowest)
  const slopes = lattices.slopes(0, { p, start, r, rStart: d })
  const natural = lattices.natural(0, p, r, lowest)
  numbers.push(energy.needed, energy.change, slopes.slope, slopes.curvature, natural.residual, natural.pinned)
  lattices.jacobi(0, 0.6, b, r, false)
  look(0, r)
  lattices.jacobi(0, 0.6, b, r, true)
  look(0, r)
  for (const list of ['bandRed', 'bandBlack', 'red', 'black'] as const) {
    lattices.relax(0, list, p, b)
    look(0, p)
    lattices.relax(0, list, d, b, lowest)
    look(0, d)
  }
  lattices.residual(0, p, b, r)
  look(0, r)
  lattices.maskPinned(0, p, lowest, r, r)
  look(0, r)
  lattices.restrict(0, r, coarseB)
  look(1, coarseB)
  lattices.relax(1, 'black', coarseP, coarseB)
  look(1, coarseP)
  lattices.prolong(0, coarseP, p)
  look(0, p)
  lattices.clamp(0, p, lowest)
  look(0, p)
  numbers.push(lattices.apply(0, p, r), lattices.dot(0, p, b))
  look(0, r)
  lattices.combine(0, 0.5, p, 0.25, d)
  look(0, d)
  lattices.combine(0, 2, p, 0, d)
  look(0, d)
  numbers.push(lattices.step(0, 0.125, { d, Ad: b, x: start, r }))
  look(0, start)
  look(0, r)
  lattices.clear(0, p)
  look(0, p)
  return { numbers, vectors }
}

const everywhere: Wet = () => true
const cases: [string, Position, boolean, Wet][] = [
  ['a full box', [12, 10, 8], false, everywhere],
  ['a full rectangle', [20, 14, 1], true, everywhere],
  ['odd sides', [13, 9, 7], false, (i, j, k) => random(3, i, j, k) < 0.8],
  ['scattered cells', [15, 11, 9], false, (i, j, k) => random(4, i, j, k) < 0.3],
  ['scattered cells in 2D', [33, 17, 1], true, (i, j) => random(5, i, j) < 0.5],
  ['no cell', [7, 6, 5], false, () => false],
  ['one cell', [1, 1, 1], true, everywhere],
  ['one cell of many', [9, 8, 7], false, (i, j, k) => i === 4 && j === 3 && k === 6],
  ['a row along x', [31, 1, 1], true, everywhere],
  ['a row along y', [1, 30, 1], true, everywhere],
  ['a row along z', [1, 1, 30], false, everywhere],
  ['two cells wide', [2, 9, 3], false, everywhere],
  ['walls one cell thick', [24, 18, 1], true, (i, j) => i % 5 !== 2 && (j % 7 !== 3 || i === 7)],
  ['sheets one cell thick', [16, 12, 10], false, (i, j) => (i + j) % 4 === 0],
  ['lines far apart', [40, 6, 6], false, (i, j, k) => (j + k) % 3 === 0 && (i < 5 || i > 33)],
  ['a ball', [24, 24, 24], false, (i, j, k) => Math.hypot(i - 11.5, j - 11.5, k - 11.5) < 10],
]

const machines = [1, 2, 3].map(threads => startMachine(solveModule, threads))
afterAll(async () => {
  for (const machine of machines) (await machine).dispose()
})

describe('the compiled loops on lattices', () => {
  it.each(cases)('do what the definition does on %s', async (_, shape, flat, wet) => {
    const levels = createLevels(shape, flat, wet)
    const expected = exercise(createPortableLattices(levels, createBuffers(), 't'), levels)
    const actual = exercise(compile(await machines[0], levels), levels)
    expect(actual.vectors.length).toBe(expected.vectors.length)
    expected.vectors.forEach((vector, n) => {
      const scale = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 1)
      vector.forEach((value, at) => {
        expect(Math.abs(actual.vectors[n][at] - value), `vector ${n}, unknown ${at}`).toBeLessThanOrEqual(1e-12 * scale)
      })
    })
    expected.numbers.forEach((value, n) => {
      expect(Math.abs(actual.numbers[n] - value), `number ${n}`).toBeLessThanOrEqual(1e-11 * Math.max(1, Math.abs(value)))
    })
  })

  it('give the same bits for 1, 2 and 3 threads', async () => {
    const levels = createLevels([44, 40, 36], false, (i, j, k) => Math.hypot(i - 20, j - 20, k - 18) < 19 || k < 6)
    expect(levels[0].cells.length).toBeGreaterThan(20_000)
    const [one, ...others] = await Promise.all(machines.map(async machine => exercise(compile(await machine, levels), levels)))
    for (const other of others) {
      expect(other.numbers).toEqual(one.numbers)
      other.vectors.forEach((vector, n) => {
        expect(Buffer.from(vector.buffer).equals(Buffer.from(one.vectors[n].buffer)), `vector ${n}`).toBe(true)
      })
    }
  })

  it('let NaN through where the largest is sought', async () => {
    const levels = createLevels([44, 40, 36], false, everywhere)
    for (const lattices of [compile(await machines[0], levels), compile(await machines[1], levels)]) {
      const [d, Ad, x, r, contacts] = Array.from({ length: 5 }, () => lattices.vector(0))
      const [first] = lattices.places(0, levels[0].cells)
      lattices.values(0, r)[first] = NaN
      expect(lattices.step(0, 1, { d, Ad, x, r })).toBeNaN()
      lattices.values(0, contacts).fill(-Infinity)
      expect(lattices.natural(0, x, r, contacts).residual).toBeNaN()
    }
  })

  it('refuse what does not fit into 4 GiB and name the size that does', async () => {
    const levels = createLevels([20, 20, 20], false, everywhere)
    const machine = await machines[0]
    const before = machine.memory.buffer.byteLength
    const tooMany = () => createCompiledLattices(machine, [{ matrix: levels[0], vectors: 10 ** 6 }], 'mgpcg')
    expect(tooMany).toThrow(InputError)
    expect(tooMany).toThrow(/mgpcg .* needs \d+\.\d GiB for 20 × 20 × 20 cells, and the limit is 4; about 7 × 7 × 7 cells fit/)
    expect(machine.memory.buffer.byteLength).toBe(before)
  })
})
