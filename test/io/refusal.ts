import { expect } from 'vitest'
import { InputError } from '../../src/input-error.js'

/** The sentence with which `action` refuses its input; anything but one InputError of one line fails the test. */
export function refusal(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    return sentenceOf(error)
  }
  return expect.fail('bad input was accepted')
}

export async function laterRefusal(action: () => Promise<unknown>): Promise<string> {
  try {
    await action()
  } catch (error) {
    return sentenceOf(error)
  }
  return expect.fail('bad input was accepted')
}

/** Any error but an InputError fails the test. */
export function parsesOrRefuses(action: () => void): void {
  try {
    action()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
}

function sentenceOf(error: unknown): string {
  expect(error).toBeInstanceOf(InputError)
  const { message } = error as InputError
  expect(message).toMatch(/^[^\n]*\.$/)
  return message
}
