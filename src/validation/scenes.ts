/** Parts of scenes that are the same in 2D and 3D: vectors that drop what a 2D scene has not, tanks, and settings of variants. */
import type { SceneInput } from '../scene/schema.js'
import type { Variant } from './case.js'

export type Vector3 = readonly [x: number, y: number, z: number]

/** As many components as the scene has dimensions. */
export const vector = (dims: 2 | 3, [x, y, z]: Vector3): number[] => (dims === 2 ? [x, y] : [x, y, z])

export function box(dims: 2 | 3, min: Vector3, max: Vector3) {
  return { shape: 'box', min: vector(dims, min), max: vector(dims, max) } as const
}

export function halfSpace(dims: 2 | 3, point: Vector3, normal: Vector3) {
  return { shape: 'halfSpace', point: vector(dims, point), normal: vector(dims, normal) } as const
}

export function ball(dims: 2 | 3, centre: Vector3, radius: number) {
  return { shape: 'sphere', centre: vector(dims, centre), radius } as const
}

/** Walls of the given thickness around a box; the top is open. */
export function openTank(dims: 2 | 3, min: Vector3, max: Vector3, thickness: number) {
  const outerMin: Vector3 = [min[0] - thickness, min[1] - thickness, min[2] - thickness]
  const outerMax: Vector3 = [max[0] + thickness, max[1], max[2] + thickness]
  const beyond: Vector3 = [max[0], max[1] + thickness, max[2]]
  return { shape: 'difference', of: [box(dims, outerMin, outerMax), box(dims, min, beyond)] } as const
}

/** The keys that every scene of a validation has. `resolution`: cells along the longest side. */
export function sceneOf(
  { dims, method }: Variant,
  size: Vector3,
  resolution: number,
  frames: number,
  rest: Omit<SceneInput, 'version' | 'domain' | 'time'> & {
    readonly sides?: SceneInput['domain']['sides']
    readonly time?: SceneInput['time']
  },
): SceneInput {
  const { sides, time, particles, ...keys } = rest
  return {
    version: 1,
    domain: { size: vector(dims, size), resolution, ...(sides && { sides }) },
    time: { frames, ...time },
    particles: { method, ...particles },
    ...keys,
  }
}
