import { describe, expect, it } from 'vitest'
import { InputError } from '../../src/input-error.js'
import { assemble } from '../../src/pressure/assemble.js'
import { checkGridProblem, checkSparseProblem } from '../../src/pressure/check-problem.js'
import { sampleScene } from '../../src/pressure/gallery/scene.js'
import {
  type GalleryEntry,
  type GalleryOptions,
  type GalleryProblem,
  gallery,
  galleryProblem,
} from '../../src/pressure/gallery.js'
import { CONTACT, DRY, isGridProblem, type Problem } from '../../src/pressure/problem.js'
import { measure } from '../../src/pressure/residual.js'

/** The matrix read off the problem by this test alone: per unknown its diagonal and its links, both ways. */
interface Rows {
  readonly diagonal: Float64Array
  readonly links: readonly (readonly [other: number, value: number])[][]
}

function rowsOf(problem: Problem): Rows {
  if (!isGridProblem(problem)) {
    const diagonal = Float64Array.from(problem.diagonalAt, at => problem.values[at])
    const links = Array.from({ length: problem.rows }, (_, row) => {
      const from = problem.rowStart[row]
      const to = problem.rowStart[row + 1]
      return Array.from(problem.columns.subarray(from, to), (column, n) => [column, problem.values[from + n]] as const).filter(
        ([column]) => column !== row,
      )
    })
    return { diagonal, links }
  }
  const [nx, ny] = problem.grid.shape
  const links: [number, number][][] = Array.from(problem.kind, () => [])
  for (const [axis, step] of [1, nx, nx * ny].entries())
    problem.links[axis].forEach((value, cell) => {
      if (value === 0) return
      links[cell].push([cell + step, value])
      links[cell + step].push([cell, value])
    })
  return { diagonal: problem.diagonal, links }
}

function divergenceAfter(problem: Problem, { diagonal, links }: Rows, p: Float64Array): Float64Array {
  return problem.b.map((b, row) => links[row].reduce((sum, [other, value]) => sum + value * p[other], b + diagonal[row] * p[row]))
}

const rowSums = ({ diagonal, links }: Rows) => diagonal.map((a, row) => links[row].reduce((sum, [, value]) => sum + value, a))

const largest = (values: Float64Array) => values.reduce((size, value) => Math.max(size, Math.abs(value)), 0)

/** Connected unknowns. */
function componentsOf(problem: Problem, { links }: Rows): number[][] {
  const seen = new Uint8Array(problem.kind.length)
  const components: number[][] = []
  problem.kind.forEach((kind, start) => {
    if (kind === DRY || seen[start]) return
    const component = [start]
    seen[start] = 1
    for (let n = 0; n < component.length; n++)
      for (const [other] of links[component[n]]) {
        if (seen[other]) continue
        seen[other] = 1
        component.push(other)
      }
    components.push(component)
  })
  return components
}

/** Components that no air reaches: all row sums are 0 to rounding. */
function sealedOf(problem: Problem, rows: Rows): number[][] {
  const sums = rowSums(rows)
  return componentsOf(problem, rows).filter(component =>
    component.every(row => Math.abs(sums[row]) <= 1e-12 * rows.diagonal[row]),
  )
}

/** Projected SOR until nothing moves any more: slow, but simple enough to be believed. */
function relax(problem: Problem, rows: Rows): Float64Array {
  const p = new Float64Array(problem.kind.length)
  const still = 1e-12 * largest(problem.b)
  for (let sweep = 0, change = Infinity; sweep < 20000 && change > still; sweep++) {
    change = 0
    problem.kind.forEach((kind, row) => {
      if (kind === DRY) return
      let rest = problem.b[row]
      for (const [other, value] of rows.links[row]) rest += value * p[other]
      const next = p[row] + 1.7 * (-rest / rows.diagonal[row] - p[row])
      const before = p[row]
      p[row] = kind === CONTACT ? Math.max(0, next) : next
      change = Math.max(change, rows.diagonal[row] * Math.abs(p[row] - before))
    })
  }
  return p
}

/** Every entry in all its dimensions, at its smallest size, the next one and an odd one. */
const variants = gallery.flatMap(entry =>
  entry.dims.flatMap(dims =>
    [...new Set([entry.minSize, entry.minSize + 1, Math.max(13, entry.minSize + 3 - (entry.minSize % 2))])].map(
      size => [entry.name, dims, size, entry] as [string, 2 | 3, number, GalleryEntry],
    ),
  ),
)

const named = (name: string) => gallery.find(entry => entry.name === name) as GalleryEntry

/** All numbers of a problem, for comparisons. */
function numbersOf({ problem, known, velocity }: GalleryProblem): (Float64Array | Uint8Array | Int32Array)[] {
  const matrix = isGridProblem(problem)
    ? [problem.diagonal, ...problem.links]
    : [problem.rowStart, problem.columns, problem.values, problem.diagonalAt]
  const answer = [known?.pressure, known?.pinned, known?.upToShift].filter(array => array !== undefined)
  return [problem.kind, problem.b, ...matrix, ...answer, ...(velocity ?? [])]
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 1e-11): void {
  expect(actual.length).toBe(expected.length)
  let size = 0
  for (let n = 0; n < expected.length; n++) size = Math.max(size, Math.abs(expected[n]) || 0)
  for (let n = 0; n < expected.length; n++) {
    if (Number.isNaN(expected[n]) && Number.isNaN(actual[n])) continue
    if (!(Math.abs(actual[n] - expected[n]) <= tolerance * size)) expect.fail(`entry ${n} is ${actual[n]}, not ${expected[n]}`)
  }
}

/** Fails at the first index that is not as it should be; one assertion for many numbers, because each costs time. */
function expectEvery(values: ArrayLike<unknown>, holds: (index: number) => boolean, what: string): void {
  for (let index = 0; index < values.length; index++) if (!holds(index)) expect.fail(`${what}: not so in row ${index}`)
}

describe('the gallery', () => {
  it('names every problem once and describes it in a sentence', () => {
    const names = gallery.map(entry => entry.name)
    expect(new Set(names).size).toBe(names.length)
    for (const { about, minSize, defaultSize } of gallery) {
      expect(about).toMatch(/^[A-Z].*\.$/)
      expect(minSize).toBeLessThanOrEqual(defaultSize)
    }
  })

  it('answers a wrong name, size, dimension or number with what is allowed', () => {
    expect(() => galleryProblem('half-bal')).toThrow(/"half-bal" \(did you mean "half-ball"\?\).*tank, tilted-tank/)
    expect(() => galleryProblem('maze', { dims: 3 })).toThrow('"maze" exists in 2D, not in 3D.')
    expect(() => galleryProblem('maze', { size: 8 })).toThrow(/at least 24, not 8/)
    expect(() => galleryProblem('tank', { size: 8.5 })).toThrow(/whole number/)
    expect(() => galleryProblem('tank', { dims: 4 as 2 })).toThrow('"tank" exists in 2D and 3D, not in 4D.')
    expect(() => galleryProblem('tank', { dt: 0 })).toThrow(/dt of "tank" must be a positive number, not 0/)
    expect(() => galleryProblem('tank', { density: Number.NaN })).toThrow(/density/)
    expect(() => galleryProblem('tank', { scale: -1 })).toThrow(/scale/)
    expect(() => galleryProblem('spray', { seed: 0.5 })).toThrow(/seed/)
    expect(() => galleryProblem('tank', { walls: 'wet' as 'sticking' })).toThrow(/separating or sticking/)
    expect(() => galleryProblem('nothing-like-it')).toThrow(InputError)
  })

  it('is plain data, so that problems can be sent to workers and written to files', () => {
    for (const entry of gallery) {
      const built = entry.build({ size: entry.minSize })
      expect(structuredClone(built)).toEqual(built)
    }
  })

  it('builds what it is asked for', () => {
    const { name, problem } = galleryProblem('tank', { dims: 3, size: 7, scale: 2 })
    expect(name).toBe('tank')
    if (!isGridProblem(problem)) throw new Error('expected a grid')
    expect(problem.grid.shape).toEqual([7, 7, 7])
    expect(problem.grid.spacing).toBeCloseTo(2 / 7, 14)
    const standard = galleryProblem('half-ball')
    expect(isGridProblem(standard.problem) && standard.problem.grid.shape).toEqual([32, 32, 1])
  })
})

describe.each(variants)('%s in %iD at %i', (name, dims, size, entry) => {
  const built = entry.build({ dims, size })
  const { problem, known } = built
  const rows = rowsOf(problem)

  it('is a symmetric M-matrix', () => {
    if (isGridProblem(problem)) checkGridProblem(problem)
    else checkSparseProblem(problem)
    expect(problem.kind.some(kind => kind !== DRY)).toBe(true)
    expect(problem.kind.some(kind => kind === CONTACT)).toBe(true)
    expect(largest(problem.b)).toBeGreaterThan(0)
    if (name === 'scaled-graph') return
    const sums = rowSums(rows)
    expectEvery(sums, row => sums[row] >= -1e-12 * rows.diagonal[row], 'row sum ≥ 0')
  })

  it('has the answer it claims to have', () => {
    if (!known?.pressure) return
    const p = known.pressure
    const tolerance = 1e-11 * largest(problem.b)
    const w = divergenceAfter(problem, rows, p)
    const inside = (row: number) => problem.kind[row] !== DRY && !Number.isNaN(p[row])
    const contact = (row: number) => problem.kind[row] === CONTACT && inside(row)
    expectEvery(p, row => problem.kind[row] !== DRY || p[row] === 0, 'p = 0 in dry cells')
    expectEvery(
      p,
      row => inside(row) === rows.links[row].every(([other]) => inside(other)) || !rows.links[row].length,
      'known apart',
    )
    expectEvery(p, row => !inside(row) || contact(row) || Math.abs(w[row]) < tolerance, 'A p + b = 0')
    expectEvery(p, row => !contact(row) || p[row] >= 0, 'p ≥ 0')
    expectEvery(p, row => !contact(row) || w[row] > -tolerance, 'A p + b ≥ 0')
    expectEvery(p, row => !contact(row) || Math.min(w[row], rows.diagonal[row] * p[row]) < tolerance, 'p ⊥ A p + b')
    expect(p.some((_, row) => inside(row))).toBe(true)
    if (!p.some(Number.isNaN)) expect(measure(problem, p).residual).toBeLessThan(tolerance)
  })

  it('pins what it claims to pin', () => {
    if (!known?.pinned || !known.pressure) return
    const { pinned, pressure } = known
    const tolerance = 1e-9 * largest(problem.b)
    const w = divergenceAfter(problem, rows, pressure)
    const letsGo = (row: number) => problem.kind[row] === CONTACT && pressure[row] === 0 && w[row] > tolerance
    expectEvery(pinned, row => (pinned[row] === 1) === letsGo(row), 'pinned where it lets go')
  })

  it('has sealed pockets exactly where it says so', () => {
    const sealed = sealedOf(problem, rows)
    const expected =
      { 'full-sphere': 1, 'sealed-chamber': 1, 'squeezed-chamber': 1, 'expanding-chamber': 1, 'two-spheres': 1 }[name] ?? 0
    // A warren has as many as chance wants; all of them are balanced.
    if (name !== 'warren') expect(sealed.length).toBe(expected)
    else
      for (const cells of sealed)
        expect(Math.abs(cells.reduce((sum, cell) => sum + problem.b[cell], 0))).toBeLessThan(1e-10 * largest(problem.b))
    if (known?.upToShift) {
      const cells = sealed.flat().sort((a, b) => a - b)
      expect(cells).toEqual([...known.upToShift.keys()].filter(cell => known.upToShift?.[cell]))
      const contacts = cells.filter(cell => problem.kind[cell] === CONTACT)
      expect(Math.min(...contacts.map(cell => known.pressure?.[cell] ?? Number.NaN))).toBe(0)
      expect(Math.abs(cells.reduce((sum, cell) => sum + problem.b[cell], 0))).toBeLessThan(1e-10 * largest(problem.b))
    }
  })

  it('is the same every time', () => {
    const again = numbersOf(entry.build({ dims, size }))
    numbersOf(built).forEach((array, n) => {
      expect(Buffer.from(array.buffer).equals(Buffer.from(again[n].buffer))).toBe(true)
    })
  })

  it('mirrors in x', () => {
    const mirrored = entry.build({ dims, size, mirror: true })
    const turn = <T extends Float64Array | Uint8Array>(values: T, rowLength: number): T => {
      const turned = values.slice() as T
      for (let at = 0; at < values.length; at += rowLength) turned.subarray(at, at + rowLength).reverse()
      return turned
    }
    const a = built.problem
    const b = mirrored.problem
    const rowLength = isGridProblem(a) ? size : pressureCount(a)
    expect(b.kind).toEqual(turn(a.kind, rowLength))
    expectClose(b.b, turn(a.b, rowLength))
    expectClose(rowsOf(b).diagonal, turn(rows.diagonal, rowLength))
    if (isGridProblem(a) && isGridProblem(b)) {
      for (const axis of [1, 2]) expectClose(b.links[axis], turn(a.links[axis], size))
      // A link belongs to the lower of its two cells: reflected, it moves to the other one.
      const reflected = a.links[0].map((_, cell) => {
        const x = cell % size
        return x < size - 1 ? a.links[0][cell - x + (size - 2 - x)] : 0
      })
      expectClose(b.links[0], reflected)
    } else {
      const sums = (problem: Problem) =>
        Float64Array.from(rowsOf(problem).links, links => links.reduce((sum, [, v]) => sum + v, 0))
      expectClose(sums(b), turn(sums(a), rowLength))
    }
    if (known?.pressure && mirrored.known?.pressure) expectClose(mirrored.known.pressure, turn(known.pressure, rowLength))
    if (known?.pinned && mirrored.known?.pinned) expect(mirrored.known.pinned).toEqual(turn(known.pinned, rowLength))
    if (built.velocity && mirrored.velocity) {
      expectClose(
        mirrored.velocity[0],
        turn(built.velocity[0], size + 1).map(u => -u),
      )
      expectClose(mirrored.velocity[1], turn(built.velocity[1], size))
    }
  })

  it('obeys the scaling laws of dt, density and scale', () => {
    const changed = (options: GalleryOptions) => entry.build({ dims, size, ...options })
    const diagonal = ({ problem }: GalleryProblem) => rowsOf(problem).diagonal
    const base = { dt: 0.01, density: 1000, scale: 1 }
    for (const [options, matrix, pressure] of [
      [{ ...base, density: 800 }, 1 / 0.8, 0.8],
      [{ ...base, scale: 0.3 }, 1 / 0.09, 0.3],
    ] as const) {
      const other = changed(options)
      expect(other.problem.kind).toEqual(problem.kind)
      expectClose(
        diagonal(other),
        rows.diagonal.map(a => a * matrix),
      )
      // Velocities are given in m/s, so the divergence goes with 1 / length and does not see the density.
      expectClose(
        other.problem.b,
        problem.b.map(b => b / options.scale),
      )
      if (known?.pressure && other.known?.pressure)
        expectClose(
          other.known.pressure,
          known.pressure.map(p => p * pressure),
          1e-10,
        )
    }
    const [twice, thrice] = [changed({ dt: 0.02 }), changed({ dt: 0.03 })]
    expectClose(
      diagonal(thrice),
      rows.diagonal.map(a => 3 * a),
    )
    // Gravity adds in proportion to dt to whatever velocity was there before.
    expectClose(
      thrice.problem.b,
      twice.problem.b.map((b, n) => 2 * b - problem.b[n]),
      1e-10,
    )
  })

  it('has no contacts where walls are sticking', () => {
    const sticking = entry.build({ dims, size, walls: 'sticking' })
    expect(sticking.problem.kind.some(kind => kind === CONTACT)).toBe(false)
    expect(sticking.problem.kind.map(Math.sign)).toEqual(problem.kind.map(Math.sign))
    const p = sticking.known?.pressure
    if (!p) return
    const w = divergenceAfter(sticking.problem, rowsOf(sticking.problem), p)
    const limit = 1e-11 * largest(sticking.problem.b)
    expectEvery(w, row => Number.isNaN(p[row]) || Math.abs(w[row]) < limit, 'A p + b = 0')
    if (sticking.known?.pinned) expect(sticking.known.pinned.some(Boolean)).toBe(false)
  })
})

const pressureCount = (problem: Problem) => problem.b.length

describe.each([2, 3] as const)('in %iD', dims => {
  it('the pressure of a tank is the weight of the liquid above', () => {
    const size = 16
    const { problem, known } = named('tank').build({ dims, size, scale: 2, density: 900 })
    const level = 2 * 0.425 // 0.3 cells above the row of centres at 6.5 of 16
    problem.kind.forEach((kind, cell) => {
      const y = (2 * (Math.floor(cell / size) % size) + 1) / size
      if (kind !== DRY) expect(known?.pressure?.[cell]).toBeCloseTo(900 * 9.81 * (level - y), 8)
    })
  })

  it('pools at rest pin nothing at any size, however the surface lies between the cells', () => {
    for (const name of ['tank', 'tilted-tank', 'sphere-at-rest'])
      for (let size = named(name).minSize; size <= (dims === 2 ? 40 : 14); size++) {
        const { problem, known } = named(name).build({ dims, size })
        const p = known?.pressure as Float64Array
        const { residual, pinned } = measure(problem, p)
        expect(residual).toBeLessThan(1e-12 * size * largest(problem.b))
        expect(pinned).toBe(0)
        expect(problem.kind.every((kind, cell) => kind !== CONTACT || p[cell] > 0)).toBe(true)
      }
  })

  it('falling liquid asks for no pressure and lets go below walls', () => {
    for (const name of ['ceiling-sheet', 'sphere-cap']) {
      const { problem, known } = named(name).build({ dims, size: 20 })
      expect(largest(known?.pressure as Float64Array)).toBe(0)
      expect(measure(problem, known?.pressure as Float64Array).residual).toBe(0)
      const pinned = known?.pinned?.reduce((sum, value) => sum + value, 0)
      if (name === 'ceiling-sheet') expect(pinned).toBe(20 ** (dims - 1))
      else expect(pinned).toBe(problem.kind.filter(kind => kind === CONTACT).length)
    }
  })

  it('a chamber is as compatible as its floor is still', () => {
    const size = 15
    const flow = (name: string) => {
      const { problem } = named(name).build({ dims, size })
      const [chamber] = sealedOf(problem, rowsOf(problem))
      return chamber.reduce((sum, cell) => sum + problem.b[cell], 0)
    }
    // Half of what gravity adds in one step, through all cells of the floor.
    const piston = 0.5 * 9.81 * 0.01 * size * size ** (dims - 1)
    expect(Math.abs(flow('sealed-chamber'))).toBeLessThan(1e-10 * piston)
    expect(flow('squeezed-chamber')).toBeCloseTo(-piston, 9)
    expect(flow('expanding-chamber')).toBeCloseTo(piston, 9)
    expect(named('squeezed-chamber').build({ dims, size }).known?.status).toBe('infeasible')
    expect(named('expanding-chamber').build({ dims, size }).known?.status).toBe('converged')
    expect(named('expanding-chamber').build({ dims, size, walls: 'sticking' }).known?.status).toBe('infeasible')
  })

  it('sealed shells and chambers are one tight pocket at any size', () => {
    for (const name of ['full-sphere', 'two-spheres', 'sealed-chamber', 'expanding-chamber'])
      for (let size = named(name).minSize; size <= (dims === 2 ? 48 : 20); size++) {
        const { problem } = named(name).build({ dims, size })
        expect(sealedOf(problem, rowsOf(problem)).length, `${name} at ${size}`).toBe(1)
      }
  })

  it('spray is single cells, some at the wall', () => {
    const { problem, known } = named('spray').build({ dims, size: 24 })
    expect(rowsOf(problem).links.every(links => links.length === 0)).toBe(true)
    expect(known?.pinned?.some(Boolean)).toBe(true)
    expect(problem.kind.some((kind, cell) => kind === CONTACT && !known?.pinned?.[cell])).toBe(true)
  })

  it('seeds change the seeded problems and no other', () => {
    for (const entry of gallery) {
      if (!entry.dims.includes(dims)) continue
      const size = Math.max(entry.minSize, 8)
      const [one, two] = [1, 2].map(seed => entry.build({ dims, size, seed }).problem)
      const seeded = ['spray', 'maze', 'rooms', 'warren', 'random-grid', 'random-graph', 'scaled-graph'].includes(entry.name)
      expect(
        one.b.some((value, n) => value !== two.b[n]),
        entry.name,
      ).toBe(seeded)
    }
  })

  it('released and thrown liquid presses here and lets go there', () => {
    const released = [
      'half-sphere',
      'sphere-with-cuboid',
      'half-ball',
      'square',
      'moving-paddle',
      'film',
      'maze',
      'rooms',
      'expanding-chamber',
    ]
    for (const name of released) {
      const entry = named(name)
      if (!entry.dims.includes(dims)) continue
      const { problem } = entry.build({ dims, size: Math.max(entry.minSize, dims === 2 ? 24 : 12) })
      const rows = rowsOf(problem)
      const p = relax(problem, rows)
      const w = divergenceAfter(problem, rows, p)
      const size = largest(problem.b)
      expect(measure(problem, p).residual, name).toBeLessThan(1e-6 * size)
      const count = (test: (cell: number) => boolean) =>
        problem.kind.filter((kind, cell) => kind === CONTACT && test(cell)).length
      expect(
        count(cell => p[cell] === 0 && w[cell] > 1e-3 * size),
        `${name} pinned`,
      ).toBeGreaterThan(3)
      expect(
        count(cell => rows.diagonal[cell] * p[cell] > 1e-3 * size),
        `${name} pressing`,
      ).toBeGreaterThan(3)
    }
  })

  it('planted answers are the ones another method finds', () => {
    for (const name of ['random-grid', 'random-graph', 'scaled-graph', 'spray', 'expanding-chamber']) {
      const { problem, known } = named(name).build({ dims, size: Math.max(named(name).minSize, 6) })
      const p = relax(problem, rowsOf(problem))
      expectClose(p, known?.pressure as Float64Array, 1e-6)
    }
  })

  it('planted answers are strictly complementary', () => {
    for (const name of ['random-grid', 'random-graph', 'scaled-graph']) {
      const { problem, known } = named(name).build({ dims, size: dims === 2 ? 20 : 9 })
      const p = known?.pressure as Float64Array
      const rows = rowsOf(problem)
      const w = divergenceAfter(problem, rows, p)
      const contacts = [...problem.kind.keys()].filter(row => problem.kind[row] === CONTACT)
      const pinned = contacts.filter(row => known?.pinned?.[row])
      expect(pinned.length).toBeGreaterThan(0.3 * contacts.length)
      expect(pinned.length).toBeLessThan(0.7 * contacts.length)
      for (const row of contacts) expect(Math.max(w[row], rows.diagonal[row] * p[row])).toBeGreaterThan(1e-7 * largest(problem.b))
      // Links span orders of magnitude.
      const links = rows.links.flat().map(([, value]) => -value)
      expect(Math.max(...links) / Math.min(...links)).toBeGreaterThan(1000)
    }
  })
})

describe('half-ball', () => {
  it('at 32 in 3D leaves the wall on hundreds of contacts', () => {
    const { problem } = galleryProblem('half-ball', { dims: 3, size: 32 })
    const contacts = problem.kind.filter(kind => kind === CONTACT).length
    expect(contacts).toBeGreaterThan(1500)
    // Where the wall recedes b > 0, where liquid hits it b < 0: there is plenty of both.
    expect(problem.b.filter((b, cell) => problem.kind[cell] === CONTACT && b > 1).length).toBeGreaterThan(500)
    expect(problem.b.filter((b, cell) => problem.kind[cell] === CONTACT && b < -1).length).toBeGreaterThan(200)
  })
})

describe('sphere-cap', () => {
  it('at 64 in 3D lets go of as many contacts as an independent program counted', () => {
    const { problem, known } = galleryProblem('sphere-cap', { dims: 3, size: 64 })
    expect(problem.kind.filter(kind => kind === CONTACT).length).toBe(5396)
    expect(known?.pinned?.filter(Boolean).length).toBe(5396)
  })
})

describe('mazes', () => {
  it.each([1, 2, 3])('are one component below air with seed %i: every room is reached', seed => {
    for (const [name, dims] of [
      ['maze', 2],
      ['rooms', 3],
    ] as const) {
      const { problem } = named(name).build({ dims, seed })
      if (!('open' in problem)) throw new Error('expected an assembled problem')
      expect(sealedOf(problem, rowsOf(problem))).toEqual([])
      // Flood the whole domain through open faces, liquid or not.
      const [nx, ny] = problem.grid.shape
      const { open } = problem
      const reached = new Uint8Array(problem.grid.cells)
      const queue = [0]
      reached[0] = 1
      const visit = (cell: number) => {
        if (!reached[cell]) queue.push(cell)
        reached[cell] = 1
      }
      for (let n = 0; n < queue.length; n++) {
        const cell = queue[n]
        const [i, j, k] = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
        const faces = [
          [i + (nx + 1) * (j + ny * k), 1, 1],
          [i + nx * (j + (ny + 1) * k), nx, nx],
          [cell, nx * ny, nx * ny],
        ]
        faces.forEach(([lower, step, stride], axis) => {
          if (open[axis][lower] > 0) visit(cell - stride)
          if (open[axis][lower + step] > 0) visit(cell + stride)
        })
      }
      const isolated = reached.filter((value, cell) => !value && problem.diagonal[cell] > 0).length
      expect(isolated).toBe(0)
      expect(queue.length).toBeGreaterThan(0.5 * problem.grid.cells)
    }
  })

  it.each([
    ['maze', 2, 6, 40],
    ['rooms', 3, 4, 23],
  ] as const)('%s: rooms are joined by doorways only, as a tree, at any size', (name, dims, rooms, largestSize) => {
    for (let size = named(name).minSize; size <= largestSize; size++) {
      const { problem } = named(name).build({ dims, size })
      if (!('open' in problem)) throw new Error('expected an assembled problem')
      const roomOf = (i: number, j: number, k: number) =>
        [i, j, k].reduce((room, n, axis) => room + (axis < dims ? Math.floor(((n + 0.5) * rooms) / size) * rooms ** axis : 0), 0)
      const joined = new Set<string>()
      const [nx, ny, nz] = problem.grid.shape
      for (let k = 0; k < nz; k++)
        for (let j = 0; j < ny; j++)
          for (let i = 0; i < nx; i++) {
            const here = roomOf(i, j, k)
            if (i > 0 && problem.open[0][i + (nx + 1) * (j + ny * k)] > 0) joined.add(`${roomOf(i - 1, j, k)} ${here}`)
            if (j > 0 && problem.open[1][i + nx * (j + (ny + 1) * k)] > 0) joined.add(`${roomOf(i, j - 1, k)} ${here}`)
            if (k > 0 && problem.open[2][i + nx * (j + ny * k)] > 0) joined.add(`${roomOf(i, j, k - 1)} ${here}`)
          }
      const pairs = [...joined].map(pair => pair.split(' ').map(Number)).filter(([a, b]) => a !== b)
      expect(pairs.length, `at ${size}`).toBe(rooms ** dims - 1)
    }
  })
})

describe('what a problem was assembled from', () => {
  it('comes with it: assembled again it gives the same problem', () => {
    for (const entry of gallery) {
      const { problem, input, velocity } = entry.build({ size: entry.minSize, scale: 0.3, mirror: true })
      if (!input) continue
      expect(assemble(input)).toEqual(problem)
      expect(velocity).toBe(input.velocity)
    }
  })

  it('is measured in metres', () => {
    for (const entry of gallery) {
      const [one, two] = [1, 2].map(scale => entry.build({ size: entry.minSize, scale }).input)
      if (!one || !two) continue
      expectClose(
        two.liquid,
        one.liquid.map(phi => 2 * phi),
      )
      one.solids?.forEach(({ phi }, n) => {
        expectClose(
          two.solids?.[n].phi ?? [],
          phi.map(value => 2 * value),
        )
      })
    }
  })

  it('is mirrored as known answers are', () => {
    const options = { size: 5, dims: 2, dt: 1, density: 1, scale: 1, seed: 1, mirror: true, walls: 'separating' } as const
    expectClose(sampleScene(options, x => x).subarray(0, 5), [0.9, 0.7, 0.5, 0.3, 0.1])
    expectClose(sampleScene({ ...options, mirror: false }, x => x).subarray(0, 5), [0.1, 0.3, 0.5, 0.7, 0.9])
  })
})

describe('scaled-graph', () => {
  it('is positive definite although not diagonally dominant', () => {
    for (const dims of [2, 3] as const) {
      const { problem } = named('scaled-graph').build({ dims, size: 5 })
      const rows = rowsOf(problem)
      expect(rowSums(rows).some((sum, row) => sum < -0.1 * rows.diagonal[row])).toBe(true)
      // Cholesky succeeds; with links ≤ 0 that makes an M-matrix.
      const n = rows.diagonal.length
      const L = Array.from({ length: n }, () => new Float64Array(n))
      rows.links.forEach((links, row) => {
        L[row][row] = rows.diagonal[row]
        for (const [other, value] of links) L[row][other] = value
      })
      for (let j = 0; j < n; j++) {
        for (let k = 0; k < j; k++) for (let i = j; i < n; i++) L[i][j] -= L[i][k] * L[j][k]
        expect(L[j][j]).toBeGreaterThan(0)
        const root = Math.sqrt(L[j][j])
        for (let i = j; i < n; i++) L[i][j] /= root
      }
    }
  })
})
