/** Edits of scenes: what is drawn is in the scene, what is cut away is not, and the scene stays one that runs. */
import { describe, expect, it } from 'vitest'
import {
  addShape,
  ballBetween,
  boxBetween,
  clearScene,
  cutAway,
  entryOf,
  extentOf,
  lengthsOf,
  moveShape,
  partAlong,
  partAt,
  partsOf,
  removeShape,
  replaceShape,
  sizeShape,
  strokeShape,
  thinOut,
} from '../../page/editor/edit-scene.js'
import { fitMesh, freeName, placeMesh } from '../../page/editor/place-mesh.js'
import { gravityOfDevice, gravityOfPad, padOfGravity } from '../../page/tools/tilt.js'
import { InputError } from '../../src/input-error.js'
import { prepareScene } from '../../src/scene/prepare.js'
import type { Shape } from '../../src/scene/schema/shape.js'
import type { SceneInput } from '../../src/scene/schema.js'
import { validateScene } from '../../src/scene/validate.js'

const flat: SceneInput = { version: 1, domain: { size: [2, 1], resolution: 32 } }
const deep: SceneInput = { version: 1, domain: { size: [2, 1, 1], resolution: 32 } }
const ball: Shape = { shape: 'sphere', centre: [0.5, 0.5], radius: 0.2 }
const block: Shape = { shape: 'box', min: [1, 0, 0], max: [1.5, 0.5, 0.5] }

/** Signed distance of all liquid or all solids of a scene, as a simulation sees them. */
function phi(scene: SceneInput, material: 'liquid' | 'solids', x: number, y: number, z = 0): number {
  const setting = prepareScene(validateScene(scene))
  const all = material === 'liquid' ? setting.liquid.map(body => body.phi) : setting.solids.map(solid => solid.phiAt(0))
  return Math.min(...all.map(distance => distance(x, y, z)), Infinity)
}

describe('drawing', () => {
  it('a stroke holds all points near its line, and no others', () => {
    const line = Array.from({ length: 60 }, (_, n) => [0.4 + n * 0.02, 0.5 + 0.2 * Math.sin(n / 6)])
    const scene = addShape(flat, 'liquid', strokeShape(line, 0.05))
    for (const [x, y] of line) {
      expect(phi(scene, 'liquid', x, y)).toBeLessThan(-0.05 + 0.25 * 0.05 + 1e-6)
      expect(phi(scene, 'liquid', x, y + 0.12)).toBeGreaterThan(0)
    }
    expect(JSON.stringify(scene).length).toBeLessThan(JSON.stringify(line).length * 2)
  })

  it('a stroke that goes nowhere is a dot', () => {
    const dot = { shape: 'sphere', centre: [0.3, 0.4], radius: 0.1 }
    expect(strokeShape([[0.3, 0.4]], 0.1)).toEqual(dot)
    expect(
      strokeShape(
        [
          [0.3, 0.4],
          [0.3, 0.4],
        ],
        0.1,
      ),
    ).toEqual(dot)
    expect(
      strokeShape(
        [
          [0.3, 0.4],
          [0.4, 0.4],
          [0.3, 0.4],
        ],
        0.1,
      ).shape,
    ).toBe('union')
  })

  it('thins a line out no farther than it may', () => {
    const line = Array.from({ length: 200 }, (_, n) => [n / 100, Math.sin(n / 20)])
    const fewer = thinOut(line, 0.01)
    expect(fewer.length).toBeLessThan(40)
    for (const [x, y] of line) {
      const at = fewer.findIndex(([next]) => next >= x)
      const [[x0, y0], [x1, y1]] = [fewer[Math.max(0, at - 1)], fewer[at]]
      const s = x1 === x0 ? 0 : (x - x0) / (x1 - x0)
      expect(Math.abs(y0 + s * (y1 - y0) - y)).toBeLessThan(0.06)
    }
  })

  it('boxes and balls go from corner to corner, whichever way, and are none when tiny', () => {
    expect(boxBetween([0.5, 0.2], [0.1, 0.6], 0.01)).toEqual({ shape: 'box', min: [0.1, 0.2], max: [0.5, 0.6] })
    expect(boxBetween([0.5, 0.2], [0.1, 0.205], 0.01)).toBeUndefined()
    expect(ballBetween([0.5, 0.2], [0.5, 0.5], 0.01)).toEqual({ shape: 'sphere', centre: [0.5, 0.2], radius: 0.3 })
    expect(ballBetween([0.5, 0.2], [0.5, 0.2], 0.01)).toBeUndefined()
  })
})

describe('erasing', () => {
  const start: SceneInput = {
    ...flat,
    liquid: [
      { ...ball, velocity: [1, 0] },
      { shape: 'box', min: [1, 0], max: [1.5, 0.5] },
    ] as SceneInput['liquid'],
    solids: [{ shape: 'sphere', centre: [0.5, 0.5], radius: 0.1, friction: 0.5, walls: 'sticking' }],
  }

  it('cuts away liquid and solids where it goes, and keeps what they were', () => {
    const cut = cutAway(
      start,
      strokeShape(
        [
          [0.5, 0.3],
          [0.5, 0.9],
        ],
        0.05,
      ),
    )
    expect(phi(cut, 'liquid', 0.5, 0.5)).toBeGreaterThan(0)
    expect(phi(cut, 'solids', 0.5, 0.5)).toBeGreaterThan(0)
    expect(phi(cut, 'liquid', 0.62, 0.5)).toBeLessThan(0)
    expect(phi(cut, 'solids', 0.57, 0.5)).toBeLessThan(0)
    expect(prepareScene(validateScene(cut)).liquid[0].velocity(0, 0, 0)).toEqual([1, 0, 0])
    expect(prepareScene(validateScene(cut)).solids[0]).toMatchObject({ friction: 0.5, walls: 'sticking' })
  })

  it('leaves alone what it does not touch', () => {
    const cut = cutAway(start, { shape: 'sphere', centre: [1.2, 0.2], radius: 0.1 })
    expect(cut.liquid![0]).toBe(start.liquid![0])
    expect(cut.solids).toBe(start.solids)
    expect(cutAway(start, { shape: 'sphere', centre: [1.9, 0.9], radius: 0.05 })).toBe(start)
  })

  it('does not nest deeper with every stroke', () => {
    let scene = start
    for (let n = 0; n < 100; n++) scene = cutAway(scene, { shape: 'sphere', centre: [0.5, 0.5], radius: 0.01 + n / 1000 })
    expect(() => validateScene(scene)).not.toThrow()
    expect(phi(scene, 'liquid', 0.5, 0.6)).toBeGreaterThan(0)
  })

  it('clears all but the tank, and takes single parts away', () => {
    const cleared = clearScene({ ...start, sources: [{ ...ball, velocity: [1, 0] }] as SceneInput['sources'] })
    expect(partsOf(cleared)).toEqual([])
    expect(cleared.sources).toEqual([])
    expect(cleared.domain).toBe(start.domain)
    const fewer = removeShape(start, { material: 'liquid', at: 0 })
    expect(fewer.liquid).toEqual([start.liquid![1]])
    expect(partsOf(start)).toHaveLength(3)
  })
})

describe('pointing at parts', () => {
  const scene = addShape(addShape(deep, 'liquid', block), 'solids', { shape: 'sphere', centre: [1.2, 0.2, 0.2], radius: 0.1 })

  it('finds the last one there, solids first', () => {
    expect(partAt(scene, [1.2, 0.2, 0.2])).toEqual({ material: 'solids', at: 0 })
    expect(partAt(scene, [1.4, 0.4, 0.4])).toEqual({ material: 'liquid', at: 0 })
    expect(partAt(scene, [0.1, 0.1, 0.1])).toBeUndefined()
  })

  it('finds the first one along a ray, within the domain only', () => {
    expect(partAlong(scene, [0, 0.2, 0.2], [1, 0, 0], 3)).toEqual({ material: 'liquid', at: 0 })
    expect(partAlong(scene, [1.2, 3, 0.2], [0, -1, 0], 5)).toEqual({ material: 'liquid', at: 0 })
    expect(partAlong(scene, [0, 0.9, 0.2], [1, 0, 0], 3)).toBeUndefined()
    const outside = addShape(deep, 'solids', { shape: 'halfSpace', point: [0, 0, 0], normal: [0, 1, 0] })
    expect(partAlong(outside, [1, 3, 0.5], [0, -1, 0], 5)).toBeUndefined()
  })
})

describe('moving and sizing', () => {
  const turned: Shape = { ...block, rotate: { axis: [0, 0, 1], angle: 30 } }
  const strokes: Shape = { shape: 'union', of: [ball, { shape: 'capsule', from: [0.5, 0.5], to: [0.9, 0.5], radius: 0.1 }] }

  it.each<[string, Shape, 2 | 3]>([
    ['a ball', { ...ball }, 2],
    ['a box', block, 3],
    ['a turned box', turned, 3],
    ['strokes', strokes, 2],
  ])('%s goes where it is moved, and grows about its middle', (_, shape, dims) => {
    const way = [0.1, -0.2, 0.3].slice(0, dims)
    const before = extentOf(shape, dims)!
    const after = extentOf(moveShape(shape, way), dims)!
    after.centre.forEach((value, axis) => {
      expect(value).toBeCloseTo(before.centre[axis] + way[axis], 9)
    })
    const twice = sizeShape(shape, { dims, axis: 0, length: 2 * before.size[0], least: 0.01 })
    const larger = extentOf(twice, dims)!
    expect(larger.size[0]).toBeCloseTo(2 * before.size[0], 9)
    expect(larger.size[1]).toBeCloseTo(lengthsOf(shape, dims) > 1 ? before.size[1] : 2 * before.size[1], 9)
    larger.centre.forEach((value, axis) => {
      expect(value).toBeCloseTo(before.centre[axis], 9)
    })
    const scene = replaceShape(addShape(dims === 2 ? flat : deep, 'solids', shape), { material: 'solids', at: 0 }, twice)
    expect(() => validateScene(scene)).not.toThrow()
    expect(entryOf(scene, { material: 'solids', at: 0 })).toBe(twice)
  })

  it('never makes a shape smaller than a cell', () => {
    expect(extentOf(sizeShape(block, { dims: 3, axis: 1, length: -3, least: 0.05 }), 3)!.size[1]).toBeCloseTo(0.05, 9)
    expect(extentOf(sizeShape(ball, { dims: 2, axis: 0, length: 0, least: 0.05 }), 2)!.size[0]).toBeCloseTo(0.05, 9)
  })

  it('has no extent where a shape has no end', () => {
    expect(extentOf({ shape: 'everything' }, 3)).toBeUndefined()
    expect(sizeShape({ shape: 'everything' }, { dims: 3, axis: 0, length: 2, least: 0.1 })).toEqual({ shape: 'everything' })
  })
})

const tetrahedron = 'v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'
const bytes = (text: string) => new TextEncoder().encode(text)

describe('a mesh file', () => {
  it('is placed in the middle of the domain, half as large, and can be moved and sized', async () => {
    const { shape, mesh, report } = await placeMesh(bytes(tetrahedron), 'tip.obj', deep, 32)
    expect(report).toEqual(['tip.obj: 4 triangles, closed.'])
    const meshes = new Map([['tip.obj', mesh]])
    const { centre, size } = extentOf(shape, 3, meshes)!
    expect([...centre, ...size]).toEqual([1, 0.5, 0.5, 0.5, 0.5, 0.5].map(value => expect.closeTo(value, 9)))
    const setting = prepareScene(validateScene(addShape(deep, 'solids', shape)), meshes)
    expect(setting.solids[0].phiAt(0)(0.8, 0.3, 0.3)).toBeLessThan(0)
    expect(setting.solids[0].phiAt(0)(1.2, 0.7, 0.7)).toBeGreaterThan(0)
    const larger = extentOf(sizeShape(shape, { dims: 3, axis: 0, length: 0.8, least: 0.01, meshes }), 3, meshes)!
    expect([...larger.centre, ...larger.size]).toEqual([1, 0.5, 0.5, 0.8, 0.8, 0.8].map(value => expect.closeTo(value, 9)))
    expect(partAt(addShape(deep, 'solids', shape), [1, 0.5, 0.5], meshes)).toEqual({ material: 'solids', at: 0 })
  })

  it('with a hole is taken, and its faults are told', async () => {
    const { report } = await placeMesh(bytes(tetrahedron.replace('f 2 3 4\n', '')), 'open.obj', deep, 32)
    expect(report[0]).toBe('open.obj: 3 triangles, not closed.')
    expect(report.slice(1).join(' ')).toMatch(/hole/)
  })

  it.each([
    ['that is broken', 'v 1 2\nf nonsense', 'bad.obj', deep, 'bad.obj'],
    ['of another kind', 'x', 'notes.txt', deep, 'unknown format; give an .obj, .ply or .stl file'],
    ['for a 2D scene', tetrahedron, 'tip.obj', flat, 'needs a 3D scene'],
  ])('%s is refused in one sentence', async (_, text, name, scene, message) => {
    await expect(placeMesh(bytes(text), name, scene, 32)).rejects.toThrow(InputError)
    await expect(placeMesh(bytes(text), name, scene, 32)).rejects.toThrow(message)
  })

  it('that is flat fits by its longer sides', () => {
    const sheet = {
      positions: Float64Array.from([0, 0, 0, 4, 0, 0, 0, 4, 0]),
      triangles: Uint32Array.from([0, 1, 2]),
      collapsed: 0,
    }
    expect(fitMesh(sheet, 'sheet.obj', [2, 1, 1]).scale).toBeCloseTo(0.125, 9)
  })

  it('gets a name of its own', () => {
    expect(freeName('a.obj', new Set())).toBe('a.obj')
    expect(freeName('a.obj', new Set(['a.obj', 'a-2.obj']))).toBe('a-3.obj')
  })
})

describe('tilting', () => {
  const close = (values: readonly number[]) => values.map(value => expect.closeTo(value, 9))

  it('points gravity where the pad is touched, with its strength kept', () => {
    expect(gravityOfPad(0, 0, 9.81, 2)).toEqual([0, -9.81, 0])
    expect(gravityOfPad(0.3, 0, 9.81, 2)).toEqual(close([9.81, 0, 0]))
    expect(gravityOfPad(0, 0, 9.81, 3)).toEqual(close([0, -9.81, 0]))
    expect(gravityOfPad(0, -1, 9.81, 3)).toEqual(close([0, 0, 9.81]))
    for (const dims of [2, 3] as const)
      for (const [x, y] of [
        [0.3, -0.4],
        [-0.8, 0.5],
        [2, -1],
      ]) {
        const gravity = gravityOfPad(x, y, 5, dims)
        expect(Math.hypot(...gravity)).toBeCloseTo(5, 9)
        const [u, v] = padOfGravity(gravity, dims)
        expect(u * y).toBeCloseTo(v * x, 9)
        expect(u * x).toBeGreaterThan(0)
      }
  })

  it('points gravity down in the room, however a device is held', () => {
    // Upright, flat on its back, on its right edge; turned to the left with the screen turned along.
    expect(gravityOfDevice(90, 0, 0, 9.81, 2)).toEqual(close([0, -9.81, 0]))
    expect(gravityOfDevice(0, 0, 0, 9.81, 3)).toEqual(close([0, 0, -9.81]))
    expect(gravityOfDevice(0, 90, 0, 9.81, 2)).toEqual(close([9.81, 0, 0]))
    expect(gravityOfDevice(0, -90, 90, 9.81, 2)).toEqual(close([0, -9.81, 0]))
  })
})
