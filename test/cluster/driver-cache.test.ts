/** Which compiled drivers are run: those that this user has built, as they were built, from a folder that nobody else writes to. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildDriver, cacheFolder } from '../../src/cluster/build-driver.js'
import { fakeCompiler } from './fake-driver.js'
import { createStandIns } from './stand-ins.js'

const standIns = createStandIns()
const cache = join(standIns.folder, 'cache')
const isRoot = process.getuid?.() === 0

beforeEach(() => {
  vi.stubEnv('PEEL_MPICXX', fakeCompiler(standIns))
  vi.stubEnv('PEEL_CACHE', cache)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(cache, { recursive: true, force: true })
})

it('keeps a driver for this user alone, and takes it again', async () => {
  const { path, fresh } = await buildDriver('grid')
  expect(fresh).toBe(true)
  expect(statSync(cache).mode & 0o777).toBe(0o700)
  expect(statSync(path).mode & 0o077).toBe(0)
  expect(await buildDriver('grid')).toMatchObject({ path, fresh: false })
  // No folder of a build is left.
  expect(readdirSync(cache)).toHaveLength(2)
})

it.each<[string, (path: string) => void]>([
  ['whose content was changed', path => writeFileSync(path, 'something else')],
  ['that was cut short', path => writeFileSync(path, readFileSync(path).subarray(0, 3))],
  ['whose hash is missing', path => rmSync(`${path}.sha256`)],
  ['that others can write to', path => chmodSync(path, 0o722)],
  [
    'that is a link to another file',
    path => {
      renameSync(path, `${path}.real`)
      symlinkSync(`${path}.real`, path)
    },
  ],
  ['that has another name as well', path => linkSync(path, `${path}.other`)],
])('builds one anew %s', async (_, spoil) => {
  const { path } = await buildDriver('grid')
  const built = readFileSync(path)
  spoil(path)
  expect(await buildDriver('grid')).toMatchObject({ path, fresh: true })
  expect(readFileSync(path).equals(built)).toBe(true)
  expect((await buildDriver('grid')).fresh).toBe(false)
})

it.skipIf(!isRoot)('builds one anew that belongs to another user, and runs none from the folder of another user', async () => {
  const { path } = await buildDriver('grid')
  chownSync(path, 12345, 12345)
  expect((await buildDriver('grid')).fresh).toBe(true)
  chownSync(cache, 12345, 12345)
  await expect(buildDriver('grid')).rejects.toThrow(/runs no drivers from .*belongs to another user \(12345\).*PEEL_CACHE/)
})

it('runs none from a folder that others can write to', async () => {
  for (const mode of [0o777, 0o1777, 0o770]) {
    rmSync(cache, { recursive: true, force: true })
    mkdirSync(cache)
    chmodSync(cache, mode)
    await expect(buildDriver('grid')).rejects.toThrow(/other users can write to it.*PEEL_CACHE/)
    expect(readdirSync(cache)).toEqual([])
  }
})

it('runs none from a folder that everybody can put another in the place of', async () => {
  const open = join(standIns.folder, 'open')
  mkdirSync(open)
  chmodSync(open, 0o777)
  vi.stubEnv('PEEL_CACHE', join(open, 'cache'))
  await expect(buildDriver('grid')).rejects.toThrow(/all users can write to .*open/)
  // As /tmp is: only who owns something can move it.
  chmodSync(open, 0o1777)
  expect((await buildDriver('grid')).fresh).toBe(true)
})

it('says so where there can be no folder', async () => {
  writeFileSync(cache, 'a file')
  await expect(buildDriver('grid')).rejects.toThrow(/cannot be stored at .*cache.*PEEL_CACHE/)
})

it('says so where a driver cannot be replaced', async () => {
  const { path } = await buildDriver('grid')
  rmSync(path)
  mkdirSync(path)
  await expect(buildDriver('grid')).rejects.toThrow(/cannot be stored at .*grid-/)
})

it('never looks in the current folder', () => {
  expect(cacheFolder({ PEEL_CACHE: '', XDG_CACHE_HOME: '/cache' })).toBe('/cache/peel/cluster')
  expect(cacheFolder({ PEEL_CACHE: 'here' })).toBe(join(process.cwd(), 'here'))
})

it('leaves nothing behind where the compiler fails', async () => {
  const { path } = await buildDriver('grid')
  rmSync(path)
  const fails = standIns.script(
    'fails',
    `#!/bin/sh\nif [ "$1" = -std=c++17 ]; then echo 'error: no luck' >&2; exit 1; fi\nexec ${join(standIns.folder, 'fake-mpicxx')} "$@"\n`,
  )
  vi.stubEnv('PEEL_MPICXX', fails)
  await expect(buildDriver('grid')).rejects.toThrow(/"no luck"/)
  expect(readdirSync(cache).filter(name => name.startsWith('build-'))).toEqual([])
  expect(existsSync(path)).toBe(false)
})
