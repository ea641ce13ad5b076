// What the command lines of benchmarks are made of.
import os from 'node:os'
import { InvalidArgumentError } from 'commander'

export function words(text) {
  return text.split(',').filter(Boolean)
}

export function wholeNumbers(text) {
  return [...new Set(words(text).map(positive))]
}

export function positive(text) {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Expected a whole number, at least 1.')
  return number
}

export function positiveNumber(text) {
  const number = Number(text)
  if (!(number > 0 && number < Infinity)) throw new InvalidArgumentError('Expected a positive number.')
  return number
}

export function describeMachine() {
  return `${os.cpus()[0]?.model.trim() ?? 'unknown processor'}, ${os.cpus().length} cores, Node ${process.version}`
}
