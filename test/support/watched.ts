/** Frames of a simulation, with an eye on what no scene may ever do. */
import { expect } from 'vitest'
import { sampleNodal } from '../../src/liquid/boundary/solids.js'
import type { Frame } from '../../src/liquid/frame.js'
import type { FrameRecord } from '../../src/liquid/records.js'
import type { Simulation } from '../../src/liquid/simulation.js'
import type { Status } from '../../src/solvers/contract/solver.js'

export interface Watched {
  readonly records: readonly FrameRecord[]
  /** Every status that a solve ended with. */
  readonly statuses: ReadonlySet<Status>
  /** Largest share by which the volume was off. */
  readonly drift: number
  /** Most substeps of a frame. */
  readonly substeps: number
  /** Least distance of a particle to a solid, in cells. */
  readonly nearest: number
}

/** Particles are counted, numbers are numbers, and every solve says how it ended. */
export async function watchFrames(simulation: Simulation, frames: number): Promise<Watched> {
  const records: FrameRecord[] = []
  let nearest = Infinity
  for (let n = 0; n < frames; n++) {
    const before = simulation.particles
    const record = await simulation.advance()
    expect(record.particles).toBe(before + record.added - record.removed + record.exchanged)
    for (const { dt, solve } of record.substeps) {
      expect(dt).toBeGreaterThan(0)
      expect(solve.message.length).toBeGreaterThan(0)
    }
    const frame = simulation.capture({ particles: true, fields: true })
    expect(allFinite(frame)).toBe(true)
    expect(record.volume).toBeGreaterThanOrEqual(0)
    expect(record.expectedVolume).toBeGreaterThanOrEqual(0)
    nearest = Math.min(nearest, nearestToSolid(frame))
    records.push(record)
  }
  const drifts = records.map(({ volume, expectedVolume }) => (expectedVolume > 0 ? Math.abs(volume / expectedVolume - 1) : 0))
  return {
    records,
    statuses: new Set(records.flatMap(({ substeps }) => substeps.map(({ solve }) => solve.status))),
    drift: Math.max(0, ...drifts),
    substeps: Math.max(0, ...records.map(({ substeps }) => substeps.length)),
    nearest,
  }
}

function allFinite({ liquid, particles, fields }: Frame): boolean {
  const arrays = [liquid, particles!.position, particles!.velocity, fields!.pressure, ...fields!.velocity]
  return arrays.every(array => array.every(Number.isFinite))
}

function nearestToSolid({ grid, solid, particles }: Frame): number {
  const { position } = particles!
  let nearest = Infinity
  for (let p = 0; p < position.length; p += 3) {
    const z = grid.dims === 2 ? 0.5 : position[p + 2] / grid.spacing
    const distance = sampleNodal(grid, solid, position[p] / grid.spacing, position[p + 1] / grid.spacing, z)
    nearest = Math.min(nearest, distance / grid.spacing)
  }
  return nearest
}
