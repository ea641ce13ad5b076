// What the command lines of benchmarks are made of.
import fs from 'node:fs'
import os from 'node:os'
import { InvalidArgumentError } from 'commander'
import { InputError } from '../dist/index.js'

export function words(text) {
  return text.split(',').filter(Boolean)
}

export function wholeNumbers(text) {
  return [...new Set(words(text).map(positive))]
}

export function positive(text) {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number from 1.')
  return number
}

export function positiveNumber(text) {
  const number = Number(text)
  if (!(number > 0 && number < Infinity)) throw new InvalidArgumentError('It must be a positive number.')
  return number
}

export function readDocument(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new InputError(`${file}: this document cannot be read (${error.code ?? 'unknown error'}).`)
  }
}

export function describeMachine() {
  return `${os.cpus()[0]?.model.trim() ?? 'unknown processor'}, ${os.cpus().length} cores, Node ${process.version}`
}
