/** Bad input as an error with a sentence, and suggestions for misspelt names. */
import { printable, showWord } from './printable.js'

/** Input that cannot be worked with. The message names the place (file, array, row, flag) and what to do about it. */
export class InputError extends Error {
  override readonly name = 'InputError'

  /** Names and values of files are part of it, so it is made safe for terminals, and names that fill pages are shortened. */
  constructor(message: string) {
    super(printable(message.replace(/\S{1000,}/g, word => `${word.slice(0, 400)}…${word.slice(-100)}`)))
  }
}

/** Longer words are not typing errors, and comparing them takes long. */
const MAX_WORD_LENGTH = 200

/** The candidate that differs from `word` by the fewest edits, or undefined if none is close enough to be a typing error. */
export function nearest(given: unknown, candidates: Iterable<string>): string | undefined {
  const word = showWord(given)
  if (word.length > MAX_WORD_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(word.length / 2)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** ` (did you mean "x"?)`, or nothing when no candidate is near. */
export function suggestion(word: unknown, candidates: Iterable<string>): string {
  const found = nearest(word, candidates)
  return found === undefined ? '' : ` (did you mean "${found}"?)`
}

function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0]
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const substituted = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1)
      diagonal = row[j]
      row[j] = Math.min(substituted, row[j] + 1, row[j - 1] + 1)
    }
  }
  return row[b.length]
}
