/** Which loops a painter uses. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { sphere } from '../../src/grid/shapes.js'
import { MemoryRefused, refusedMemory } from '../../src/machine/memory-limits.js'
import { fitFlat, fitSpace } from '../../src/paint/camera.js'
import { createPainter } from '../../src/paint/painter.js'
import { LIGHT } from '../../src/paint/palette.js'
import { drawPicture } from '../../src/paint/picture.js'
import { frameOf } from '../support/frames.js'

const host = vi.hoisted(() => ({ canCompile: true, hasMemory: true, started: 0 }))
vi.mock('../../src/machine/machine.js', async importOriginal => {
  const machine = await importOriginal<typeof import('../../src/machine/machine.js')>()
  return {
    ...machine,
    canCompile: () => host.canCompile,
    startMachine(...args: Parameters<typeof machine.startMachine>) {
      host.started++
      if (!host.canCompile) throw new Error('no vectors')
      if (!host.hasMemory) throw refusedMemory(2 ** 20)
      return machine.startMachine(...args)
    },
  }
})
afterEach(() => Object.assign(host, { canCompile: true, hasMemory: true, started: 0 }))

const FRAMES = [
  frameOf(createGrid([20, 16], 1 / 20), sphere([0.5, 0.4, 0], 0.3), sphere([0.8, 0.2, 0], 0.15)),
  frameOf(createGrid([12, 10, 11], 1 / 12), sphere([0.5, 0.4, 0.5], 0.3), sphere([0.8, 0.2, 0.4], 0.15)),
]

it.each(FRAMES)('paints without compiled loops where they cannot run: $grid.dims D', async frame => {
  const compiled = await createPainter()
  const expected = drawPicture(compiled, frame, { size: 48 }).pixels
  compiled.dispose()
  expect(host.started).toBe(1)
  host.canCompile = false
  const painter = await createPainter({ threads: 2 })
  const { pixels } = drawPicture(painter, frame, { size: 48 })
  painter.dispose()
  expect(host.started).toBe(1)
  const apart = pixels.filter((value, at) => Math.abs(value - expected[at]) > 4)
  expect(apart.length / pixels.length).toBeLessThan(0.02)
})

it('fails where compiled loops are asked for and cannot run', async () => {
  host.canCompile = false
  await expect(createPainter({ engine: 'compiled' })).rejects.toThrow('no vectors')
})

it('uses plain loops if asked to', async () => {
  const painter = await createPainter({ engine: 'plain' })
  expect(drawPicture(painter, FRAMES[0], { size: 30 }).pixels.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true)
  expect(host.started).toBe(0)
})

it('failed where compiled loops get no memory, and asked for an engine that pictures do not have', async () => {
  host.hasMemory = false
  const painter = await createPainter({ threads: 2 })
  expect(drawPicture(painter, FRAMES[1], { size: 20 }).pixels.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true)
  await expect(createPainter({ engine: 'compiled' })).rejects.toThrow(MemoryRefused)
})

const ENGINES = ['plain', 'compiled'] as const

it.each(ENGINES)('went on after it was disposed of: %s', async engine => {
  const painter = await createPainter({ engine })
  drawPicture(painter, FRAMES[1], { size: 20 })
  painter.dispose()
  painter.dispose()
  for (const use of [
    () => painter.show(FRAMES[1]),
    () => painter.paint({} as never),
    () => drawPicture(painter, FRAMES[1], { size: 20 }),
  ])
    expect(use).toThrow(/: the painter was disposed of; create another one\.$/)
})

it.each(ENGINES)('read wild memory for a picture whose field of view is no number: %s', async engine => {
  const painter = await createPainter({ engine })
  expect(() => drawPicture(painter, FRAMES[1], { size: 20, camera: { fieldOfView: NaN } })).toThrow(
    'drawPicture: camera.fieldOfView must be a number from 0.01 to 179, not NaN.',
  )
  painter.dispose()
})

describe.each(ENGINES)('what is no view ends in a sentence: %s', engine => {
  const frames = FRAMES.map(frame => {
    const camera = frame.grid.dims === 2 ? fitFlat(frame.grid, 8, 8) : fitSpace(frame.grid, 8, 8)
    return { frame, dims: frame.grid.dims, view: { width: 8, height: 8, camera, palette: LIGHT } }
  })

  it.each(frames)('$dims D', async ({ frame, view }) => {
    const painter = await createPainter({ engine })
    const sentence = expect.objectContaining({ name: 'InputError', message: expect.stringMatching(/\.$/) })
    const failure = (use: () => unknown) => {
      try {
        return use()
      } catch (error) {
        return error
      }
    }
    for (const none of [null, undefined, 7, {}]) expect(failure(() => painter.show(none as never))).toEqual(sentence)
    painter.show(frame)
    expect(painter.paint(view).length).toBe(4 * 64)
    const wrong = [
      ...[null, undefined, 7, {}],
      ...[-1, 1.5, NaN, Infinity, 1e9, '8', undefined].flatMap(side => [
        { ...view, width: side },
        { ...view, height: side },
      ]),
      ...[null, undefined, {}, 7].flatMap(part => [
        { ...view, camera: part },
        { ...view, palette: part },
      ]),
      { ...view, camera: { ...view.camera, [frame.grid.dims === 2 ? 'eye' : 'up']: [1] } },
      { ...view, ball: 7 },
      { ...view, window: 7 },
    ]
    for (const other of wrong)
      expect(
        failure(() => painter.paint(other as never)),
        JSON.stringify(other),
      ).toEqual(sentence)
    const numbers = Object.entries(view.camera) as [string, number | readonly number[]][]
    for (const [key, value] of numbers)
      for (const bad of [NaN, Infinity, 1e300]) {
        const camera = { ...view.camera, [key]: typeof value === 'number' ? bad : value.map(() => bad) }
        const painted = failure(() => painter.paint({ ...view, camera }))
        const withBall = failure(() => painter.paint({ ...view, ball: { centre: [bad, 0, bad], radius: 0.1 } }))
        expect(painted).toHaveLength(4 * 64)
        expect(withBall).toHaveLength(4 * 64)
      }
    painter.dispose()
  })
})
