/** Sheets of liquid that slide along walls with friction: against what is known of slabs, for any number of substeps and any grid. */
import { describe, expect, it } from 'vitest'
import { halfSpace } from '../../src/grid/shapes.js'
import { createSimulation } from '../../src/liquid/simulation.js'
import { prepareScene } from '../../src/scene/prepare.js'
import type { SceneSolid, SolidFriction, Vector } from '../../src/scene/setting.js'
import { validateScene } from '../../src/scene/validate.js'
import { body, moving, settingOf, solid } from '../support/settings.js'

const G = 9.81
const FLOOR = 0.1
const HEIGHT = 0.1

interface Slide {
  readonly dims?: 2 | 3
  readonly spacing?: number
  readonly substeps?: number
  readonly method?: 'flip' | 'apic'
  readonly band?: number
  readonly frames?: number
  /** Of gravity against the normal of the floor. */
  readonly tilt?: number
  readonly velocity?: number
  readonly friction: SolidFriction
  readonly floor?: Partial<SceneSolid>
  readonly belt?: Vector
  readonly gravity?: number
}

/** m/s along the floor, of the middle of a sheet two metres long whose ends are free, in the middle of the last substep; and the time then. */
async function slide(given: Slide): Promise<{ velocity: number; time: number }> {
  const { dims = 2, spacing = 1 / 40, substeps = 1, method = 'flip', band = 0, frames = 5, tilt = 0, velocity = 0 } = given
  const { friction, floor, belt, gravity = G } = given
  const cells = (length: number) => Math.round(length / spacing)
  const below = halfSpace([0, FLOOR, 0], [0, 1, 0])
  const parts = { friction, ...floor }
  const setting = settingOf(dims === 2 ? [cells(3), cells(0.3)] : [cells(3), cells(0.3), cells(0.1)], spacing, {
    gravity: () => [gravity * Math.sin(tilt), -gravity * Math.cos(tilt), 0],
    solids: [belt ? moving(below, belt, parts) : solid(below, parts)],
    liquid: [body((x, y) => Math.max(y - FLOOR - HEIGHT, FLOOR - 0.02 - y, 0.5 - x, x - 2.5), [velocity, 0, 0])],
    sides: { x: ['open', 'open'] },
  })
  const time = { minSubsteps: substeps, maxSubsteps: 64 }
  const simulation = await createSimulation(setting, { threads: 1, particles: { method, band }, time })
  let last = 0
  for (let n = 0; n < frames; n++) last = (await simulation.advance()).substeps.at(-1)!.dt
  const particles = simulation.capture({ particles: true }).particles!
  simulation.dispose()
  let [sum, count] = [0, 0]
  for (let at = 0; at < particles.position.length; at += 3) {
    if (Math.abs(particles.position[at] - 1.5) > 0.3) continue
    sum += particles.velocity[at]
    count++
  }
  return { velocity: sum / count, time: frames / 24 - 0.5 * last }
}

const ways = [
  {},
  { substeps: 8 },
  { spacing: 1 / 80 },
  { method: 'apic' },
  { band: 3, spacing: 1 / 80 },
  { dims: 3 },
  { dims: 3, method: 'apic', substeps: 3 },
] as const

describe.each(ways)('a sheet on a slope, %o', way => {
  const friction = { coulomb: 0.3, depth: 0.3 }

  it('rests iff tan θ ≤ μ', async () => {
    const rest = Math.atan(0.3)
    expect(Math.abs((await slide({ ...way, friction, tilt: rest - 0.01 })).velocity)).toBeLessThan(1e-3)
    expect((await slide({ ...way, friction, tilt: rest + 0.02 })).velocity).toBeGreaterThan(0.02)
  })

  it('slides with g (sin θ − μ cos θ) else', async () => {
    for (const tilt of [0.4, 0.7]) {
      const { velocity, time } = await slide({ ...way, friction, tilt })
      const wanted = G * (Math.sin(tilt) - 0.3 * Math.cos(tilt)) * time
      expect(Math.abs(velocity - wanted)).toBeLessThan(0.03 * wanted)
    }
  })
})

describe('friction', () => {
  it.each(['flip', 'apic'] as const)('of a ramp that cuts through cells is that of a slope, %s', async method => {
    const [tilt, h] = [0.3, 1 / 40]
    const [c, s] = [Math.cos(tilt), Math.sin(tilt)]
    const above = (x: number, y: number) => s * (x - 0.2) + c * (y - 1)
    const along = (x: number, y: number) => c * (x - 0.2) - s * (y - 1)
    for (const coulomb of [0.15, 0.35]) {
      const setting = settingOf([120, 56], h, {
        sides: { x: ['open', 'open'], y: ['open', 'open'] },
        liquid: [body((x, y) => Math.max(above(x, y) - HEIGHT, -above(x, y) - 0.02, 0.2 - along(x, y), along(x, y) - 2.2))],
        solids: [solid(above, { friction: { coulomb, depth: 0.3 } })],
      })
      const simulation = await createSimulation(setting, { threads: 1, particles: { method } })
      let time = 0
      for (let n = 1; n <= 5; n++) time = n / 24 - 0.5 * (await simulation.advance()).substeps.at(-1)!.dt
      const { position: p, velocity: v } = simulation.capture({ particles: true }).particles!
      simulation.dispose()
      let [sum, count] = [0, 0]
      for (let at = 0; at < p.length; at += 3) {
        if (Math.abs(along(p[at], p[at + 1]) - 1.2) > 0.3) continue
        sum += c * v[at] - s * v[at + 1]
        count++
      }
      const wanted = G * Math.max(0, s - coulomb * c) * time
      expect(Math.abs(sum / count - wanted)).toBeLessThan(0.02 * wanted + 1e-3)
    }
  })

  it('of Coulomb slows what is thrown by μ g, and stops it for good', async () => {
    for (const way of [{}, { substeps: 6 }, { spacing: 1 / 80 }]) {
      const friction = { coulomb: 0.2, depth: 0.3 }
      const { velocity, time } = await slide({ ...way, friction, velocity: 1 })
      expect(velocity).toBeCloseTo(1 - 0.2 * G * time, 1)
      expect(Math.abs((await slide({ ...way, friction, velocity: 0.3 })).velocity)).toBeLessThan(0.01)
    }
  })

  it('within a depth takes the same momentum as long as what is there moves, on any grid', async () => {
    const taken: number[] = []
    for (const way of [{}, { substeps: 8 }, { spacing: 1 / 80 }, { spacing: 1 / 80, substeps: 8 }]) {
      const { velocity, time } = await slide({ ...way, friction: { coulomb: 0.2, depth: 0.05 }, velocity: 1, frames: 4 })
      taken.push((1 - velocity) / time)
    }
    for (const rate of taken) expect(Math.abs(rate - 0.2 * G)).toBeLessThan(0.05 * 0.2 * G)
  })

  it('of Navier slows with β / (ρ H), whatever gravity', async () => {
    const slip = 300
    for (const way of [{}, { substeps: 8 }, { spacing: 1 / 80 }, { gravity: 3 }]) {
      const { velocity, time } = await slide({ ...way, friction: { slip, depth: 0.3 }, velocity: 0.5 })
      expect(velocity).toBeCloseTo(0.5 * Math.exp((-slip * time) / (1000 * HEIGHT)), 1)
      expect(Math.abs(velocity / (0.5 * Math.exp((-slip * time) / (1000 * HEIGHT))) - 1)).toBeLessThan(0.04)
    }
  })

  it('as a share that is lost does not depend on the substeps', async () => {
    for (const friction of [0.1, 0.5, 1]) {
      const [one, eight] = [await slide({ friction, velocity: 1 }), await slide({ friction, velocity: 1, substeps: 8 })]
      expect(one.velocity).toBeLessThan(0.98)
      // Velocities are those of the middle of the last substep.
      expect(Math.abs(one.velocity - eight.velocity)).toBeLessThan(0.04)
    }
  })

  it('carries liquid along with a belt', async () => {
    const { velocity, time } = await slide({ friction: { coulomb: 0.2, depth: 0.15 }, belt: [2, 0, 0] })
    expect(velocity).toBeCloseTo(0.2 * G * time, 1)
  })

  it('is none where liquid has let go, and grows with adhesion', async () => {
    // Without weight nothing presses on the floor; with adhesion it holds all the same, μ a / (ρ H).
    const floating = { gravity: 0, velocity: 1, frames: 4 }
    expect((await slide({ ...floating, friction: { coulomb: 1, depth: 0.1 } })).velocity).toBeCloseTo(1, 3)
    const held = await slide({ ...floating, friction: { coulomb: 1, depth: 0.1 }, floor: { adhesion: 200 } })
    expect(held.velocity).toBeCloseTo(1 - (200 / (1000 * HEIGHT)) * held.time, 1)
  })

  it('comes from scenes as a number or as laws', () => {
    const scene = (friction: unknown) => ({
      version: 1,
      domain: { size: [1, 1], resolution: 8 },
      solids: [{ shape: 'everything', friction }],
    })
    expect(prepareScene(validateScene(scene(0.4))).solids[0].friction).toBe(0.4)
    expect(prepareScene(validateScene(scene({ coulomb: 0.4 }))).solids[0].friction).toEqual({ coulomb: 0.4, slip: 0 })
    expect(() => validateScene(scene(2))).toThrow(/solids\[0\]\.friction/)
    expect(() => validateScene(scene({ coulomb: -1 }))).toThrow(/solids\[0\]\.friction/)
    expect(() => validateScene(scene({ roughness: 1 }))).toThrow(/solids\[0\]\.friction/)
  })

  it('of a setting is checked', async () => {
    for (const friction of [Number.NaN, -1, { coulomb: -1 }, { slip: Number.NaN }, { depth: 0 }])
      await expect(slide({ friction })).rejects.toThrow(/setting\.solids\[0\]\.friction/)
  })
})
