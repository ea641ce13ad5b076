import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder, removeEmpty } from '../../../src/io/files/folder.js'

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

  it('tells what it made, so that what stays empty can go again', async () => {
    const made = await makeFolder(join(folder, 'a', 'b', 'c'))
    expect(made).toEqual([join(folder, 'a', 'b', 'c'), join(folder, 'a', 'b'), join(folder, 'a')])
    expect(await makeFolder(join(folder, 'a', 'b'))).toEqual([])
    await writeFile(join(folder, 'a', 'kept'), '')
    await removeEmpty(made)
    expect(await readdir(join(folder, 'a'))).toEqual(['kept'])
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
