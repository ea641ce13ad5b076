/** `peel/web` called with what it does not take; the rest of it needs a page, see view.test.ts. */
import { expect, it } from 'vitest'
import { untilDisposed } from '../../src/checks.js'
import { InputError } from '../../src/input-error.js'
import * as web from '../../src/view/index.js'

const WRONG = [null, undefined, 'text', 7, [], {}, () => 0]

it.each(
  Object.entries({
    createDrawing: web.createDrawing,
    createLiquidView: web.createLiquidView,
    createPlayback: web.createPlayback,
    createStage: web.createStage,
    describeLegend: web.describeLegend,
    lacks: web.lacks,
    startSession: web.startSession,
  }),
)('%s refuses what is none of its arguments', async (_, action) => {
  const call = async (...args: unknown[]) => (action as (...all: unknown[]) => unknown)(...args)
  for (const wrong of WRONG) await expect(call(wrong, wrong)).rejects.toThrow(InputError)
  await expect(call()).rejects.toThrow(InputError)
})

it('objects for scenes of one’s own refuse frames that are none, and all use after dispose', () => {
  for (const create of [web.createSurfaceObject, web.createParticleObject]) {
    const made = create()
    for (const wrong of WRONG) expect(() => made.update(wrong as never)).toThrow(InputError)
    made.dispose()
    made.dispose()
    expect(() => made.object).toThrow(InputError)
    expect(() => made.update({} as never)).toThrow(/update: the object was disposed of/)
  }
  for (const wrong of [null, 7, { radius: -1 }, { radius: 'x' }])
    expect(() => web.createParticleObject(wrong as never)).toThrow(InputError)
})

it('what is disposed of is disposed of once, can be handed on by a promise, and rejects where it would have promised', async () => {
  let times = 0
  const made = untilDisposed(
    {
      size: 3,
      async wait() {
        return 7
      },
      dispose() {
        times++
      },
    },
    'the thing',
  )
  made.size = 4
  expect(made.size).toBe(4)
  expect(await made.wait()).toBe(7)
  const { wait } = made
  made.dispose()
  made.dispose()
  expect(times).toBe(1)
  expect(await wait()).toBe(7)
  await Promise.resolve(made)
  await expect(made.wait()).rejects.toThrow('wait: the thing was disposed of; create another one.')
  expect(() => {
    made.size = 5
  }).toThrow(InputError)
})
