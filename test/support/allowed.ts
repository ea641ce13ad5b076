/** What physics allows liquid to do: no more energy than was there or was given to it, no speed without a fall or a push, no particle in a wall,
 *  no cell with many times what it can hold. */
import { sampleNodal } from '../../src/liquid/boundary/solids.js'
import type { Frame } from '../../src/liquid/frame.js'
import { type FrameRecord, solvesOf } from '../../src/liquid/records.js'
import type { Simulation } from '../../src/liquid/simulation.js'
import { largestWallSpeed } from '../../src/liquid/time-step.js'
import type { SceneSetting, Vector } from '../../src/scene/setting.js'

/** kg/m³; the default of scenes. */
const DENSITY = 1000

/** Largest values that are still good. */
export interface Allowed {
  /** Energy beyond what liquid has and is given, over that of a fall of all of it through the domain. */
  readonly energy: number
  /** Speed of a particle over that of a fall through the domain, added to the initial one and to that of walls. */
  readonly speed: number
  /** Share by which the volume inside the surface is too large; and too small, without what is too thin to be shown. */
  readonly volume: number
  /** Particles in a cell over those of a full one. */
  readonly crowding: number
}

/** Runs some frames and says in which of them something was worse than it may be, by how much. */
export async function findExcesses(
  simulation: Simulation,
  setting: SceneSetting,
  frames: number,
  allowed: Allowed,
): Promise<string[]> {
  const found: string[] = []
  const budget = createBudget(simulation, setting)
  const perCell = simulation.grid.dims === 2 ? 4 : 8
  for (let n = 1; n <= frames; n++) {
    const record = await simulation.advance()
    const frame = simulation.capture({ particles: true })
    const check = (what: string, value: number, largest: number) => {
      if (!(value <= largest)) found.push(`frame ${n}: ${what} ${value.toPrecision(3)}, above ${largest}`)
    }
    const { energy, speed } = budget.compare(record, frame)
    check('energy', energy, allowed.energy)
    check('speed', speed, allowed.speed)
    check('volume beyond what is there', record.volume / record.expectedVolume - 1, allowed.volume)
    check('missing volume', 1 - (record.volume + record.thinVolume) / record.expectedVolume, allowed.volume)
    check('crowding', crowding(frame, perCell), allowed.crowding)
    check('depth of a particle in a solid', depthInSolids(frame), 0)
    for (const { status, message } of solvesOf(record)) if (status !== 'converged') found.push(`frame ${n}: ${message}`)
  }
  return found
}

/** Follows what energy and speed liquid can have. */
function createBudget(simulation: Simulation, { gravity, sources, solids }: SceneSetting) {
  const { grid } = simulation
  const height = grid.shape[1] * grid.spacing
  const g = (time: number) => Math.hypot(...gravity(time))
  const start = totalsOf(simulation.capture({ particles: true }), gravity(0))
  const entering = sources.map(({ velocity, bounds }) => {
    const top = Math.min(height, bounds?.(0)[1][1] ?? height)
    return 0.5 * Math.hypot(...velocity(0, 0, 0)) ** 2 + g(0) * top
  })
  // Per kilogram of a particle.
  let given = start.energy
  let [time, mean, wallSpeed] = [0, start.mean, 0]
  const initial = Math.max(start.fastest, ...sources.map(({ velocity }) => Math.hypot(...velocity(0, 0, 0))))

  return {
    compare(record: FrameRecord, frame: Frame): { energy: number; speed: number } {
      const totals = totalsOf(frame, gravity(record.time))
      const count = record.particles
      // Where gravity changes, so does the potential energy of liquid that does not move.
      const [before, after] = [gravity(time), gravity(record.time)]
      for (let axis = 0; axis < grid.dims; axis++)
        given -= count * (after[axis] - before[axis]) * 0.5 * (mean[axis] + totals.mean[axis])
      given += record.added * Math.max(0, ...entering)
      wallSpeed = Math.max(wallSpeed, largestWallSpeed(grid, solids, time, record.time))
      ;[time, mean] = [record.time, totals.mean]
      // Walls push all liquid to no more than their own speed.
      const most = given + 0.5 * count * wallSpeed ** 2
      const fall = g(time) * height
      const { kinetic, potential } = record.energy
      const mass = (DENSITY * record.particleVolume) / count
      return {
        energy: ((kinetic + potential) / mass - most) / (count * fall),
        speed: totals.fastest / (Math.sqrt(initial ** 2 + 2 * fall) + wallSpeed),
      }
    },
  }
}

/** Sums over particles: energy for masses of 1 kg, mean position in m, largest speed in m/s. */
function totalsOf({ particles }: Frame, gravity: Vector): { energy: number; mean: number[]; fastest: number } {
  const { position, velocity } = particles!
  const sums = [0, 0, 0]
  let [energy, fastest] = [0, 0]
  for (let at = 0; at < position.length; at += 3) {
    let square = 0
    for (let axis = 0; axis < 3; axis++) {
      sums[axis] += position[at + axis]
      square += velocity[at + axis] ** 2
      energy -= gravity[axis] * position[at + axis]
    }
    energy += 0.5 * square
    fastest = Math.max(fastest, square)
  }
  const count = Math.max(1, position.length / 3)
  return { energy, mean: sums.map(sum => sum / count), fastest: Math.sqrt(fastest) }
}

/** Particles of the fullest cell over those of a full one. */
function crowding({ grid, particles }: Frame, perCell: number): number {
  const { position } = particles!
  const [nx, ny] = grid.shape
  const counts = new Int32Array(grid.cells)
  for (let at = 0; at < position.length; at += 3) {
    const [i, j, k] = [0, 1, 2].map(axis => Math.floor(position[at + axis] / grid.spacing))
    counts[i + nx * (j + ny * k)]++
  }
  return Math.max(...counts) / perCell
}

/** How far the deepest particle is inside a solid, in cells; below 0 if none is. */
function depthInSolids({ grid, solid, particles }: Frame): number {
  const { position } = particles!
  let deepest = -Infinity
  for (let at = 0; at < position.length; at += 3) {
    const [x, y, z] = [0, 1, 2].map(axis => position[at + axis] / grid.spacing)
    deepest = Math.max(deepest, -sampleNodal(grid, solid, x, y, grid.dims === 2 ? 0.5 : z) / grid.spacing)
  }
  return deepest
}
