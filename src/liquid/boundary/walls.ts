/** Writes the solids of the scene and the ball of an interaction into the arrays of a liquid. */
import { type CompleteSides, completeSides } from '../../pressure/walls.js'
import type { RigidMotion, SceneSetting } from '../../scene/setting.js'
import type { LiquidLoops } from '../loops.js'
import { createContactAdhesion } from './adhesion.js'
import { type ActingPressure, createWallFriction } from './friction.js'
import type { Interaction } from './interaction.js'
import { createSolidSampler, SOLID_MARGIN } from './solids.js'
import { framesBetween } from './wall-frames.js'
import { findAreas, type WallAreas } from './wall-impulses.js'

export interface LiquidWalls {
  readonly hasMoving: boolean
  /** Whether any wall has adhesion. */
  readonly areStrong: boolean
  /** Sets the adhesion of contacts, after the problem of a substep was assembled. */
  setAdhesion(): void
  /** Whether any solid of the scene has friction. */
  readonly areRough: boolean
  /** Slows liquid along them, by a pressure that acts for some seconds. */
  rub(at: number, acting: ActingPressure): void
  /** Samples moving solids at a time, and sets the frames that carry them there from time `since`; absent: they appear there. */
  move(at: number, since?: number): void
  /** Sets the velocities of walls to those of a time, and leaves walls where they are. */
  setVelocities(at: number): void
  /** Applies the interaction as of now, before a substep. True if the surface has to be found again. */
  applyInteraction(at: number, remaining: number): boolean
  readonly sides: CompleteSides
  /** Of walls where they are now. */
  areas(): WallAreas
  /** Samples all solids again, after a ball was added or removed. */
  renew(at: number): void
}

/** Cells from walls in which liquid is slowed by friction, where solids move: distances are exact up to a margin, and faces are half a cell wide. */
const MAX_FRICTION_DEPTH = SOLID_MARGIN - 1

const STILL: RigidMotion = { linear: [0, 0, 0], angular: [0, 0, 0] }

export function createWalls(liquid: LiquidLoops, setting: SceneSetting, interaction: Interaction): LiquidWalls {
  const { grid } = liquid
  const sides = completeSides(grid, setting.sides)
  const adhesion = createContactAdhesion(liquid, setting)
  const friction = createWallFriction(liquid, setting.solids)
  let sampler = createSolidSampler(grid, interaction.solids)
  /** By solid. */
  let velocities: readonly RigidMotion[] = []
  let frameOf: readonly number[] = []
  /** Absent after a move. */
  let areas: WallAreas | undefined

  function move(at: number, since = at): void {
    sampler.sample(at, { phi: liquid.arrays.solid, owner: liquid.arrays.owner })
    const { frames, farthest, frameOf: numbers } = framesBetween(grid, interaction.solids, since, at)
    liquid.setMotion({ frames, farthest, still: sampler.still, moving: sampler.moving })
    frameOf = numbers
    writeWalls()
    liquid.hasSolids = interaction.solids.length > 0
    liquid.openGeometry()
    areas = undefined
    friction.renew(sampler.hasMoving ? MAX_FRICTION_DEPTH : Infinity)
  }

  function setVelocities(at: number): void {
    velocities = interaction.solids.map(({ isMoving, motionAt }) => (isMoving ? motionAt(at) : STILL))
    writeWalls()
  }

  function writeWalls(): void {
    interaction.solids.forEach(({ walls, isMoving: moves }, index) => {
      liquid.setWall(index + 1, { walls, moves, ...(velocities[index] ?? STILL), frame: frameOf[index] })
    })
  }

  function renew(at: number): void {
    sampler = createSolidSampler(grid, interaction.solids)
    velocities = []
    move(at)
  }

  return {
    get hasMoving() {
      return sampler.hasMoving
    },
    areStrong: adhesion.isAny,
    areRough: friction.isAny,
    rub: (at, acting) => friction.apply(interaction.solids, at, acting),
    setAdhesion: () => adhesion.write(interaction.solids),
    move,
    setVelocities,
    applyInteraction(at, remaining) {
      const isNew = interaction.begin(at, remaining)
      if (isNew) renew(at)
      return isNew
    },
    sides,
    areas() {
      areas ??= findAreas(liquid, sides)
      return areas
    },
    renew,
  }
}
