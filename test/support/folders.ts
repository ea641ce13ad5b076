/** What is in a folder, byte for byte. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** SHA-256 of every file by its path, and `folder` for every folder. */
export function digests(folder: string): Record<string, string> {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : []
  const digest = (path: string) =>
    statSync(path).isDirectory() ? 'folder' : createHash('sha256').update(readFileSync(path)).digest('hex')
  return Object.fromEntries(names.map(name => [name, digest(join(folder, name))]))
}

/** Everything of a run that depends on its scene alone: not when it was started, and how long things took. */
export function lastingContents(run: string): Record<string, string> {
  const { 'stats.ndjson': _, 'manifest.json': __, ...files } = digests(run)
  const stats = readFileSync(join(run, 'stats.ndjson'), 'utf8').trim().split('\n')
  const withoutTimes = (line: string) => JSON.stringify(JSON.parse(line, (key, value) => (key === 'seconds' ? undefined : value)))
  const manifest = { ...JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8')), started: '' }
  return { ...files, stats: stats.map(withoutTimes).join('\n'), manifest: JSON.stringify(manifest) }
}
