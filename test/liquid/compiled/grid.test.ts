/** Every compiled loop over the grid of a liquid against its definition in plain TypeScript, and the same bits for any number of threads. */
import { afterAll, describe, expect, it } from 'vitest'
import { extrapolate } from '../../../src/grid/extrapolate.js'
import { AXES, type Axis } from '../../../src/grid/grid.js'
import { openCellFractions, openFaceFractions } from '../../../src/grid/levelset.js'
import type { CompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import { createCompiledParticles } from '../../../src/liquid/compiled/particles.js'
import type { LiquidWall } from '../../../src/liquid/loops.js'
import { SLIVER } from '../../../src/liquid/shared-constants.js'
import { liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { type AssembledProblem, assemble, assembleOpen } from '../../../src/pressure/assemble.js'
import { CONTACT } from '../../../src/pressure/problem.js'
import { project } from '../../../src/pressure/project.js'
import { random } from '../../../src/random.js'
import { createSolver } from '../../../src/solvers/registry.js'
import {
  AT_REST,
  ball,
  faceArrays,
  faceCorners,
  forFaces,
  type LiquidCase,
  type PlacedLiquid,
  placeLiquid,
  toFaceField,
} from '../../support/liquids.js'

const DT = 0.0137
const DENSITY = 917
const LAYERS = 4

const noise = (x: number, y: number, z: number) => Math.sin(1.3 * x + 0.4) + Math.sin(1.1 * y - 0.3) + Math.sin(0.9 * z + 1) - 0.2
const everywhere = () => -1
const spinning = { linear: [0.3, -0.2, 0.1], angular: [0.5, -0.7, 1.1] } as const

const cases: [string, LiquidCase][] = [
  ['random surfaces', { shape: [21, 17, 13], liquid: noise, solids: [{ phi: ball(8, 7, 6, 5.2) }] }],
  [
    'random surfaces in 2D',
    { shape: [37, 29], liquid: noise, solids: [{ phi: ball(14, 9, 0, 6.3) }], sides: { y: ['sticking', 'open'] } },
  ],
  [
    'two solids, of which one sticks',
    {
      shape: [19, 23, 9],
      liquid: noise,
      solids: [{ phi: ball(5, 7, 4, 4.1) }, { phi: ball(12, 9, 5, 4.6), wall: { walls: 'sticking' } }],
      sides: { x: ['open', 'sticking'], z: ['sticking', 'open'] },
    },
  ],
  [
    'a wall along a grid plane',
    { shape: [9, 8, 7], liquid: (_x, _y, z) => z - 4.3, solids: [{ phi: x => x - 3 + 1e-8 }, { phi: (_x, y) => 6 - y }] },
  ],
  ['all cells liquid', { shape: [18, 9, 34], liquid: everywhere, sides: { z: ['separating', 'open'] } }],
  ['no cell liquid', { shape: [7, 6, 5], liquid: () => 1, solids: [{ phi: ball(3, 3, 3, 1.5) }] }],
  ['no cell liquid in 2D', { shape: [7, 6], liquid: () => 1 }],
  ['solids covering everything', { shape: [6, 5, 4], liquid: everywhere, solids: [{ phi: () => -3 }] }],
  ['one cell', { shape: [1, 1, 1], liquid: everywhere, sides: { x: ['open', 'separating'] } }],
  ['one cell in 2D', { shape: [1, 1], liquid: everywhere, sides: { x: ['sticking', 'open'] } }],
  ['a row along x', { shape: [40, 1, 1], liquid: x => x - 17.2, sides: { x: ['sticking', 'open'] } }],
  ['a column along y in 2D', { shape: [1, 30], liquid: (_x, y) => y - 11.6 }],
  ['a column along z', { shape: [1, 1, 30], liquid: (_x, _y, z) => 11.6 - z }],
  [
    'two cells wide',
    { shape: [2, 9, 3], liquid: noise, sides: { x: ['open', 'open'], y: ['open', 'open'], z: ['open', 'open'] } },
  ],
  [
    'moving solids',
    {
      shape: [17, 14, 18],
      liquid: noise,
      solids: [
        { phi: ball(3, 2, 9, 4.4), wall: spinning },
        { phi: ball(13, 10, 7, 3.7), wall: { linear: [-1, 0, 0.4] } },
      ],
      sides: { y: ['open', 'separating'] },
    },
  ],
  ['rows of sixty-four faces', { shape: [64, 6, 5], liquid: noise }],
  ['rows longer than a thousand faces', { shape: [1100, 7], liquid: noise }],
  [
    'a moving solid in 2D',
    { shape: [33, 18], liquid: noise, solids: [{ phi: ball(3, 7, 0, 5.1), wall: { linear: [1, 2, 0], angular: [0, 0, 3] } }] },
  ],
]

const machines = [
  startMachine(liquidModule, 1),
  startMachine(liquidModule, 2),
  startMachine(liquidModule, 3),
  startMachine(liquidModule, 1, 0, false),
]
afterAll(async () => {
  for (const machine of machines) (await machine).dispose()
})

const bytesOf = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)
const isMoving = ({ solids = [] }: LiquidCase) => solids.some(({ wall }) => wall?.linear || wall?.angular)

function expectSame(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  expect(actual.length, what).toBe(expected.length)
  for (let n = 0; n < expected.length; n++)
    if (!Object.is(actual[n], expected[n])) expect.fail(`${what}: ${actual[n]} instead of ${expected[n]} at ${n}`)
}

function expectNear(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  expect(actual.length, what).toBe(expected.length)
  for (let n = 0; n < expected.length; n++)
    if (!(Math.abs(actual[n] - expected[n]) <= 1e-6)) expect.fail(`${what}: ${actual[n]} instead of ${expected[n]} at ${n}`)
}

/** Velocity of the solid whose node at the face is nearest, as rigid motion has it. */
function solidVelocities({ liquid, grid }: PlacedLiquid, { solids = [] }: LiquidCase) {
  const { solid, owner } = liquid.arrays
  const of = (axis: Axis) => {
    const values: number[] = []
    forFaces(grid, axis, (_face, i, j, k, node) => {
      const corners = faceCorners(grid, axis, node)
      const nearest = Math.min(...corners.map(corner => solid[corner]))
      const by = Math.min(...corners.filter(corner => solid[corner] === nearest).map(corner => owner[corner]))
      const { linear, angular } = { ...AT_REST, ...solids[by - 1]?.wall }
      const x = [i, j, k].map((n, a) => (a === 2 && grid.dims === 2 ? 0 : (n + (a === axis ? 0 : 0.5)) * grid.spacing))
      const [b, c] = [(axis + 1) % 3, (axis + 2) % 3]
      values.push(linear[axis] + (angular[b] * x[c] - angular[c] * x[b]))
    })
    return Float64Array.from(values)
  }
  return [of(0), of(1), of(2)] as const
}

/** What the definition makes of the same fractions and distances. */
function definition(placed: PlacedLiquid, scene: LiquidCase, divergence: number): AssembledProblem {
  const { liquid, grid, unit } = placed
  const { arrays } = liquid
  const solid = Float64Array.from(arrays.solid)
  const openFaces = openFaceFractions(unit, solid).map(values => values.map(Math.fround))
  const moving = {
    velocity: solidVelocities(placed, scene),
    openFaces: toFaceField(openFaces),
  }
  const input = {
    grid,
    velocity: toFaceField(faceArrays(liquid, 'u')),
    liquid: Float64Array.from(arrays.phi),
    dt: DT,
    density: DENSITY,
    desiredDivergence: new Float64Array(grid.cells).fill(divergence),
  }
  const open = toFaceField(faceArrays(liquid, 'open'))
  const openCells = Float64Array.from(arrays.openCell)
  const touch = arrays.touch.map(kind => kind & 3)
  return assembleOpen(input, { open, touch, openCells, moving: isMoving(scene) ? moving : undefined })
}

function drawPressure({ liquid, grid }: PlacedLiquid): void {
  const { pressure, kind } = liquid.arrays
  for (let cell = 0; cell < grid.cells; cell++) pressure[cell] = kind[cell] === 0 ? 0 : 3000 * random(13, cell) - 500
}

describe.each(cases)('%s', (_, scene) => {
  it('has the open fractions and touched cells of the definition', async () => {
    const { liquid, grid, unit, solids } = placeLiquid(await machines[0], scene)
    liquid.openGeometry()
    const zero = toFaceField(faceArrays(liquid, 'u').map(u => u.map(() => 0)))
    const liquidEverywhere = new Float64Array(grid.cells).fill(-1)
    const expected = assemble({ grid: unit, velocity: zero, liquid: liquidEverywhere, solids, sides: scene.sides, dt: 1 })
    faceArrays(liquid, 'open').forEach((open, axis) => {
      expectNear(open, expected.open[axis], `open fractions of axis ${axis}`)
    })
    const { arrays } = liquid
    expectNear(arrays.openCell, openCellFractions(unit, Float64Array.from(arrays.solid)), 'open cells')
    expected.kind.forEach((kind, cell) => {
      if (kind !== 0) expect((arrays.touch[cell] & 3) === 1, `contact in cell ${cell}`).toBe(kind === CONTACT)
    })
  })

  it('knows how far from solids all of a cell is, to a sixteenth of a cell', async () => {
    const { liquid, grid } = placeLiquid(await machines[0], scene)
    liquid.openGeometry()
    const [nx, ny, nz] = grid.shape
    const { solid, clearance } = liquid.arrays
    const at = (i: number, j: number, k: number) => solid[i + (nx + 1) * (j + (ny + 1) * k)]
    for (let k = 0; k < nz; k++)
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++) {
          const corners = [0, 1].flatMap(c => [0, 1].flatMap(b => [0, 1].map(a => at(i + a, j + b, k + c))))
          const nearest = Math.min(255, Math.max(0, Math.floor(16 * Math.min(...corners))))
          expect(clearance[i + nx * (j + ny * k)], `${i}, ${j}, ${k}`).toBe(nearest)
        }
  })

  it.each([0, 0.25])('assembles to the bit what the definition does, for divergence %f', async divergence => {
    const placed = placeLiquid(await machines[0], scene)
    const { liquid } = placed
    liquid.openGeometry()
    for (const name of ['diagonal', 'linkX', 'linkY', 'linkZ', 'b', 'kind'] as const) liquid.arrays[name].fill(7)
    liquid.assemble(DT, DENSITY, isMoving(scene), divergence)
    const expected = definition(placed, scene, divergence)
    const { kind, diagonal, linkX, linkY, linkZ, b } = liquid.arrays
    expectSame(kind, expected.kind, 'kind')
    expectSame(diagonal, expected.diagonal, 'diagonal')
    ;[linkX, linkY, linkZ].forEach((link, axis) => {
      // The definition writes no link where there is none, and neither has −0.
      expectSame(link, expected.links[axis], `links of axis ${axis}`)
    })
    expectSame(b, expected.b, 'b')
  })

  it('projects to the bit as the definition does, and marks what is known', async () => {
    const placed = placeLiquid(await machines[0], scene)
    const { liquid, grid } = placed
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, isMoving(scene))
    drawPressure(placed)
    const problem = definition(placed, scene, 0)
    const expected = toFaceField(faceArrays(liquid, 'u'))
    project(expected, liquid.arrays.pressure, problem)
    liquid.project(DT, DENSITY)
    for (const axis of AXES) {
      expectSame(faceArrays(liquid, 'u')[axis], expected[axis], `velocity of axis ${axis}`)
      if (axis === 2 && grid.dims === 2) continue
      const layer = faceArrays(liquid, 'layer')[axis]
      const step = [1, grid.shape[0], grid.shape[0] * grid.shape[1]][axis]
      forFaces(grid, axis, (face, i, j, k) => {
        const cell = i + grid.shape[0] * (j + grid.shape[1] * k)
        const position = [i, j, k][axis]
        const above = position < grid.shape[axis] && problem.kind[cell] !== 0
        const below = position > 0 && problem.kind[cell - step] !== 0
        const isKnown = problem.open[axis][face] > Math.fround(SLIVER) && (above || below)
        if (layer[face] !== (isKnown ? 0 : 255)) expect.fail(`face ${face} of axis ${axis} is marked ${layer[face]}`)
      })
    }
  })

  // More layers than a piece has slabs reach across several; threads work on neighbouring ones at the same time.
  it.each([
    [LAYERS, 0],
    [13, 2],
    [13, 3],
  ])('extrapolates %d layers to the bit as the definition does, machine %d', async (layers, machine) => {
    const placed = placeLiquid(await machines[machine], scene)
    const { liquid, grid } = placed
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, isMoving(scene))
    liquid.project(DT, DENSITY)
    const expected = toFaceField(faceArrays(liquid, 'u'))
    const known = faceArrays(liquid, 'layer').map(layer => layer.map(n => (n === 0 ? 1 : 0))) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    extrapolate(grid, expected, known, layers)
    liquid.extrapolate(layers)
    for (const axis of AXES) expectSame(faceArrays(liquid, 'u')[axis], expected[axis], `velocity of axis ${axis}`)
  })

  it('forgets its pressure and nothing else', async () => {
    const { liquid } = placeLiquid(await machines[0], scene)
    const { pressure, b, solid, diagonal } = liquid.arrays
    for (const array of [pressure, b, solid, diagonal]) array.fill(1)
    liquid.clearPressure()
    expect(pressure.every(value => value === 0)).toBe(true)
    for (const array of [b, solid, diagonal]) expect(array.every(value => value === 1)).toBe(true)
  })

  it('remembers velocities, and says how large the largest known one is', async () => {
    const machine = await machines[1]
    const { liquid, grid } = placeLiquid(machine, scene)
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, false)
    liquid.project(DT, DENSITY)
    liquid.extrapolate(1)
    const largest = machine.kernels.keepVelocity(liquid.address, 1, 0)
    let expected = 0
    const axes = AXES.slice(0, grid.dims)
    for (const axis of axes) {
      const [u, layer, before] = (['u', 'layer', 'before'] as const).map(name => faceArrays(liquid, name)[axis])
      u.forEach((value, face) => {
        if (layer[face] === 0) expected = Math.max(expected, Math.abs(value))
      })
      expectSame(
        before,
        u.map((value, face) => Math.fround(layer[face] === 255 ? 0 : value)),
        `remembered of axis ${axis}`,
      )
    }
    expect(largest).toBe(expected)
    for (const axis of axes) {
      const [u, layer] = [faceArrays(liquid, 'u')[axis], faceArrays(liquid, 'layer')[axis]]
      const face = layer.lastIndexOf(0)
      if (face < 0) continue
      const value = u[face]
      u[face] = Number.NaN
      expect(machine.kernels.keepVelocity(liquid.address, 1, 0)).toBeNaN()
      u[face] = value
    }
  })

  it('knows how fast all but a share of the known faces are', async () => {
    const machine = await machines[1]
    const { liquid, grid } = placeLiquid(machine, scene)
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, false)
    liquid.project(DT, DENSITY)
    liquid.extrapolate(1)
    const speeds = AXES.slice(0, grid.dims).flatMap(axis => {
      const [u, layer] = [faceArrays(liquid, 'u')[axis], faceArrays(liquid, 'layer')[axis]]
      return [...u].map(Math.abs).filter((_, face) => layer[face] === 0)
    })
    speeds.sort((a, b) => b - a)
    const particles = createCompiledParticles(machine, liquid, false)
    if (speeds.length === 0) return expect(particles.keepVelocity({ step: 1, share: 0 })).toEqual({ largest: 0, usual: 0 })
    const step = speeds[0] / 200
    for (const share of [0, 0.001, 0.05, 0.5, 0.9]) {
      const { largest, usual } = particles.keepVelocity({ step, share })
      expect(largest).toBe(speeds[0])
      expect(speeds.filter(speed => speed > usual).length).toBeLessThanOrEqual(share * speeds.length)
      expect(speeds.filter(speed => speed >= usual - step * (1 + 1e-9)).length).toBeGreaterThan(share * speeds.length)
      // Beyond what is counted the largest stands for all.
      expect(particles.keepVelocity({ step: speeds.at(-1)! / 5000, share }).usual).toBe(largest)
    }
    expect(particles.keepVelocity({ step, share: 1 }).usual).toBe(0)
  })

  it('has the speed, the pairs and the gravity that a plain loop finds', async () => {
    const placed = placeLiquid(await machines[0], scene)
    const { liquid, grid } = placed
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, false)
    liquid.project(DT, DENSITY)
    let largest = 0
    const [u, layer, before] = [faceArrays(liquid, 'u'), faceArrays(liquid, 'layer'), faceArrays(liquid, 'before')]
    const axes = AXES.slice(0, grid.dims)
    for (const axis of axes) {
      u[axis].forEach((value, face) => {
        if (layer[axis][face] !== 0) return
        largest = Math.max(largest, Math.abs(value))
      })
    }
    expect(liquid.measureSpeed().largest).toBe(largest)
    const was = u.map(values => values.slice())
    liquid.addVelocity([0.25, -0.5, grid.dims === 3 ? 1.5 : 0])
    for (const axis of axes)
      expectSame(
        u[axis],
        was[axis].map(value => value + [0.25, -0.5, 1.5][axis]),
        `axis ${axis}`,
      )
    liquid.fillVelocities()
    const kept = before.map(values => values.slice())
    liquid.fillChanges(0.75)
    for (const axis of axes) {
      const changes = Array.from(u[axis], (value, face) => Math.fround(value - 0.75 * kept[axis][face]))
      expectSame(faceArrays(liquid, 'pair')[axis], [...Array.from(u[axis], Math.fround), ...changes], `pairs of axis ${axis}`)
    }
  })
})

/** All loops in a row; what they leave. */
function exercise(placed: PlacedLiquid, moving: boolean): Buffer[] {
  const { liquid } = placed
  liquid.openGeometry()
  liquid.addVelocity([0.1, -0.2, 0.3])
  liquid.assemble(DT, DENSITY, moving, 0.1)
  drawPressure(placed)
  liquid.project(DT, DENSITY)
  const speed = liquid.measureSpeed()
  liquid.extrapolate(LAYERS)
  liquid.constrain()
  liquid.fillVelocities()
  return allArrays(liquid).concat(Buffer.from(Float64Array.of(speed.largest).buffer))
}

function allArrays({ arrays }: CompiledLiquid): Buffer[] {
  return Object.values(arrays).map(array => Buffer.from(bytesOf(array)))
}

it.each(cases)('%s gives the same bits for 1, 2 and 3 threads, with memory shared or not', async (_, scene) => {
  const all: Buffer[][] = []
  for (const machine of machines) all.push(exercise(placeLiquid(await machine, scene), isMoving(scene) ?? false))
  const [expected, ...others] = all
  for (const other of others) {
    other.forEach((bytes, n) => {
      expect(bytes.equals(expected[n]), `array ${n}`).toBe(true)
    })
  }
})

describe('velocities in walls', () => {
  /** The lower half of a box is a solid with a tilted surface; liquid moves with `velocity` everywhere above. */
  async function flowAlong(wall: Partial<LiquidWall>, velocity: readonly [number, number, number]) {
    const normal = [0.36, 0.8, 0.48]
    const phi = (x: number, y: number, z: number) => normal[0] * (x - 8) + normal[1] * (y - 8) + normal[2] * (z - 8) + 0.1
    const { liquid, grid } = placeLiquid(await machines[0], { shape: [16, 16, 16], liquid: everywhere, solids: [{ phi, wall }] })
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, false)
    liquid.project(DT, DENSITY)
    const [u, layer, open] = [faceArrays(liquid, 'u'), faceArrays(liquid, 'layer'), faceArrays(liquid, 'open')]
    for (const axis of AXES) u[axis].fill(velocity[axis])
    liquid.extrapolate(3)
    liquid.constrain()
    const inWall: Record<Axis, number[]> = { 0: [], 1: [], 2: [] }
    for (const axis of AXES) {
      forFaces(grid, axis, (face, i, j, k) => {
        const isInside = [i, j, k].every(n => n > 2 && n < 13)
        const at = [i, j, k].map((n, a) => n + (a === axis ? 0 : 0.5))
        // Deeper ones are in reach of no particle.
        const isNear = phi(at[0], at[1], at[2]) > -1.45
        if (isInside && isNear && open[axis][face] <= Math.fround(SLIVER) && layer[axis][face] !== 255)
          inWall[axis].push(u[axis][face])
        if (open[axis][face] > Math.fround(SLIVER)) expect(u[axis][face]).toBe(velocity[axis])
      })
      expect(inWall[axis].length).toBeGreaterThan(20)
    }
    return { normal, inWall }
  }

  const dot = (a: readonly number[], b: readonly number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
  const into = [0.3, -1, 0.2] as const
  const away = [-0.1, 1.2, 0.4] as const

  it('lose what flows into the wall and keep what flows along it', async () => {
    for (const walls of ['separating', 'sticking'] as const) {
      const { normal, inWall } = await flowAlong({ walls }, into)
      for (const axis of AXES)
        for (const value of inWall[axis]) expect(value).toBeCloseTo(into[axis] - dot(into, normal) * normal[axis], 5)
    }
  })

  it('keep what flows away from a separating wall, not from a sticking one', async () => {
    const separating = await flowAlong({ walls: 'separating' }, away)
    for (const axis of AXES) {
      const along = away[axis] - dot(away, separating.normal) * separating.normal[axis]
      for (const value of separating.inWall[axis]) expect(value).toBeCloseTo(away[axis], 5)
      const sticking = await flowAlong({ walls: 'sticking' }, away)
      for (const value of sticking.inWall[axis]) expect(value).toBeCloseTo(along, 5)
    }
  })

  it('are relative to a wall that moves', async () => {
    const linear = [0.7, -0.3, 0.9] as const
    const { normal, inWall } = await flowAlong({ linear }, into)
    const relative = into.map((value, axis) => value - linear[axis])
    for (const axis of AXES) {
      const along = relative[axis] - dot(relative, normal) * normal[axis]
      for (const value of inWall[axis]) expect(value).toBeCloseTo(linear[axis] + along, 5)
    }
  })

  it.each([0, 1])('on closed sides only leave them, or are 0 where the side sticks: solids %d', async hasSolids => {
    const sides = { x: ['separating', 'sticking'], y: ['open', 'separating'] } as const
    const { liquid, grid } = placeLiquid(await machines[0], { shape: [6, 7, 5], liquid: everywhere, sides })
    liquid.hasSolids = hasSolids === 1
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, false)
    liquid.project(DT, DENSITY)
    liquid.extrapolate(2)
    const before = faceArrays(liquid, 'u').map(values => values.slice())
    liquid.constrain()
    const after = faceArrays(liquid, 'u')
    for (const axis of AXES) {
      forFaces(grid, axis, (face, i, j, k) => {
        const position = [i, j, k][axis]
        const isUpper = position === grid.shape[axis]
        const value = before[axis][face]
        let expected = value
        if (axis === 0 && isUpper) expected = 0
        else if (axis !== 1 && position === 0) expected = Math.max(0, value)
        else if (isUpper) expected = Math.min(0, value)
        // Among solids, velocities in walls are stored as f32.
        const stored = hasSolids && (position === 0 || isUpper) ? Math.fround(expected) : expected
        const isOpen = axis === 1 && position === 0
        expect(after[axis][face] + 0, `axis ${axis}, face ${face}`).toBe((isOpen ? value : stored) + 0)
      })
    }
  })
})

it.each([
  ['2D', [24, 21], 1],
  ['3D', [14, 15, 12], 2],
] as const)('a tank at rest stays at rest in %s', async (_, shape, up) => {
  // A tilted bottom and a ball in it; the surface lies between two centres.
  const level = 7.3
  const scene: LiquidCase = {
    shape,
    spacing: 0.1,
    liquid: (x, y, z) => [x, y, z][up] - level,
    solids: [{ phi: (x, y, z) => [x, y, z][up] - 2 - 0.2 * x }, { phi: ball(6, up === 1 ? 5 : 7, up === 1 ? 0 : 6, 2.2) }],
  }
  const { liquid, grid } = placeLiquid(await machines[1], scene)
  for (const u of faceArrays(liquid, 'u')) u.fill(0)
  const { arrays } = liquid
  liquid.openGeometry()
  const gravity: [number, number, number] = [0, 0, 0]
  gravity[up] = -9.81 * DT
  liquid.addVelocity(gravity)
  liquid.assemble(DT, DENSITY, false)
  const { kind, diagonal, linkX, linkY, linkZ, b, pressure } = arrays
  const solver = createSolver('nas-mgpcg', {}, { engine: 'portable' })
  const found = new Float64Array(grid.cells)
  const problem = { grid, kind, diagonal, links: [linkX, linkY, linkZ] as const, b }
  const { status } = await solver.solve(problem, found, { tolerance: 1e-10 })
  solver.dispose()
  expect(status).toBe('converged')
  pressure.set(found)
  liquid.project(DT, DENSITY)
  expect(liquid.measureSpeed().largest).toBeLessThan(1e-9)
})
