import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError } from '../../src/input-error.js'
import { loadScene, shippedScenes } from '../../src/io/scene-file.js'
import { prepareScene } from '../../src/scene/prepare.js'
import { keysAt } from '../../src/scene/schema/keys.js'
import { shapeGrammar } from '../../src/scene/schema/shape.js'
import { gridOf, validateScene } from '../../src/scene/validate.js'

type Plain = Record<string, unknown>

const flat = (more: Plain = {}): Plain => ({ version: 1, domain: { size: [2, 1], resolution: 20 }, ...more })
const deep = (more: Plain = {}): Plain => ({ version: 1, domain: { size: [1, 2, 1], resolution: 20 }, ...more })

/** The lines of the refusal, without indentation. */
function refused(value: unknown): string[] {
  try {
    validateScene(value)
  } catch (error) {
    expect(error).toBeInstanceOf(InputError)
    return (error as Error).message
      .split('\n')
      .map(line => line.replace(/^The scene:? ?/, '').trim())
      .filter(Boolean)
  }
  return []
}

describe('validateScene', () => {
  it('fills in defaults that fit the dimensions', () => {
    const scene = validateScene(flat())
    expect(scene.particles).toEqual({ perCell: 4, method: 'flip', flipRatio: 0.97, order: 3, jitter: 1, band: 0 })
    expect(scene.gravity).toEqual([0, -9.81])
    expect(scene.walls).toBe('separating')
    expect(scene.domain.sides).toEqual({ left: 'closed', right: 'closed', bottom: 'closed', top: 'closed' })
    expect(validateScene(deep())).toMatchObject({ particles: { perCell: 8 }, gravity: [0, -9.81, 0] })
  })

  it('counts cells along the longest side and rounds the others, never to nothing', () => {
    const shape = (size: number[], resolution: number) =>
      gridOf(validateScene({ version: 1, domain: { size, resolution } })).shape
    expect(shape([2, 1], 20)).toEqual([20, 10, 1])
    expect(shape([1, 3, 1.1], 30)).toEqual([10, 30, 11])
    expect(shape([1, 1], 1)).toEqual([1, 1, 1])
    expect(shape([1, 0.001, 1], 8)).toEqual([8, 1, 8])
  })

  it.each<[string, Plain, RegExp]>([
    ['a version to come', flat({ version: 2 }), /^version must be 1, not 2\.$/],
    [
      'a resolution beyond all memory',
      { version: 1, domain: { size: [1, 1], resolution: 1e9 } },
      /^domain\.resolution must be a whole/,
    ],
    [
      'too many cells',
      { version: 1, domain: { size: [1, 1, 1], resolution: 8000 } },
      /^domain is refused: A grid of 8000 × 8000/,
    ],
    ['half a cell', { version: 1, domain: { size: [1, 1], resolution: 2.5 } }, /^domain\.resolution must be a whole number/],
    ['a negative size', { version: 1, domain: { size: [1, -1], resolution: 4 } }, /^domain\.size\[1\] must be a number from/],
    ['one side', { version: 1, domain: { size: [1], resolution: 4 } }, /^domain\.size must have two or three/],
    [
      'radius 0',
      flat({ liquid: [{ shape: 'sphere', centre: [0, 0], radius: 0 }] }),
      /^liquid\[0\]\.radius must be a number from/,
    ],
    [
      'a velocity beyond light',
      flat({ liquid: [{ shape: 'everything', velocity: [1e308, 0] }] }),
      /^liquid\[0\]\.velocity\[0\] /,
    ],
    ['a number that overflowed', flat({ density: JSON.parse('1e999') }), /^density must be a number .* not Infinity\.$/],
    ['0 frames a second', flat({ time: { fps: 0 } }), /^time\.fps must be a number from 0\.1/],
    ['a film without end', flat({ time: { frames: 1e12 } }), /^time\.frames must be a whole number/],
    [
      'more substeps at least than at most',
      flat({ time: { minSubsteps: 9, maxSubsteps: 3 } }),
      /^time\.minSubsteps must not be above/,
    ],
    [
      '256 solids',
      flat({ solids: Array(256).fill({ shape: 'everything' }) }),
      /^solids must be a list of at most 255 entries, not of 256\.$/,
    ],
    [
      '3D vectors in 2D',
      flat({ liquid: [{ shape: 'sphere', centre: [0, 0, 0], radius: 1 }] }),
      /^liquid\[0\]\.centre must be two numbers/,
    ],
    [
      '2D vectors in 3D',
      deep({ gravity: [0, -1] }),
      /^gravity must be three numbers, since the domain has 3 sides, not \[0, -1\]\.$/,
    ],
    [
      'a number as rotation in 3D',
      deep({ solids: [{ shape: 'everything', rotate: 4 }] }),
      /^solids\[0\]\.rotate must be an object with the keys axis, angle/,
    ],
    ['a 3D shape in 2D', flat({ solids: [{ shape: 'torus' }] }), /^solids\[0\]\.shape "torus" is not a shape in 2D/],
    ['a 2D shape in 3D', deep({ solids: [{ shape: 'polygon' }] }), /^solids\[0\]\.shape "polygon" is not a shape in 3D/],
    ['a mesh in 2D', flat({ solids: [{ mesh: 'a.obj' }] }), /^solids\[0\]\.mesh needs a 3D scene/],
    [
      'front and back in 2D',
      { version: 1, domain: { size: [1, 1], resolution: 4, sides: { front: 'open' } } },
      /^domain\.sides\.front is not known/,
    ],
    [
      'a shape misspelt',
      flat({ liquid: [{ shape: 'spere' }] }),
      /^liquid\[0\]\.shape "spere" is not a shape in 2D \(did you mean "sphere"\?\)/,
    ],
    [
      'a choice misspelt',
      flat({ walls: 'seperating' }),
      /^walls must be one of separating, sticking, .*did you mean "separating"/,
    ],
    ['a key misspelt', flat({ tme: {} }), /^tme is not known here \(did you mean "time"\?\)/],
    [
      'a key misspelt within shapes',
      flat({ solids: [{ shape: 'complement', of: { shape: 'shell', of: { shape: 'everything' }, thicknes: 1, thickness: 1 } }] }),
      /^solids\[0\]\.of\.thicknes is not known here \(did you mean "thickness"/,
    ],
    [
      'a key beside a mesh',
      deep({ solids: [{ mesh: 'a.obj', scal: 1 }] }),
      /^solids\[0\]\.scal is not known here \(did you mean "scale"/,
    ],
    [
      'a mesh that is no path',
      deep({ solids: [{ mesh: 3, scale: 2 }] }),
      /^solids\[0\]\.mesh must be a string of at most 1000 characters, not 3\.$/,
    ],
    [
      'a box inside out',
      flat({ liquid: [{ shape: 'box', min: [0, 1], max: [1, 1] }] }),
      /^liquid\[0\]\.max\[1\] must be above min, 1\.$/,
    ],
    [
      'a normal of no length',
      flat({ liquid: [{ shape: 'halfSpace', point: [0, 1], normal: [0, 0] }] }),
      /^liquid\[0\]\.normal must be a direction/,
    ],
    [
      'a cylinder of no length',
      deep({ solids: [{ shape: 'cylinder', from: [0, 0, 0], to: [0, 0, 0], radius: 1 }] }),
      /^solids\[0\]\.to must not/,
    ],
    [
      'an empty union',
      flat({ solids: [{ shape: 'union', of: [] }] }),
      /^solids\[0\]\.of must be a list of 1 to 1000 entries, not of 0\.$/,
    ],
    [
      'a source that ends before it begins',
      flat({ sources: [{ shape: 'everything', velocity: [0, 0], after: 2, until: 1 }] }),
      /^sources\[0\]\.until must be later/,
    ],
    [
      'a solver that does not exist',
      flat({ solver: { name: 'nas-mgcg' } }),
      /^solver\.name is refused: Unknown solver .*did you mean "nas-mgpcg"/,
    ],
    [
      'an option that it does not have',
      flat({ solver: { name: 'psor', options: { omga: 1 } } }),
      /^solver\.options is refused: psor has no option "omga"/,
    ],
    [
      'gravity that goes back in time',
      flat({
        gravity: [
          { time: 1, value: [0, 0] },
          { time: 1, value: [0, 1] },
        ],
      }),
      /^gravity\[1\]\.time must be later/,
    ],
    ['a keyframe of gravity without value', flat({ gravity: [{ time: 1 }] }), /^gravity\[0\]\.value is missing/],
    ['something kept twice', flat({ output: { keep: ['surface', 'surface'] } }), /^output\.keep must not repeat an entry/],
    [
      'a rotation about nothing',
      flat({ solids: [{ shape: 'everything', motion: { keyframes: [{ time: 0, rotation: 3 }] } }] }),
      /^solids\[0\]\.motion\.pivot is missing/,
    ],
    [
      'keyframes out of order',
      flat({ solids: [{ shape: 'everything', motion: { keyframes: [{ time: 1 }, { time: 0 }] } }] }),
      /^solids\[0\]\.motion\.keyframes\[1\]\.time must be later/,
    ],
    [
      'a period that is too short',
      flat({ solids: [{ shape: 'everything', motion: { repeat: 1, keyframes: [{ time: 1 }, { time: 3 }] } }] }),
      /^solids\[0\]\.motion\.repeat must be at least/,
    ],
    [
      'a jump at the end of a period',
      flat({ solids: [{ shape: 'everything', motion: { repeat: 2, keyframes: [{ time: 1 }, { time: 3, position: [1, 0] }] } }] }),
      /^solids\[0\]\.motion\.repeat would make the shape jump/,
    ],
    [
      'a source without a flow',
      flat({ sources: [{ shape: 'everything' }] }),
      /^sources\[0\]\.velocity is missing; give velocity, or/,
    ],
    [
      'a source with a velocity and a flow rate',
      flat({ sources: [{ shape: 'everything', velocity: [1, 0], flowRate: 1 }] }),
      /^sources\[0\]\.flowRate must not be given together with velocity; give direction instead/,
    ],
    [
      'a source with a velocity and a direction',
      flat({ sources: [{ shape: 'everything', velocity: [1, 0], direction: [1, 0] }] }),
      /^sources\[0\]\.direction must not be given together with velocity; give flowRate instead/,
    ],
    [
      'a flow rate without a direction',
      flat({ sources: [{ shape: 'everything', flowRate: 1 }] }),
      /^sources\[0\]\.direction is missing: flowRate needs/,
    ],
    [
      'a direction without a flow rate',
      flat({ sources: [{ shape: 'everything', direction: [1, 0] }] }),
      /^sources\[0\]\.flowRate is missing; give velocity, or/,
    ],
    [
      'a negative flow rate of a source',
      flat({ sources: [{ shape: 'everything', direction: [1, 0], flowRate: -1 }] }),
      /^sources\[0\]\.flowRate must be a number from 1e-12 to/,
    ],
    [
      'a negative flow rate of a drain',
      flat({ drains: [{ shape: 'everything', flowRate: -1 }] }),
      /^drains\[0\]\.flowRate must be a number from 1e-12 to/,
    ],
    [
      'a direction of no length',
      flat({ sources: [{ shape: 'everything', direction: [0, 0], flowRate: 1 }] }),
      /^sources\[0\]\.direction must be a direction/,
    ],
    [
      'a drain whose motion jumps back in time',
      flat({ drains: [{ shape: 'everything', motion: { keyframes: [{ time: 1 }, { time: 0 }] } }] }),
      /^drains\[0\]\.motion\.keyframes\[1\]\.time must be later/,
    ],
  ])('refuses %s', (_, value, line) => {
    const lines = refused(value)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(line)
  })

  it('lets a full turn repeat', () => {
    const motion = {
      repeat: 2,
      pivot: [0, 0],
      keyframes: [
        { time: 0, rotation: 10 },
        { time: 2, rotation: 370 },
      ],
    }
    expect(refused(flat({ solids: [{ shape: 'everything', motion }] }))).toEqual([])
  })

  it('has no key of liquid, solids, sources or drains that is also a key of a shape', () => {
    for (const dims of [2, 3] as const) {
      const { kinds, placement } = shapeGrammar(dims)
      const taken = new Set([
        'shape',
        'mesh',
        ...Object.keys(placement),
        ...Object.values(kinds).flatMap(kind => Object.keys(kind.keys)),
      ])
      for (const list of ['liquid', 'solids', 'sources', 'drains']) {
        const own = keysAt([list, '0'], { shape: 'everything' })!.filter(
          key => !['shape', ...Object.keys(placement)].includes(key),
        )
        expect(own.filter(key => taken.has(key))).toEqual([])
      }
    }
    // A capsule that is a source keeps both its ends.
    const pipe = { shape: 'capsule', from: [0, 0], to: [1, 0], radius: 0.1 }
    expect(refused(flat({ sources: [{ ...pipe, velocity: [1, 0], after: 1 }], drains: [pipe] }))).toEqual([])
    expect(refused(flat({ drains: [{ ...pipe, from: 3 }] }))[0]).toMatch(/^drains\[0\]\.from must be two numbers/)
  })

  it('names everything that is wrong, a line each, and stops at twenty', () => {
    const several = flat({ densty: 1, walls: 3, time: { fps: 'fast', cfl: -1 } })
    expect(refused(several).map(line => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['densty', 'walls', 'time.fps', 'time.cfl']),
    )
    expect(refused(several)).toHaveLength(4)
    const many = refused(flat({ solids: Array(100).fill({ shape: 'sphere' }) }))
    expect(many).toHaveLength(21)
    expect(many[20]).toBe('… and 180 more.')
  })

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'scene'],
    ['a number', 3],
    ['nothing', undefined],
  ])('refuses %s as a scene', (_, value) => {
    expect(refused(value)[0]).toMatch(/must be an object/)
  })

  it('refuses what is nested without end, before it reaches the end of the stack', () => {
    let shape: Plain = { shape: 'everything' }
    for (let level = 0; level < 100_000; level++) shape = { shape: 'complement', of: shape }
    expect(refused(flat({ solids: [shape] }))[0]).toMatch(/more than 60 levels/)
    const circle: Plain = { shape: 'complement' }
    circle.of = circle
    expect(refused(flat({ solids: [circle] }))[0]).toMatch(/more than 60 levels/)
  })

  it('throws nothing but InputErrors, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
        refused(value)
        refused({ version: 1, domain: { size: [1, 1], resolution: 3 }, ...(value as object) })
      }),
      { numRuns: 300 },
    )
  })

  it('accepts or refuses scenes with one value replaced, and what it accepts can be prepared', async () => {
    const scenes: Plain[] = []
    for (const name of (await shippedScenes()).filter(name => name !== 'bowl'))
      scenes.push(JSON.parse(JSON.stringify((await loadScene(name, [['domain.resolution', 3]])).scene)))
    const places = (value: unknown): [Plain, string][] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.keys(value).flatMap(key => [[value as Plain, key], ...places((value as Plain)[key])] as [Plain, string][])
    const odd = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        '',
        'everything',
        -1,
        0,
        1e308,
        -1e308,
        5e-324,
        Number.MAX_SAFE_INTEGER,
        [],
        {},
        true,
        '__proto__',
      ),
      fc.double(),
      fc.jsonValue({ maxDepth: 2 }),
    )
    let accepted = 0
    fc.assert(
      fc.property(fc.nat(), fc.nat(), odd, (which, where, value) => {
        const scene = structuredClone(scenes[which % scenes.length])
        const all = places(scene)
        const [holder, key] = all[where % all.length]
        holder[key] = value
        if (refused(scene).length > 0) return
        const checked = validateScene(scene)
        if (Math.max(...gridOf(checked).shape) > 64) return
        accepted++
        const { liquid, solids } = prepareScene(checked)
        for (const { phi } of liquid) expect(phi(0.3, 0.4, 0)).not.toBeNaN()
        for (const { phiAt } of solids) expect(phiAt(0.7)(0.3, 0.4, 0)).not.toBeNaN()
      }),
      { numRuns: 600 },
    )
    expect(accepted).toBeGreaterThan(20)
  })
})
