/** Which process something on the disk belongs to, and whether that process still runs. The system is queried for that,
 *  because a simulation may be too busy to give signs of life. */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export interface ProcessIdentity {
  readonly pid: number
  /** Process ids are reused; together with the start time an id is unique. Undefined where the system hides it. */
  readonly born: string | undefined
}

export const thisProcess = (): ProcessIdentity => ({ pid: process.pid, born: birth(process.pid) })

/** Only for processes that this one could see: of this host and, on Linux, of its namespace of process numbers. */
export function isGone({ pid, born }: ProcessIdentity): boolean {
  try {
    if (pid <= 0) return true
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return true
  }
  return born !== undefined && birth(pid) !== born
}

/** When a process was started, in ticks since the system was; undefined for one that has ended and was not waited for yet. */
function birth(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in brackets, and may itself contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return 'ZX'.includes(fields[0]) ? undefined : fields[19]
  } catch {
    return undefined
  }
}

/** A word for file names: unique, and it names the process it belongs to. */
export function ownedWord(): string {
  own ??= [placeOfProcesses(), process.pid, birth(process.pid) ?? ''].join('-')
  return `${own}-${randomBytes(4).toString('hex')}`
}

/** Matches the result of `ownedWord`. */
export const OWNED_WORD = /([0-9a-f]{8})-(\d+)-(\d*)-[0-9a-f]{8}/

/** Whether `name` contains the id of a process that is known to have ended. A process that cannot be queried counts as
 *  running. */
export function isAbandoned(name: string): boolean {
  const [, place, pid, born] = OWNED_WORD.exec(name) ?? []
  return place === placeOfProcesses() && isGone({ pid: Number(pid), born: born || undefined })
}

let own: string | undefined
let place: string | undefined

/** Where process numbers mean the same as here: this host, and this container on it. */
function placeOfProcesses(): string {
  place ??= createHash('sha256').update(`${hostname()} ${namespace()}`).digest('hex').slice(0, 8)
  return place
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
