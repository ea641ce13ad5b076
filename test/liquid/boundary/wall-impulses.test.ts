/** What walls gain is what the projection takes from the liquid, in every substep, and what the flux of moving walls says in the pressure problem. */
import { afterEach, describe, expect, it } from 'vitest'
import { AXES, faceShape, type Grid } from '../../../src/grid/grid.js'
import { box, complement, halfSpace, rotate, sphere } from '../../../src/grid/shapes.js'
import { advanceFrame } from '../../../src/liquid/advance.js'
import { exchangeLiquid } from '../../../src/liquid/boundary/exchange.js'
import type { WallForces } from '../../../src/liquid/boundary/force-record.js'
import { createSolidSampler } from '../../../src/liquid/boundary/solids.js'
import { FIRST_SOLID, findAreas, wallImpulses } from '../../../src/liquid/boundary/wall-impulses.js'
import { type LiquidEngine, startLiquidEngine } from '../../../src/liquid/engine.js'
import { createLiquidRun } from '../../../src/liquid/liquid-run.js'
import type { LiquidLoops } from '../../../src/liquid/loops.js'
import { completeOptions, type SimulationOptions } from '../../../src/liquid/options.js'
import { CONTACT, DRY } from '../../../src/pressure/problem.js'
import { surfaceDistances } from '../../../src/pressure/surface-distances.js'
import { completeSides, type Sides } from '../../../src/pressure/walls.js'
import { random } from '../../../src/random.js'
import type { SceneSetting, Vector } from '../../../src/scene/setting.js'
import { body, moving, settingOf, solid, turning } from '../../support/settings.js'

const DENSITY = 700
const engines: LiquidEngine[] = []
afterEach(() => {
  for (const engine of engines.splice(0)) engine.dispose()
})

const cross = (a: readonly number[], b: readonly number[]) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

/** Of faces: momentum and angular momentum about the origin of the domain, with the masses whose kinetic energy the pressure minimises. */
function momentumOf({ grid, arrays }: LiquidLoops, u: readonly Float64Array[]): number[] {
  const { kind, phi } = arrays
  const open = [arrays.openX, arrays.openY, arrays.openZ]
  const theta = surfaceDistances(grid, kind, phi, open)
  const total = [0, 0, 0, 0, 0, 0]
  for (const axis of AXES.slice(0, grid.dims)) {
    visitFaces(grid, axis, (face, below, above, x) => {
      if (![below, above].some(cell => cell >= 0 && kind[cell] !== DRY)) return
      const push = [0, 0, 0]
      push[axis] = DENSITY * grid.spacing ** grid.dims * open[axis][face] * theta[axis][face] * u[axis][face]
      const parts = [...push, ...cross(x, push)]
      for (const [n, part] of parts.entries()) total[n] += part
    })
  }
  return total
}

function visitFaces(grid: Grid, axis: 0 | 1 | 2, visit: (face: number, below: number, above: number, x: number[]) => void): void {
  const [fx, fy, fz] = faceShape(grid, axis)
  const [nx, ny] = grid.shape
  for (let k = 0, face = 0; k < fz; k++)
    for (let j = 0; j < fy; j++)
      for (let i = 0; i < fx; i++, face++) {
        const place = [i, j, k]
        const above = place[axis] === grid.shape[axis] ? -1 : i + nx * (j + ny * k)
        const below = place[axis] === 0 ? -1 : i + nx * (j + ny * k) - [1, nx, nx * ny][axis]
        const x = place.map((n, at) => (at >= grid.dims ? 0 : (n + (at === axis ? 0 : 0.5)) * grid.spacing))
        visit(face, below, above, x)
      }
}

/** Of all walls together: force, and torque about the origin of the domain. */
function totalOf({ solids, sides }: WallForces): number[] {
  const total = [0, 0, 0, 0, 0, 0]
  const add = (parts: readonly number[]) => {
    for (const [n, part] of parts.entries()) total[n] += part
  }
  for (const { force, torque, pivot } of solids) {
    add([...force, ...torque])
    add([0, 0, 0, ...cross(pivot, force)])
  }
  for (const { force, torque } of Object.values(sides)) add([...force, ...torque])
  return total
}

interface Balance {
  /** N s and N m s: by walls and weight, and by velocities. */
  readonly given: number[]
  readonly gained: number[]
  /** N s of all pressures, whatever their direction. */
  readonly size: number
  readonly letGo: number
}

/** Watches the velocities of every substep, around its forces and its projections. */
async function balances(setting: SceneSetting, frames: number, given: SimulationOptions): Promise<Balance[]> {
  const { grid } = setting
  const options = completeOptions(grid, { seed: 4, density: DENSITY, ...given })
  const { engine: name, threads, particles } = options
  const engine = await startLiquidEngine(grid, { engine: name, threads, affine: particles.method === 'apic' })
  engines.push(engine)
  const liquid = engine.liquid as { -readonly [Name in keyof LiquidLoops]: LiquidLoops[Name] }
  const velocities = () => [liquid.arrays.ux.slice(), liquid.arrays.uy.slice(), liquid.arrays.uz.slice()]
  let before: Float64Array[] | undefined
  let after: { momentum: number[]; from: number[]; ofOne: number[][] } | undefined
  const { addVelocity, project, projectKick } = liquid
  const note = () => {
    if (!before) return
    // Momentum of a velocity of 1 m/s along each axis: the mass, for the weight.
    const ones = AXES.map(axis => before!.map((u, other) => new Float64Array(u.length).fill(other === axis ? 1 : 0)))
    after = {
      momentum: momentumOf(liquid, velocities()),
      from: momentumOf(liquid, before),
      ofOne: ones.map(u => momentumOf(liquid, u)),
    }
  }
  liquid.addVelocity = change => {
    before ??= velocities()
    addVelocity(change)
  }
  liquid.project = (dt, density) => {
    project(dt, density)
    if (dt === 0) before = undefined
    else note()
  }
  liquid.projectKick = (dt, density) => {
    projectKick(dt, density)
    note()
  }
  const run = createLiquidRun(engine, setting, options)
  exchangeLiquid(run)
  const found: Balance[] = []
  const observe = () => {
    const { forces } = run.state.unfinished!.substeps.at(-1)!
    const gravity = setting.gravity(run.state.time)
    const weight = after!.from.map((_, n) => gravity.reduce((sum, part, axis) => sum + part * after!.ofOne[axis][n], 0))
    const { pressure, kind } = liquid.arrays
    found.push({
      given: totalOf(forces).map((part, n) => forces.seconds * (weight[n] - part)),
      gained: after!.momentum.map((part, n) => part - after!.from[n]),
      size: pressure.reduce((sum, p) => sum + Math.abs(p), 0) * grid.spacing ** (grid.dims - 1) * forces.seconds,
      letGo: pressure.reduce((count, p, cell) => count + (kind[cell] === CONTACT && p === 0 ? 1 : 0), 0),
    })
    before = undefined
  }
  const control = { check: async () => {}, checkNow: () => {} }
  for (let frame = 0; frame < frames; frame++) await advanceFrame(run, observe, control)
  return found
}

/** A dam that breaks over a tilted block, a wall that is moved into it, a bar that turns, and an open side. */
function busy(dims: 2 | 3, velocity: Vector = [0, 0, 0]): SceneSetting {
  const z = dims === 2 ? 0 : 0.5
  return settingOf(dims === 2 ? [24, 24] : [12, 12, 12], dims === 2 ? 1 / 24 : 1 / 12, {
    gravity: () => [1, -9, dims === 2 ? 0 : 0.5],
    sides: { x: ['sticking', 'open'], y: ['separating', 'separating'] },
    liquid: [body(box([0.3, 0.35, z], [0.3, 0.35, 0.5]), velocity)],
    solids: [
      solid(rotate(box([0.5, 0.05, z], [0.17, 0.11, 0.3]), 0.4, [0.5, 0.05])),
      moving(halfSpace([-0.02, 0, 0], [1, 0, 0]), [0.8, 0, 0], { name: 'piston', walls: 'sticking' }),
      turning(box([0.75, 0.3, z], [0.2, 0.07, 0.3]), 5, [0.75, 0.3], { pivotAt: () => [0.75, 0.3, z] }),
    ],
  })
}

const everywhere = ([2, 3] as const).flatMap(dims => (['flip', 'apic'] as const).map(method => ({ dims, method, band: 0 })))
const cases = [...everywhere, { dims: 2, method: 'apic', band: 3 }, { dims: 3, method: 'flip', band: 3 }] as const

describe.each(cases)('momentum, $dims D, $method, band $band', ({ dims, method, band }) => {
  it.each([
    { start: 'at rest', velocity: [0, 0, 0] as const },
    { start: 'in motion', velocity: [2, 3, 0] as const },
  ])('changes by weight and walls in every substep, to rounding, from a start $start', async ({ velocity }) => {
    const found = await balances(busy(dims, velocity), 6, {
      particles: { method, band },
      engine: 'wasm',
      time: { minSubsteps: 2 },
    })
    expect(found.length).toBeGreaterThan(6)
    expect(Math.max(...found.map(({ letGo }) => letGo))).toBeGreaterThan(0)
    for (const { given, gained, size } of found) {
      expect(size).toBeGreaterThan(0)
      for (let n = 0; n < 6; n++) expect(Math.abs(gained[n] - given[n]) / size).toBeLessThan(1e-11)
    }
  })
})

describe.each(['portable', 'wasm'] as const)('impulses by %s loops', name => {
  it.each([2, 3] as const)('are those of the flux of moving solids, transposed, %i D', async dims => {
    const shape = dims === 2 ? [14, 11] : [9, 8, 10]
    const z = dims === 2 ? 0 : 0.5
    const h = 1 / shape[0]
    const solids = [
      solid(complement(sphere([0.5, 0.4, z], 0.55))),
      // So near that both touch some cells.
      solid(rotate(box([0.5, 0.42, z], [0.4, 0.2, 0.22]), 0.5, [0.5, 0.42])),
    ]
    const sides: Sides = { x: ['sticking', 'open'], y: ['separating', 'open'] }
    const { grid } = settingOf(shape, h)
    const engine = await startLiquidEngine(grid, { engine: name, affine: false })
    engines.push(engine)
    const { liquid } = engine
    const still = { walls: 'separating', friction: 0, moves: true, linear: [0, 0, 0], angular: [0, 0, 0] } as const
    liquid.setSides(sides)
    createSolidSampler(grid, solids).sample(0, { phi: liquid.arrays.solid, owner: liquid.arrays.owner })
    liquid.hasSolids = true
    for (const owner of [1, 2]) liquid.setWall(owner, still)
    liquid.openGeometry()
    liquid.arrays.phi.fill(-3)
    liquid.assemble(0.01, DENSITY, true)
    const start = liquid.arrays.b.slice()
    const { kind, pressure, kickPressure } = liquid.arrays
    for (let cell = 0; cell < grid.cells; cell++) {
      pressure[cell] = kind[cell] === DRY ? 0 : random(1, cell) - 0.2
      kickPressure[cell] = kind[cell] === DRY ? 0 : random(2, cell) - 0.2
    }
    const areas = findAreas(liquid, completeSides(grid, sides))
    const found = wallImpulses(liquid, areas, 2, { solve: 0.5, kick: 0.25 })
    const axes = dims === 2 ? [0, 1, 5] : [0, 1, 2, 3, 4, 5]
    let moved = 0
    for (const owner of [1, 2]) {
      for (const axis of axes) {
        const unit = [0, 1, 2].map(n => (n === axis % 3 ? 1 : 0)) as unknown as Vector
        liquid.setWall(owner, { ...still, ...(axis < 3 ? { linear: unit } : { angular: unit }) })
        liquid.assemble(0.01, DENSITY, true)
        let wanted = 0
        for (let cell = 0; cell < grid.cells; cell++)
          wanted += (liquid.arrays.b[cell] - start[cell]) * (0.5 * pressure[cell] + 0.25 * kickPressure[cell]) * h ** dims
        expect(Math.abs(found[6 * (FIRST_SOLID + owner) + axis] - wanted)).toBeLessThan(1e-12)
        if (Math.abs(wanted) > 1e-3) moved++
        liquid.setWall(owner, still)
      }
    }
    expect(moved).toBeGreaterThan(axes.length)
  })
})
