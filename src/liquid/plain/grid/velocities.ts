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

/** Velocities of the paths of particles. Returns the largest |u|, NaN if one is NaN. */
export function fillVelocities(state: PlainState): number {
  const { u, pair } = byAxis(state)
  let largest = 0
  for (const axis of flowAxes(state.grid)) {
    for (let face = 0; face < u[axis].length; face++) {
      pair[axis][face] = u[axis][face]
      largest = Math.max(largest, Math.abs(u[axis][face]))
    }
  }
  return largest
}

/** What particles add to the share of their velocity that they keep: u − ratio · `beforeX` …, which then become u. */
export function fillChanges(state: PlainState, ratio: number): void {
  const { u, before, pair } = byAxis(state)
  for (const axis of flowAxes(state.grid)) {
    const faces = u[axis].length
    for (let face = 0; face < faces; face++) {
      pair[axis][faces + face] = u[axis][face] - ratio * before[axis][face]
      before[axis][face] = u[axis][face]
    }
  }
}

/** Copies the velocities of known faces to `startX` … . */
export function keepStart(state: PlainState): void {
  const { u, start, layer } = byAxis(state)
  forFaces(state.grid, (axis, face) => {
    if (layer[axis][face] === 0) start[axis][face] = u[axis][face]
  })
}

/** Copies the velocities of known faces back. */
export function restoreStart(state: PlainState): void {
  const { u, start, layer } = byAxis(state)
  forFaces(state.grid, (axis, face) => {
    if (layer[axis][face] === 0) u[axis][face] = start[axis][face]
  })
}

/** Velocities as `fillVelocities` has left them, one array of faces per axis. */
export function gridVelocity(state: PlainState): Float32Array[] {
  return byAxis(state).pair.map(pair => pair.subarray(0, pair.length / 2))
}

/** What particles add, as `fillChanges` has left it. */
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
