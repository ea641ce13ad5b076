/** The plain loops over particles and deep liquid define what the compiled ones do. Both get the same random input, and their results must be
 *  equal number by number (0 and −0 are the same number): every operation is rounded in the same way and sums have the same order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Grid } from '../../../src/grid/grid.js'
import type { LiquidArray } from '../../../src/liquid/arrays.js'
import type { CompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import { createCompiledParticles } from '../../../src/liquid/compiled/particles.js'
import type { ParticleLoops } from '../../../src/liquid/loops.js'
import { createPlainLiquid, type PlainLiquid } from '../../../src/liquid/plain/liquid.js'
import { createPlainParticles } from '../../../src/liquid/plain/particles.js'
import { type LiquidMachine, liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { CONTACT, DRY, LIQUID } from '../../../src/pressure/problem.js'
import type { Sides } from '../../../src/pressure/walls.js'
import { random } from '../../../src/random.js'
import { AT_ORIGIN, motionBetween, moveAbout, rotationMatrix } from '../../../src/scene/rotation.js'
import type { Pose } from '../../../src/scene/setting.js'
import { AT_REST, type Distance, type LiquidCase, placeLiquid } from '../../support/liquids.js'

/** Odd sizes, single cells along an axis, rows of more than sixteen and slabs of more than 64 groups of four. */
const SHAPES = [
  [13, 11],
  [33, 2],
  [1, 9],
  [2, 270],
  [18, 7, 5],
  [7, 5, 6],
  [9, 1, 2],
  [1, 12, 3],
  [1, 1, 1],
]
const METHODS = [
  { name: 'FLIP', affine: false },
  { name: 'APIC', affine: true },
]
const CASES = SHAPES.flatMap(shape => METHODS.map(method => ({ shape, ...method })))

const OPEN_SIDES: Sides = { x: ['open', 'separating'], y: ['sticking', 'open'], z: ['open', 'open'] }

let machine: LiquidMachine
beforeAll(async () => {
  machine = await startMachine(liquidModule, 1)
})
afterAll(() => machine.dispose())

/** The same liquid twice. */
interface Twins {
  readonly grid: Grid
  readonly liquid: CompiledLiquid
  readonly plainLiquid: PlainLiquid
  readonly compiled: ParticleLoops
  readonly plain: ParticleLoops
}

const GRID_ARRAYS = [
  ...(['phi', 'kind', 'pressure', 'touch', 'openCell', 'depth', 'carried', 'kept', 'solid', 'owner'] as const),
  ...(['ux', 'uy', 'uz', 'beforeX', 'beforeY', 'beforeZ', 'layerX', 'layerY', 'layerZ', 'pairX', 'pairY', 'pairZ'] as const),
] satisfies LiquidArray[]

/** What is on the grid of the compiled liquid becomes what is on the plain one. */
function copyGrid({ liquid, plainLiquid }: Twins): void {
  for (const name of GRID_ARRAYS) plainLiquid.arrays[name].set(liquid.arrays[name])
}

interface TwinOptions {
  readonly shape: readonly number[]
  readonly affine: boolean
  readonly solids?: LiquidCase['solids']
  readonly sides?: Sides
  readonly perCell?: number
}

function createTwins({ shape, affine, solids = [], sides = {}, perCell = 2 }: TwinOptions): Twins {
  const { liquid, grid } = placeLiquid(machine, { shape, liquid: () => -1, solids, sides })
  const plainLiquid = createPlainLiquid(grid)
  for (const each of [liquid, plainLiquid]) each.hasSolids = solids.length > 0
  liquid.openGeometry()
  plainLiquid.setSides(sides)
  solids.forEach(({ wall }, index) => {
    plainLiquid.setWall(index + 1, { ...AT_REST, ...wall })
  })
  const compiled = createCompiledParticles(machine, liquid, affine)
  const twins = { grid, liquid, plainLiquid, compiled, plain: createPlainParticles(plainLiquid, affine) }
  const columns = scattered(grid, Math.ceil(perCell * grid.cells), affine)
  compiled.append(columns)
  twins.plain.append(columns)
  copyGrid(twins)
  return twins
}

/** Anywhere in the grid, in solids too; crowded at its lower corner. */
function scattered({ shape, dims }: Grid, count: number, affine: boolean): Float32Array[] {
  const signed = (n: number, what: number) => 4 * random(4, n, what) - 2
  return Array.from({ length: affine ? 15 : 6 }, (_, column) =>
    Float32Array.from({ length: count }, (_unused, n) => {
      const axis = column % 3
      if (column < 3) return axis < dims ? shape[axis] * random(3, n, axis) ** 1.2 : 0.5
      return column < 6 && axis >= dims ? 0 : signed(n, column)
    }),
  )
}

function expectEqual(found: ArrayLike<number>, wanted: ArrayLike<number>, what: string): void {
  expect(found.length, what).toBe(wanted.length)
  for (let n = 0; n < wanted.length; n++)
    if (found[n] !== wanted[n] && !(Number.isNaN(found[n]) && Number.isNaN(wanted[n])))
      expect.fail(`${what}[${n}] of ${wanted.length}: ${found[n]} instead of ${wanted[n]}`)
}

const NAMES = ['x', 'y', 'z', 'u', 'v', 'w', 'u/x', 'u/y', 'u/z', 'v/x', 'v/y', 'v/z', 'w/x', 'w/y', 'w/z']

/** Of the first `columns` columns. */
function expectSameParticles({ plain, compiled }: Twins): void {
  const wanted = compiled.columns()
  plain.columns().forEach((column, n) => {
    expectEqual(column, wanted[n], NAMES[n])
  })
}

function expectSameArrays({ liquid, plainLiquid }: Twins, ...names: LiquidArray[]): void {
  for (const name of names) expectEqual(plainLiquid.arrays[name], liquid.arrays[name], name)
}

function sortBoth({ plain, compiled }: Twins): void {
  compiled.sort()
  plain.sort()
}

/** Velocities are known on some faces of the lower part of the grid and continued over a few layers; pairs are filled. `layers` 0: all are
 *  known. */
function spreadVelocities(twins: Twins, layers: number): void {
  const { liquid, plainLiquid, grid } = twins
  for (const name of (['layerX', 'layerY', 'layerZ'] as const).slice(0, grid.dims))
    liquid.arrays[name].forEach((_, face, layer) => {
      const isKnown = face < 0.7 * layer.length && random(8, face, name.charCodeAt(5)) < 0.6
      layer[face] = layers === 0 || isKnown ? 0 : 255
    })
  if (layers > 0) liquid.extrapolate(layers)
  liquid.fillVelocities()
  liquid.fillChanges(0.93)
  plainLiquid.state.extrapolatedLayers = layers
  copyGrid(twins)
}

/** A ball that turns and moves, a slope at rest and a thin wall. */
function solidsOf(shape: readonly number[]): LiquidCase['solids'] {
  const size = Math.min(...shape.slice(0, 2))
  const flat = shape.length === 2
  const [cx, cy, cz] = [0.6 * shape[0], 0.4 * shape[1], flat ? 0 : 0.5 * shape[2]]
  const ball: Distance = (x, y, z) => Math.hypot(x - cx, y - cy, flat ? 0 : z - cz) - 0.31 * size
  const slope: Distance = (x, y) => 0.6 * x + 0.8 * y - 0.17 * size
  const thin: Distance = (x, y) => Math.max(Math.abs(x - 0.3 * shape[0]) - 0.3, y - 0.8 * shape[1])
  return [
    { phi: ball, wall: { moves: true, linear: [0.4, -0.3, flat ? 0 : 0.2], angular: [flat ? 0 : 0.3, flat ? 0 : -0.2, 0.7] } },
    { phi: slope, wall: { walls: 'sticking' } },
    { phi: thin },
  ]
}

/** Walls of `solidsOf` that have moved: the ball has turned and gone on, the thin wall has jumped. */
function movedSolidsOf(shape: readonly number[]): LiquidCase['solids'] {
  const [ball, slope, thin] = solidsOf(shape)!
  return [{ ...ball, wall: { ...ball.wall, frame: 1 } }, slope, { ...thin, wall: { moves: true, linear: [3, 0, 0], frame: 2 } }]
}

/** The motion of these walls. */
function setMotion({ liquid, plainLiquid, grid }: Twins): void {
  const flat = grid.dims === 2
  const turns = motionBetween(
    AT_ORIGIN,
    moveAbout(rotationMatrix([flat ? 0 : 0.1, flat ? 0 : -0.2, 0.3]), [2, 3, flat ? 0 : 1], [0.4, -0.7, 0]),
  )
  const jumps: Pose = { ...AT_ORIGIN, shift: [2.6, 0.2, 0] }
  const bounds = [
    [-Infinity, 0.1 * grid.shape[1], -Infinity],
    [0.7 * grid.shape[0], Infinity, Infinity],
  ] as const
  const frames = [turns, jumps].map(({ R, shift }, n) => ({
    turn: R.map((part, at) => (at % 4 === 0 ? part - 1 : part)),
    shift,
    bend: 0.2 * (1 - n),
    bounds,
  }))
  const { solid, owner } = liquid.arrays
  const [still, moving] = [[2], [1, 3]].map(owners =>
    solid.map((distance, node) => (owners.includes(owner[node]) ? distance : 4)),
  )
  for (const each of [liquid, plainLiquid]) each.setMotion({ frames, farthest: 3.1, still, moving })
}

/** No distance: it changes faster than positions do, as across the holes of a mesh. */
function roughSolid(shape: readonly number[]): LiquidCase['solids'] {
  const bend = shape.length === 3 ? 2 : 0
  return [{ phi: (x, y, z) => 3 * Math.sin(1.3 * x) * Math.cos(1.1 * y) + Math.sin(bend * z) }]
}

describe.each(CASES)('plain particles of a grid of $shape cells with $name', ({ shape, affine }) => {
  it('are sorted like compiled ones, without those that have left', () => {
    const twins = createTwins({ shape, affine })
    for (const n of [0, 2, 5]) {
      twins.compiled.remove(n)
      twins.plain.remove(n)
    }
    sortBoth(twins)
    expect(twins.plain.count).toBe(twins.compiled.count)
    expectSameParticles(twins)
    expectSameArrays(twins, 'cellStart')
  })

  it.each([0, 3])('give the same velocities to the grid, with a band of %d cells', band => {
    const twins = createTwins({ shape, affine, perCell: 0.7 })
    for (const liquid of [twins.liquid, twins.plainLiquid]) liquid.bandWidth = band
    twins.liquid.arrays.carried.forEach((_, cell, carried) => {
      carried[cell] = Math.floor(5 * 16 * random(5, cell))
    })
    copyGrid(twins)
    sortBoth(twins)
    twins.compiled.toGrid()
    twins.plain.toGrid()
    expectSameArrays(twins, 'ux', 'uy', 'uz', 'layerX', 'layerY', 'layerZ')
  })

  it.each([0, 3])('have the same sums, with a band of %d cells', band => {
    const twins = createTwins({ shape, affine, solids: solidsOf(shape) })
    for (const liquid of [twins.liquid, twins.plainLiquid]) liquid.bandWidth = band
    twins.liquid.arrays.carried.forEach((_, cell, carried) => {
      carried[cell] = Math.floor(5 * 16 * random(5, cell))
    })
    for (const [n, name] of (['beforeX', 'beforeY', 'beforeZ'] as const).entries())
      twins.liquid.arrays[name].forEach((_, face, before) => {
        before[face] = random(7, n, face) - 0.4
      })
    copyGrid(twins)
    sortBoth(twins)
    // The same sums whether most cells have room for more or are full.
    for (const perCell of [1, 2, 20]) expect(twins.plain.measure(perCell)).toEqual(twins.compiled.measure(perCell))
    if (band === 0) expect(twins.plain.measure(2).count).toBe(twins.plain.count)
  })

  it.each([
    { solids: 'none', sides: {} },
    { solids: 'smooth', sides: OPEN_SIDES },
    { solids: 'rough', sides: {} },
  ] as const)('are found too many, and move apart, alike: %j', ({ solids, sides }) => {
    const placed = { none: [], smooth: solidsOf(shape), rough: roughSolid(shape) }
    const twins = createTwins({ shape, affine, sides, solids: placed[solids], perCell: 4 })
    const { compiled, plain } = twins
    // Some particles coincide.
    for (const particles of [compiled, plain]) {
      const [x, y, z] = particles.columns()
      for (const column of [x, y, z]) for (let n = 0; n + 5 < column.length; n += 7) column[n] = column[n + 5]
    }
    for (const perCell of [4, 1, 17]) {
      sortBoth(twins)
      fillDeep(twins, 0)
      expect(plain.findExcess(perCell)).toEqual(compiled.findExcess(perCell))
      expectSameArrays(twins, 'excess', 'doubtful')
      compiled.separate(perCell)
      plain.separate(perCell)
      expectSameParticles(twins)
    }
  })

  it.each([
    { order: 2, layers: 0, solids: 'none', sides: {} },
    { order: 3, layers: 2, solids: 'none', sides: OPEN_SIDES },
    { order: 2, layers: 7, solids: 'smooth', sides: {} },
    { order: 3, layers: 4, solids: 'smooth', sides: OPEN_SIDES },
    { order: 2, layers: 4, solids: 'rough', sides: {} },
    { order: 3, layers: 5, solids: 'moved', sides: OPEN_SIDES },
    { order: 2, layers: 0, solids: 'moved', sides: {} },
  ] as const)('move by the same ways: %j', ({ order, layers, solids, sides }) => {
    const placed = { none: [], smooth: solidsOf(shape), rough: roughSolid(shape), moved: movedSolidsOf(shape) }
    const twins = createTwins({ shape, affine, sides, solids: placed[solids] })
    const { compiled, plain } = twins
    if (solids === 'moved') setMotion(twins)
    sortBoth(twins)
    spreadVelocities(twins, layers)
    for (const dt of [0, 0.05, 1.2]) {
      const how = { ratio: 0.93, order }
      expect(plain.move(dt, how)).toBe(compiled.move(dt, how))
      expectSameParticles(twins)
      expect(plain.shift(dt)).toBe(compiled.shift(dt))
      expectSameParticles(twins)
      sortBoth(twins)
      expectSameParticles(twins)
    }
  })
})

describe.each([
  [13, 11],
  [37, 3],
  [7, 5, 6],
])('speeds on a grid of %s × %s × %s cells', (...sizes) => {
  const shape = sizes.filter(size => size !== undefined)
  const how = { step: 0.01, share: 0.05 }

  it('are kept and measured alike, on known faces and on others', () => {
    const twins = createTwins({ shape, affine: false })
    for (const name of ['layerX', 'layerY'] as const)
      twins.liquid.arrays[name].forEach((_, face, layer) => {
        layer[face] = [0, 0, 3, 255][Math.floor(4 * random(6, face % 29, name.charCodeAt(5)))]
      })
    copyGrid(twins)
    const speeds = twins.plain.keepVelocity(how)
    expect(speeds).toEqual(twins.compiled.keepVelocity(how))
    expect(speeds.usual).toBeLessThan(speeds.largest)
    expectSameArrays(twins, 'beforeX', 'beforeY', 'beforeZ')
    // Too fast for the table of speeds.
    const fine = { ...how, step: 1e-4 }
    expect(twins.plain.keepVelocity(fine)).toEqual(twins.compiled.keepVelocity(fine))
  })

  it('are not numbers if any is none', () => {
    const twins = createTwins({ shape, affine: false })
    twins.liquid.arrays.uy[5] = NaN
    copyGrid(twins)
    expect(twins.plain.keepVelocity(how)).toEqual({ largest: NaN, usual: NaN })
    expect(twins.compiled.keepVelocity(how)).toEqual({ largest: NaN, usual: NaN })
  })
})

/** Liquid up to four fifths of the height with a few holes; some contacts have separated, and particles are kept in some cells. */
function fillDeep(twins: Twins, band: number): void {
  const { grid, liquid, plainLiquid } = twins
  const { phi, kind, pressure, kept, carried, touch } = liquid.arrays
  const [nx, ny] = grid.shape
  for (const each of [liquid, plainLiquid]) each.bandWidth = band
  for (let cell = 0; cell < grid.cells; cell++) {
    const height = (Math.floor(cell / nx) % ny) + 0.5
    phi[cell] = random(31, cell) < 0.004 ? 0.5 : height - 0.8 * ny
    if (touch[cell]) phi[cell] += 0.6 * random(32, cell)
    kind[cell] = phi[cell] >= 0 ? DRY : touch[cell] ? CONTACT : LIQUID
    pressure[cell] = random(33, cell) < 0.05 ? 0 : 1
    kept[cell] = random(34, cell) < 0.003 ? 1 : 0
    carried[cell] = Math.floor(16 * (band + 2) * random(35, cell))
  }
  copyGrid(twins)
}

const DEEP_CASES = [
  { shape: [37, 23], band: 3, solids: true, sides: {} },
  { shape: [19, 40], band: 4, solids: false, sides: OPEN_SIDES },
  { shape: [21, 18, 9], band: 3, solids: true, sides: OPEN_SIDES },
  { shape: [6, 21, 7], band: 3, solids: false, sides: {} },
  { shape: [1, 9], band: 3, solids: false, sides: {} },
  { shape: [1, 12, 3], band: 3, solids: false, sides: {} },
  { shape: [2, 3, 30], band: 3, solids: true, sides: {} },
] as const

describe.each(DEEP_CASES)('deep liquid below a band: %j', ({ shape, band, solids, sides }) => {
  const create = (affine: boolean) => {
    const twins = createTwins({ shape, affine, sides, solids: solids ? solidsOf(shape) : [], perCell: 3 })
    sortBoth(twins)
    fillDeep(twins, band)
    return twins
  }

  it.each(METHODS)('drops and seeds the same $name particles', ({ affine }) => {
    const twins = create(affine)
    const { compiled, plain } = twins
    for (const [perCell, salt] of [
      [8, 0xfedcba98],
      [5, 17],
    ]) {
      expect(plain.keepBand(perCell, 0.7, salt)).toBe(compiled.keepBand(perCell, 0.7, salt))
      expectSameArrays(twins, 'depth')
      expect(plain.count).toBe(compiled.count)
      expectSameParticles(twins)
      spreadVelocities(twins, 5)
      const how = { ratio: 0.93, order: 3 } as const
      expect(plain.move(0.1, how)).toBe(compiled.move(0.1, how))
      expectSameParticles(twins)
      sortBoth(twins)
      expectSameParticles(twins)
    }
  })

  it('has the same excess of particles above it', () => {
    const twins = create(false)
    for (const perCell of [8, 3]) {
      expect(twins.plain.findExcess(perCell)).toEqual(twins.compiled.findExcess(perCell))
      expectSameArrays(twins, 'excess', 'doubtful')
      expect(twins.liquid.arrays.doubtful.some(value => value !== 0)).toBe(true)
    }
  })

  it.each(solids ? [false, true] : [false])('is carried by the same ways, past walls that move: %s', isMoved => {
    const twins = create(false)
    twins.compiled.keepBand(8, 1, 1)
    if (isMoved) {
      setMotion(twins)
      for (const each of [twins.liquid, twins.plainLiquid])
        movedSolidsOf(shape)!.forEach(({ wall }, index) => {
          each.setWall(index + 1, { ...AT_REST, ...wall })
        })
    }
    spreadVelocities(twins, 3)
    for (const dt of [0.1, 0.7]) {
      twins.liquid.carryDeep(dt)
      twins.plainLiquid.carryDeep(dt)
      expectSameArrays(twins, 'carried', 'beforeX', 'beforeY', 'beforeZ')
      expect(twins.plainLiquid.hiddenParticles(8)).toBe(twins.liquid.hiddenParticles(8))
    }
  })
})
