/** Liquid of a scene, and what lets it in and out: the parts of a setting that have a velocity or a flow rate. */
import type { ScalarFunction } from '../grid/field.js'
import type { Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { createMotion, toVector } from './motion.js'
import { cross } from './rotation.js'
import { FAST, type Numbers } from './schema/parts.js'
import type { Scene } from './schema.js'
import type { Drain, LiquidBody, SceneSolid, Source, Vector } from './setting.js'
import { crossSection } from './shapes/cross-section.js'
import type { BuiltShape } from './shapes/kinds.js'

export function createBody(
  { phi }: BuiltShape,
  { velocity, spin }: { readonly velocity?: Numbers; readonly spin?: Scene['liquid'][number]['spin'] },
): LiquidBody {
  const linear = toVector(velocity)
  if (!spin) return { phi, velocity: () => linear }
  const [cx, cy, cz] = toVector(spin.centre)
  const rate: Vector = typeof spin.rate === 'number' ? [0, 0, spin.rate] : toVector(spin.rate)
  // A 2D scene is in the plane z = 0, wherever in its layer of cells it is sampled.
  const flat = typeof spin.rate === 'number' ? 0 : 1
  return {
    phi,
    velocity: (x, y, z) => {
      const turned = cross(rate, [x - cx, y - cy, flat * (z - cz)])
      return [linear[0] + turned[0], linear[1] + turned[1], linear[2] + turned[2]]
    },
  }
}

type SceneSource = Scene['sources'][number]

export function createExchanger(
  { phi, bounds }: BuiltShape,
  { after, until, motion }: Pick<SceneSource, 'after' | 'until' | 'motion'>,
): Omit<Drain, 'flowRate'> {
  const shape = { phi, bounds, from: after, until: until ?? Infinity }
  if (!motion) return shape
  const { poseAt, velocityAt } = createMotion(motion)
  return { ...shape, path: { poseAt, motionAt: velocityAt } }
}

/** `at`: its index in the scene, for messages. */
export function createSource(
  built: BuiltShape,
  source: SceneSource,
  at: number,
  room: { readonly grid: Grid; readonly solids: readonly SceneSolid[] },
): Source {
  const { direction, flowRate } = source
  const exchanger = createExchanger(built, source)
  if (flowRate === undefined) return { ...exchanger, ...createBody(built, source) }
  const towards = toVector(direction)
  const area = openSection(built, towards, source.motion !== undefined, room)
  const dims = room.grid.dims
  if (area === 0)
    throw new InputError(
      `sources[${at}].flowRate: nothing of the shape is in the domain and outside of solids, so that no liquid can flow in; move the shape.`,
    )
  const speed = flowRate / area
  if (speed > FAST)
    throw new InputError(
      `sources[${at}].flowRate: ${flowRate} ${dims === 2 ? 'm²/s' : 'm³/s'} through a cross-section of ${area.toPrecision(3)} ` +
        `${dims === 2 ? 'm' : 'm²'} would be ${speed.toPrecision(3)} m/s, more than ${FAST}; lower the rate or make the shape larger.`,
    )
  const factor = speed / Math.hypot(...towards)
  const velocity = towards.map(part => part * factor)
  return { ...exchanger, ...createBody(built, { velocity }) }
}

/** Cross-section of a source, m² (m in 2D). At rest only its part in the domain and outside of solids at rest counts. */
function openSection(
  { phi, bounds }: BuiltShape,
  towards: Vector,
  isMoving: boolean,
  { grid, solids }: { readonly grid: Grid; readonly solids: readonly SceneSolid[] },
): number {
  const [low, high] = bounds(0)
  const side = (axis: number) => (grid.dims === 2 && axis === 2 ? 0 : grid.shape[axis] * grid.spacing)
  const clip = ([x, y, z]: Vector, end: 'low' | 'high'): Vector => {
    const clipped = (value: number, axis: number) => {
      if (isMoving && Number.isFinite(value)) return value
      return end === 'low' ? Math.max(0, value) : Math.min(side(axis), value)
    }
    return [clipped(x, 0), clipped(y, 1), clipped(z, 2)]
  }
  const box = [clip(low, 'low'), clip(high, 'high')] as const
  if (box[0].some((value, axis) => axis < grid.dims && !(value < box[1][axis]))) return 0
  return crossSection(isMoving ? phi : openPart(phi, box, solids), box, towards, grid.dims)
}

/** The part of a shape in a box and outside of solids at rest. */
function openPart(phi: ScalarFunction, [low, high]: readonly [Vector, Vector], solids: readonly SceneSolid[]): ScalarFunction {
  const walls = solids.filter(({ isMoving }) => !isMoving).map(({ phiAt }) => phiAt(0))
  const isFlat = low[2] === high[2]
  return (x, y, z) => {
    const deep = isFlat ? -Infinity : Math.max(low[2] - z, z - high[2])
    const outside = Math.max(phi(x, y, z), low[0] - x, x - high[0], low[1] - y, y - high[1], deep)
    return walls.reduce((distance, wall) => Math.max(distance, -wall(x, y, z)), outside)
  }
}
