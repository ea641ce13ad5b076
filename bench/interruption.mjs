// What a benchmark leaves behind is large: tidied up when it is interrupted.
import os from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Calls `tidy` and ends the process when it is interrupted. Returns a function that ends the watch. */
export function tidyWhenInterrupted(tidy) {
  const stop = signal => {
    tidy()
    process.exit(128 + os.constants.signals[signal])
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, stop)
  }
}
