/** Interaction with a liquid while it is simulated: another gravity, a brush that drags liquid along, a ball that is moved through it. It is not
 *  part of a saved state. Metres, m/s; the third component has no effect in 2D. */
import { checkChoice, checkObject, checkVector } from '../../checks.js'
import { AXES, faceShape, type Grid } from '../../grid/grid.js'
import { InputError, suggestion } from '../../input-error.js'
import type { Walls } from '../../pressure/walls.js'
import { show } from '../../printable.js'
import { AT_ORIGIN } from '../../scene/rotation.js'
import { MAX_SOLIDS } from '../../scene/schema.js'
import type { SceneSetting, SceneSolid, Vector } from '../../scene/setting.js'
import type { LiquidLoops } from '../loops.js'
import type { TimeOptions } from '../time-step.js'

/** Absent keys leave an influence unchanged; null ends it. */
export interface Influence {
  /** m/s², replaces that of the scene. */
  readonly gravity?: Vector | null
  readonly stir?: Stir | null
  readonly obstacle?: Obstacle | null
}

/** Liquid around `place` is accelerated to `velocity`, most strongly in the middle. */
export interface Stir {
  readonly place: Vector
  readonly velocity: Vector
  readonly radius: number
}

/** A ball. It grows from nothing where it first appears; afterwards it reaches `centre` at the end of the next frame, or as near as its speed
 *  limit allows. It may be outside the domain. */
export interface Obstacle {
  readonly centre: Vector
  readonly radius: number
  /** Separating if absent. */
  readonly walls?: Walls
}

export interface Interaction {
  /** Takes effect at the next substep. */
  change(influence: Influence): void
  /** m/s² at a time. */
  gravity(time: number): Vector
  /** Solids of the scene, and the ball. */
  readonly solids: readonly SceneSolid[]
  readonly hasBall: boolean
  /** Call before a substep; `remaining`: seconds until the end of the frame. True if a ball was added, removed or replaced. */
  begin(time: number, remaining: number): boolean
  /** Speed of the brush, m/s. */
  readonly stirSpeed: number
  /** Changes velocities on faces, before the pressure is solved for. */
  stir(liquid: LiquidLoops, dt: number): void
  /** Returns a function that restores the current position of the ball. Changes requested in the meantime stay. */
  snapshot(): () => void
}

const KEYS: readonly string[] = ['gravity', 'stir', 'obstacle'] satisfies (keyof Influence)[]

/** Largest number of substeps per frame, about, that an interaction causes. */
const MAX_SUBSTEPS = 8
/** Cells by which a ball grows in a substep, so that liquid can move out of its way. */
const GROWTH = 0.5
/** Of longer vectors, the length or a multiple may not be finite. */
const OVERFLOW = 1e150
/** Time constant with which liquid in the middle of the brush approaches its velocity, s. */
const STIR_TIME = 0.03

export function createInteraction({ grid, gravity, solids: sceneSolids }: SceneSetting, time: TimeOptions): Interaction {
  const limit = time.cfl * grid.spacing * time.fps * Math.min(MAX_SUBSTEPS, time.maxSubsteps)
  let given: { gravity?: Vector; stir?: Stir; obstacle?: Obstacle } = {}
  /** Fixed at the start of a substep, so that a change during a substep takes effect at the next one. */
  let current = given
  let ball: Ball | undefined
  let solids = sceneSolids
  const flatten = ([x, y, z]: Vector): Vector => [x, y, grid.dims === 2 ? 0 : z]

  /** True if the ball was added, removed or has other walls: then solids must be sampled again. */
  function replaceBall(obstacle: Obstacle | undefined): boolean {
    if (ball === undefined && obstacle === undefined) return false
    const walls = obstacle?.walls ?? 'separating'
    if (ball && obstacle && ball.solid.walls === walls) return false
    ball = obstacle && createBall(ball?.place ?? { centre: obstacle.centre, radius: 0, velocity: [0, 0, 0], since: 0 }, walls)
    solids = ball ? [...sceneSolids, ball.solid] : sceneSolids
    return true
  }

  return {
    change(influence) {
      checkInfluence(influence, grid, sceneSolids.length)
      const { gravity, stir, obstacle } = { ...given, ...influence }
      given = {
        gravity: gravity ? flatten(gravity) : undefined,
        stir: stir ? { ...stir, velocity: shorten(flatten(stir.velocity), limit) } : undefined,
        obstacle: obstacle ? { ...obstacle, centre: flatten(obstacle.centre) } : undefined,
      }
    },
    gravity: at => current.gravity ?? gravity(at),
    get solids() {
      return solids
    },
    get hasBall() {
      return ball !== undefined
    },
    begin(at, remaining) {
      current = given
      const { obstacle } = current
      const isNew = replaceBall(obstacle)
      if (ball && obstacle) {
        const { place } = ball
        place.centre = centreAt(place, at)
        place.since = at
        const way = (axis: number) => Math.min(Math.max(obstacle.centre[axis] - place.centre[axis], -OVERFLOW), OVERFLOW)
        place.velocity = shorten([way(0) / remaining, way(1) / remaining, way(2) / remaining], limit)
        place.radius = Math.min(obstacle.radius, place.radius + GROWTH * grid.spacing)
      }
      return isNew
    },
    get stirSpeed() {
      return current.stir ? Math.hypot(...current.stir.velocity) : 0
    },
    stir(liquid, dt) {
      if (current.stir) stirFaces(liquid, current.stir, 1 - Math.exp(-dt / STIR_TIME))
    },
    snapshot() {
      const before = { ball, place: ball && { ...ball.place }, solids }
      return () => {
        ball = before.ball
        if (ball) Object.assign(ball.place, before.place)
        solids = before.solids
      }
    },
  }
}

/** Position and motion of a ball since a time. */
interface Place {
  centre: Vector
  radius: number
  velocity: Vector
  since: number
}

interface Ball {
  readonly place: Place
  readonly solid: SceneSolid
}

function createBall(place: Place, walls: Walls): Ball {
  const corner = (time: number, reach: number): Vector => {
    const [x, y, z] = centreAt(place, time)
    return [x + reach, y + reach, z + reach]
  }
  const solid: SceneSolid = {
    name: 'the ball',
    walls,
    friction: 0,
    isMoving: true,
    phiAt: time => {
      const [cx, cy, cz] = centreAt(place, time)
      const { radius } = place
      return (x, y, z) => Math.hypot(x - cx, y - cy, z - cz) - radius
    },
    boundsAt: (time, margin) => [corner(time, -place.radius - margin), corner(time, place.radius + margin)],
    poseAt: time => ({ R: AT_ORIGIN.R, shift: centreAt(place, time) }),
    motionAt: () => ({ linear: place.velocity, angular: [0, 0, 0] }),
    pivotAt: time => centreAt(place, time),
  }
  return { place, solid }
}

function centreAt({ centre: [x, y, z], velocity: [u, v, w], since }: Place, time: number): Vector {
  const s = time - since
  return [x + s * u, y + s * v, z + s * w]
}

function shorten(vector: Vector, longest: number): Vector {
  const length = Math.hypot(...vector)
  if (length <= longest) return vector
  if (length < OVERFLOW) return scaled(vector, part => (part * longest) / length)
  const largest = Math.max(...vector.map(Math.abs))
  const unit = scaled(vector, part => part / largest)
  return scaled(unit, part => part * (longest / Math.hypot(...unit)))
}

const scaled = ([x, y, z]: Vector, scale: (part: number) => number): Vector => [scale(x), scale(y), scale(z)]

/** Changes velocities by `share` of the difference in the middle of the brush, smoothly less towards its rim. */
function stirFaces({ grid, arrays }: LiquidLoops, { place, velocity, radius }: Stir, share: number): void {
  const h = grid.spacing
  const axes = AXES.slice(0, grid.dims)
  for (const axis of axes) {
    const faces = [arrays.ux, arrays.uy, arrays.uz][axis]
    const shape = faceShape(grid, axis)
    const offset = [0.5, 0.5, 0.5]
    offset[axis] = 0
    const first = place.map((x, at) => (at < grid.dims ? Math.max(0, Math.ceil((x - radius) / h - offset[at])) : 0))
    const last = place.map((x, at) => (at < grid.dims ? Math.min(shape[at] - 1, Math.floor((x + radius) / h - offset[at])) : 0))
    const square = (at: number, index: number) => (at < grid.dims ? ((index + offset[at]) * h - place[at]) ** 2 : 0)
    for (let k = first[2]; k <= last[2]; k++)
      for (let j = first[1]; j <= last[1]; j++)
        for (let i = first[0]; i <= last[0]; i++) {
          const rest = 1 - (square(0, i) + square(1, j) + square(2, k)) / radius ** 2
          // NaN where squares of the distance and the radius are both infinite, or both 0.
          if (!(rest > 0)) continue
          const face = i + shape[0] * (j + shape[1] * k)
          faces[face] += share * rest * rest * (velocity[axis] - faces[face])
        }
  }
}

function checkInfluence(change: Influence, grid: Grid, solids: number): void {
  checkObject(change, 'The influence', `an object with the keys ${KEYS.join(', ')}`)
  for (const key of Object.keys(change))
    if (!KEYS.includes(key)) throw new InputError(`Unknown influence "${key}"${suggestion(key, KEYS)}; use ${KEYS.join(', ')}.`)
  const { gravity, stir, obstacle } = change
  if (isGiven(gravity)) checkVector(gravity, 'The influence gravity')
  if (isGiven(stir)) {
    checkObject(stir, 'The influence stir', 'an object with place, velocity and radius')
    checkVector(stir.place, 'The influence stir.place')
    checkVector(stir.velocity, 'The influence stir.velocity')
    checkRadius(stir.radius, 'stir.radius', Infinity)
  }
  if (isGiven(obstacle)) {
    checkObject(obstacle, 'The influence obstacle', 'an object with centre and radius')
    checkVector(obstacle.centre, 'The influence obstacle.centre')
    checkRadius(obstacle.radius, 'obstacle.radius', 0.5 * Math.min(...grid.shape.slice(0, grid.dims)) * grid.spacing)
    if (obstacle.walls !== undefined) checkChoice(obstacle.walls, 'The influence obstacle.walls', ['separating', 'sticking'])
    if (solids >= MAX_SOLIDS)
      throw new InputError(`The scene has ${solids} solids, the largest number, so no obstacle can be added; remove a solid.`)
  }
}

const isGiven = (part: unknown) => part !== undefined && part !== null

function checkRadius(radius: number, name: string, largest: number): void {
  if (!(typeof radius === 'number' && radius > 0 && radius <= largest))
    throw new InputError(
      `The influence ${name} must be a length above 0${largest < Infinity ? ` and at most ${largest} m, half of the shortest side` : ''}, not ${show(radius)}.`,
    )
}
