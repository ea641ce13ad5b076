/** Liquid under walls of some strength: it hangs, or falls as theory says. */
import { describe, expect, it } from 'vitest'
import { box, halfSpace } from '../../src/grid/shapes.js'
import { createSimulation } from '../../src/liquid/simulation.js'
import { prepareScene } from '../../src/scene/prepare.js'
import type { SceneSetting, SceneSolid } from '../../src/scene/setting.js'
import { validateScene } from '../../src/scene/validate.js'
import { body, following, settingOf, solid } from '../support/settings.js'

const G = 9.81
const HEIGHT = 0.4
const STICKING = ['sticking', 'sticking'] as const

/** A sheet of liquid from side to side under the lid of a tank, or under a solid. */
function sheet(dims: 2 | 3, cells: number, parts: Partial<SceneSetting>, top = 1): SceneSetting {
  return settingOf(dims === 2 ? [cells, cells] : [cells, cells, cells], 1 / cells, {
    sides: { x: STICKING, y: ['separating', 'separating'], z: STICKING },
    liquid: [body((_, y) => Math.max(y - top, top - HEIGHT - y))],
    ...parts,
  })
}

/** Mean height of all liquid after every frame, m, in the middle of the last substep. */
async function heights(setting: SceneSetting, frames: number, particles = {}): Promise<number[]> {
  const simulation = await createSimulation(setting, { threads: 1, particles, time: { minSubsteps: 4 } })
  const found: number[] = []
  for (let n = 0; n < frames; n++) {
    const { energy, particleVolume } = await simulation.advance()
    found.push(energy.potential / (1000 * G * particleVolume))
  }
  simulation.dispose()
  return found
}

const cases = ([2, 3] as const).flatMap(dims =>
  (['flip', 'apic'] as const).flatMap(method => [0, 4].map(band => ({ dims, method, band }))),
)

describe.each(cases)('a sheet of liquid under a lid, $dims D, $method, band $band', ({ dims, method, band }) => {
  const cells = dims === 2 ? 32 : 16
  const weight = 1000 * G * (HEIGHT - 0.5 / cells)
  const under = (share: number) => heights(sheet(dims, cells, { sideAdhesion: { y: [0, share * weight] } }), 4, { method, band })

  it('hangs iff the lid is as strong as its weight', async () => {
    const hanging = await under(1.05)
    for (const height of hanging) expect(height).toBeCloseTo(hanging[0], 2)
    const falling = await under(0.9)
    expect(falling[3]).toBeLessThan(falling[0] - 0.005)
    expect(hanging[3]).toBeGreaterThan(falling[3] + 0.005)
  })

  it('falls with what is left of its weight as long as it touches', async () => {
    for (const share of [0.85, 0.95]) {
      const seconds = (2 - 1 / 8) / 24
      const fallen = 0.5 * G * (1 - share) * seconds ** 2
      expect(fallen).toBeLessThan(0.5 / cells)
      const [[start], [, second]] = [await under(1.05), await under(share)]
      expect(start - second).toBeGreaterThan(0.9 * fallen - 5e-4)
      expect(start - second).toBeLessThan(1.1 * fallen + 5e-4)
    }
  })
})

describe('walls of some strength', () => {
  const plate = (adhesion: number, parts: Partial<SceneSolid> = {}) => solid(halfSpace([0, 0.8], [0, -1]), { adhesion, ...parts })

  it('of no strength are separating walls, bit for bit, and very strong ones stick', async () => {
    const run = async (solids: readonly SceneSolid[]) => {
      const simulation = await createSimulation(sheet(2, 24, { solids }, 0.8), { threads: 1 })
      for (let n = 0; n < 3; n++) await simulation.advance()
      const { columns } = simulation.save()
      simulation.dispose()
      return columns
    }
    expect(await run([plate(0)])).toEqual(await run([solid(halfSpace([0, 0.8], [0, -1]))]))
    const [strong, sticking] = [await run([plate(1e6)]), await run([plate(0, { walls: 'sticking' })])]
    strong.forEach((column, n) => {
      column.forEach((value, at) => {
        // Positions in cells and velocities in m/s, of solves to 1e-4 / s.
        expect(Math.abs(value - sticking[n][at])).toBeLessThan(2e-3)
      })
    })
  })

  it('carry liquid along that they lift no faster than they hold', async () => {
    // A plate is lifted with an acceleration; the sheet follows iff adhesion ≥ ρ (g + a) (H − h/2).
    const [cells, lift] = [32, 5]
    const path = (time: number) => [0, 0.5 * lift * time * time, 0] as const
    const velocity = (time: number) => [0, lift * time, 0] as const
    const weight = 1000 * (G + lift) * (HEIGHT - 0.5 / cells)
    const lifted = (share: number) =>
      heights(
        sheet(2, cells, { solids: [following(box([0.5, 0.8], [2, 0.1]), path, velocity, { adhesion: share * weight })] }, 0.7),
        6,
      )
    const rise = 0.5 * lift * (6 / 24) ** 2
    const [held, lost] = [await lifted(1.15), await lifted(0.8)]
    expect(held[5] - 0.5).toBeGreaterThan(0.9 * rise)
    expect(lost[5] - 0.5).toBeLessThan(0.6 * rise)
  })

  it('come from scenes: of all walls, of sides, of solids', () => {
    const scene = {
      version: 1,
      domain: { size: [1, 1], resolution: 8, adhesion: { top: 50 } },
      adhesion: 20,
      solids: [{ shape: 'everything' }, { shape: 'everything', adhesion: 7 }],
    }
    const { sideAdhesion, solids } = prepareScene(validateScene(scene))
    expect(sideAdhesion).toMatchObject({ x: [20, 20], y: [20, 50] })
    expect(solids.map(({ adhesion }) => adhesion)).toEqual([20, 7])
    const refused = (change: object) => () => validateScene({ ...scene, ...change })
    expect(refused({ adhesion: -1 })).toThrow(/adhesion must be a number from 0 to 1000000000, not -1/)
    expect(refused({ solids: [{ shape: 'everything', adhesion: 'much' }] })).toThrow(/solids\[0\]\.adhesion must be a number/)
    expect(refused({ domain: { ...scene.domain, adhesion: { front: 3 } } })).toThrow(/domain\.adhesion\.front is not known here/)
    expect(refused({ domain: { ...scene.domain, adhesion: { top: 2e9 } } })).toThrow(/domain\.adhesion\.top must be a number/)
  })

  it('of a setting are checked', async () => {
    await expect(createSimulation(sheet(2, 8, { sideAdhesion: { y: [0, Number.NaN] } }))).rejects.toThrow(/sideAdhesion/)
    await expect(createSimulation(sheet(2, 8, { solids: [plate(-4)] }))).rejects.toThrow(/setting\.solids\[0\]\.adhesion/)
  })

  it('let go where the problem of the last substep says so', async () => {
    const simulation = await createSimulation(sheet(2, 16, { sideAdhesion: { y: [0, 1000] } }), {
      threads: 1,
      keepsProblem: true,
    })
    await simulation.advance()
    const { kind, adhesion } = simulation.problem()
    const strengths = [...kind.keys()].filter(cell => kind[cell] === 2).map(cell => adhesion![cell])
    expect(strengths.length).toBeGreaterThan(0)
    expect(new Set(strengths)).toEqual(new Set([1000]))
    const { pressure } = simulation.capture({ fields: true }).fields!
    expect(Math.min(...pressure.filter((_, cell) => kind[cell] === 2))).toBe(-1000)
    simulation.dispose()
  })
})
