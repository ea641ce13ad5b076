/** Long measurements: kept when done, taken up again, left out where they would take too long. */
import { describe, expect, it } from 'vitest'
import { InputError } from '../../src/input-error.js'
import {
  describeSeconds,
  formatResults,
  itemsOf,
  type Measured,
  parseResults,
  type ReproductionBounds,
  runTasks,
  type Task,
} from '../../src/papers/reproduction.js'

const PLENTY: ReproductionBounds = { budget: 1000, limit: 1000 }

/** A clock that only tasks move on. */
function createLaboratory() {
  let now = 0
  const ran: string[] = []
  const written: Measured[] = []
  const left: number[] = []
  const task = (group: string, item: string, seconds: number, more: Partial<Task> = {}): Task => ({
    group,
    item,
    family: group,
    weight: 1,
    async run() {
      now += seconds
      ran.push(`${group} ${item}`)
      return { seconds }
    },
    ...more,
  })
  const run = (tasks: readonly Task[], before: Measured = {}, bounds = PLENTY, signal = new AbortController().signal) =>
    runTasks(
      tasks,
      before,
      bounds,
      {
        clock: () => now,
        onTask: (_, __, ___, seconds) => left.push(seconds),
        async onMeasured(measured) {
          written.push(structuredClone(measured))
        },
      },
      signal,
    )
  return { task, run, ran, written, left, pass: (seconds: number) => (now += seconds) }
}

describe('measurements', () => {
  it('are written down one by one, and not made twice', async () => {
    const { task, run, ran, written } = createLaboratory()
    const tasks = [task('a', '1', 1), task('a', '2', 1), task('b', '1', 1)]
    const { measured, skipped } = await run(tasks, { a: { 1: { seconds: 7 } }, other: { x: 1 } })
    expect(ran).toEqual(['a 2', 'b 1'])
    expect(written).toHaveLength(2)
    expect(measured).toEqual({ a: { 1: { seconds: 7 }, 2: { seconds: 1 } }, b: { 1: { seconds: 1 } }, other: { x: 1 } })
    expect(skipped).toEqual([])
    expect(itemsOf(measured, 'a').map(([item]) => item)).toEqual(['1', '2'])
    expect(itemsOf(measured, 'nothing')).toEqual([])
  })

  it('are left out once the budget is spent', async () => {
    const { task, run, ran } = createLaboratory()
    const tasks = ['1', '2', '3', '4'].map(item => task(item, item, 10))
    const { skipped } = await run(tasks, {}, { budget: 20, limit: 100 })
    expect(ran).toEqual(['1 1', '2 2'])
    expect(skipped).toEqual([
      { group: '3', items: 1, reason: 'the budget was spent' },
      { group: '4', items: 1, reason: 'the budget was spent' },
    ])
  })

  it('are left out where they would not be done in time, and smaller ones still made', async () => {
    const { task, run, ran } = createLaboratory()
    const large = task('large', '1', 100, { family: 'a', weight: 10 })
    const { skipped } = await run([task('a', '1', 10), large, task('a', '2', 10)], {}, { budget: 50, limit: 500 })
    expect(ran).toEqual(['a 1', 'a 2'])
    expect(skipped).toEqual([{ group: 'large', items: 1, reason: 'would take about 2 min, more than was left of the budget' }])
  })

  it('count what they need first, which others share', async () => {
    const { task, run, ran, pass } = createLaboratory()
    let frame = 0
    const needs = (to: number) => ({
      family: 'simulate',
      weight: () => Math.max(0, to - frame),
      async prepare() {
        pass(10 * (to - frame))
        frame = to
      },
    })
    const tasks = [
      task('a', '1', 1, { needs: needs(1) }),
      task('b', '1', 1, { needs: needs(1) }),
      task('a', '9', 1, { needs: needs(9) }),
    ]
    const { skipped } = await run(tasks, {}, { budget: 60, limit: 20 })
    expect(ran).toEqual(['a 1', 'b 1'])
    expect(skipped).toEqual([{ group: 'a', items: 1, reason: 'would take about 81 s, more than was left of the budget' }])
  })

  it('of a family are left out from where one was slower than the limit', async () => {
    const { task, run, ran } = createLaboratory()
    const long = (item: string) => task('long', item, 61, { isLong: true })
    const tasks = [task('a', '1', 61), task('a', '2', 61), task('a', '3', 61), task('b', '1', 1), long('1'), long('2')]
    const { skipped } = await run(tasks, {}, { budget: 1000, limit: 60 })
    expect(ran).toEqual(['a 1', 'b 1', 'long 1', 'long 2'])
    expect(skipped).toEqual([{ group: 'a', items: 2, reason: 'would take about 61 s, over the limit of 60 s' }])
  })

  it('that were cut off do not count, and are tried again with more time', async () => {
    const { task, run, ran } = createLaboratory()
    const cut = task('a', '1', 0, { run: async () => ({ status: 'cancelled', seconds: 0 }) })
    const first = await run([cut, task('b', '1', 1)], {}, { budget: 100, limit: 60 })
    expect(first.measured).toEqual({ b: { 1: { seconds: 1 } } })
    expect(first.skipped).toEqual([{ group: 'a', items: 1, reason: 'was cut off after 60 s' }])
    const again = await run([task('a', '1', 2)], { a: { 1: { status: 'cancelled', seconds: 0 } } })
    expect(again.measured).toEqual({ a: { 1: { seconds: 2 } } })
    expect(ran).toEqual(['b 1', 'a 1'])
  })

  it('that cannot be done are told, and the others are done', async () => {
    const { task, run, ran } = createLaboratory()
    const large = task('a', '1', 1, { run: () => Promise.reject(new InputError('It does not fit.')) })
    const { measured, skipped } = await run([large, task('b', '1', 1)], {}, { budget: 100, limit: 60 })
    expect(ran).toEqual(['b 1'])
    expect(measured).toEqual({ b: { 1: { seconds: 1 } } })
    expect(skipped).toEqual([{ group: 'a', items: 1, reason: 'cannot be done: It does not fit' }])
    const broken = task('a', '1', 1, { run: () => Promise.reject(new Error('no input')) })
    await expect(run([broken], {}, { budget: 100, limit: 60 })).rejects.toThrow('no input')
  })

  it('that were made before tell how long others take', async () => {
    const { task, run, ran } = createLaboratory()
    const tasks = [task('a', '1', 61), task('a', '2', 61), task('b', '1', 1)]
    const { skipped } = await run(tasks, { a: { 1: { seconds: 61 } }, b: { 2: null } }, { budget: 1000, limit: 60 })
    expect(ran).toEqual(['b 1'])
    expect(skipped).toMatchObject([{ group: 'a', items: 1 }])
  })

  it('say how long the rest may take, never more than the budget', async () => {
    const { task, run, left } = createLaboratory()
    await run(
      ['1', '2', '3'].map(item => task('a', item, 10)),
      {},
      { budget: 25, limit: 100 },
    )
    expect(left).toEqual([0, 15])
  })

  it('end when somebody interrupts, without the one that was cut short', async () => {
    const { task, run, ran } = createLaboratory()
    const interruption = new AbortController()
    const cut = task('a', '2', 1, {
      async run() {
        interruption.abort()
        return 'half done'
      },
    })
    const { measured, skipped } = await run([task('a', '1', 1), cut, task('a', '3', 1)], {}, PLENTY, interruption.signal)
    expect(ran).toEqual(['a 1'])
    expect(measured).toEqual({ a: { 1: { seconds: 1 } } })
    expect(skipped).toEqual([])
  })
})

describe('results as a file', () => {
  const results = {
    paper: 'lai',
    sessions: [{ date: '2026-01-02', command: 'peel reproduce lai', machine: 'some' }],
    measured: { 'a/32/FAS-MG': { 4: { iterations: 7 } }, b: { x: null } },
    skipped: [{ group: 'c', items: 3, reason: 'too slow' }],
  } as const

  it('come back as they were, a line for every group', () => {
    const text = formatResults(results)
    expect(parseResults(text, 'lai')).toEqual(results)
    expect(text.split('\n').filter(line => line.includes('FAS-MG'))).toHaveLength(1)
    expect(parseResults(formatResults({ ...results, measured: {}, skipped: [], sessions: [] }), 'lai')?.measured).toEqual({})
  })

  it('are refused if they are something else', () => {
    expect(parseResults(formatResults(results), 'andersen')).toBeUndefined()
    expect(parseResults('{}', 'lai')).toBeUndefined()
    expect(parseResults('no JSON', 'lai')).toBeUndefined()
  })
})

it('seconds are told as people tell them', () => {
  expect([0.0123, 59.9, 150, 7300].map(describeSeconds)).toEqual(['0.012 s', '60 s', '3 min', '2 h'])
})
