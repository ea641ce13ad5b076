/** Scenes as functions, for tests of the simulation. */
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import type { RigidMotion, SceneSetting, SceneSolid, Vector } from '../../src/scene/setting.js'

export const EARTH: Vector = [0, -9.81, 0]
const still: RigidMotion = { linear: [0, 0, 0], angular: [0, 0, 0] }

/** Everything may be left out but the grid. */
export function settingOf(shape: readonly number[], spacing: number, parts: Partial<SceneSetting> = {}): SceneSetting {
  return {
    grid: createGrid(shape, spacing),
    sides: {},
    gravity: () => EARTH,
    liquid: [],
    solids: [],
    sources: [],
    drains: [],
    ...parts,
  }
}

export function body(phi: ScalarFunction, velocity: Vector = [0, 0, 0]) {
  return { phi, velocity: () => velocity }
}

export function solid(phi: ScalarFunction, parts: Partial<SceneSolid> = {}): SceneSolid {
  return {
    name: 'solid',
    walls: 'separating',
    friction: 0,
    isMoving: false,
    phiAt: () => phi,
    boundsAt: () => [
      [-Infinity, -Infinity, -Infinity],
      [Infinity, Infinity, Infinity],
    ],
    motionAt: () => still,
    ...parts,
  }
}
