/** Writing that fails midway, by a file system that fails on demand. */
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { writeFileWhole, writeProblem } from '../../../src/io/problem/problem-files.js'
import { CONTACT, type SparseProblem } from '../../../src/pressure/problem.js'
import { laterRefusal } from '../refusal.js'

const failing = vi.hoisted(() => ({ renameTo: '', sync: false, copy: false }))

vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof fs>()
  const fail = (code: string): never => {
    throw Object.assign(new Error(code), { code })
  }
  return {
    ...real,
    rename: async (from: string, to: string) => {
      if (failing.renameTo !== '' && to.endsWith(failing.renameTo)) fail('EACCES')
      return real.rename(from, to)
    },
    copyFile: async (from: string, to: string) => (failing.copy ? fail('ENOSPC') : real.copyFile(from, to)),
    open: async (path: string, flags: string) => {
      const handle = await real.open(path, flags)
      if (failing.sync) handle.sync = async () => fail('ENOSPC')
      return handle
    },
  }
})

const problem = (b: number): SparseProblem => ({
  rows: 1,
  rowStart: Int32Array.of(0, 1),
  columns: Int32Array.of(0),
  values: Float64Array.of(2),
  diagonalAt: Int32Array.of(0),
  b: Float64Array.of(b),
  kind: Uint8Array.of(CONTACT),
})
const contents = async (): Promise<Record<string, string>> => {
  const names = (await fs.readdir(folder)).sort()
  return Object.fromEntries(await Promise.all(names.map(async name => [name, await fs.readFile(join(folder, name), 'utf8')])))
}

let folder: string
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), 'peel-io-'))
})
afterEach(async () => {
  Object.assign(failing, { renameTo: '', sync: false, copy: false })
  await fs.rm(folder, { recursive: true, force: true })
})

it('a full disk leaves nothing behind', async () => {
  failing.sync = true
  expect(await laterRefusal(() => writeFileWhole(join(folder, 'a.txt'), 'text'))).toContain('the disk is full')
  expect(await contents()).toEqual({})
})

it('a full disk leaves the earlier file as it was', async () => {
  await writeFileWhole(join(folder, 'a.txt'), 'first')
  failing.sync = true
  await laterRefusal(() => writeFileWhole(join(folder, 'a.txt'), 'second'))
  expect(await contents()).toEqual({ 'a.txt': 'first' })
})

it.each(['p.A.mtx', 'p.b.mtx', 'p.separating.mtx'])(
  'of three new files none stays when %s cannot be put in place',
  async name => {
    failing.renameTo = name
    expect(await laterRefusal(() => writeProblem(join(folder, 'p'), problem(1)))).toContain(`${name} cannot be written`)
    expect(await contents()).toEqual({})
  },
)

it.each(['p.b.mtx', 'p.separating.mtx'])('three earlier files stay when %s cannot be replaced', async name => {
  await writeProblem(join(folder, 'p'), problem(1))
  const earlier = await contents()
  failing.renameTo = name
  await laterRefusal(() => writeProblem(join(folder, 'p'), problem(2)))
  expect(await contents()).toEqual(earlier)
})

it('three earlier files stay when there is no room to keep them meanwhile', async () => {
  await writeProblem(join(folder, 'p'), problem(1))
  const earlier = await contents()
  failing.copy = true
  await laterRefusal(() => writeProblem(join(folder, 'p'), problem(2)))
  expect(await contents()).toEqual(earlier)
})

it('a folder in the way of one of three files is noticed before anything is written', async () => {
  await fs.mkdir(join(folder, 'p.separating.mtx'))
  expect(await laterRefusal(() => writeProblem(join(folder, 'p'), problem(1)))).toContain('it is a folder')
  expect(await fs.readdir(folder)).toEqual(['p.separating.mtx'])
})
