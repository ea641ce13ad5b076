/** Writes the solids of the scene and the ball of an interaction into the arrays of a liquid. */
import type { Vector } from '../../scene/setting.js'
import type { LiquidLoops } from '../loops.js'
import type { Interaction } from './interaction.js'
import { createSolidSampler } from './solids.js'

export interface LiquidWalls {
  readonly hasMoving: boolean
  /** Samples moving solids at a time. */
  move(at: number): void
  /** Applies the interaction as of now, before a substep. True if the surface has to be found again. */
  applyInteraction(at: number, remaining: number): boolean
  /** Samples all solids again, after a ball was added or removed. */
  renew(at: number): void
}

const STILL: Vector = [0, 0, 0]

export function createWalls(liquid: LiquidLoops, interaction: Interaction): LiquidWalls {
  const { grid } = liquid
  let sampler = createSolidSampler(grid, interaction.solids)

  function move(at: number): void {
    sampler.sample(at, { phi: liquid.arrays.solid, owner: liquid.arrays.owner })
    setWalls(at)
    liquid.hasSolids = interaction.solids.length > 0
    liquid.openGeometry()
  }

  function setWalls(at: number): void {
    interaction.solids.forEach((solid, index) => {
      const { walls, friction, isMoving: moves } = solid
      const motion = moves ? solid.motionAt(at) : { linear: STILL, angular: STILL }
      liquid.setWall(index + 1, { walls, friction, moves, ...motion })
    })
  }

  function renew(at: number): void {
    sampler = createSolidSampler(grid, interaction.solids)
    move(at)
  }

  return {
    get hasMoving() {
      return sampler.hasMoving
    },
    move,
    applyInteraction(at, remaining) {
      const isNew = interaction.begin(at, remaining)
      if (isNew) renew(at)
      else if (interaction.hasBall) setWalls(at)
      return isNew
    },
    renew,
  }
}
