/** Ctrl-C: the first prints a message, so that the current work can be finished or cancelled; the second ends the process. */
import { printMessage } from './terminal.js'

export interface Interruption {
  happened(): boolean
  readonly signal: AbortSignal
  /** Leaves signals to the system again. */
  end(): void
}

/** `sentence` describes what happens to the current work. */
export function watchInterruption(sentence: string): Interruption {
  const abortion = new AbortController()
  const onSignal = () => {
    if (abortion.signal.aborted) process.exit(INTERRUPTED)
    printMessage(`\nInterrupted: ${sentence}; press Ctrl-C again to end at once.`)
    abortion.abort()
  }
  const SIGNALS = ['SIGINT', 'SIGTERM'] as const
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return {
    happened: () => abortion.signal.aborted,
    signal: abortion.signal,
    end: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal)
    },
  }
}

/** The exit code, as shells have it for Ctrl-C. */
export const INTERRUPTED = 130
