/** What the controls of the page make of a scene. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PRESETS, presetFor, SCREEN_RATE, sceneFor, settingsFor, timesOf } from '../../page/settings.js'
import type { SceneInput } from '../../src/scene/schema.js'
import { validateScene } from '../../src/scene/validate.js'
import { project } from '../setup/working-copy.js'

const folder = join(project, 'scenes')
const names = readdirSync(folder).filter(file => file.endsWith('.json') && !file.includes('schema'))
const read = (name: string): SceneInput => JSON.parse(readFileSync(join(folder, name), 'utf8'))

describe('settings', () => {
  it.each(names)('untouched settings change nothing of %s but walls, size, and frames in the same time', name => {
    const scene = read(name)
    const settings = settingsFor(scene, 'laptop')
    const plain = validateScene(scene)
    const { resolution } = plain.domain
    for (const side of ['a', 'b'] as const) {
      const made = validateScene(sceneFor(scene, settings, side))
      expect(made.walls).toBe(side === 'a' ? 'sticking' : 'separating')
      expect(made.domain.resolution).toBe(PRESETS.laptop[scene.domain.size.length as 2 | 3])
      expect(made.time.fps).toBe(Math.max(SCREEN_RATE, plain.time.fps))
      expect(Math.abs(made.time.frames / made.time.fps - plain.time.frames / plain.time.fps)).toBeLessThan(1 / made.time.fps)
      const { fps, frames } = plain.time
      const asBefore = { walls: plain.walls, domain: { ...made.domain, resolution }, time: { ...made.time, fps, frames } }
      expect({ ...made, ...asBefore }).toEqual(plain)
      const { time } = validateScene(sceneFor(scene, { ...settings, frameRate: 0 }, side))
      expect(time).toEqual(plain.time)
    }
  })

  it('leave more frames than a screen shows to scenes that have them', () => {
    const scene: SceneInput = { ...read('splash.json'), time: { fps: 100, frames: 7 } }
    expect(validateScene(sceneFor(scene, settingsFor(scene, 'laptop'), 'a')).time).toMatchObject({ fps: 100, frames: 7 })
    expect(timesOf(scene, 0)).toEqual({ fps: 100, frames: 7 })
    expect(timesOf(scene, 20)).toEqual({ fps: 20, frames: 1 })
    expect(timesOf({ ...scene, time: undefined }, 60)).toEqual({ fps: 60, frames: 300 })
    expect(validateScene({ ...scene, time: undefined }).time).toMatchObject(timesOf({ ...scene, time: undefined }, 0))
  })

  it('scale gravity in all its directions', () => {
    const scene = { ...read('tilting-tank.json'), gravity: undefined }
    const keyframes = [
      { time: 0, value: [0, -10] },
      { time: 1, value: [3, -4] },
    ]
    const settings = settingsFor({ ...scene, gravity: keyframes } as SceneInput, 'phone')
    expect(settings.gravity).toBe(10)
    const doubled = sceneFor({ ...scene, gravity: keyframes } as SceneInput, { ...settings, gravity: 20 }, 'a')
    expect(doubled.gravity).toEqual([
      { time: 0, value: [0, -20] },
      { time: 1, value: [6, -8] },
    ])
    expect(sceneFor({ ...scene, gravity: [3, 4] } as SceneInput, { ...settings, gravity: 10 }, 'a').gravity).toEqual([6, 8])
    expect(sceneFor({ ...scene, gravity: [0, 0] } as SceneInput, { ...settings, gravity: 2 }, 'b').gravity).toEqual([0, -2])
  })

  it('make all walls stronger by one factor, or give them strength', () => {
    const scene = read('drops-one-by-one.json')
    const settings = settingsFor(scene, 'phone')
    expect(settings.adhesion).toBe(380)
    const doubled = validateScene(sceneFor(scene, { ...settings, adhesion: 760 }, 'b'))
    expect(doubled.solids.map(({ adhesion }) => adhesion)).toEqual([120, 280, 440, 600, 760])
    const plain = read('splash.json')
    expect(settingsFor(plain, 'phone').adhesion).toBe(0)
    expect(validateScene(sceneFor(plain, { ...settingsFor(plain, 'phone'), adhesion: 90 }, 'b')).adhesion).toBe(90)
    const lid: SceneInput = { ...plain, adhesion: 10, domain: { ...plain.domain, adhesion: { top: 40 } } }
    const weaker = validateScene(sceneFor(lid, { ...settingsFor(lid, 'phone'), adhesion: 20 }, 'b'))
    expect([weaker.adhesion, weaker.domain.adhesion.top]).toEqual([5, 20])
  })

  it('leave options to the solver they were written for', () => {
    const scene: SceneInput = { ...read('lai-square.json'), solver: { name: 'minmap-newton', options: { inner: 'gmres' } } }
    const settings = settingsFor(scene, 'laptop')
    expect(sceneFor(scene, settings, 'a').solver).toMatchObject({ name: 'minmap-newton', options: { inner: 'gmres' } })
    settings.a.solver = 'psor'
    expect(validateScene(sceneFor(scene, settings, 'a')).solver).toMatchObject({ name: 'psor', options: {} })
  })

  it('are small on phones and large on large machines', () => {
    expect(presetFor({ shorterSide: 390, cores: 8 })).toBe('phone')
    expect(presetFor({ shorterSide: 900, cores: 4 })).toBe('laptop')
    expect(presetFor({ shorterSide: 1080, cores: 16 })).toBe('desktop')
  })
})
