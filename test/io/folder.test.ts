import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from '../../src/io/folder.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peel-folder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('makeFolder', () => {
  it('makes all that is missing, also when asked twice at once, and leaves what is there', async () => {
    const deep = join(folder, 'a', 'b', 'c')
    await Promise.all([makeFolder(deep), makeFolder(deep), makeFolder(join(folder, 'a', 'd'))])
    expect((await stat(deep)).isDirectory()).toBe(true)
    await writeFile(join(deep, 'kept'), '')
    await makeFolder(deep)
    expect(existsSync(join(deep, 'kept'))).toBe(true)
  })

  it('says what is in the way', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(makeFolder(file)).rejects.toThrow(`${file} cannot be written: a file is in the way.`)
    await expect(makeFolder(join(file, 'below'))).rejects.toThrow(
      `${join(file, 'below')} cannot be written: a file is in the way.`,
    )
  })

  it.skipIf(!existsSync('/proc/self'))('does not try for ever where the system makes no folders', async () => {
    await expect(makeFolder('/proc/peel/run')).rejects.toThrow('/proc/peel cannot be written: no folder can be made in /proc.')
  })
})
