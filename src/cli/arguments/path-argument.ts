/** Paths on the command line. */
import { InvalidArgumentError } from 'commander'

/** An empty path, from a variable that is not set for example, would mean the current folder. */
export function pathArgument(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}
