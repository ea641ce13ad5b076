/** Velocities in walls, against the definition face by face. Distances are multiples of 1/64, so that their sums have no rounding. */
import { afterAll, describe, expect, it } from 'vitest'
import { AXES, type Axis, faceShape, type Grid, nodeShape } from '../../../src/grid/grid.js'
import type { CompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import { SLIVER } from '../../../src/liquid/shared-constants.js'
import { liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import type { Sides } from '../../../src/pressure/walls.js'
import { random } from '../../../src/random.js'
import {
  AT_REST,
  ball,
  type Distance,
  faceArrays,
  faceCorners,
  forFaces,
  type LiquidCase,
  placeLiquid,
} from '../../support/liquids.js'

const DT = 0.0137
const DENSITY = 917
const NOTHING_KNOWN = 255
const DRY = 0

const rounded =
  (phi: Distance): Distance =>
  (x, y, z) =>
    Math.round(64 * phi(x, y, z)) / 64
const noise = (x: number, y: number, z: number) => Math.sin(1.3 * x + 0.4) + Math.sin(1.1 * y - 0.3) + Math.sin(0.9 * z + 1) - 0.2
const patches = (x: number, y: number, z: number) =>
  Math.sin(0.5 * x + 0.4) + Math.sin(0.6 * y - 0.3) + Math.sin(0.4 * z + 1) + 0.9

const moving = { linear: [0.3, -0.2, 0.1], angular: [0.5, -0.7, 1.1] } as const
const mixed: Sides = { x: ['open', 'sticking'], y: ['separating', 'open'], z: ['sticking', 'separating'] }

const cases: [string, LiquidCase][] = [
  ['a bowl', { shape: [21, 17, 13], liquid: patches, solids: [{ phi: (x, y, z) => -ball(10, 9, 7, 7.5)(x, y, z) }] }],
  [
    'solids that move, stick and rub',
    {
      shape: [19, 23, 14],
      liquid: noise,
      solids: [
        { phi: ball(5, 7, 4, 4.1), wall: moving },
        { phi: ball(12, 9, 8, 5.6), wall: { walls: 'sticking' } },
      ],
      sides: mixed,
    },
  ],
  ['rows longer than a word', { shape: [150, 23], liquid: patches, solids: [{ phi: (x, y) => y - 5 - 3 * Math.sin(0.2 * x) }] }],
  [
    'a solid that turns in 2D',
    { shape: [37, 29], liquid: noise, solids: [{ phi: ball(14, 9, 0, 6.3), wall: moving }], sides: mixed },
  ],
  ['one cell wide', { shape: [1, 9, 20], liquid: noise, solids: [{ phi: (_x, y, z) => y + 0.4 * z - 6 }] }],
  ['sides alone', { shape: [18, 15, 12], liquid: patches, sides: mixed }],
  ['sides alone in 2D', { shape: [35, 40], liquid: patches, sides: { y: ['sticking', 'separating'] } }],
]

const machines = [startMachine(liquidModule, 1), startMachine(liquidModule, 3)]
afterAll(async () => {
  for (const machine of machines) (await machine).dispose()
})

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const dot = (a: readonly number[], b: readonly number[]) => sum(a.map((value, n) => value * b[n]))

/** Whether liquid presses on the wall at a face: by the cells on both sides of it or, where they hold none, by those around. */
function isPressed(
  { arrays: { kind, pressure } }: CompiledLiquid,
  { shape }: Grid,
  axis: Axis,
  place: readonly number[],
): boolean {
  const wetCells = (reach: number) => {
    const cells: number[] = []
    const [i, j, k] = place.map((n, a) => [n - reach - (a === axis ? 1 : 0), n + reach])
    for (let c = k[0]; c <= k[1]; c++)
      for (let b = j[0]; b <= j[1]; b++)
        for (let a = i[0]; a <= i[1]; a++)
          if ([a, b, c].every((n, d) => n >= 0 && n < shape[d])) cells.push(a + shape[0] * (b + shape[1] * c))
    return cells.filter(cell => kind[cell] !== DRY)
  }
  const beside = wetCells(0)
  return (beside.length > 0 ? beside : wetCells(1)).some(cell => pressure[cell] > 0)
}

/** Direction in which the distance from solids grows at a face, 0 where it does not. */
function normalAt(solid: Float32Array, grid: Grid, axis: Axis, position: number, node: number): number[] {
  const [mx, my] = nodeShape(grid)
  const step = [1, mx, mx * my][axis]
  const at = (first: number) => faceCorners(grid, axis, first).map(corner => solid[corner])
  const [high, low] = [position < grid.shape[axis] ? node + step : node, position > 0 ? node - step : node]
  const [a, b, c, d] = at(node)
  const slope = [0, 0, 0]
  slope[axis] = (sum(at(high)) - sum(at(low))) / (4 * ((high - low) / step))
  slope[(axis + 1) % 3] = (b + d - a - c) / 2
  slope[(axis + 2) % 3] = (c + d - a - b) / 2
  const length = Math.hypot(...slope)
  return slope.map(value => (length > 0 ? value / length : 0))
}

/** The velocity around a face, less the wall's: of other axes the mean of the faces beside it of which something is known. */
function velocityAround(
  liquid: CompiledLiquid,
  grid: Grid,
  axis: Axis,
  place: readonly number[],
  wall: readonly number[],
): number[] {
  const [u, layer] = [faceArrays(liquid, 'u'), faceArrays(liquid, 'layer')]
  return AXES.map(other => {
    const [fx, fy] = faceShape(grid, other)
    const cells = [place, place.map((n, a) => n - (a === axis ? 1 : 0))].filter(c => c[axis] >= 0 && c[axis] < grid.shape[axis])
    const besides = cells.flatMap(cell => [cell, cell.map((n, a) => n + (a === other ? 1 : 0))])
    const faces = (other === axis ? [place] : besides).map(([i, j, k]) => i + fx * (j + fy * k))
    const known = faces.filter(face => layer[other][face] !== NOTHING_KNOWN)
    return known.length === 0 ? 0 : sum(known.map(face => u[other][face])) / known.length - wall[other]
  })
}

/** What becomes of a velocity in a solid, relative to it. */
function alongWall(velocity: readonly number[], normal: readonly number[], mayLeave: boolean): number[] {
  const away = dot(velocity, normal)
  return velocity.map((value, a) => value - away * normal[a] + (mayLeave ? Math.max(0, away) * normal[a] : 0))
}

/** The velocity that a face has afterwards. */
function expectedVelocity(
  liquid: CompiledLiquid,
  grid: Grid,
  scene: LiquidCase,
  axis: Axis,
  place: readonly number[],
  node: number,
) {
  const { solid, owner } = liquid.arrays
  const [fx, fy] = faceShape(grid, axis)
  const face = place[0] + fx * (place[1] + fy * place[2])
  const own = faceArrays(liquid, 'u')[axis][face]
  if (faceArrays(liquid, 'open')[axis][face] > Math.fround(SLIVER) || faceArrays(liquid, 'layer')[axis][face] === NOTHING_KNOWN)
    return own
  const corners = faceCorners(grid, axis, node)
  const phi = sum(corners.map(at => solid[at])) / 4
  if (phi < -1.5) return own
  const [isLow, isHigh] = [place[axis] === 0, place[axis] === grid.shape[axis]]
  const side = isLow || isHigh ? (scene.sides?.[(['x', 'y', 'z'] as const)[axis]]?.[isLow ? 0 : 1] ?? 'separating') : 'open'
  const presses = isPressed(liquid, grid, axis, place)
  let value = own
  const normal = normalAt(solid, grid, axis, place[axis], node)
  if ((side === 'open' || phi <= 0) && Math.hypot(...normal) > 0) {
    const nearest = Math.min(...corners.map(at => solid[at]))
    const by = Math.min(...corners.filter(at => solid[at] === nearest).map(at => owner[at]))
    const { walls, linear, angular } = { ...AT_REST, ...scene.solids?.[by - 1]?.wall }
    const x = place.map((n, a) => (a === 2 && grid.dims === 2 ? 0 : (n + (a === axis ? 0 : 0.5)) * grid.spacing))
    const wall = AXES.map(a => linear[a] + angular[(a + 1) % 3] * x[(a + 2) % 3] - angular[(a + 2) % 3] * x[(a + 1) % 3])
    const relative = velocityAround(liquid, grid, axis, place, wall)
    value = wall[axis] + alongWall(relative, normal, walls === 'separating' && !presses)[axis]
  }
  if (side === 'open') return value
  if (side === 'sticking' || presses) return 0
  return isLow ? Math.max(0, value) : Math.min(0, value)
}

describe.each(cases)('%s', (_, scene) => {
  it.each([0, 1])('has the velocities of the definition, machine %d', async machine => {
    const solids = scene.solids?.map(solid => ({ ...solid, phi: rounded(solid.phi) }))
    const { liquid, grid } = placeLiquid(await machines[machine], { ...scene, solids })
    liquid.hasSolids = solids !== undefined
    liquid.openGeometry()
    liquid.assemble(DT, DENSITY, true)
    const { pressure } = liquid.arrays
    pressure.forEach((_value, cell) => {
      pressure[cell] = Math.max(0, 2e4 * random(31, cell) - 1.5e4)
    })
    liquid.project(DT, DENSITY)
    liquid.extrapolate(4)
    const axes = AXES.slice(0, grid.dims)
    const before = faceArrays(liquid, 'u').map(values => values.slice())
    const expected = axes.map(axis => {
      const values: number[] = []
      forFaces(grid, axis, (_face, i, j, k, node) => {
        values.push(expectedVelocity(liquid, grid, scene, axis, [i, j, k], node))
      })
      return values
    })
    liquid.constrain()
    const after = faceArrays(liquid, 'u')
    let changed = 0
    for (const axis of axes) {
      expected[axis].forEach((value, face) => {
        // Among solids, velocities in walls are stored as f32: half a unit of the last of 24 bits.
        const rounding = solids ? Math.abs(value) * 2 ** -24 : 0
        expect(Math.abs(after[axis][face] - value), `axis ${axis}, face ${face}`).toBeLessThan(1e-12 + rounding)
        if (after[axis][face] !== before[axis][face]) changed++
      })
    }
    expect(changed).toBeGreaterThan(20)
  })
})
