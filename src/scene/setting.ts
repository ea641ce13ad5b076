/** A scene prepared for simulation: its grid, and its shapes as functions, whatever program made it. Metres, seconds,
 *  origin at the lower corner of the domain; in 2D the third component of vectors is 0. */
import { checkChoice, checkFunction, checkList, checkNumber, checkObject } from '../checks.js'
import type { ScalarFunction } from '../grid/field.js'
import { checkGrid, type Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { checkSides, type Sides, WALLS, type Walls } from '../pressure/walls.js'
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
  /** 0: slips, 1: tangential velocity is lost where liquid touches. */
  readonly friction: number
  readonly isMoving: boolean
  /** Signed distance at a time, < 0 inside. The function is made once per time and then called for many points. */
  readonly phiAt: (time: number) => ScalarFunction
  /** Lower and upper corner of all points where phi at this time may be below `margin`; Infinity allowed. */
  readonly boundsAt: (time: number, margin: number) => readonly [Vector, Vector]
  /** Where the solid is at a time, relative to any one position of it that is the same for all times. */
  readonly poseAt: (time: number) => Pose
  /** Rigid motion: u(x) = linear + angular × x, x from the origin of the domain. The derivative of the pose. */
  readonly motionAt: (time: number) => RigidMotion
}

export interface RigidMotion {
  /** m/s. */
  readonly linear: Vector
  /** rad/s. */
  readonly angular: Vector
}

/** Keeps its shape full of liquid that moves with `velocity`, from one time until another. */
export interface Source extends LiquidBody {
  readonly from: number
  readonly until: number
}

/** Removes all liquid in its shape. */
export interface Drain {
  readonly phi: ScalarFunction
  readonly from: number
  readonly until: number
}

/** Settings come from scenes, or from programs that make their own. */
export function checkSceneSetting(setting: SceneSetting): void {
  checkObject(setting, 'The setting', 'a setting from prepareScene')
  const { grid, sides, gravity, liquid, solids, sources, drains } = setting
  checkGrid(grid, 'The grid of the setting')
  checkSides(sides, 'The sides of the setting')
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
  for (const [at, { walls, friction }] of solids.entries()) {
    checkChoice(walls, `setting.solids[${at}].walls`, WALLS)
    checkNumber(friction, `setting.solids[${at}].friction`, 0, 1)
  }
  checkEach(sources, 'sources', ['phi', 'velocity'])
  checkEach(drains, 'drains', ['phi'])
}
