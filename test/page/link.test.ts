/** Links: what goes in comes out, and what is no link is said to be none. */
import { describe, expect, it } from 'vitest'
import { formatLink, MAX_LINK_LENGTH, packMesh, parseLink, unpackMesh } from '../../page/link/link.js'
import { linkOf, type OwnScene, type PageState, stateOf } from '../../page/link/page-state.js'
import type { RecordedEvent, Recording } from '../../page/link/recording.js'
import { liveOf, settingsFor } from '../../page/settings.js'
import { InputError } from '../../src/input-error.js'
import type { TriangleMesh } from '../../src/scene/mesh.js'
import type { SceneInput } from '../../src/scene/schema.js'

const scene: SceneInput = {
  version: 1,
  domain: { size: [1, 1, 1], resolution: 16 },
  liquid: [{ shape: 'box', min: [0, 0, 0], max: [0.5, 0.5, 1] }],
}
const settings = settingsFor(scene, 'phone')
const cube = (scale: number): TriangleMesh => ({
  positions: Float64Array.from({ length: 24 }, (_, at) => scale * ((at % 3 === 0 ? at >> 2 : at % 3 === 1 ? at >> 1 : at) & 1)),
  triangles: Uint32Array.from([0, 1, 2, 5, 6, 7]),
  collapsed: 0,
})
const link = (letters: (all: string) => string) => letters(formatLink({ a: 'some words of content that can be packed' }))

describe('a link', () => {
  it('brings back any content, in letters that addresses have', () => {
    const content = { text: 'Flüssigkeit «löst» sich ∇p', list: [1.1e-300, -0.1, null, true], deep: { er: [] } }
    const made = formatLink(content)
    expect(made).toMatch(/^#v1\.[\w-]+$/)
    expect(new URL(`https://example.org/${made}`).hash).toBe(made)
    expect(parseLink(made)).toEqual(content)
  })

  it('is none where there is nothing', () => {
    expect(parseLink('')).toBeUndefined()
    expect(parseLink('#')).toBeUndefined()
  })

  it.each([
    ['a foreign one', '#section-3', 'not a link of Peel'],
    [
      'that of another version',
      link(all => all.replace('v1', 'v7')),
      'version 7, and this page supports version 1; open it with a newer',
    ],
    ['one cut off', link(all => all.slice(0, -3)), 'damaged'],
    ['one cut off very short', '#v1.AAAA', 'damaged'],
    ['one with a letter changed', link(all => all.slice(0, 20) + (all[20] === 'x' ? 'y' : 'x') + all.slice(21)), 'damaged'],
    ['one with another checksum', link(all => all.slice(0, 5) + (all[5] === 'x' ? 'y' : 'x') + all.slice(6)), 'damaged'],
    ['one that would fill the memory', formatLink('a'.repeat(4_100_000)), 'damaged'],
  ])('%s is refused in one sentence', (_, hash, message) => {
    expect(() => parseLink(hash)).toThrow(InputError)
    expect(() => parseLink(hash)).toThrow(message)
  })
})

describe('a mesh in a link', () => {
  it.each([
    [4, 0.5],
    [8, 1 / 3],
  ])('keeps its bits in %i bytes a coordinate', (width, scale) => {
    const mesh = cube(scale)
    const packed = packMesh(mesh)
    expect(packed.width).toBe(width)
    expect(unpackMesh(JSON.parse(JSON.stringify(packed)), 'cube.obj')).toEqual(mesh)
  })

  it.each([
    ['no mesh', 7],
    ['a vertex that is not there', { ...packMesh(cube(1)), positions: packMesh(cube(1)).positions.slice(0, 16) }],
    ['no triangle', { ...packMesh(cube(1)), triangles: '' }],
    ['bytes missing', { ...packMesh(cube(1)), triangles: packMesh(cube(1)).triangles.slice(0, 10) }],
    ['no letters', { ...packMesh(cube(1)), triangles: '<>' }],
  ])('%s is refused', (_, packed) => {
    expect(() => unpackMesh(packed, 'cube.obj')).toThrow('The link has no valid mesh cube.obj')
  })
})

describe('the state of the page in a link', () => {
  const own: OwnScene = { name: 'own', scene, meshes: new Map([['cube.obj', cube(1 / 3)]]) }

  const start = liveOf(settings)
  const recording: Recording = { frame: 0, start, events: [] }
  const stir = { place: [0.1, 0.2, 0], velocity: [1, -2, 0], radius: 0.1 } as const

  it.each<[string, PageState]>([
    [
      'a shipped scene',
      {
        scene: { shipped: 'splash' },
        settings: { ...settings, resolution: 33, a: { walls: 'sticking', solver: 'psor' } },
        recording: { ...recording, frame: 37 },
        playing: false,
        tool: 'look',
      },
    ],
    [
      'a scene of its own with a mesh',
      { scene: own, settings, look: { view: 'water', camera: [1, 2, 3] }, recording, playing: true },
    ],
    [
      'a liquid that was stirred, tilted and changed',
      {
        scene: own,
        settings,
        recording: {
          frame: 9,
          start: { ...start, a: { walls: 'separating', solver: 'psor' } },
          events: [
            { at: 0, influence: { gravity: [1, -9, 0] } },
            { at: 3, live: { ...start, tolerance: 1e-2 }, influence: { stir, obstacle: { centre: [1, 2, 3], radius: 1 } } },
            { at: 9, influence: { gravity: null, obstacle: null } },
          ],
        },
      },
    ],
    [
      'a page in the dark, with something unfolded and edits to undo',
      {
        scene: own,
        settings,
        recording,
        tool: 'edit',
        dark: true,
        unfolded: ['tilt', 'liquid'],
        past: [{ shipped: 'splash' }, { ...own, scene: { ...scene, liquid: [] } }],
      },
    ],
  ])('comes back: %s', (_, state) => {
    const { link, hasEvents } = linkOf(state)
    expect(stateOf(link, settings)).toEqual(state)
    expect(hasEvents).toBe(true)
  })

  it('without a recording begins at the start, tilted as it says', () => {
    const old = formatLink({ scene: { shipped: 'splash' }, settings, gravity: [1, -9, 0] })
    expect(stateOf(old, settings)).toEqual({
      scene: { shipped: 'splash' },
      settings,
      recording: { frame: 0, start, events: [{ at: 0, influence: { gravity: [1, -9, 0] } }] },
    })
  })

  it('reads links of before, with the former name of the export panel', () => {
    const course = { frame: 3, start, deeds: [{ at: 1, influence: { gravity: [1, -9, 0] } }] }
    const old = formatLink({ scene: { shipped: 'splash' }, settings, course, unfolded: ['take-away', 'tilt'] })
    expect(stateOf(old, settings)).toEqual({
      scene: { shipped: 'splash' },
      settings,
      recording: { frame: 3, start, events: course.deeds },
      unfolded: ['export', 'tilt'],
    })
  })

  it('leaves out the way where that is too long, but not where it leads to', () => {
    const number = (at: number) => Number(Math.abs(Math.sin(at * at)).toPrecision(5))
    const place = (at: number) => [number(at), number(at + 0.1), number(at + 0.2)] as const
    const events = Array.from({ length: 1500 }, (_, at): RecordedEvent => {
      const brush = { place: place(at), velocity: place(at + 0.3), radius: 0.1 }
      return { at, influence: { stir: brush, ...(at === 7 && { gravity: [1, -9, 0] as const }) } }
    })
    const long = { frame: 2000, start: { ...start, tolerance: 1e-2 }, events }
    const { link, hasEvents } = linkOf({ scene: own, settings, recording: long })
    expect(hasEvents).toBe(false)
    expect(stateOf(link, settings)?.recording).toEqual({
      frame: 2000,
      start,
      events: [{ at: 2000, influence: { gravity: [1, -9, 0] } }],
    })
    // Half a minute of stirring fits.
    expect(linkOf({ scene: own, settings, recording: { ...long, events: events.slice(0, 500) } }).hasEvents).toBe(true)
  })

  it('holds the last steps of the editor, as many as there is room for', () => {
    const step = (drops: number, from: number): OwnScene => ({
      name: 'own',
      scene: {
        ...scene,
        liquid: Array.from({ length: drops }, (_, at) => ({
          shape: 'sphere' as const,
          centre: [Math.sin(from + at), Math.cos(from + at), 0],
          radius: 0.1,
        })),
      },
    })
    const kept = (past: readonly OwnScene[]) => {
      const { link, hasEvents } = linkOf({
        scene: own,
        settings,
        recording: { ...recording, frame: 1, events: [{ at: 0 }] },
        past,
      })
      expect(hasEvents).toBe(true)
      expect(link.length).toBeLessThanOrEqual(MAX_LINK_LENGTH)
      return (stateOf(link, settings)!.past ?? []).map(step => ('scene' in step ? step.scene.liquid!.length : -1))
    }
    // Drops that were added one by one: most of a step is as in the one before.
    const one = Array.from({ length: 40 }, (_, drops) => step(drops, 0))
    expect(kept(one)).toEqual(one.slice(-24).map((_, at) => at + 16))
    // Nothing of a step is as in the one before.
    const others = Array.from({ length: 24 }, (_, at) => step(70 + at, 100 * at))
    const some = kept(others)
    expect(some.length).toBeGreaterThan(1)
    expect(some.length).toBeLessThan(24)
    expect(some.at(-1)).toBe(93)
    expect(kept([step(900, 0)])).toEqual([])
  })

  const course = { frame: 0, start, deeds: [] }
  const withEvents = (...deeds: unknown[]) => ({ scene: own, settings, course: { frame: 2, start, deeds } })

  it('is refused where it is too long, with what to do', () => {
    const large = { ...cube(1), positions: Float64Array.from({ length: 9000 }, (_, at) => Math.sin(at * at)) }
    const state = { scene: { ...own, meshes: new Map([['teapot.obj', large]]) }, settings, recording }
    expect(() => linkOf(state)).toThrow(
      /more than the 24000 .* the mesh teapot\.obj .* copy the scene as JSON instead and keep the mesh/,
    )
    const many = Array.from(
      { length: 999 },
      (_, at) => ({ shape: 'sphere', centre: [Math.sin(at), Math.cos(at), 0], radius: 0.1 }) as const,
    )
    expect(() => linkOf({ scene: { name: 'own', scene: { ...scene, liquid: many } }, settings, recording })).toThrow(
      'the scene is too large',
    )
    expect(linkOf({ scene: own, settings, recording }).link.length).toBeLessThan(MAX_LINK_LENGTH / 10)
  })

  it('of before frames could be chosen has those of its scene', () => {
    const { frameRate: _, colours: __, ...older } = settings
    const read = stateOf(formatLink({ scene: { shipped: 'splash' }, settings: older }), settings)?.settings
    expect(read).toMatchObject({ frameRate: 0, colours: 'water' })
  })

  it.each<readonly [string, unknown, string]>([
    ['of something else', [1, 2], 'was not made by this page'],
    ['without a scene', { settings }, 'has no scene'],
    ['without settings', { scene: own }, 'has no settings'],
    [
      'with another kind of setting',
      { scene: { shipped: 'x' }, settings: { ...settings, resolution: 'high' } },
      'settings.resolution',
    ],
    ['with another view', { scene: { shipped: 'x' }, settings: { ...settings, view: 'xray' } }, 'settings.view'],
    [
      'with markup for a solver',
      { scene: { shipped: 'x' }, settings: { ...settings, b: { ...settings.b, solver: '<b>' } } },
      '<b>',
    ],
    [
      'with other walls',
      { scene: { shipped: 'x' }, settings: { ...settings, a: { ...settings.a, walls: '<b>' } } },
      'settings.a.walls',
    ],
    ['with unknown colours', { scene: { shipped: 'x' }, settings: { ...settings, colours: 'mud' } }, 'settings.colours'],
    ['with absurd frames', { scene: { shipped: 'x' }, settings: { ...settings, frameRate: -3 } }, 'settings.frameRate'],
    [
      'with a slice elsewhere',
      { scene: { shipped: 'x' }, settings: { ...settings, slicePosition: 7 } },
      'settings.slicePosition',
    ],
    ['with half a side', { scene: { shipped: 'x' }, settings: { ...settings, b: {} } }, 'settings.b.walls'],
    ...[-1, 1.5, null, '37', 1e300].map(
      frame => [`to frame ${frame}`, { scene: own, settings, course: { ...course, frame } }, 'has no valid frame'] as const,
    ),
    ['with half a recording', { scene: own, settings, course: 7 }, 'has no valid course'],
    ['without the start of its recording', { scene: own, settings, course: { ...course, start: {} } }, 'course.start.a'],
    ['with an event after its end', withEvents({ at: 3 }), 'has no valid course.deeds[0]'],
    ['with events in another order', withEvents({ at: 2 }, { at: 1 }), 'has no valid course.deeds[1]'],
    ['with markup on the way', withEvents({ at: 1, live: { ...start, a: { walls: 'sticking', solver: '<b>' } } }), '<b>'],
    ['with half a brush', withEvents({ at: 1, influence: { stir: { ...stir, place: [1] } } }), 'course.deeds[0].influence'],
    [
      'with an empty ball',
      withEvents({ at: 1, influence: { obstacle: { centre: [1, 1, 1], radius: 0 } } }),
      'deeds[0].influence',
    ],
    ['with gravity of one number', withEvents({ at: 1, influence: { gravity: 9 } }), 'course.deeds[0].influence'],
    ['with half a past', { scene: own, settings, past: { shipped: 'splash' } }, 'has no valid past'],
    [
      'with a broken scene in its past',
      { scene: own, settings, past: [{ scene: { version: 1 } }] },
      'The scene of the link: domain',
    ],
    ['with a long past', { scene: own, settings, past: Array(99).fill({ shipped: 'splash' }) }, 'has no valid past'],
    ['with a broken scene', { scene: { name: 'own', scene: { version: 1 } }, settings }, 'The scene of the link: domain'],
  ])('a link %s is refused', (_, content, message) => {
    expect(() => stateOf(formatLink(content), settings)).toThrow(InputError)
    expect(() => stateOf(formatLink(content), settings)).toThrow(message)
  })

  it('leaves out settings that this page does not know', () => {
    const content = { scene: { shipped: 'x' }, settings: { ...settings, more: 1 } }
    expect(stateOf(formatLink(content), settings)?.settings).toEqual(settings)
  })
})
