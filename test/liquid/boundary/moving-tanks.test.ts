/** Tanks, pistons and paddles that move by several cells in a substep: what theory says of the liquid in and before them. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, complement, halfSpace, sphere } from '../../../src/grid/shapes.js'
import { createSimulation, type Simulation } from '../../../src/liquid/simulation.js'
import type { SceneSetting, Vector } from '../../../src/scene/setting.js'
import { body, EARTH, following, moving, settingOf, solid, turning } from '../../support/settings.js'

const h = 1 / 32

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

interface Kind {
  readonly method: 'flip' | 'apic'
  readonly band: number
  readonly maxSubsteps?: number
}

const KINDS: readonly Kind[] = [
  { method: 'flip', band: 0 },
  { method: 'apic', band: 0 },
  { method: 'flip', band: 3 },
]

/** 24 frames a second; the length of substeps is chosen as always unless `maxSubsteps` prevents it. */
async function simulate(setting: SceneSetting, { method, band, maxSubsteps }: Kind): Promise<Simulation> {
  const time = { fps: 24, ...(maxSubsteps && { maxSubsteps }) }
  const simulation = await createSimulation(setting, { threads: 1, seed: 1, particles: { method, band }, time })
  open.push(simulation)
  return simulation
}

interface Watched {
  /** Largest relative error of the volume. */
  volumeError: number
  /** Largest number of particles in a cell over that of a full cell. */
  fullest: number
  /** Fewest substeps of a frame. */
  substeps: number
}

async function advance(simulation: Simulation, frames: number, check?: (time: number) => void): Promise<Watched> {
  const watched = { volumeError: 0, fullest: 0, substeps: Infinity }
  for (let n = 0; n < frames; n++) {
    const { volume, expectedVolume, substeps } = await simulation.advance()
    watched.volumeError = Math.max(watched.volumeError, Math.abs(volume / expectedVolume - 1))
    watched.fullest = Math.max(watched.fullest, fullestCell(simulation))
    watched.substeps = Math.min(watched.substeps, substeps.length)
    check?.(simulation.time)
  }
  return watched
}

const particlesOf = (simulation: Simulation) => simulation.capture({ particles: true }).particles!

function forParticles(simulation: Simulation, visit: (position: Vector, velocity: Vector) => void): void {
  const { position: p, velocity: v } = particlesOf(simulation)
  for (let n = 0; n < p.length; n += 3) visit([p[n], p[n + 1], p[n + 2]], [v[n], v[n + 1], v[n + 2]])
}

function fullestCell(simulation: Simulation): number {
  const { dims, shape } = simulation.grid
  const counts = new Map<number, number>()
  let most = 0
  forParticles(simulation, ([x, y, z]) => {
    const cell = Math.floor(x / h) + shape[0] * (Math.floor(y / h) + (dims === 3 ? shape[1] * Math.floor(z / h) : 0))
    const count = (counts.get(cell) ?? 0) + 1
    counts.set(cell, count)
    most = Math.max(most, count)
  })
  return most / 2 ** dims
}

/** Mean displacement of particles along each axis, in cells, from where they would be at this velocity; kinetic energy relative to it, J/kg. */
function relativeTo(
  simulation: Simulation,
  velocity: Vector,
  start: Vector,
): { readonly lag: readonly number[]; readonly energy: number } {
  const mean = [0, 0, 0]
  let energy = 0
  forParticles(simulation, (position, own) => {
    for (let axis = 0; axis < 3; axis++) {
      mean[axis] += position[axis] / simulation.particles
      energy += (0.5 * (own[axis] - velocity[axis]) ** 2) / simulation.particles
    }
  })
  return { lag: mean.map((x, axis) => (x - start[axis] - velocity[axis] * simulation.time) / h), energy }
}

describe('a tank in uniform motion, about two cells a substep', () => {
  const tanks = [
    { dims: 2, shape: [136, 26], velocity: [3, 0, 0], centre: [0.5, 0.4], half: [0.3, 0.3], frames: 24 },
    { dims: 3, shape: [52, 24, 52], velocity: [2, 0, 2], centre: [0.4, 0.4, 0.4], half: [0.25, 0.25, 0.25], frames: 10 },
  ] as const
  const cases = tanks.flatMap(tank => KINDS.map(kind => ({ ...tank, ...kind })))

  async function carry(tank: (typeof cases)[number], gravity: Vector) {
    const { shape, velocity, centre, half, frames, dims } = tank
    const liquid = [body(halfSpace([0, 0.4, 0], [0, 1, 0]), velocity)]
    const solids = [moving(complement(box(centre, half)), velocity)]
    const simulation = await simulate(settingOf(shape, h, { gravity: () => gravity, liquid, solids }), tank)
    const start = relativeTo(simulation, velocity, [0, 0, 0]).lag.map(x => x * h) as unknown as Vector
    const watched = await advance(simulation, frames, time =>
      forParticles(simulation, position => {
        for (let axis = 0; axis < dims; axis++) {
          const away = Math.abs(position[axis] - velocity[axis] * time - centre[axis])
          if (away > half[axis] + 1e-3 * h) expect.fail(`a particle has left the tank by ${(away - half[axis]) / h} cells`)
        }
      }),
    )
    expect(Math.hypot(...velocity) / 24 / h / watched.substeps).toBeGreaterThan(1.8)
    return { ...watched, ...relativeTo(simulation, velocity, start) }
  }

  it.each(cases)('leaves liquid without weight alone: $dims D, $method, band $band', async tank => {
    const { lag, energy, volumeError, fullest } = await carry(tank, [0, -1e-9, 0])
    expect(Math.hypot(lag[0], lag[2])).toBeLessThan(0.02)
    expect(energy).toBeLessThan(1e-9)
    // Of which the start has most: cells along walls count as full with three quarters of their particles.
    expect(volumeError).toBeLessThan(0.004)
    expect(fullest).toBeLessThanOrEqual(2)
  })

  // Paths through a velocity field that is frozen for a substep let waves of liquid that is carried along grow, hence the energy.
  it.each(cases)('carries heavy liquid along: $dims D, $method, band $band', async tank => {
    const { lag, energy, volumeError } = await carry(tank, EARTH)
    expect(Math.hypot(lag[0], lag[2])).toBeLessThan(0.3)
    expect(energy).toBeLessThan(1e-3)
    expect(volumeError).toBeLessThan(0.01)
  })
})

describe('an accelerated tank', () => {
  it.each(KINDS.slice(0, 2))('tilts the surface by −a/g: $method', async kind => {
    const [acceleration, depth, length] = [2, 0.3, 1]
    const place = (time: number) => 0.5 * acceleration * time * time
    const tank = following(
      complement(box([0.7, 0.45], [0.5, 0.35])),
      t => [place(t), 0, 0],
      t => [acceleration * t, 0, 0],
    )
    const setting = settingOf([96, 28], h, { liquid: [body(halfSpace([0, 0.4], [0, 1]))], solids: [tank] })
    const simulation = await simulate(setting, kind)
    // The surface sloshes about its tilt: its mean over a period of the first wave is the tilt of rest.
    const wave = Math.PI / length
    const period = (2 * Math.PI) / Math.sqrt(9.81 * wave * Math.tanh(wave * depth))
    const frames = Math.round(24 * period)
    let tilt = 0
    let farthest = -Infinity
    const { volumeError } = await advance(simulation, frames, time => {
      let mean = 0
      forParticles(simulation, ([x, y]) => {
        mean += (x - 0.7 - place(time)) / simulation.particles
        farthest = Math.max(farthest, Math.abs(x - 0.7 - place(time)) - 0.5, Math.abs(y - 0.45) - 0.35)
      })
      // A surface of slope s displaces the centre of mass by s · length² / (12 depth).
      tilt += (mean * 12 * depth) / (length * length * frames)
    })
    expect(farthest).toBeLessThan(1e-3 * h)
    expect(tilt).toBeGreaterThan(1.05 * (-acceleration / 9.81))
    expect(tilt).toBeLessThan(0.95 * (-acceleration / 9.81))
    expect(volumeError).toBeLessThan(0.01)
  })
})

describe('a square tank that turns', () => {
  it.each(KINDS)('keeps its liquid and its volume: $method, band $band', async kind => {
    // In fewer cells, drops and films that no surface can show are more than 1 % of the volume.
    const fine = h / 2
    let farthest = 0
    const rate = 4
    const tank = turning(complement(box([0.75, 0.75], [0.4, 0.4])), rate, [0.75, 0.75])
    const simulation = await simulate(
      settingOf([96, 96], fine, { liquid: [body(halfSpace([0, 0.7], [0, 1]))], solids: [tank] }),
      kind,
    )
    const { volumeError } = await advance(simulation, 36, time =>
      forParticles(simulation, ([x, y]) => {
        const [c, s] = [Math.cos(rate * time), Math.sin(rate * time)]
        const [a, b] = [c * (x - 0.75) + s * (y - 0.75), c * (y - 0.75) - s * (x - 0.75)]
        farthest = Math.max(farthest, Math.abs(a), Math.abs(b))
      }),
    )
    // Corners between nodes are cut off and rounded by a part of a cell.
    expect(farthest).toBeLessThan(0.4 + 0.3 * fine)
    expect(volumeError).toBeLessThan(0.01)
  })
})

describe('a wall that runs into liquid', () => {
  it.each(KINDS)('as a piston at 2 m/s it neither lets any through nor heaps it up: $method, band $band', async kind => {
    let behind = -Infinity
    const piston = moving(box([0, 0.5], [0.2, 2]), [2, 0, 0])
    const simulation = await simulate(
      settingOf([64, 40], h, { liquid: [body(halfSpace([0, 0.4], [0, 1]))], solids: [piston] }),
      kind,
    )
    const { volumeError, fullest } = await advance(simulation, 12, time =>
      forParticles(simulation, ([x]) => {
        behind = Math.max(behind, 0.2 + 2 * time - x)
      }),
    )
    expect(behind).toBeLessThan(1e-3 * h)
    expect(volumeError).toBeLessThan(0.01)
    expect(fullest).toBeLessThan(3.5)
  })

  it.each([
    { speed: 1, maxSubsteps: 1 },
    { speed: 3, maxSubsteps: 1 },
    { speed: 6, maxSubsteps: 2 },
    { speed: 6, maxSubsteps: 64 },
  ])('as a paddle of 1.2 cells it takes all of it along: %j', async ({ speed, maxSubsteps }) => {
    const [start, width] = [0.2, 1.2 * h]
    // From rest in the middle of a frame.
    const place = (time: number) => Math.min(Math.max(speed * time - 0.15, 0), 1.2)
    const paddle = following(
      box([start, 0.5], [width / 2, 2]),
      time => [place(time), 0, 0],
      time => [speed * (place(time) > 0 && place(time) < 1.2 ? 1 : 0), 0, 0],
    )
    const floor = solid(halfSpace([0, 0.1], [0, 1]))
    const liquid = [body(box([0.9, 0.25], [0.7 - width / 2, 0.15]))]
    const setting = settingOf([80, 48], h, { liquid, solids: [paddle, floor] })
    for (const method of ['flip', 'apic'] as const) {
      let behind = -Infinity
      const simulation = await simulate(setting, { method, band: 0, maxSubsteps })
      await advance(simulation, Math.ceil((1.35 / speed) * 24) + 2, time =>
        forParticles(simulation, ([x]) => {
          behind = Math.max(behind, start + place(time) - x)
        }),
      )
      expect(behind).toBeLessThan(0)
    }
  })

  it.each([1, 2, 64])('as a blade that turns in a drum it keeps liquid on its side, at most %d substeps', async maxSubsteps => {
    for (const rate of [1, 2.5, 5]) {
      const [cx, cy] = [0.51, 0.52]
      const blade = turning(box([cx, cy], [0.6, 0.75 * h]), rate, [cx, cy])
      const drum = solid(complement(sphere([cx, cy], 0.42)))
      const setting = settingOf([33, 33], h, { liquid: [body(halfSpace([0, 0.42], [0, 1]))], solids: [blade, drum] })
      const simulation = await simulate(setting, { method: 'flip', band: 0, maxSubsteps })
      let beyond = -Infinity
      await advance(simulation, 48, time =>
        forParticles(simulation, ([x, y]) => {
          beyond = Math.max(beyond, Math.cos(rate * time) * (y - cy) - Math.sin(rate * time) * (x - cx))
        }),
      )
      expect(beyond).toBeLessThan(0)
    }
  })
})
