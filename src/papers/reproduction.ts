/** Measurements that take hours: each is stored when it is done, so that a run can be stopped and continued, and what would
 *  exceed the time limit is left out. */
import { InputError } from '../input-error.js'
import type { PaperName } from './published.js'

/** One measurement. Tasks that depend on each other are listed in that order. */
export interface Task {
  /** What is measured, the same for all its items: `sphere/64/FAS-MG`. */
  readonly group: string
  /** Which one of the group: a frame, a stage. */
  readonly item: string
  /** The time of tasks of one family is proportional to their weights. */
  readonly family: string
  readonly weight: number
  /** Of several solves: the limit for one does not concern it. */
  readonly isLong?: boolean
  /** What it needs first and shares with other tasks. Measured apart, so that it does not count for the family. */
  readonly needs?: Need
  /** The value must survive JSON. */
  run(signal: AbortSignal): Promise<unknown>
}

export interface Need {
  readonly family: string
  /** The current estimate; 0 when nothing is left to do. */
  weight(): number
  prepare(): Promise<void>
}

/** Group → item → value. */
export type Measured = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Skipped {
  readonly group: string
  readonly items: number
  readonly reason: string
}

export interface ReproductionSession {
  readonly date: string
  readonly command: string
  readonly machine: string
}

export interface Results {
  readonly paper: PaperName
  readonly sessions: readonly ReproductionSession[]
  readonly measured: Measured
  readonly skipped: readonly Skipped[]
}

export interface ReproductionBounds {
  /** Seconds for all tasks together. */
  readonly budget: number
  /** Seconds for one solve. If one takes longer, or would, all tasks of its family with the same weight or more are left out. */
  readonly limit: number
}

export interface Watcher {
  /** Seconds since some moment. */
  clock(): number
  /** Before every task; `left` is the estimated time of the rest in seconds. */
  onTask(task: Task, done: number, total: number, left: number): void
  /** After every task, with all measurements so far, for the caller to store. */
  onMeasured(measured: Measured): Promise<void>
}

const BUDGET_SPENT = 'the budget was spent'

/** Runs what is not in `before`. Ends early when `signal` is aborted, with the measurements so far. */
export async function runTasks(
  tasks: readonly Task[],
  before: Measured,
  { budget, limit }: ReproductionBounds,
  { clock, onTask, onMeasured }: Watcher,
  signal: AbortSignal,
): Promise<{ measured: Measured; skipped: readonly Skipped[] }> {
  const measured: Record<string, Record<string, unknown>> = {}
  for (const [group, items] of Object.entries(before)) {
    const kept = Object.entries(items).filter(([, value]) => !wasCutOff(value))
    if (kept.length > 0) measured[group] = Object.fromEntries(kept)
  }
  const rates = new Map<string, number>()
  const predict = (family: string, weight: number) => weight * (rates.get(family) ?? 0)
  const learn = (family: string, weight: number, seconds: number) => {
    if (weight > 0) rates.set(family, seconds / weight)
  }
  for (const { group, item, family, weight } of tasks) {
    const { seconds } = Object(measured[group]?.[item]) as { seconds?: unknown }
    if (typeof seconds === 'number') learn(family, weight, seconds)
  }
  const open = tasks.filter(({ group, item }) => measured[group]?.[item] === undefined)
  const reasons = new Map<Task, string>()
  const start = clock()
  for (const [at, task] of open.entries()) {
    if (signal.aborted) break
    const { family, weight, needs, isLong = false } = task
    const spent = clock() - start
    const own = predict(family, weight)
    const expected = own + (needs ? predict(needs.family, needs.weight()) : 0)
    if (own > limit && !isLong)
      reasons.set(task, `would take about ${describeSeconds(own)}, over the limit of ${describeSeconds(limit)}`)
    else if (spent >= budget) reasons.set(task, BUDGET_SPENT)
    else if (spent + expected > budget)
      reasons.set(task, `would take about ${describeSeconds(expected)}, more than was left of the budget`)
    if (reasons.has(task)) continue
    onTask(task, at, open.length, Math.min(budget - spent, timeLeft(open.slice(at), predict)))
    let began = clock()
    let value: unknown
    try {
      await prepare(needs)
      began = clock()
      value = await task.run(signal)
    } catch (error) {
      // What cannot be done here, as a grid too large for a solver, does not keep the rest from being measured.
      if (!(error instanceof InputError)) throw error
      reasons.set(task, `cannot be done: ${error.message.replace(/\.$/, '')}`)
      continue
    }
    // Interrupted from outside: not a measurement.
    if (signal.aborted) break
    learn(family, weight, clock() - began)
    if (wasCutOff(value)) {
      reasons.set(task, `was cut off after ${describeSeconds(limit)}`)
      continue
    }
    measured[task.group] = { ...measured[task.group], [task.item]: value }
    await onMeasured(measured)
  }
  return { measured, skipped: summarise(reasons) }

  async function prepare(needs: Need | undefined): Promise<void> {
    const weight = needs?.weight() ?? 0
    if (!needs || weight === 0) return
    const began = clock()
    await needs.prepare()
    learn(needs.family, weight, clock() - began)
  }
}

/** A solve that exceeded its limit has no other result; another run with more time may try again. */
function wasCutOff(value: unknown): boolean {
  return (Object(value) as { status?: unknown }).status === 'cancelled'
}

function timeLeft(tasks: readonly Task[], predict: (family: string, weight: number) => number): number {
  return tasks.reduce((sum, { family, weight }) => sum + predict(family, weight), 0)
}

/** One line for all items of a group that were left out for the same reason; predictions differ, so the first one is printed. */
function summarise(reasons: ReadonlyMap<Task, string>): Skipped[] {
  const groups = new Map<string, { items: number; reason: string }>()
  for (const [{ group }, reason] of reasons) {
    const known = groups.get(group)
    groups.set(group, { items: (known?.items ?? 0) + 1, reason: known?.reason ?? reason })
  }
  return [...groups].map(([group, { items, reason }]) => ({ group, items, reason }))
}

export function describeSeconds(seconds: number): string {
  if (seconds < 100) return `${Number(seconds.toPrecision(2))} s`
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

/** Items of a group whose values are of one kind. */
export function itemsOf<Value>(measured: Measured, group: string): readonly (readonly [item: string, value: Value])[] {
  return Object.entries(measured[group] ?? {}) as [string, Value][]
}

/** Groups in lines of their own, so that what a later run adds can be read in a difference. */
export function formatResults({ paper, sessions, measured, skipped }: Results): string {
  const lines = Object.entries(measured).map(([group, items]) => `    ${JSON.stringify(group)}: ${JSON.stringify(items)}`)
  const list = (entries: readonly unknown[]) => entries.map(entry => `\n    ${JSON.stringify(entry)}`).join(',')
  return [
    '{',
    `  "format": "peel-reproduction",`,
    `  "version": 1,`,
    `  "paper": ${JSON.stringify(paper)},`,
    `  "sessions": [${list(sessions)}\n  ],`,
    `  "skipped": [${list(skipped)}\n  ],`,
    `  "measured": {\n${lines.join(',\n')}\n  }`,
    '}\n',
  ].join('\n')
}

/** undefined if the text is no result of that paper. */
export function parseResults(text: string, paper: PaperName): Results | undefined {
  try {
    const { format, version, paper: of, sessions, measured, skipped } = JSON.parse(text)
    const whole = format === 'peel-reproduction' && version === 1 && of === paper && Array.isArray(sessions)
    return whole && typeof measured === 'object' ? { paper, sessions, measured, skipped: skipped ?? [] } : undefined
  } catch {
    return undefined
  }
}
