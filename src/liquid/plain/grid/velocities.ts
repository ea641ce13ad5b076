/** Loops over all velocities: gravity, what particles read from the grid, and how fast the liquid is. */
import type { PlainState } from '../state.js'
import { byAxis, flowAxes, forFaces } from './walk.js'

/** The same change on all faces of an axis, m/s. */
export function addVelocity(state: PlainState, change: readonly [number, number, number]): void {
  const { u } = byAxis(state)
  for (const axis of flowAxes(state.grid)) {
    if (change[axis] === 0) continue
    for (let face = 0; face < u[axis].length; face++) u[axis][face] += change[axis]
  }
}

/** All velocities, followed by their changes since `beforeX` … . Returns the largest |u|, NaN if one is NaN. */
export function fillPairs(state: PlainState): number {
  const { u, before, pair } = byAxis(state)
  let largest = 0
  for (const axis of flowAxes(state.grid)) {
    const faces = u[axis].length
    for (let face = 0; face < faces; face++) {
      pair[axis][face] = u[axis][face]
      pair[axis][faces + face] = u[axis][face] - before[axis][face]
      largest = Math.max(largest, Math.abs(u[axis][face]))
    }
  }
  return largest
}

/** Velocities as `fillPairs` has left them, one array of faces per axis. */
export function gridVelocity(state: PlainState): Float32Array[] {
  return byAxis(state).pair.map(pair => pair.subarray(0, pair.length / 2))
}

/** Their changes. */
export function gridChange(state: PlainState): Float32Array[] {
  return byAxis(state).pair.map(pair => pair.subarray(pair.length / 2))
}

/** Over faces whose velocity is known: the largest |u|, NaN if one is NaN. */
export function largestSpeed(state: PlainState): number {
  const { u, layer } = byAxis(state)
  let largest = 0
  forFaces(state.grid, (axis, face) => {
    if (layer[axis][face] === 0) largest = Math.max(largest, Math.abs(u[axis][face]))
  })
  return largest
}
