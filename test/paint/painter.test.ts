/** Which loops a painter uses. */
import { afterEach, expect, it, vi } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { sphere } from '../../src/grid/shapes.js'
import { createPainter } from '../../src/paint/painter.js'
import { drawPicture } from '../../src/paint/picture.js'
import { frameOf } from '../support/frames.js'

const host = vi.hoisted(() => ({ canCompile: true, started: 0 }))
vi.mock('../../src/machine/machine.js', async importOriginal => {
  const machine = await importOriginal<typeof import('../../src/machine/machine.js')>()
  return {
    ...machine,
    canCompile: () => host.canCompile,
    startMachine(...args: Parameters<typeof machine.startMachine>) {
      host.started++
      if (!host.canCompile) throw new Error('no vectors')
      return machine.startMachine(...args)
    },
  }
})
afterEach(() => Object.assign(host, { canCompile: true, started: 0 }))

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
