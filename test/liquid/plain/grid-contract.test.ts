/** The compiled loops over the grid of a liquid against their definition in plain TypeScript, on random input. All results must have the same
 *  bits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AXES, cellStrides, createGrid, type Grid, nodeShape } from '../../../src/grid/grid.js'
import type { LiquidArray } from '../../../src/liquid/arrays.js'
import { createCompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import type { LiquidLoops } from '../../../src/liquid/loops.js'
import { createPlainLiquid, type PlainLiquid } from '../../../src/liquid/plain/liquid.js'
import { type LiquidMachine, liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import type { Side, Sides } from '../../../src/pressure/walls.js'
import { random } from '../../../src/random.js'

const DT = 0.0137
const DENSITY = 917
const PER_CELL = { 2: 4, 3: 8 }

const PROBLEM = ['kind', 'diagonal', 'linkX', 'linkY', 'linkZ', 'b'] as const
const VELOCITY = ['ux', 'uy', 'uz'] as const
const BEFORE = ['beforeX', 'beforeY', 'beforeZ'] as const
const LAYERS = ['layerX', 'layerY', 'layerZ'] as const
const STARTS = ['startX', 'startY', 'startZ'] as const

let machine: LiquidMachine
beforeAll(async () => {
  machine = await startMachine(liquidModule, 1)
})
afterAll(() => machine.dispose())

/** Uniform in a range, by what it is for. */
type Draw = (low: number, high: number, ...what: number[]) => number

const drawing =
  (seed: number): Draw =>
  (low, high, ...what) =>
    low + (high - low) * random(seed, ...what)

interface Scene {
  readonly grid: Grid
  readonly sides: Sides
  /** Distances at nodes in cells, rounded to sixteenths in some, so that sums are exactly 0 here and there. */
  readonly solids: readonly Float64Array[]
  readonly draw: Draw
}

function createScene(shape: readonly number[], seed: number, solids: Scene['solids'] = []): Scene {
  const draw = drawing(seed)
  const side = (n: number): Side => (['open', 'separating', 'sticking'] as const)[Math.floor(draw(0, 3, 1, n))]
  const sides = { x: [side(0), side(1)], y: [side(2), side(3)], z: [side(4), side(5)] } as const
  return { grid: createGrid(shape, 0.37), sides, solids, draw }
}

function nodal(grid: Grid, distance: (x: number, y: number, z: number) => number): Float64Array {
  const [mx, my, mz] = nodeShape(grid)
  const flat = grid.dims === 2
  return Float64Array.from({ length: mx * my * mz }, (_, node) => {
    const k = Math.floor(node / (mx * my))
    return distance(node % mx, Math.floor(node / mx) % my, flat ? 0 : k)
  })
}

/** A ball and a plane, smooth or in steps of a sixteenth. */
function withSolids(shape: readonly number[], seed: number, steps: number): Scene {
  const scene = createScene(shape, seed)
  const { grid, draw } = scene
  const [nx, ny, nz] = grid.shape
  const centre = [draw(0, nx, 2, 0), draw(0, ny, 2, 1), grid.dims === 2 ? 0 : draw(0, nz, 2, 2)]
  const normal = [draw(-1, 1, 3, 0), draw(-1, 1, 3, 1), grid.dims === 2 ? 0 : draw(-1, 1, 3, 2)]
  const length = Math.hypot(...normal)
  const rounded = (value: number) => (steps === 0 ? value : Math.round(steps * value) / steps)
  const ball = nodal(grid, (x, y, z) => rounded(Math.hypot(x - centre[0], y - centre[1], z - centre[2]) - 0.3 * (nx + ny) * 0.5))
  const plane = nodal(grid, (x, y, z) => {
    const along = normal[0] * (x - nx / 2) + normal[1] * (y - ny / 2) + normal[2] * (z - nz / 2)
    return rounded(along / length + 0.25 * Math.max(nx, ny))
  })
  return { ...scene, solids: [ball, plane] }
}

/** A wall along a grid plane, to rounding, or exactly through centres of cells. */
function withGridPlane(shape: readonly number[], seed: number, at: number): Scene {
  const scene = createScene(shape, seed)
  const axis = seed % scene.grid.dims
  const wall = nodal(scene.grid, (x, y, z) => [x, y, z][axis] - at + 1e-8)
  return { ...scene, solids: [wall] }
}

/** Distances by chance, which no shape has. */
function withNoise(shape: readonly number[], seed: number): Scene {
  const scene = createScene(shape, seed)
  const noise = (n: number) => nodal(scene.grid, (x, y, z) => scene.draw(-2, 4, 4, n, x, y, z))
  return { ...scene, solids: [noise(0), noise(1), noise(2)] }
}

/** The same liquid in the memory of a machine and in plain arrays. */
function place(scene: Scene): { compiled: LiquidLoops; plain: PlainLiquid } {
  machine.kernels.releaseAll()
  const compiled = createCompiledLiquid(machine, scene.grid)
  const plain = createPlainLiquid(scene.grid)
  const { positions, starts } = scatter(scene)
  for (const liquid of [compiled, plain]) {
    setSolids(liquid, scene)
    liquid.reserveParticles(positions.length + 1, false)
    liquid.particleCount = positions.length
    liquid.arrays.cellStart.set(starts)
    for (const [axis, name] of (['px', 'py', 'pz'] as const).entries())
      for (let n = 0; n < positions.length; n++) liquid.arrays[name][n] = positions[n][axis]
  }
  for (const axis of AXES.slice(0, scene.grid.dims)) {
    const [u, before] = [VELOCITY[axis], BEFORE[axis]]
    plain.arrays[u].forEach((_, face) => {
      plain.arrays[u][face] = scene.draw(-2, 2, 14, axis, face)
      plain.arrays[before][face] = scene.draw(-2, 2, 15, axis, face)
    })
    compiled.arrays[u].set(plain.arrays[u])
    compiled.arrays[before].set(plain.arrays[before])
  }
  return { compiled, plain }
}

/** Below a tilted plane and in drops; in some cells one, in a few far too many. */
function scatter({ grid, draw }: Scene): { positions: number[][]; starts: number[] } {
  const [nx, ny] = grid.shape
  const positions: number[][] = []
  const starts = [0]
  for (let cell = 0; cell < grid.cells; cell++) {
    const corner = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    const isBelow = (at: readonly number[]) => at[1] + 0.3 * at[0] < 0.55 * ny || draw(0, 1, 10, cell) < 0.1
    const kind = draw(0, 1, 11, cell)
    const count = kind < 0.02 ? 5 * PER_CELL[grid.dims] : kind < 0.2 ? 1 : PER_CELL[grid.dims]
    for (let n = 0; n < count; n++) {
      const at = corner.map((c, axis) => (axis < grid.dims ? c + draw(0, 1, 12, cell, n, axis) : 0.5))
      if (isBelow(at) && draw(0, 1, 13, cell) > 0.1) positions.push(at)
    }
    starts.push(positions.length)
  }
  return { positions, starts }
}

function setSolids(liquid: LiquidLoops, { sides, solids, draw }: Scene): void {
  liquid.setSides(sides)
  liquid.hasSolids = solids.length > 0
  const { arrays } = liquid
  solids.forEach((distances, index) => {
    const vector = (n: number): [number, number, number] => [
      draw(-1, 1, 5, index, n),
      draw(-1, 1, 6, index, n),
      draw(-1, 1, 7, index, n),
    ]
    const walls = draw(0, 1, 8, index) < 0.5 ? 'separating' : 'sticking'
    liquid.setWall(index + 1, { walls, moves: true, linear: vector(0), angular: vector(1) })
    distances.forEach((distance, node) => {
      if (index > 0 && distance >= arrays.solid[node]) return
      arrays.solid[node] = distance
      arrays.owner[node] = index + 1
    })
  })
}

/** Pressures of which some are 0, or minus the strength of the wall, as where contacts have let go; and some of contacts that hang on strong
 *  walls. */
function drawPressure(liquid: LiquidLoops, { draw }: Scene): void {
  const { kind, pressure, adhesion } = liquid.arrays
  for (let cell = 0; cell < kind.length; cell++) {
    adhesion[cell] = kind[cell] === 2 ? Math.max(0, draw(-500, 500, 17, cell)) : 0
    pressure[cell] = kind[cell] === 0 ? 0 : Math.max(0, draw(-1000, 2000, 16, cell)) - adhesion[cell]
  }
}

const isHeld = ({ arrays }: LiquidLoops, cell: number) => arrays.adhesion[cell] > 0

/** Some cells were dry, and some are hit. */
function drawPastPressure(liquid: LiquidLoops, { draw }: Scene): void {
  const { kickPressure, lastPressure, earlierPressure, earliestPressure } = liquid.arrays
  for (let cell = 0; cell < lastPressure.length; cell++) {
    kickPressure[cell] = Math.fround(draw(-100, 300, 20, cell))
    lastPressure[cell] = Math.max(0, draw(-300, 900, 21, cell))
    earlierPressure[cell] = Math.max(0, draw(-300, 900, 22, cell))
    earliestPressure[cell] = Math.max(0, draw(-300, 900, 23, cell))
  }
}

function expectSame(compiled: ArrayLike<number>, plain: ArrayLike<number>, what: string): void {
  expect(compiled.length, what).toBe(plain.length)
  for (let n = 0; n < plain.length; n++)
    if (!Object.is(compiled[n], plain[n])) expect.fail(`${what}: compiled ${compiled[n]}, plain ${plain[n]} at ${n}`)
}

function expectSameArrays(both: ReturnType<typeof place>, ...names: readonly LiquidArray[]): void {
  for (const name of names) expectSame(both.compiled.arrays[name], both.plain.arrays[name], name)
}

/** Where all nodes of a cell are in solids no loop asks what touches it, and the compiled loop does not find out. */
function touchThatMatters({ grid, arrays: { touch, solid } }: LiquidLoops): Uint8Array {
  const [nx, ny] = grid.shape
  const [mx, my] = nodeShape(grid)
  return touch.map((kind, cell) => {
    const node = (cell % nx) + mx * ((Math.floor(cell / nx) % ny) + my * Math.floor(cell / (nx * ny)))
    const corners = [0, 1, mx, mx + 1].flatMap(at => [solid[node + at], solid[node + at + mx * my]])
    return Math.max(...corners) < 0 ? kind & 4 : kind
  })
}

function compareLoops(scene: Scene): void {
  const both = place(scene)
  const { compiled, plain } = both
  const each = (step: (liquid: LiquidLoops) => void) => {
    step(compiled)
    step(plain)
  }
  const same = (measure: (liquid: LiquidLoops) => number, what: string) => expectSame([measure(compiled)], [measure(plain)], what)

  each(liquid => liquid.openGeometry())
  expectSameArrays(both, 'solid', 'openX', 'openY', 'openZ', 'openCell', 'clearance')
  expectSame(touchThatMatters(compiled), touchThatMatters(plain), 'touch')

  for (const deep of [0, 0.3]) {
    each(({ arrays: { carried } }) => {
      for (let cell = 0; cell < carried.length; cell++) carried[cell] = scene.draw(0, 1, 17, cell) < deep ? 8 * (cell % 9) : 0
    })
    each(liquid => liquid.surface(PER_CELL[scene.grid.dims]))
    expectSameArrays(both, 'phi')
    expectSame(compiled.pictureSurface(3), plain.pictureSurface(3), 'surface for pictures')
    same(liquid => liquid.measureVolume(), 'volume')
    same(liquid => liquid.measureCellVolume(), 'cell volume')
    expect(compiled.sealedCells(), 'sealed cells').toEqual(plain.sealedCells())
  }

  each(liquid => liquid.assemble(DT, DENSITY, scene.solids.length > 0, scene.draw(0, 1, 18) < 0.5 ? 0 : 0.25))
  expectSameArrays(both, ...PROBLEM)
  each(liquid => drawPressure(liquid, scene))
  each(liquid => liquid.project(DT, DENSITY))
  expectSameArrays(both, ...VELOCITY, ...LAYERS)
  each(liquid => drawPastPressure(liquid, scene))
  const allowance = scene.draw(0, 1, 19) < 0.5 ? 0 : 40
  each(liquid => liquid.predictKick({ allowance, seconds: DT, ratio: 0.8, earlierRatio: 1.3 }))
  expectSameArrays(both, 'kickPressure', 'lastPressure', 'earlierPressure', 'earliestPressure')
  expect(
    plain.arrays.kickPressure.some((kick, cell) => kick < -Math.fround(plain.arrays.adhesion[cell]) && isHeld(plain, cell)),
  ).toBe(false)
  each(liquid => liquid.keepStart())
  expectSameArrays(both, ...STARTS)
  each(liquid => liquid.projectKick(0.5 * DT, DENSITY))
  each(liquid => liquid.extrapolate(3))
  expectSameArrays(both, ...VELOCITY, ...LAYERS)
  each(liquid => liquid.followChanges(scene.draw(0, 1, 21) < 0.7))
  expectSameArrays(both, ...VELOCITY, ...STARTS)
  each(liquid => liquid.constrain())
  each(liquid => liquid.addKicks())
  expectSameArrays(both, ...VELOCITY)
  each(liquid => liquid.fillChanges(0.9))
  each(liquid => liquid.findPath(DT, allowance))
  expectSameArrays(both, ...VELOCITY)
  each(liquid => liquid.addVelocity([0.1, -0.3, 0]))
  same(liquid => liquid.fillVelocities(), 'largest velocity')
  expectSameArrays(both, ...VELOCITY, ...(['pairX', 'pairY', 'pairZ'] as const).slice(0, scene.grid.dims))
  each(liquid => liquid.restoreStart())
  expectSameArrays(both, ...VELOCITY)

  same(liquid => liquid.measureSpeed().largest, 'largest speed')

  each(({ arrays: { excess, doubtful } }) => {
    for (let cell = 0; cell < excess.length; cell++) {
      excess[cell] = Math.max(0, scene.draw(-1, 1, 19, cell))
      doubtful[cell] = scene.draw(-0.1, 0.1, 20, cell)
    }
  })
  each(liquid => liquid.assembleGrowth(DENSITY, { share: 0.01, beyond: 0.9, maybeCrowded: 0.4, maybeSparse: 0.3 }))
  expectSameArrays(both, ...PROBLEM, ...VELOCITY)
  each(liquid => liquid.clearProblem())
  each(liquid => liquid.clearPressure())
  expectSameArrays(both, ...PROBLEM, 'pressure')
}

const SHAPES = [
  [19, 12, 9],
  [16, 9, 6],
  [7, 6, 5],
  [2, 9, 3],
  [35, 4, 10],
  [1, 9, 20],
  [40, 1, 1],
  [1, 1, 1],
  [37, 29],
  [64, 19],
  [13, 8],
  [1, 30],
  [5, 1],
  [1, 1],
]

describe.each(SHAPES.map((shape, n) => ({ shape, n })))('$shape cells', ({ shape, n }) => {
  it('without solids', () => compareLoops(createScene(shape, 100 + n)))
  it('with solids', () => compareLoops(withSolids(shape, 200 + n, 0)))
  it('with solids in steps', () => compareLoops(withSolids(shape, 300 + n, 4)))
  it('with a wall along a grid plane', () => compareLoops(withGridPlane(shape, 400 + n, 2)))
  it('with a wall through centres', () => compareLoops(withGridPlane(shape, 500 + n, 1.5 + 1e-8)))
  it('with distances by chance', () => compareLoops(withNoise(shape, 600 + n)))
})

it('is NaN in both where a velocity is', () => {
  const both = place(withSolids([9, 8, 7], 1, 0))
  for (const liquid of [both.compiled, both.plain]) {
    liquid.arrays.layerX.fill(0)
    liquid.arrays.uy[cellStrides(liquid.grid)[2] + 3] = NaN
    liquid.arrays.layerY.fill(0)
    expect(liquid.measureSpeed().largest).toBe(NaN)
    expect(liquid.fillVelocities()).toBe(NaN)
  }
})
