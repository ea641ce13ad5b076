/** Warnings about steps that are too long and grids that are too coarse: they appear where they should, and nowhere else. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, halfSpace, sphere } from '../../src/grid/shapes.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import type { FrameRecord } from '../../src/liquid/records.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { TimeOptions } from '../../src/liquid/time-step.js'
import { runWarnings } from '../../src/liquid/warnings/run-warnings.js'
import { sceneWarnings } from '../../src/liquid/warnings/scene-warnings.js'
import { estimateScene } from '../../src/scene/estimate.js'
import { prepareScene } from '../../src/scene/prepare.js'
import type { SceneInput } from '../../src/scene/schema.js'
import type { SceneSetting } from '../../src/scene/setting.js'
import { validateScene } from '../../src/scene/validate.js'
import { body, moving, settingOf } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

const TIME: TimeOptions = { fps: 24, cfl: 3, minSubsteps: 1, maxSubsteps: 32 }

async function recordsOf(setting: SceneSetting, time: Partial<TimeOptions>, frames = 2, options: SimulationOptions = {}) {
  const simulation = await createSimulation(setting, { seed: 3, engine: 'wasm', ...options, time: { ...TIME, ...time } })
  open.push(simulation)
  const records: FrameRecord[] = []
  while (records.length < frames) records.push(await simulation.advance())
  return records
}

const kindsOf = (records: readonly FrameRecord[], time: Partial<TimeOptions>) =>
  runWarnings(records, { ...TIME, ...time }).map(({ kind }) => kind)

describe('a frame', () => {
  const drop = settingOf([24, 24], 1 / 24, {
    gravity: () => [0, 0, 0],
    liquid: [body(sphere([0.3, 0.5, 0], 0.2), [5.7, 0, 0])],
  })

  it('counts the substeps that are longer than cfl allows, by the way that liquid goes', async () => {
    // 5.7 m/s are 5.7 cells in a frame of a 24th of a second; speeds are rounded up to a 32nd of cfl cells.
    const [enough] = await recordsOf(drop, { maxSubsteps: 2 }, 1)
    expect(enough.substeps.map(({ limited }) => limited)).toEqual([undefined, undefined])
    expect(enough.limitedSubsteps).toBe(0)
    expect(Math.abs(enough.travel.liquid - 2.85)).toBeLessThan(3 / 64)
    const [few] = await recordsOf(drop, { maxSubsteps: 1 }, 1)
    expect(few.substeps.map(({ limited }) => limited)).toEqual(['maxSubsteps'])
    expect(few.limitedSubsteps).toBe(1)
    expect(few.travel.liquid).toBeCloseTo(2 * enough.travel.liquid, 4)
    expect(few.travel.walls).toBe(0)
    expect(kindsOf([enough], { maxSubsteps: 2 })).toEqual([])
    expect(runWarnings([enough, few], { ...TIME, maxSubsteps: 1 })).toEqual([
      {
        kind: 'overlong',
        text:
          'Substeps were too long in 1 of 2 frames: up to 5.7 cells were crossed in one, and time.cfl asks for at most 3, but ' +
          'time.maxSubsteps allows only 1 substep a frame. This frame is wrong; raise time.maxSubsteps to about 2, or raise time.fps.',
      },
    ])
  })

  it('that falls counts what gravity adds', async () => {
    const fall = settingOf([24, 24], 1 / 24, { liquid: [body(sphere([0.5, 0.6, 0], 0.2))] })
    const fps = 2
    const [{ limitedSubsteps, travel }] = await recordsOf(fall, { fps, maxSubsteps: 1 }, 1)
    expect(limitedSubsteps).toBe(1)
    expect(travel.liquid).toBeCloseTo((0.5 * 9.81 * 24) / fps ** 2, 1)
  })

  it('is none of those where the way is exactly cfl cells', async () => {
    for (const speed of [2.9, 3, 3.1, 5.9, 6, 9, 30]) {
      const setting = { ...drop, liquid: [body(sphere([0.3, 0.5, 0], 0.2), [speed, 0, 0])] }
      const [record] = await recordsOf(setting, {}, 1)
      expect(record.limitedSubsteps).toBe(0)
    }
  })

  it('warns of liquid that crosses many cells in a substep because cfl allows it', async () => {
    const fast = { ...drop, liquid: [body(sphere([0.3, 0.5, 0], 0.2), [12, 0, 0])] }
    const records = await recordsOf(fast, { cfl: 50 }, 1)
    expect(runWarnings(records, { ...TIME, cfl: 50 })).toEqual([
      {
        kind: 'fast liquid',
        text:
          'Liquid was too fast for its substeps in frame 1: it crossed up to 12 cells in one. Beyond 5, motion is inaccurate and may gain ' +
          'energy; lower time.cfl.',
      },
    ])
    expect(kindsOf(await recordsOf(fast, { cfl: 5 }, 1), { cfl: 5 })).toEqual([])
    // What maxSubsteps has cut short is another thing.
    expect(kindsOf(await recordsOf(fast, { maxSubsteps: 1 }, 1), { maxSubsteps: 1 })).toEqual(['overlong'])
  })

  it('warns of walls that move by many cells, and not of others', async () => {
    const plate = (speed: number) => ({ ...drop, liquid: [], solids: [moving(box([0.2, 0.5, 0], [0.1, 0.5, 1]), [speed, 0, 0])] })
    const [slow] = await recordsOf(plate(2), { maxSubsteps: 1 }, 1)
    expect(slow.travel).toEqual({ liquid: expect.any(Number), walls: expect.closeTo(2, 9) })
    const [fast] = await recordsOf(plate(8), { maxSubsteps: 1 }, 1)
    expect(kindsOf([fast], { maxSubsteps: 1 })).toEqual(['overlong', 'fast walls'])
    expect(runWarnings([fast], { ...TIME, maxSubsteps: 1 })[1].text).toMatch(/^Walls were too fast in frame 1: .* up to 8 cells/)
    expect(kindsOf(await recordsOf(plate(8), { cfl: 9 }, 1), { cfl: 9 })).toEqual(['fast walls'])
    expect(kindsOf(await recordsOf(plate(8), {}, 1), {})).toEqual([])
  })

  it('warns of a resolution that is too low for its drops', async () => {
    const still = { gravity: (): [number, number, number] => [0, 0, 0] }
    const drops = settingOf([32, 32], 1 / 32, {
      ...still,
      liquid: [body(sphere([0.5, 0.5, 0], 0.1)), ...[0.1, 0.3, 0.7, 0.9].map(x => body(sphere([x, x, 0], 0.8 / 32)))],
    })
    const records = await recordsOf(drops, {})
    expect(kindsOf(records, {})).toEqual(['thin'])
    expect(runWarnings(records, TIME)[0].text).toMatch(/in 2 of 2 frames: up to \d\d % of it .* raise domain\.resolution\.$/)
    const pool = settingOf([32, 32], 1 / 32, { liquid: [body(halfSpace([0, 0.4, 0], [0, 1, 0]))] })
    expect(kindsOf(await recordsOf(pool, {}), {})).toEqual([])
  })
})

const BASE: SceneInput = {
  version: 1,
  domain: { size: [1, 1], resolution: 32 },
  liquid: [{ shape: 'box', min: [0, 0], max: [0.4, 0.6] }],
}

function warningsOf(parts: Partial<SceneInput>): string[] {
  const scene = validateScene({ ...BASE, ...parts } as SceneInput)
  const setting = prepareScene(scene)
  return sceneWarnings(scene, setting, estimateScene(scene, setting))
}

describe('a scene', () => {
  it('has nothing to warn of where all is well', () => {
    expect(warningsOf({})).toEqual([])
  })

  it('is warned of frames too long for what falls', () => {
    const [warning, ...others] = warningsOf({ time: { fps: 0.1 } })
    expect(others).toEqual([])
    expect(warning).toMatch(
      /falls through the domain, reaches about 4\.4 m\/s\. A frame of 10 s then needs about 480 substeps .* is 32: /,
    )
    expect(warning).toMatch(/Raise time\.maxSubsteps to 480, or raise time\.fps\.$/)
    expect(warningsOf({ time: { fps: 0.1, maxSubsteps: 480 } })).toEqual([])
  })

  it('is warned of liquid that is thrown, and of gravity that comes later', () => {
    const thrown = { shape: 'box', min: [0, 0], max: [0.4, 0.6], velocity: [300, 0] } as const
    expect(warningsOf({ liquid: [thrown] })[0]).toMatch(/reaches about 300 m\/s/)
    const gravity = [
      { time: 0, value: [0, 0] },
      { time: 3, value: [0, -6000] },
    ]
    expect(warningsOf({ gravity, time: { frames: 100 } } as Partial<SceneInput>)[0]).toMatch(/reaches about 110 m\/s/)
  })

  it('is warned of a cfl that no motion is resolved with', () => {
    expect(warningsOf({ time: { cfl: 5 } })).toEqual([])
    expect(warningsOf({ time: { cfl: 20 } })).toEqual([expect.stringMatching(/^time\.cfl lets liquid cross 20 cells/)])
  })

  it('is warned of solids that move by more than their thickness in a substep, or are too thin for the grid', () => {
    const plate = (thickness: number, seconds: number) =>
      ({
        name: 'plate',
        shape: 'box',
        min: [0.1, 0],
        max: [0.1 + thickness, 1],
        motion: {
          keyframes: [
            { time: 0, position: [0, 0] },
            { time: seconds, position: [0.8, 0] },
          ],
        },
      }) as const
    // 2.4 cells a frame.
    expect(warningsOf({ solids: [plate(0.12, 0.45)] })).toEqual([])
    const [jumps] = warningsOf({ solids: [plate(0.05, 0.45)] })
    expect(jumps).toMatch(
      /^The solid plate moves by up to [\d.]+ cells in a substep and is 1\.6 cells thick, so it may jump over liquid\./,
    )
    expect(warningsOf({ solids: [plate(0.02, 45)] })).toEqual([
      'The solid plate is 0.64 cells thick, so liquid may pass through it: make it thicker or wider, or raise domain.resolution by a factor of 1.6.',
    ])
  })

  it.each(['liquid', 'sources', 'drains'] as const)('is warned of %s that are too thin for the grid', kind => {
    const velocity = kind === 'sources' ? { velocity: [1, 0] } : {}
    const shape = (thickness: number) => ({ shape: 'box', min: [0.2, 0], max: [0.8, thickness], ...velocity }) as const
    expect(warningsOf({ [kind]: [shape(2.1 / 32)] })).toEqual([])
    expect(warningsOf({ [kind]: [shape(1 / 32)] })).toEqual([
      expect.stringMatching(
        new RegExp(`^${kind}\\[0\\] is 1 cells? thick, too thin for this resolution: .* by a factor of 2\\.$`),
      ),
    ])
    const small = { shape: 'sphere', centre: [0.517, 0.533], radius: 0.7 / 32, ...velocity } as const
    expect(warningsOf({ [kind]: [small] })).toEqual([expect.stringContaining(`${kind}[0] is 1.4 cells thick`)])
  })

  it('is warned of strengths of walls that cannot let go', () => {
    const block = { shape: 'box', min: [0.6, 0.4], max: [0.9, 0.6] }
    const scene = { adhesion: 30, domain: { ...BASE.domain, sides: { top: 'sticking' }, adhesion: { top: 5, left: 6 } } }
    const found = warningsOf({
      ...scene,
      solids: [
        { ...block, adhesion: 4, walls: 'sticking' },
        { ...block, adhesion: 4 },
      ],
    } as SceneInput)
    expect(found.map(text => text.split(' ')[0])).toEqual(['solids[0].adhesion', 'domain.adhesion.top'])
    expect(found[0]).toMatch(/has no effect: only separating walls let go/)
  })

  it('is warned of gaps that are too narrow, not of wedges and solids that touch', () => {
    const wall = (from: number, to: number) => ({ shape: 'box', min: [from, 0.1], max: [to, 0.9] }) as const
    expect(warningsOf({ solids: [wall(0.3, 0.5), wall(0.5 + 3 / 32, 0.8)] })).toEqual([])
    expect(warningsOf({ solids: [wall(0.3, 0.5), wall(0.5 + 1.2 / 32, 0.8)] })).toEqual([
      expect.stringMatching(
        /^A gap between solids near \(0\.52, 0\.\d+\) m is 1\.2 cells wide, too narrow for this resolution: /,
      ),
    ])
    expect(warningsOf({ solids: [wall(0.3, 0.5), wall(0.5, 0.8)] })).toEqual([])
    expect(warningsOf({ solids: [{ shape: 'sphere', centre: [0.7, 0.2], radius: 0.2 }] })).toEqual([])
  })
})
