import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AXES, createGrid } from '../../../src/grid/grid.js'
import { formatNpy, type NpyData } from '../../../src/io/formats/npy.js'
import { formatNpz, parseNpz } from '../../../src/io/formats/npz.js'
import { formatGridProblem, parseGridProblem } from '../../../src/io/problem/grid-problem.js'
import { formatPressure, parsePressure } from '../../../src/io/problem/pressure-array.js'
import { CONTACT, countUnknowns, DRY, F32_ROUNDING, LIQUID, type PressureProblem } from '../../../src/pressure/problem.js'
import { measure } from '../../../src/pressure/residual.js'
import { buildZip } from '../formats/zip-builder.js'
import { parsesOrRefuses, refusal } from '../refusal.js'

type Arrays = Record<string, { data: NpyData; shape: number[] }>

const sample = (name: string): Uint8Array => readFileSync(new URL(`../../fixtures/problems/${name}`, import.meta.url))
const pack = (arrays: Arrays): Uint8Array => formatNpz(Object.entries(arrays))
/** The matchers of the test runner take seconds for arrays of this size. */
const expectSameBytes = (found: NpyData, expected: NpyData): void => {
  expect(found.constructor).toBe(expected.constructor)
  expect(Buffer.compare(Buffer.from(found.buffer), Buffer.from(expected.buffer))).toBe(0)
}
const numbers = (...values: number[]): NpyData => Float64Array.from(values)

/** Two rows of three cells; the last cell is no unknown, the first may let go. */
const flat = (): Arrays => ({
  diag: { data: numbers(2, 3, 2, 2, 2, 0), shape: [2, 3] },
  east: { data: numbers(-1, -1, 0, -1, 0, 0), shape: [2, 3] },
  north: { data: numbers(-0.5, -1, 0, 0, 0, 0), shape: [2, 3] },
  b: { data: numbers(1, -2, 3, -4, 5, -6), shape: [2, 3] },
  separating: { data: Uint8Array.of(1, 0, 0, 0, 0, 1), shape: [2, 3] },
})
const deep = (): Arrays => {
  const arrays = flat()
  for (const array of Object.values(arrays)) array.shape = [1, 2, 3]
  return { ...arrays, up: { data: new Float64Array(6), shape: [1, 2, 3] } }
}

describe.each([
  ['half-ball-2d-64', 1354, 106, [64, 64, 1], 2],
  ['half-ball-3d-32', 7176, 1720, [32, 32, 32], 3],
] as const)('the sample %s', (name, unknowns, contacts, shape, dims) => {
  const problem = parseGridProblem(sample(`${name}.npz`), name)
  const solution = parsePressure(sample(`${name}.solution.npy`), name, problem)

  it('has the cells it is known for', () => {
    expect(countUnknowns(problem)).toEqual({ unknowns, contacts })
    expect(problem.grid).toMatchObject({ shape, dims, spacing: 1 })
    expect(problem.rounding).toBeUndefined()
  })

  it('comes with a solution', () => {
    expect(measure(problem, solution).residual).toBeLessThan(1e-9)
    expect(measure(problem, solution).pinned).toBeGreaterThan(0)
    expect(measure(problem, new Float64Array(solution.length)).residual).toBeGreaterThan(1e-3)
  })

  it('is the same after writing and reading', () => {
    const bytes = formatGridProblem(problem)
    const again = parseGridProblem(bytes, 'again')
    expect(again.grid).toEqual(problem.grid)
    expectSameBytes(again.kind, problem.kind)
    expectSameBytes(again.diagonal, problem.diagonal)
    expectSameBytes(again.b, problem.b)
    for (const axis of AXES) expectSameBytes(again.links[axis], problem.links[axis])
    const written = parseNpz(bytes, 'written')
    for (const [array, { data, shape }] of parseNpz(sample(`${name}.npz`), 'original')) {
      expect(written.get(array)!.shape).toEqual(shape)
      expectSameBytes(written.get(array)!.data, data)
    }
    expectSameBytes(parsePressure(formatPressure(solution, problem), 'again', problem), solution)
  })
})

describe('reading', () => {
  it('x is the last side of the shape', () => {
    const problem = parseGridProblem(pack(flat()), 'file')
    expect(problem.grid).toEqual(createGrid([3, 2]))
    expect(problem.kind).toEqual(Uint8Array.of(CONTACT, LIQUID, LIQUID, LIQUID, LIQUID, DRY))
    expect(problem.links).toEqual([flat().east.data, flat().north.data, new Float64Array(6)])
  })

  it('one layer of a 3D file stays 3D', () => {
    const problem = parseGridProblem(pack(deep()), 'file')
    expect(problem.grid).toEqual(createGrid([3, 2, 1]))
    expect(parseGridProblem(formatGridProblem(problem), 'again')).toStrictEqual(problem)
  })

  it('unknown arrays and entries are ignored, whatever they are', () => {
    const text = new TextEncoder().encode('no array')
    const parts = Object.entries(flat()).map(([name, { data, shape }]) => ({ name: `${name}.npy`, data: formatNpy(data, shape) }))
    const bytes = buildZip([{ name: 'author.npy', data: text }, ...parts, { name: 'notes.txt', data: text }])
    expect(parseGridProblem(bytes, 'file')).toStrictEqual(parseGridProblem(pack(flat()), 'file'))
  })

  it.each([Float64Array.of(0.25), Float32Array.of(0.25)])('the spacing is taken where the file has one', data => {
    const problem = parseGridProblem(pack({ ...flat(), spacing: { data, shape: [] } }), 'file')
    expect(problem.grid.spacing).toBe(0.25)
    expect(parseGridProblem(formatGridProblem(problem), 'again').grid.spacing).toBe(0.25)
  })

  it.each(['diag', 'east', 'north'])('f32 in %s is known by its rounding, also after writing', name => {
    const arrays = flat()
    arrays[name].data = Float32Array.from(arrays[name].data as Float64Array, value => value / 3)
    const problem = parseGridProblem(pack(arrays), 'file')
    expect(problem.rounding).toBe(F32_ROUNDING)
    expect(parseGridProblem(formatGridProblem(problem), 'again')).toStrictEqual(problem)
  })

  it('f32 in b alone does not coarsen the coefficients', () => {
    const arrays = flat()
    arrays.b.data = Float32Array.from(arrays.b.data as Float64Array)
    expect(parseGridProblem(pack(arrays), 'file')).toStrictEqual(parseGridProblem(pack(flat()), 'file'))
  })
})

describe('refused with the file and the array', () => {
  const change = (edit: (arrays: Arrays) => void, from = flat): Uint8Array => {
    const arrays = from()
    edit(arrays)
    return pack(arrays)
  }
  it.each<[string, Uint8Array, string]>([
    ...['diag', 'east', 'north', 'b', 'separating'].map((name): [string, Uint8Array, string] => [
      `no ${name}`,
      change(arrays => delete arrays[name]),
      `array "${name}" is missing`,
    ]),
    ['no up in 3D', change(arrays => delete arrays.up, deep), 'array "up" is missing'],
    ['up in 2D', change(arrays => Object.assign(arrays, { up: arrays.b })), 'array "up" belongs to a 3D problem'],
    [
      'another shape',
      change(arrays => Object.assign(arrays.b, { shape: [3, 2] })),
      'array "b" has shape (3, 2), but "diag" has (2, 3)',
    ],
    ['a list', change(arrays => Object.assign(arrays.diag, { shape: [6] })), 'array "diag" has shape (6,)'],
    [
      'no cells',
      pack(Object.fromEntries(Object.keys(flat()).map(name => [name, { data: numbers(), shape: [0, 3] }]))),
      'with no side 0',
    ],
    ['whole numbers', change(arrays => Object.assign(arrays.b, { data: new Int32Array(6) })), 'array "b" has element type <i4'],
    [
      'flags as numbers',
      change(arrays => Object.assign(arrays.separating, { data: new Float64Array(6) })),
      '"separating" has element type <f8',
    ],
    [
      'a flag of 2',
      change(arrays => Object.assign(arrays.separating, { data: Uint8Array.of(0, 1, 2, 0, 0, 0) })),
      'holds 2 at flat index 2',
    ],
    [
      'a spacing of 0',
      change(arrays => Object.assign(arrays, { spacing: { data: numbers(0), shape: [] } })),
      'array "spacing" must be one positive number',
    ],
    [
      'two spacings',
      change(arrays => Object.assign(arrays, { spacing: { data: numbers(1, 1), shape: [2] } })),
      'array "spacing"',
    ],
    [
      'a diagonal that is no number',
      change(arrays => {
        arrays.diag.data[1] = Number.NaN
      }),
      'array "diag" is NaN in cell (1, 0)',
    ],
    [
      'a negative diagonal',
      change(arrays => {
        arrays.diag.data[4] = -1
      }),
      'array "diag" is -1',
    ],
    [
      'a positive link',
      change(arrays => {
        arrays.north.data[0] = 1
      }),
      'array "north" is 1, a positive link',
    ],
    [
      'a link out of the grid',
      change(arrays => {
        arrays.east.data[2] = -1
      }),
      'array "east" links across the upper side',
    ],
    [
      'a link to nothing',
      change(arrays => {
        arrays.east.data[4] = -1
      }),
      'array "east" links to a cell without an unknown',
    ],
    [
      'infinite b',
      change(arrays => {
        arrays.b.data[0] = Number.NEGATIVE_INFINITY
      }),
      'array "b" is -Infinity',
    ],
  ])('%s', (_, bytes, mentioned) => {
    const sentence = refusal(() => parseGridProblem(bytes, 'p.npz'))
    expect(sentence).toContain(mentioned)
    expect(sentence).toMatch(/^p\.npz: /)
  })

  it('a problem that could not be read back is not written', () => {
    const problem = parseGridProblem(pack(flat()), 'file')
    expect(refusal(() => formatGridProblem({ ...problem, b: new Float64Array(5) }))).toContain('"b" has 5 values')
  })
})

it('strengths of walls have the shape and type of the other arrays', () => {
  const strong = { ...flat(), adhesion: { data: Float32Array.of(7, 0, 0, 0, 0, 0), shape: [2, 3] } }
  const problem = parseGridProblem(pack(strong), 'p.npz')
  expect(problem.adhesion).toEqual(Float64Array.of(7, 0, 0, 0, 0, 0))
  expect(parseGridProblem(formatGridProblem(problem), 'p.npz').adhesion).toEqual(problem.adhesion)
  const parse = (adhesion: Arrays[string]) => () => parseGridProblem(pack({ ...flat(), adhesion }), 'p.npz')
  expect(parse({ data: new Float64Array(3), shape: [3] })).toThrow(/array "adhesion" has shape \(3,\), but "diag" has/)
  expect(parse({ data: new Int32Array(6), shape: [2, 3] })).toThrow(/array "adhesion" has element type/)
  expect(parse({ data: numbers(-1, 0, 0, 0, 0, 0), shape: [2, 3] })).toThrow(/array "adhesion" is -1 in cell \(0, 0\)/)
})

it('a dry cell with a diagonal is still dry after writing and reading', () => {
  const problem = parseGridProblem(pack(flat()), 'file')
  const diagonal = problem.diagonal.slice()
  diagonal[5] = 7
  expect(parseGridProblem(formatGridProblem({ ...problem, diagonal }), 'again')).toStrictEqual(problem)
})

describe('pressures', () => {
  const problem: PressureProblem = parseGridProblem(pack(flat()), 'file')
  const pressure = Float64Array.of(0, 1, 2, 3, 4, 0)

  it('are as wide as their grid', () => {
    const bytes = formatPressure(pressure, problem)
    expect(parsePressure(bytes, 'file', problem)).toEqual(pressure)
    expect(refusal(() => parsePressure(bytes, 'p.npy', parseGridProblem(pack(deep()), 'file')))).toBe(
      'p.npy: the pressure has shape (2, 3), the problem needs (1, 2, 3).',
    )
  })

  it('must be finite', () => {
    const broken = pressure.slice()
    broken[4] = Number.NaN
    expect(refusal(() => parsePressure(formatPressure(broken, problem), 'p.npy', problem))).toContain('NaN at flat index 4')
  })

  it('must have one value for each cell', () => {
    expect(refusal(() => formatPressure(new Float64Array(5), problem))).toContain('5 values')
  })
})

it('a damaged file is refused or read as a whole problem', () => {
  const whole = pack(flat())
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), changes => {
      const bytes = whole.slice()
      for (const [at, byte] of changes) bytes[at] = byte
      parsesOrRefuses(() => expect(parseGridProblem(bytes, 'file').b.length).toBe(6))
    }),
    { numRuns: 500 },
  )
})
