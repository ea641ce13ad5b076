/** Scenes as functions, for tests of the simulation. */
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import { AT_ORIGIN } from '../../src/scene/rotation.js'
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
    poseAt: () => AT_ORIGIN,
    motionAt: () => still,
    ...parts,
  }
}

/** A solid that moves straight on, m/s. */
export function moving(phi: ScalarFunction, linear: Vector, parts: Partial<SceneSolid> = {}): SceneSolid {
  const [u, v, w] = linear
  return solid(phi, {
    isMoving: true,
    phiAt: time => (x, y, z) => phi(x - u * time, y - v * time, z - w * time),
    poseAt: time => ({ R: AT_ORIGIN.R, shift: [u * time, v * time, w * time] }),
    motionAt: () => ({ linear, angular: [0, 0, 0] }),
    ...parts,
  })
}

/** A solid that turns about a line along z, rad/s. */
export function turning(
  phi: ScalarFunction,
  rate: number,
  [cx, cy]: readonly [number, number],
  parts: Partial<SceneSolid> = {},
): SceneSolid {
  return solid(phi, {
    isMoving: true,
    phiAt: time => {
      const [c, s] = [Math.cos(rate * time), Math.sin(rate * time)]
      return (x, y, z) => phi(cx + c * (x - cx) + s * (y - cy), cy - s * (x - cx) + c * (y - cy), z)
    },
    poseAt: time => {
      const [c, s] = [Math.cos(rate * time), Math.sin(rate * time)]
      return { R: [c, -s, 0, s, c, 0, 0, 0, 1], shift: [cx - c * cx + s * cy, cy - s * cx - c * cy, 0] }
    },
    motionAt: () => ({ linear: [rate * cy, -rate * cx, 0], angular: [0, 0, rate] }),
    ...parts,
  })
}

/** A solid that is displaced by path(time), and moves with velocity(time). */
export function following(
  phi: ScalarFunction,
  path: (time: number) => Vector,
  velocity: (time: number) => Vector,
  parts: Partial<SceneSolid> = {},
): SceneSolid {
  return solid(phi, {
    isMoving: true,
    phiAt: time => {
      const [u, v, w] = path(time)
      return (x, y, z) => phi(x - u, y - v, z - w)
    },
    poseAt: time => ({ R: AT_ORIGIN.R, shift: path(time) }),
    motionAt: time => ({ linear: velocity(time), angular: [0, 0, 0] }),
    ...parts,
  })
}
