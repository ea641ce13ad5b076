// One line of progress on a terminal, and messages that do not collide with it.

/** Overwrites itself; nothing at all where standard error is no terminal. */
export function showProgress(what) {
  if (process.stderr.isTTY) process.stderr.write(`\x1b[2K  ${what} …\r`)
}

export function clearProgress() {
  if (process.stderr.isTTY) process.stderr.write('\x1b[2K\r')
}
