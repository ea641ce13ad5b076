/** One line of progress that overwrites itself; nothing at all when nobody watches. */
export function showProgress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\x1b[2K  ${what} …\r`)
}

export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\x1b[2K\r')
}
