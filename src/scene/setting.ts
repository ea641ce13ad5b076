/** A scene prepared for simulation: its grid, and its shapes as functions, whatever program made it. Metres, seconds,
 *  origin at the lower corner of the domain; in 2D the third component of vectors is 0. */
import { checkChoice, checkFunction, checkList, checkNumber, checkObject } from '../checks.js'
import type { ScalarFunction } from '../grid/field.js'
import { checkGrid, type Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import {
  checkSideAdhesion,
  checkSides,
  MAX_ADHESION,
  type SideAdhesion,
  type Sides,
  WALLS,
  type Walls,
} from '../pressure/walls.js'
import { MAX_SOLIDS } from './schema.js'

export type Vector = readonly [number, number, number]

/** Row by row. */
export type Matrix = readonly [number, number, number, number, number, number, number, number, number]

/** Position of a rigid body: point X of its shape is at R X + shift, metres. */
export interface Pose {
  readonly R: Matrix
  readonly shift: Vector
}

/** Acceleration of liquid at a place and a time, m/s²: as many finite numbers as there are dimensions. `z` is 0 in 2D. The result is read
 *  before the next call, so one array can serve all of them. */
export type Force = (x: number, y: number, z: number, time: number) => ArrayLike<number>

export interface SceneSetting {
  readonly grid: Grid
  readonly sides: Sides
  /** Adhesion of closed sides; 0 if absent. */
  readonly sideAdhesion?: SideAdhesion
  /** m/s² at a time. */
  readonly gravity: (time: number) => Vector
  /** Liquid at time 0. Where bodies overlap, the first one counts. */
  readonly liquid: readonly LiquidBody[]
  readonly solids: readonly SceneSolid[]
  readonly sources: readonly Source[]
  readonly drains: readonly Drain[]
}

export interface LiquidBody {
  /** Signed distance, < 0 inside; exact or an underestimate in size. */
  readonly phi: ScalarFunction
  /** m/s at a point. */
  readonly velocity: (x: number, y: number, z: number) => Vector
}

export interface SceneSolid {
  readonly name: string
  readonly walls: Walls
  /** Suction that its walls withstand before liquid lets go of them, Pa; 0 if absent. Of no effect on sticking walls. */
  readonly adhesion?: number
  readonly friction: SolidFriction
  readonly isMoving: boolean
  /** Signed distance at a time, < 0 inside. The function is made once per time and then called for many points. */
  readonly phiAt: (time: number) => ScalarFunction
  /** Lower and upper corner of all points where phi at this time may be below `margin`; Infinity allowed. */
  readonly boundsAt: (time: number, margin: number) => readonly [Vector, Vector]
  /** Where the solid is at a time, relative to any one position of it that is the same for all times. */
  readonly poseAt: (time: number) => Pose
  /** Rigid motion: u(x) = linear + angular × x, x from the origin of the domain. The derivative of the pose. */
  readonly motionAt: (time: number) => RigidMotion
  /** The point that torques on the solid are about, m; absent: the origin of the domain. */
  readonly pivotAt?: (time: number) => Vector
}

/** A number is the share of the velocity along the solid that liquid next to it loses in 1/24 s: 0 slips, 1 sticks. */
export type SolidFriction = number | FrictionLaws

export interface FrictionLaws {
  /** Coulomb's coefficient: the traction is this times the pressure on the wall, its adhesion included. */
  readonly coulomb?: number
  /** Traction at 1 m/s, Pa s/m (Navier). */
  readonly slip?: number
  /** Metres from the wall within which liquid is slowed; a cell if absent. */
  readonly depth?: number
}

export interface RigidMotion {
  /** m/s. */
  readonly linear: Vector
  /** rad/s. */
  readonly angular: Vector
}

/** Lets liquid flow in: its shape is filled when it begins, and from then on liquid comes in through the upstream side of the shape at its
 *  velocity, for every second as much as u·A. Liquid in the shape is given the velocity. Without a velocity it keeps its shape full and
 *  leaves the liquid there alone. Shape and velocity are those in its own frame, which moves along `path`; the velocity of the path is added. */
export interface Source extends LiquidBody, Exchanger {}

/** Removes liquid in its shape: all of it or, with a flow rate, as much as that. */
export interface Drain extends Exchanger {
  readonly phi: ScalarFunction
  /** m³/s, or m²/s in 2D. */
  readonly flowRate?: number
}

/** What sources and drains have in common. */
export interface Exchanger {
  /** When it begins and ends, s. */
  readonly from: number
  readonly until: number
  /** Lower and upper corner of all points where phi may be below `margin`; absent: anywhere in the domain. */
  readonly bounds?: (margin: number) => readonly [Vector, Vector]
  /** Absent: at rest. */
  readonly path?: RigidPath
}

export interface RigidPath {
  /** Where the frame of a shape is at a time. */
  readonly poseAt: (time: number) => Pose
  readonly motionAt: (time: number) => RigidMotion
}

/** Settings come from scenes, or from programs that make their own. */
export function checkSceneSetting(setting: SceneSetting): void {
  checkObject(setting, 'The setting', 'a setting from prepareScene')
  const { grid, sides, gravity, liquid, solids, sources, drains } = setting
  checkGrid(grid, 'The grid of the setting')
  checkSides(sides, 'The sides of the setting')
  if (setting.sideAdhesion !== undefined) checkSideAdhesion(setting.sideAdhesion, 'The sideAdhesion of the setting')
  checkFunction(gravity, 'The gravity of the setting')
  const checkEach = <Item>(list: readonly Item[], name: string, functions: readonly (keyof Item & string)[]) => {
    checkList(list, `setting.${name}`)
    for (const [at, item] of list.entries()) {
      checkObject(item, `setting.${name}[${at}]`)
      for (const key of functions) checkFunction(item[key], `setting.${name}[${at}].${key}`)
    }
  }
  checkEach(liquid, 'liquid', ['phi', 'velocity'])
  checkEach(solids, 'solids', ['phiAt', 'boundsAt', 'poseAt', 'motionAt'])
  if (solids.length > MAX_SOLIDS)
    throw new InputError(`The setting has ${solids.length} solids; use at most ${MAX_SOLIDS}, several shapes in one.`)
  for (const [at, { walls, adhesion, friction, pivotAt }] of solids.entries()) {
    if (pivotAt !== undefined) checkFunction(pivotAt, `setting.solids[${at}].pivotAt`)
    checkChoice(walls, `setting.solids[${at}].walls`, WALLS)
    if (adhesion !== undefined) checkNumber(adhesion, `setting.solids[${at}].adhesion`, 0, MAX_ADHESION)
    checkFriction(friction, `setting.solids[${at}].friction`)
  }
  checkEach(sources, 'sources', ['phi', 'velocity'])
  checkEach(drains, 'drains', ['phi'])
  for (const [at, { flowRate }] of drains.entries())
    if (flowRate !== undefined) checkNumber(flowRate, `setting.drains[${at}].flowRate`, 0)
}

function checkFriction(friction: SolidFriction, what: string): void {
  if (typeof friction !== 'object') {
    checkNumber(friction, what, 0, 1)
    return
  }
  checkObject(friction, what, 'a number, or an object with the keys coulomb, slip and depth')
  const { coulomb, slip, depth } = friction
  if (coulomb !== undefined) checkNumber(coulomb, `${what}.coulomb`, 0)
  if (slip !== undefined) checkNumber(slip, `${what}.slip`, 0)
  if (depth !== undefined) checkNumber(depth, `${what}.depth`, Number.MIN_VALUE)
}
