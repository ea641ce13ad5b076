// Turns what goes wrong during set-up into one sentence that says what to do.

/** `message` is the whole sentence; `output` is what the failed tool printed, where that helps. */
export class SetUpError extends Error {
  constructor(message, output) {
    super(message)
    this.name = 'SetUpError'
    this.output = output || ''
  }
}

/** Thrown after the tools were stopped, so that the caller can end by the same signal. */
export class Interrupted extends SetUpError {
  constructor(signal) {
    super('set-up was interrupted; the next run starts it over.')
    this.signal = signal
  }
}

const DISK_FULL = /\b(ENOSPC|EDQUOT)\b|no space left on device|disk quota exceeded/i
const READ_ONLY = /\b(EROFS|EACCES|EPERM)\b|read-only file system|permission denied/i
const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENETDOWN|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|ENOTCACHED)\b/

function explainDisk(text, root) {
  if (DISK_FULL.test(text)) return new SetUpError(`the disk is full: free some space for ${root} and run the command again.`)
  if (READ_ONLY.test(text)) {
    return new SetUpError(`cannot write in ${root}: make the folder writable, or use a copy of it in a folder that is yours.`)
  }
  return undefined
}

/** For an Error of this process: from the file system, or because a program cannot be started. */
export function explain(error, root) {
  if (error instanceof SetUpError) return error
  if (error.code === 'ENOENT' && error.syscall === 'spawn npm') return npmMissing()
  return explainDisk(String(error.code), root) || new SetUpError('set-up failed; the error is above.', error.stack)
}

function npmMissing() {
  return new SetUpError('npm was not found: install it (it comes with Node from https://nodejs.org) and run the command again.')
}

/** For a failed `npm ci`, from what it printed. */
export function explainInstall(output, code, root) {
  // The code npm names is the cause; words further down in its log can be consequences.
  const named = /^npm (?:error|ERR!) code (\S+)/m.exec(output)
  const cause = named && named[1] !== 'undefined' ? named[1] : output
  if (code === 9009 || /'npm' is not recognized/.test(output)) return npmMissing()
  if (NO_NETWORK.test(cause)) {
    return new SetUpError(
      'no network: npm could not reach its registry, so check the connection (and `npm config get registry`) and run the command again.',
    )
  }
  return explainDisk(cause, root) || new SetUpError(`npm ci failed (exit code ${code}); what it said is above.`, output)
}

/** For a failed `tsc`, from what it printed. */
export function explainBuild(output, code, root) {
  if (/error TS(?!5033)\d+/.test(output))
    return new SetUpError('the source has type errors, listed above; nothing was built.', output)
  return explainDisk(output, root) || new SetUpError(`tsc failed (exit code ${code}); what it said is above.`, output)
}

/** For a failed `asc`, from what it printed. */
export function explainKernels(output, code, root) {
  if (/^ERROR /m.test(output))
    return new SetUpError('the loops in src/**/kernels have errors, listed above; nothing was built.', output)
  return explainDisk(output, root) || new SetUpError(`asc failed (exit code ${code}); what it said is above.`, output)
}
