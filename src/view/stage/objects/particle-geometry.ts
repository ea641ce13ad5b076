/** Particles of frames in memory of the GPU that is reused from frame to frame and grows where it must. */
import { type BufferAttribute, BufferGeometry } from 'three'
import type { Frame } from '../../../liquid/frame.js'
import { createAttribute, fill } from './gpu-attribute.js'

export interface ParticleGeometry {
  /** With attributes "position" in metres and "velocity" in m/s. */
  readonly geometry: BufferGeometry
  /** Frames without particles empty it. */
  update(frame: Frame): void
}

const EMPTY = new Float32Array(0)

export function createParticleGeometry(): ParticleGeometry {
  const geometry = new BufferGeometry()
  let room = 0
  reserve(1024)

  function reserve(count: number): void {
    room = Math.ceil(count)
    geometry.dispose()
    for (const name of ['position', 'velocity']) geometry.setAttribute(name, createAttribute(new Float32Array(3 * room), 3))
  }

  return {
    geometry,
    update({ particles }) {
      const { position, velocity } = particles ?? { position: EMPTY, velocity: EMPTY }
      const count = position.length / 3
      if (count > room) reserve(1.3 * count)
      fill(geometry.getAttribute('position') as BufferAttribute, position)
      fill(geometry.getAttribute('velocity') as BufferAttribute, velocity)
      geometry.setDrawRange(0, count)
    },
  }
}
