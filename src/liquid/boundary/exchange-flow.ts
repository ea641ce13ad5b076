/** Asks the pressure problem for the divergence of liquid that sources and drains exchange, so that it makes room or closes up. At the next
 *  exchange as much liquid is added or removed as flows during the substep. */
import type { ScalarFunction } from '../../grid/field.js'
import { AXES, type Axis, cellPosition, type Grid } from '../../grid/grid.js'
import { faceStrides } from '../../grid/staggered.js'
import { DRY } from '../../pressure/problem.js'
import type { Sides } from '../../pressure/walls.js'
import type { Exchanger, Vector } from '../../scene/setting.js'
import { crossSection } from '../../scene/shapes/cross-section.js'
import type { PreparedDrain } from './drains.js'
import { type ExchangeArrays, shareInside } from './filling.js'
import type { Reached } from './placed-shape.js'
import { sampleNodal } from './solids.js'
import type { PreparedSource } from './source-lattice.js'

/** A substep that is about to be solved. */
export interface FlowStep {
  readonly time: number
  readonly dt: number
  /** 1 in cells of sealed liquid, to which nothing can be added. */
  readonly sealed?: Uint8Array
}

/** Share of a substep in which a source or drain is active. It starts to act at an exchange, so what begins later does not count. */
function activeShare({ from, until }: Exchanger, { time, dt }: FlowStep): number {
  return from > time ? 0 : Math.min(1, Math.max(0, (until - time) / dt))
}

/** Cells behind the upstream side of a source at which to look for what is there: farther than its own liquid makes cells liquid. */
const LOOK_BEHIND = 1.5

/** Liquid enters a source through the cells of its upstream side. If there is air behind, the flow brings it along by itself; liquid or a wall
 *  behind would be dragged along or hold it back. */
export function addSourceFlow(
  grid: Grid,
  sides: Sides,
  arrays: ExchangeArrays,
  { source, velocity, placeAt }: PreparedSource,
  step: FlowStep & { readonly factor: number },
): void {
  const active = step.factor * activeShare(source, step)
  if (active === 0) return
  const { shape, cells } = placeAt(step.time)
  for (const { cell, distance } of cells) {
    if (arrays.kind[cell] === DRY || step.sealed?.[cell]) continue
    const [i, j, k] = cellPosition(grid, cell)
    if (distance < -1 && arrays.openCell[cell] === 1 && !isAtSide(grid, [i, j, k])) continue
    const centre: Vector = [i + 0.5, j + 0.5, k + 0.5]
    const flow = shape.turn(velocity(...shape.toOwn(...centre)))
    const rate = active * inflow(shape.phi, flow, centre, openFaces(grid, arrays, i, j, k))
    if (rate > 0 && !isAirBehind(grid, sides, arrays, centre, flow, LOOK_BEHIND - distance)) arrays.b[cell] -= rate
  }
}

/** Whether a side of the domain may close a face of the cell. */
function isAtSide({ dims, shape }: Grid, position: Vector): boolean {
  return position.some((n, axis) => axis < dims && (n === 0 || n === shape[axis] - 1))
}

/** Volume that enters a shape in a cell, over the cell's, 1/s: the flow times the slope of what is inside the shape and open. */
function inflow(phi: ScalarFunction, flow: Vector, [x, y, z]: Vector, open: (axis: Axis, upper: 0 | 1) => number): number {
  let rate = 0
  for (const axis of AXES) {
    if (flow[axis] === 0) continue
    const inside = (way: number) => shareInside(phi(axis === 0 ? x + way : x, axis === 1 ? y + way : y, axis === 2 ? z + way : z))
    rate += flow[axis] * (open(axis, 1) * inside(0.5) - open(axis, 0) * inside(-0.5))
  }
  return Math.max(0, rate)
}

function openFaces(grid: Grid, { open }: ExchangeArrays, i: number, j: number, k: number) {
  return (axis: Axis, upper: 0 | 1) => {
    const { row, plane, step } = faceStrides(grid, axis)
    return open[axis][i + row * (j + plane * k) + upper * step]
  }
}

/** Flow through the cross-section of a source over what `inflow` finds on the grid. It finds less where the shape is thinner than a cell. 1 for
 *  sources without an end, and for those whose velocity is not everywhere the same. */
export function inflowFactor({ dims }: Grid, { phi, box, velocity, mean, isUniform }: PreparedSource): number {
  const speed = Math.hypot(...mean)
  if (!box || box.flat().some(side => !Number.isFinite(side)) || !isUniform || speed === 0) return 1
  const [first, last] = [box[0].map(side => Math.floor(side) - 1), box[1].map(side => Math.ceil(side) + 1)]
  if (dims === 2) [first[2], last[2]] = [0, 1]
  let found = 0
  for (let k = first[2]; k < last[2]; k++)
    for (let j = first[1]; j < last[1]; j++)
      for (let i = first[0]; i < last[0]; i++) {
        const centre: Vector = [i + 0.5, j + 0.5, k + 0.5]
        found += inflow(phi, velocity(...centre), centre, () => 1)
      }
  return found === 0 ? 1 : (speed * crossSection(phi, box, mean, dims)) / found
}

function isAirBehind(
  { shape, ...rest }: Grid,
  sides: Sides,
  { phi, solid }: ExchangeArrays,
  centre: Vector,
  flow: Vector,
  away: number,
): boolean {
  const speed = Math.hypot(...flow)
  const [x, y, z] = centre.map((value, axis) => value - (away * flow[axis]) / speed)
  for (const [axis, value] of [x, y, z].entries()) {
    const side = value < 0 ? 0 : value >= shape[axis] ? 1 : undefined
    if (side !== undefined) return sides[(['x', 'y', 'z'] as const)[axis]]?.[side] === 'open'
  }
  const grid = { shape, ...rest }
  if (sampleNodal(grid, solid, x, y, z) <= 0) return false
  return !(phi[Math.floor(x) + shape[0] * (Math.floor(y) + shape[1] * Math.floor(z))] < 0)
}

/** Liquid leaves a drain with a flow rate evenly from all that is in it, and no more than there is. Without a rate it leaves air behind. */
export function addDrainFlow(grid: Grid, arrays: ExchangeArrays, { drain, placeAt }: PreparedDrain, step: FlowStep): void {
  const active = activeShare(drain, step)
  if (active === 0 || drain.flowRate === undefined) return
  const shares = placeAt(step.time).cells.map(reached => [reached.cell, liquidShare(arrays, reached, step)] as const)
  const held = shares.reduce((sum, [, share]) => sum + share, 0)
  if (held === 0) return
  const wanted = (active * drain.flowRate) / grid.spacing ** grid.dims
  const rate = Math.min(wanted / held, 1 / step.dt)
  for (const [cell, share] of shares) arrays.b[cell] += rate * share
}

/** Share of a cell that is liquid inside a drain. */
function liquidShare({ kind, openCell }: ExchangeArrays, { cell, distance }: Reached, { sealed }: FlowStep): number {
  return kind[cell] === DRY || sealed?.[cell] ? 0 : openCell[cell] * shareInside(distance)
}
