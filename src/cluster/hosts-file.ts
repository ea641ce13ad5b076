/** The file given with --hosts, checked before a launcher reads it. Launchers report little about a wrong one, and pass names
 *  on to ssh unchanged, where a name that begins with a dash is an option and may start any program. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { DriverFailure } from './driver-failure.js'

const MAX_HOSTS_BYTES = 2 ** 24
/** Characters. */
const MAX_LINE = 4096

/** Throws a DriverFailure that names the file, and the line if one is wrong. */
export function checkHostsFile(path: string): void {
  let hosts = 0
  for (const [at, line] of readLines(path).entries()) {
    const wrong = (what: string) => refuse(`Line ${at + 1} of the hosts file ${path} ${what}`)
    if (line.length > MAX_LINE) throw wrong(`has ${line.length} characters; a line names one host`)
    if (/[^\t\r\x20-\x7e]/.test(line)) throw wrong('has characters that are not allowed in host names; use a text file')
    const words = line.replace(/#.*/, '').split(/\s+/).filter(Boolean)
    if (words.length === 0) continue
    // Launchers cut user names, lists, exclusions and counts off at these characters.
    const parts = words.flatMap(word => word.split(/[@,^+:=]/))
    if (parts.some(part => part.startsWith('-')))
      throw wrong('has a name that begins with a dash, which ssh would read as an option')
    if (!/^[\w.:@,^+[\]-]+$/.test(words[0]))
      throw wrong(`begins with ${JSON.stringify(words[0].slice(0, 60))}, which is not a host name`)
    hosts++
  }
  if (hosts === 0) throw refuse(`The hosts file ${path} names no host`)
}

function readLines(path: string): string[] {
  let file: number | undefined
  try {
    // A pipe must not make Peel wait for its writer.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const status = fstatSync(file)
    const { size } = status
    if (!status.isFile()) throw refuse(`The hosts file ${path} is a folder or a device, not a file`)
    if (size > MAX_HOSTS_BYTES) throw refuse(`The hosts file ${path} has ${size} bytes, too many for a list of hosts`)
    return readFileSync(file, 'latin1').split('\n')
  } catch (error) {
    if (error instanceof DriverFailure) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw refuse(code === 'ENOENT' ? `There is no hosts file ${path}` : `The hosts file ${path} cannot be read (${message})`)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function refuse(what: string): DriverFailure {
  return new DriverFailure('refused', `${what}; correct --hosts.`)
}
