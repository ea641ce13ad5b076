/** What a liquid does that should do nothing: its surface, speeds and energy over some frames. */
import type { Frame } from '../../src/liquid/frame.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import { createSimulation } from '../../src/liquid/simulation.js'
import type { SceneSetting } from '../../src/scene/setting.js'

export interface Rest {
  /** rms change of the level from frame to frame over the last third, cells. */
  readonly flicker: number
  /** Largest over the last third, m/s. */
  readonly faces: number
  readonly particles: number
  /** |u|²/2 + g y, mean of particles: at the end over that after the first frame, J/kg. */
  readonly gain: number
  /** Largest deviation of the volume, as a share. */
  readonly volume: number
}

const GRAVITY = 9.81

export async function restOf(setting: SceneSetting, frames: number, options: SimulationOptions = {}): Promise<Rest> {
  const simulation = await createSimulation(setting, { threads: 1, seed: 1, ...options })
  const energies: number[] = []
  let [changes, columns, faces, particles, volume] = [0, 0, 0, 0, 0]
  let levels: number[] | undefined
  for (let n = 1; n <= frames; n++) {
    const record = await simulation.advance()
    const frame = simulation.capture({ particles: true, fields: true })
    const { mean, fastest } = energyOf(frame)
    energies.push(mean)
    volume = Math.max(volume, Math.abs(record.volume / record.expectedVolume - 1))
    if (3 * n <= 2 * frames) continue
    const next = levelsOf(frame)
    levels?.forEach((level, column) => {
      changes += (next[column] - level) ** 2
      columns++
    })
    levels = next
    faces = Math.max(faces, record.largestSpeed)
    particles = Math.max(particles, fastest)
  }
  simulation.dispose()
  return { flicker: Math.sqrt(changes / columns), faces, particles, gain: energies[frames - 1] - energies[0], volume }
}

function energyOf({ particles }: Frame): { mean: number; fastest: number } {
  const { position, velocity } = particles!
  let [sum, fastest] = [0, 0]
  for (let n = 0; n < position.length; n += 3) {
    const square = velocity[n] ** 2 + velocity[n + 1] ** 2 + velocity[n + 2] ** 2
    sum += square / 2 + GRAVITY * position[n + 1]
    fastest = Math.max(fastest, square)
  }
  return { mean: sum / (position.length / 3), fastest: Math.sqrt(fastest) }
}

/** Height of the uppermost surface of every column of cells, in cells; 0 where there is none. */
function levelsOf({ grid, liquid }: Frame): number[] {
  const [nx, ny, nz] = grid.shape
  return Array.from({ length: nx * nz }, (_, column) => {
    const at = (j: number) => liquid![(column % nx) + nx * (j + ny * Math.floor(column / nx))]
    for (let j = ny - 2; j >= 0; j--) if (at(j) < 0) return j + 0.5 + at(j) / (at(j) - at(j + 1))
    return 0
  })
}
