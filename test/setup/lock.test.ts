// A lock that was written where some platform packages were missing installs on the machine that wrote it and fails on
// every other one, so completeness is checked here and not by installing.
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { project } from './working-copy.js'

interface Entry {
  version?: string
  resolved?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
type Packages = Record<string, Entry>

const read = (file: string) => JSON.parse(fs.readFileSync(path.join(project, file), 'utf8'))

/** Looks where Node would look: in the node_modules of the package, then of every package around it. */
function find(packages: Packages, from: string, name: string): Entry | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const found = packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]
    if (found || at === '') return found
  }
}

function missing(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([from, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter(name => !find(packages, from, name))
      .map(name => `${from || 'the project'} needs ${name}`),
  )
}

/** Those pinned to one version by their package, as platform packages are, must be there in that very version. */
function unequal(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([from, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name, wanted]) => /^\d+\.\d+\.\d+\S*$/.test(wanted) && find(packages, from, name)?.version !== wanted)
      .map(([name, wanted]) => `${from} needs ${name} ${wanted}`),
  )
}

const addresses = (packages: Packages) =>
  Object.entries(packages)
    .filter(([, entry]) => entry.resolved && !entry.link && /:\/\//.test(entry.resolved))
    .map(([name]) => name)

const inexact = (ranges: Record<string, string> = {}) =>
  Object.entries(ranges)
    .filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))
    .map(([name, range]) => `${name} ${range}`)

describe('package-lock.json', () => {
  const packages: Packages = read('package-lock.json').packages

  it('holds every package that another one depends on, for all platforms', () => {
    expect(missing(packages)).toEqual([])
    expect(unequal(packages)).toEqual([])
    const platforms = Object.values(packages).flatMap(entry => Object.keys(entry.optionalDependencies ?? {}))
    expect(platforms.length).toBeGreaterThan(10)
  })

  it('holds no download address, so it works behind any mirror', () => {
    expect(addresses(packages)).toEqual([])
    expect(fs.readFileSync(path.join(project, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "\w+:/)
  })

  it('agrees with package.json, where versions are exact', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = read('package.json')
    expect([dependencies, devDependencies, optionalDependencies, overrides].flatMap(inexact)).toEqual([])
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...overrides })) {
      expect(packages[`node_modules/${name}`].version, name).toBe(version)
    }
  })
})

describe('the checks of the lock', () => {
  const lock: Packages = {
    '': { dependencies: { tool: '1.0.0' } },
    'node_modules/tool': { version: '1.0.0', optionalDependencies: { 'tool-linux': '1.0.0', 'tool-mac': '1.0.0' } },
    'node_modules/tool/node_modules/tool-linux': { version: '1.0.0' },
    'node_modules/tool-mac': { version: '1.0.0' },
  }

  it('accept packages beside and inside the one that needs them', () => {
    expect(missing(lock)).toEqual([])
    expect(unequal(lock)).toEqual([])
  })

  it('find a platform that is missing or of another version', () => {
    const { 'node_modules/tool-mac': _, ...without } = lock
    expect(missing(without)).toEqual(['node_modules/tool needs tool-mac'])
    expect(unequal({ ...lock, 'node_modules/tool-mac': { version: '2.0.0' } })).toEqual([
      'node_modules/tool needs tool-mac 1.0.0',
    ])
  })

  it('find addresses and ranges', () => {
    expect(addresses({ a: { resolved: 'https://example.org/a.tgz' }, b: { resolved: 'docs', link: true } })).toEqual(['a'])
    expect(inexact({ a: '^1.0.0', b: '1.0.0', c: '1.0.0-beta.1', d: '*' })).toEqual(['a ^1.0.0', 'd *'])
  })
})
