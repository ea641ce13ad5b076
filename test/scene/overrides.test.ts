import { describe, expect, it } from 'vitest'
import { InputError } from '../../src/input-error.js'
import { parseOverride, setScenePath } from '../../src/scene/overrides.js'

const scene = () => ({
  version: 1,
  domain: { size: [1, 1], resolution: 8 },
  solids: [{ shape: 'sphere', centre: [0, 0], radius: 1 }, { shape: 'everything' }],
})

function set(path: string, value: unknown): ReturnType<typeof scene> {
  const changed = scene()
  setScenePath(changed, path, value)
  return changed
}

describe('--set', () => {
  it('reads values as JSON where they are JSON, and as texts otherwise', () => {
    expect(parseOverride('time.frames=12')).toEqual(['time.frames', 12])
    expect(parseOverride('gravity=[0,-1]')).toEqual(['gravity', [0, -1]])
    expect(parseOverride('walls=sticking')).toEqual(['walls', 'sticking'])
    expect(parseOverride('title=a = b')).toEqual(['title', 'a = b'])
    expect(() => parseOverride('walls')).toThrow(InputError)
    expect(() => parseOverride('=3')).toThrow(InputError)
  })

  it('changes what is there and what is left to defaults', () => {
    expect(set('domain.resolution', 4).domain.resolution).toBe(4)
    expect(set('solids[0].centre.1', 5).solids[0]).toEqual({ shape: 'sphere', centre: [0, 5], radius: 1 })
    expect(set('solids.1.friction', 0.5).solids[1]).toEqual({ shape: 'everything', friction: 0.5 })
    expect(set('time.frames', 3)).toMatchObject({ time: { frames: 3 } })
    expect(set('output.pictures.every', 3)).toMatchObject({ output: { pictures: { every: 3 } } })
    expect(set('solver.options.anything', 3)).toMatchObject({ solver: { options: { anything: 3 } } })
  })

  it.each([
    ['tim.frames', /a scene has no key "tim" \(did you mean "time"\?\)/],
    ['time.frame', /time has no key "frame" \(did you mean "frames"\?\)/],
    ['solids.2.friction', /solids has 2 entries, counted from 0; "2" is not one of them/],
    ['solids.first.friction', /"first" is not one of them/],
    ['solids.0.thickness', /solids\.0 has no key "thickness"/],
    ['domain.resolution.x', /domain\.resolution is a single value/],
    ['__proto__.polluted', /a path consists of keys/],
    ['domain..size', /a path consists of keys/],
    ['constructor.prototype', /no key "constructor"/],
  ])('refuses %s', (path, message) => {
    expect(() => set(path, 1)).toThrow(InputError)
    expect(() => set(path, 1)).toThrow(message)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
