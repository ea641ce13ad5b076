/** Standard output and standard error. Everything that the command line prints goes through here, so that no text from a file
 *  reaches a terminal as a control sequence; `test/architecture.test.ts` checks that no other file of the room prints. */
import { printable } from '../printable.js'

/** What was requested, to standard output. */
export function printData(text: string): void {
  console.log(printable(text))
}

/** Everything else, to standard error. */
export function printMessage(text: string): void {
  console.error(printable(text))
}

/** A line on standard error that the next one overwrites on a terminal. */
export function printOver(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\x1b[2K${printable(line)}\r`)
  else printMessage(line)
}

export function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write('\x1b[2K\r')
}

/** For Commander, which ends its lines itself. */
export const COMMANDER_OUTPUT = {
  writeOut: (text: string) => process.stdout.write(printable(text)),
  writeErr: (text: string) => process.stderr.write(printable(text)),
}
