/** Steps of editing, and the way back. */
import { describe, expect, it } from 'vitest'
import { createEditHistory } from '../../page/editor/edit-history.js'

/** What is shown, with a say in how long showing takes. */
function setUp(first = 'a') {
  const seen: string[] = []
  const state = { shown: first, release: [] as (() => void)[], isSlow: false }
  const history = createEditHistory<string>(
    () => state.shown,
    async next => {
      state.shown = next
      seen.push(next)
      if (state.isSlow) await new Promise<void>(resolve => state.release.push(resolve))
    },
  )
  return { history, state, seen }
}

const settle = () => new Promise(resolve => setTimeout(resolve))

describe('a history of edits', () => {
  it('goes back step by step, as far as there were any', async () => {
    const { history, state } = setUp()
    expect(history.past).toEqual([])
    for (const next of ['b', 'c']) {
      history.commit(next)
      await settle()
    }
    expect(history.current).toBe('c')
    history.undo()
    await settle()
    expect(state.shown).toBe('b')
    history.undo()
    await settle()
    expect(state.shown).toBe('a')
    expect(history.past).toEqual([])
    history.undo()
    expect(history.current).toBe('a')
  })

  it('takes all of a step under way back at once', async () => {
    const { history, state } = setUp()
    for (const next of ['b', 'c', 'd']) history.preview(next)
    history.commit('e')
    await settle()
    expect(state.shown).toBe('e')
    history.undo()
    await settle()
    expect(state.shown).toBe('a')
    history.preview('x')
    await settle()
    history.undo()
    await settle()
    expect(state.shown).toBe('a')
  })

  it('shows the last of edits that come too fast', async () => {
    const { history, state, seen } = setUp()
    state.isSlow = true
    for (const next of ['b', 'c', 'd']) history.commit(next)
    expect(history.current).toBe('d')
    expect(seen).toEqual(['b'])
    state.isSlow = false
    state.release[0]()
    await settle()
    expect(seen).toEqual(['b', 'd'])
    history.undo()
    await settle()
    expect(state.shown).toBe('c')
  })

  it('goes back along steps that were taken elsewhere', async () => {
    const { history, state } = setUp('c')
    history.preview('x')
    state.shown = 'd'
    history.recall(['a', 'b'])
    expect(history.current).toBe('d')
    expect(history.past).toEqual(['a', 'b'])
    history.undo()
    await settle()
    expect(state.shown).toBe('b')
    history.commit('e')
    await settle()
    expect(history.past).toEqual(['a', 'b'])
  })

  it('forgets all when somebody opens something else', async () => {
    const { history, state } = setUp()
    history.commit('b')
    await settle()
    state.shown = 'other'
    expect(history.current).toBe('other')
    expect(history.past).toEqual([])
    history.commit('other, edited')
    await settle()
    history.undo()
    await settle()
    expect(state.shown).toBe('other')
  })
})
