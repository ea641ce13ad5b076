/** Room for the particles of a plain state. */
import { REMOVED } from '../loops.js'
import { COLUMNS, GRADIENTS } from '../particles/particle-list.js'
import type { PlainState } from './state.js'

/** Whether a particle with this x has left; the next sort drops it. */
export function isRemoved(x: number): boolean {
  return !(x > REMOVED / 2)
}

export const capacityOf = ({ arrays }: PlainState): number => arrays.px.length

/** Makes room for at least `capacity` particles and keeps those in use. */
export function reserveParticles(state: PlainState, capacity: number, affine: boolean): void {
  const { arrays, particleCount } = state
  const before = capacityOf(state)
  if (capacity <= before) return
  for (const name of COLUMNS) {
    const column = arrays[name].subarray(0, particleCount)
    arrays[name] = new Float32Array(capacity)
    arrays[name].set(column)
  }
  if (!affine) return
  const gradients = arrays.affine
  arrays.affine = new Float32Array(GRADIENTS * capacity)
  for (let part = 0; part < GRADIENTS; part++)
    arrays.affine.set(gradients.subarray(part * before, part * before + particleCount), part * capacity)
}
