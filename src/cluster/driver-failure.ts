/** Failures between Peel and a driver, as messages that say what to do. */

/** killed: may work when tried again. missing: something has to be installed. The others will not go away by themselves. */
export type FailureKind = 'killed' | 'crashed' | 'hung' | 'missing' | 'refused' | 'mismatch' | 'ended'

export class DriverFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
  ) {
    super(message)
    this.name = 'DriverFailure'
  }
}

/** How a launcher ended. */
export interface LauncherEnd {
  /** Of the system, when it could not be started. */
  readonly error?: string
  readonly code: number | null
  readonly signal: string | null
  /** The last of what the launcher and the driver printed. */
  readonly text: string
}

export interface Attempt {
  readonly launcher: string
  readonly ranks: number
  readonly binary: string
}

export const PACKAGES = {
  launcher: 'openmpi-bin',
  compiler: 'g++ libopenmpi-dev',
  hypre: 'libhypre-dev',
  petsc: 'libpetsc-real-dev pkg-config',
}

const LOCAL = 'or solve on this machine alone with --fallback local'

/** From the most specific sign to the least. Exit codes: 128 + signal for a rank that was ended by one. */
export function explainEnd(end: LauncherEnd, { launcher, ranks, binary }: Attempt): DriverFailure {
  const { error, code, signal, text } = end
  const found = (pattern: RegExp) => pattern.exec(text)
  if (error === 'ENOENT')
    return fail(
      'missing',
      `There is no launcher "${launcher}"; install one (on Debian: apt-get install ${PACKAGES.launcher}), choose another with --launcher, ${LOCAL}.`,
    )
  if (error)
    return fail('missing', `The launcher "${launcher}" cannot be started (${error}); choose another with --launcher, ${LOCAL}.`)
  if (found(/not enough slots|More processors requested than permitted/i))
    return fail('refused', `There are not enough slots for ${ranks} ranks; lower --ranks, or add --oversubscribe.`)
  if (found(/run as root/i))
    return fail('refused', `"${launcher}" does not run as root; run Peel as another user, or add --as-root to allow it.`)
  const library = found(/error while loading shared libraries: ([^:\s]+)/)
  if (library)
    return fail(
      'missing',
      `The driver needs ${clean(library[1])}, which is missing on a node; install it there, or delete ${binary} to rebuild it.`,
    )
  const host = found(/Could not resolve hostname ([^:\s]+)|unknown host:? (\S+)|Invalid host name: (\S+)/i)
  if (host)
    return fail('refused', `The host "${clean(host[1] ?? host[2] ?? host[3])}" is unknown; correct the file given with --hosts.`)
  if (
    found(
      /could not (access|find).{0,40}execut|unable to find the specified executable|execve\(\).*No such file|No such file or directory/is,
    )
  )
    return fail('missing', `The driver ${binary} does not exist on every node; set PEEL_CACHE to a folder that all nodes share.`)
  if (signal) return fail('ended', `The launcher "${launcher}" was ended by ${signal}.`)
  if (code === 137 || found(/KILLED BY SIGNAL: 9|signal 9 \(Killed\)|: Killed$/m))
    return fail('killed', 'A solver process was killed (often: out of memory).')
  if ((code ?? 0) > 128 || found(/KILLED BY SIGNAL|exited on signal/))
    return fail('crashed', `A solver process crashed (exit code ${code})${lastLines(text)}.`)
  return fail('ended', `The driver ended unexpectedly with exit code ${code}${lastLines(text)}.`)
}

function fail(kind: FailureKind, message: string): DriverFailure {
  return new DriverFailure(kind, message)
}

/** Text of another process for a message: without control characters, and shortened. */
export function clean(text: string, most = 400): string {
  const words = text.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim()
  return words.length > most ? `${words.slice(0, most)}…` : words
}

function lastLines(text: string): string {
  const lines = text
    .split('\n')
    .map(line => clean(line))
    .filter(line => /\w/.test(line))
    .slice(-3)
  return lines.length > 0 ? `; its last output: "${lines.join(' / ')}"` : ''
}
