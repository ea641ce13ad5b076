/** Every compiled loop over compressed rows against its definition, bit for bit. */
import { describe, expect, it } from 'vitest'
import { InputError } from '../../src/input-error.js'
import { type SolveMachine, solveModule } from '../../src/machine/generated/solve.js'
import { startMachine } from '../../src/machine/machine.js'
import { CONTACT, LIQUID } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { type Buffers, createBuffers } from '../../src/sparse/buffers.js'
import { buffersIn } from '../../src/sparse/compiled-buffers.js'
import { createSparseMemory } from '../../src/sparse/compiled-memory.js'
import { createIncompleteCholesky } from '../../src/sparse/preconditioners/incomplete-cholesky.js'
import { galerkinProduct } from '../../src/sparse/product.js'
import type { SweepOrder } from '../../src/sparse/sweeps.js'

interface Sample {
  readonly rows: number
  /** Entries to either side of the diagonal, at most. */
  readonly links: number
  /** Decades that values span. */
  readonly decades: number
  readonly contacts: number
  /** Share of rows that are left alone. */
  readonly alone: number
  /** How far from the diagonal entries lie. */
  readonly reach: number
}

const usual: Sample = { rows: 500, links: 3, decades: 4, contacts: 0.3, alone: 0.1, reach: 60 }
const samples: readonly [string, Sample][] = [
  ['no unknown', { ...usual, rows: 0 }],
  ['one unknown', { ...usual, rows: 1, alone: 0 }],
  ['two unknowns', { ...usual, rows: 2, alone: 0, reach: 1 }],
  ['single rows without links', { ...usual, rows: 33, links: 0 }],
  ['an odd number of rows', { ...usual, rows: 101 }],
  ['rows like those of a grid', usual],
  ['only contacts', { ...usual, contacts: 1, alone: 0 }],
  ['rows that reach everywhere', { ...usual, rows: 90, links: 20, reach: 90 }],
  ['a chain', { ...usual, rows: 257, links: 1, reach: 1 }],
  ['values of all sizes', { ...usual, decades: 200 }],
]

const SEED = 11

/** A symmetric matrix with positive diagonal; whether it is an M-matrix does not matter to loops. */
function makeLevel(sample: Sample, buffers: Buffers) {
  const { rows, links, decades, reach } = sample
  const size = (a: number, b: number) => 10 ** (decades * (random(SEED, a, b) - 0.5))
  const lists: Map<number, number>[] = Array.from({ length: rows }, (_, row) => new Map([[row, 10 * size(row, row)]]))
  for (let row = 0; row < rows; row++) {
    for (let link = 0; link < links; link++) {
      const other = row + 1 + Math.floor(reach * random(SEED, row, link, 1))
      if (other >= rows) continue
      const value = -size(row, other)
      lists[row].set(other, value)
      lists[other].set(row, value)
    }
  }
  const entries = lists.reduce((sum, list) => sum + list.size, 0)
  const A = {
    rows,
    rowStart: buffers.i32('rowStart', rows + 1),
    columns: buffers.i32('columns', entries),
    values: buffers.f64('values', entries),
    diagonalAt: buffers.i32('diagonalAt', rows),
    b: makeVector(rows, 1, buffers),
    kind: buffers.u8('kind', rows),
  }
  const inverseDiagonal = buffers.f64('inverseDiagonal', rows)
  const contact = buffers.u8('contact', rows)
  const free = buffers.u8('free', rows)
  const byColour = buffers.i32('byColour', rows)
  let at = 0
  let farthest = 0
  lists.forEach((list, row) => {
    A.rowStart[row] = at
    for (const [column, value] of [...list].sort(([a], [b]) => a - b)) {
      if (column === row) A.diagonalAt[row] = at
      A.columns[at] = column
      A.values[at++] = value
      farthest = Math.max(farthest, column - row)
    }
    const alone = random(SEED, row, 2) < sample.alone
    inverseDiagonal[row] = alone ? 0 : 1 / A.values[A.diagonalAt[row]]
    contact[row] = random(SEED, row, 3) < sample.contacts ? 1 : 0
    A.kind[row] = contact[row] ? CONTACT : LIQUID
    free[row] = random(SEED, row, 4) < 0.7 ? 1 : 0
    byColour[row] = row < (rows + 1) >> 1 ? 2 * row : 2 * (row - ((rows + 1) >> 1)) + 1
  })
  A.rowStart[rows] = at
  return { A, inverseDiagonal, contact, byColour, reach: farthest, free }
}

function makeVector(rows: number, seed: number, buffers: Buffers): Float64Array {
  const vector = buffers.f64(`vector ${seed}`, rows)
  for (let row = 0; row < rows; row++) vector[row] = 20 * random(seed, row) - 10
  return vector
}

/** What a loop leaves behind: arrays and numbers, in any number. */
type Outcome = readonly (ArrayLike<number> | number)[]
type Level = ReturnType<typeof makeLevel>
type Vectors = (seed: number) => Float64Array

const ORDERS: readonly SweepOrder[] = [false, true].flatMap(coloured => [false, true].map(backward => ({ coloured, backward })))

const loops: readonly [string, (buffers: Buffers, level: Level, vector: Vectors) => Outcome][] = [
  [
    'multiplyFree',
    ({ loops }, { A, free }, vector) => {
      loops.multiplyFree(A, free, vector(2), vector(3))
      return [vector(3)]
    },
  ],
  [
    'divergenceLeft',
    ({ loops }, { A }, vector) => {
      loops.divergenceLeft(A, vector(2), vector(3))
      return [vector(3)]
    },
  ],
  [
    'dot, addScaled, turn, step and largestMagnitude',
    ({ loops }, _, vector) => {
      const [x, y, z, d] = [vector(2), vector(3), vector(4), vector(5)]
      const before = loops.dot(x, y)
      loops.addScaled(y, 0.3, x)
      loops.turn(d, z, -0.7)
      return [before, loops.step(x, y, 1.1, d, z), loops.largestMagnitude(x), loops.dot(x, y), x, y, z, d]
    },
  ],
  [
    'largestMagnitude of what is not a number',
    ({ loops }, _, vector) => {
      const x = vector(2)
      const found: number[] = []
      for (const at of [0, x.length >> 1, x.length - 1]) {
        if (at < 0 || at >= x.length) continue
        const kept = x[at]
        for (const value of [NaN, -Infinity, -0]) {
          x[at] = value
          found.push(loops.largestMagnitude(x))
        }
        x[at] = kept
      }
      return [found]
    },
  ],
  [
    'negate and addProduct',
    ({ loops }, _, vector) => {
      loops.negate(vector(2), vector(3))
      loops.addProduct(vector(3), -1, vector(4), vector(5))
      loops.addProduct(vector(4), 1, vector(2), vector(5))
      loops.negate(vector(2), vector(2))
      return [vector(2), vector(3), vector(4)]
    },
  ],
  [
    'natural',
    ({ loops }, { A }, vector) => {
      const found = loops.natural(A, vector(2), vector(3))
      const middle = A.rows >> 1
      if (A.rows > 0) vector(2)[middle] = NaN
      const broken = loops.natural(A, vector(2), vector(3))
      return [found.residual, found.pinned, broken.residual, broken.pinned]
    },
  ],
  [
    'solveFactor',
    (buffers, { A, free }, vector) => {
      const outcome: Float64Array[] = []
      for (const modified of [0, 0.97]) {
        const M = createIncompleteCholesky(buffers, { modified })
        M.build(A, free)
        const z = vector(3)
        M.apply(vector(2), z)
        outcome.push(z.slice())
        // Nothing comes from a 0, not even the sign of one.
        const zeros = vector(4)
        for (let row = 0; row < zeros.length; row++) zeros[row] = row % 3 ? -0 : 0
        M.apply(zeros, z)
        outcome.push(z.slice())
      }
      return outcome
    },
  ],
  ...ORDERS.flatMap(order =>
    [0, 1, 2, 3, 4].flatMap((sweeps): typeof loops => {
      const name = `${sweeps} sweeps ${order.backward ? 'backward' : 'forward'}${order.coloured ? ' by colour' : ''}`
      return [
        [name, ({ loops }, level, vector) => [loops.sweep(level, vector(2), vector(3), order, sweeps), vector(3)]],
        ...[false, true].map((literal): (typeof loops)[number] => [
          `${name}, projected${literal ? ' literally' : ''}`,
          ({ loops }, level, vector) => {
            const sides = { f: vector(2), b: level.A.b, literal }
            return [loops.sweepProjected(level, sides, vector(3), order, sweeps), vector(3)]
          },
        ]),
      ]
    }),
  ),
  [
    'residual',
    ({ loops }, level, vector) => {
      loops.residual(level, vector(2), vector(3), vector(4))
      return [vector(4)]
    },
  ],
  [
    'evaluate',
    ({ loops }, level, vector) => {
      loops.evaluate(level, { b: level.A.b, literal: false }, vector(3), vector(4))
      loops.evaluate(level, { b: level.A.b, literal: true }, vector(3), vector(5))
      return [vector(4), vector(5)]
    },
  ],
  [
    'restrictBy and addInterpolated, as if A were an interpolation',
    ({ loops }, { A }, vector) => {
      loops.restrictBy(A, 0.125, vector(2), vector(3))
      loops.addInterpolated(A, vector(3), vector(4))
      return [vector(3), vector(4)]
    },
  ],
  [
    'galerkinProduct, with more entries than expected',
    (buffers, { A }) => {
      const { product, touched } = galerkinProduct(A, A, A.rows, 0.125, buffers, 'product')
      return [touched, product.rowStart, product.columns, product.values, product.diagonalAt]
    },
  ],
]

/** Each machine serves one sample, as it serves one solve. */
async function inMachine<T>(use: (machine: SolveMachine) => T): Promise<T> {
  const machine = await startMachine(solveModule, 1)
  try {
    return use(machine)
  } finally {
    machine.dispose()
  }
}

function outcomes(sample: Sample, buffers: Buffers, run: (typeof loops)[number][1]): Outcome {
  const level = makeLevel(sample, buffers)
  const vectors = new Map<number, Float64Array>()
  const vector: Vectors = seed => {
    const found = vectors.get(seed) ?? makeVector(sample.rows, seed, buffers)
    vectors.set(seed, found)
    return found
  }
  return run(buffers, level, vector)
}

/** All NaN are one; 0 and −0 are two. */
const bitsOf = (outcome: Outcome) =>
  outcome.map(part => {
    const numbers = Float64Array.from(typeof part === 'number' ? [part] : part, value => (Number.isNaN(value) ? NaN : value))
    return Buffer.from(numbers.buffer).toString('hex')
  })

describe.each(samples)('%s', (_, sample) => {
  it.each(loops)('%s', async (_, run) => {
    const expected = outcomes(sample, createBuffers(), run)
    const bytes = 2 ** 23
    await inMachine(machine => {
      const buffers = buffersIn(machine, bytes)
      const outcome = outcomes(sample, buffers, run)
      expect(buffers.outside()).toBe(0)
      expect(bitsOf(outcome)).toEqual(bitsOf(expected))
    })
  })
})

describe('memory', () => {
  it('gives the same bits where arrays find no room in it', async () => {
    for (const bytes of [0, 1000, 10_000, 40_000]) {
      for (const [name, run] of loops) {
        await inMachine(machine => {
          const buffers = buffersIn(machine, bytes)
          expect(bitsOf(outcomes(usual, buffers, run)), `${name} in ${bytes}`).toEqual(
            bitsOf(outcomes(usual, createBuffers(), run)),
          )
          expect(buffers.outside()).toBeGreaterThan(0)
        })
      }
    }
  })

  it('is there before a solve asks for it, so that nothing grows', async () => {
    for (const bytes of [0, 64, 65536, 2 ** 20 - 1, 3_000_001]) {
      const machine = await startMachine(solveModule, 1, bytes)
      const { buffer } = machine.memory
      const x = buffersIn(machine, bytes).u8('x', bytes)
      expect(x.length).toBe(bytes)
      expect(x.buffer).toBe(buffer)
      expect(machine.memory.buffer).toBe(buffer)
    }
  })

  it('is kept between solves, and replaced where one needs more', async () => {
    const memory = createSparseMemory('some-solver', { engine: 'wasm' })
    const homeOf = async (bytes: number) => (await memory.open(1, bytes)).u8('x', 1).buffer
    const first = await homeOf(100_000)
    expect(await homeOf(50_000)).toBe(first)
    expect(await homeOf(100_000)).toBe(first)
    const second = await homeOf(200_000)
    expect(second).not.toBe(first)
    expect(await homeOf(240_000)).toBe(second)
    memory.clear()
    expect(await homeOf(1000)).not.toBe(second)
  })

  it('does not grow when it is used again', async () => {
    await inMachine(machine => {
      buffersIn(machine, 2 ** 20)
      const { byteLength } = machine.memory.buffer
      for (let solve = 0; solve < 1000; solve++) {
        const buffers = buffersIn(machine, 2 ** 20 - 64 * (solve % 7))
        buffers.f64('x', 1000 + solve).fill(1)
        buffers.i32('x', 2000 + solve)
      }
      expect(machine.memory.buffer.byteLength).toBe(byteLength)
    })
  })

  it('keeps what a name has, and gives a longer array where more is asked for', async () => {
    await inMachine(machine => {
      const buffers = buffersIn(machine, 2 ** 16)
      const x = buffers.f64('x', 10).fill(3)
      expect(buffers.f64('x', 5).every(value => value === 3)).toBe(true)
      const other = buffers.f64('y', 10).fill(4)
      expect(buffers.u8('x', 10).byteOffset).not.toBe(x.byteOffset)
      const longer = buffers.f64('x', 20).fill(5)
      expect(longer.length).toBe(20)
      expect(other.every(value => value === 4)).toBe(true)
      expect(buffers.f64('x', 22).byteOffset).toBe(longer.byteOffset)
    })
  })

  it('refuses what 4 GiB cannot hold, or leaves it to plain TypeScript where the choice is free', async () => {
    const opening = createSparseMemory('some-solver', { engine: 'wasm' }).open(9_000_000, 5 * 2 ** 30)
    await expect(opening).rejects.toThrow(InputError)
    await expect(opening).rejects.toThrow(/some-solver: 9000000 unknowns need about 5.00 GiB/)
    expect((await createSparseMemory('some-solver', {}).open(9_000_000, 5 * 2 ** 30)).loops.engine).toBe('portable')
    expect((await createSparseMemory('some-solver', {}).open(9, 900)).loops.engine).toBe('wasm')
    expect((await createSparseMemory('some-solver', { engine: 'portable' }).open(9, 900)).loops.engine).toBe('portable')
  })
})
