/** Which problems a test runs: those it asks for, or those of the environment. PEEL_SEED=7 draws others, PEEL_PROBLEM=53 (or sparse-53) one
 *  of them alone; failures print both. */
import type { Range } from './attack.js'

/** Whether one problem was asked for. */
export const isSingle = () => process.env.PEEL_PROBLEM !== undefined

export function chosenRanges(ranges: readonly Omit<Range, 'seed'>[]): Range[] {
  const seed = Number(process.env.PEEL_SEED ?? 1)
  if (!Number.isSafeInteger(seed)) throw new Error(`PEEL_SEED must be a whole number, not ${process.env.PEEL_SEED}.`)
  const single = process.env.PEEL_PROBLEM
  if (single === undefined) return ranges.map(range => ({ seed, ...range }))
  const [, sparse, digits] = /^(sparse-)?(\d+)$/.exec(single) ?? []
  if (digits === undefined) throw new Error(`PEEL_PROBLEM must be a number such as 53 or sparse-53, not ${single}.`)
  return [{ seed, from: Number(digits), count: 1, sparse: sparse !== undefined }]
}
