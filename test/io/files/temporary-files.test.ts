/** Temporary files that killed processes left; those of processes that run are theirs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isTemporaryName, removeAbandoned, writeFileWhole } from '../../../src/io/files/atomic-file.js'
import { isAbandoned, ownedWord } from '../../../src/io/files/process-identity.js'
import { inTemporaryFolder } from '../../cli/run.js'

const built = new URL('../../../dist/io/files/atomic-file.js', import.meta.url).href
/** Stays in the middle of a write: the file that it writes has no end. */
const WRITER = `
  import { writeFileWhole } from ${JSON.stringify(built)}
  const endless = { [Symbol.asyncIterator]: () => ({ next: async () => {
    await new Promise(resolve => setTimeout(resolve, 5))
    return { done: false, value: Buffer.alloc(1000) }
  } }) }
  await writeFileWhole(process.argv[1], endless)
`

async function startWriter(file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, file], { stdio: ['ignore', 'ignore', 'inherit'] })
  while (!readdirSync(join(file, '..')).some(isTemporaryName)) {
    if (child.exitCode !== null) throw new Error('the writer has ended')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return child
}

it('of a killed process stayed for ever: the next process that writes there removes them, but never those of one that runs', () =>
  inTemporaryFolder(async folder => {
    mkdirSync(join(folder, 'out'))
    const killed = await startWriter(join(folder, 'out/a'))
    const left = readdirSync(join(folder, 'out'))
    killed.kill('SIGKILL')
    await once(killed, 'close')
    const alive = await startWriter(join(folder, 'out/b'))
    try {
      while (readdirSync(join(folder, 'out')).length < 2) await new Promise(resolve => setTimeout(resolve, 20))
      const names = readdirSync(join(folder, 'out'))
      expect(names.every(isTemporaryName)).toBe(true)
      await writeFileWhole(join(folder, 'out/c'), 'whole')
      const others = names.filter(name => !left.includes(name))
      expect(readdirSync(join(folder, 'out')).sort()).toEqual([...others, 'c'].sort())
    } finally {
      alive.kill('SIGKILL')
      await once(alive, 'close')
    }
    await removeAbandoned(join(folder, 'out'))
    expect(readdirSync(join(folder, 'out'))).toEqual(['c'])
    expect(readFileSync(join(folder, 'out/c'), 'utf8')).toBe('whole')
  }))

it('files of others with similar names stay', () =>
  inTemporaryFolder(async folder => {
    const mine = `.peel-${ownedWord()}.tmp`
    const [, place] = /^\.peel-([0-9a-f]{8})-/.exec(mine)!
    const elsewhere = `.peel-${place === '00000000' ? '11111111' : '00000000'}-${2 ** 22 - 1}-5-0123abcd.tmp`
    const gone = `.peel-${place}-${2 ** 22 - 1}-5-0123abcd.tmp`
    const reused = `.peel-${place}-${process.pid}-5-0123abcd.tmp`
    const names = [mine, elsewhere, gone, reused, '.peel-notes.tmp', 'x.tmp', '.0123456789abcdef.tmp', `x${gone}`]
    for (const name of names) writeFileSync(join(folder, name), '')
    expect(isAbandoned(mine)).toBe(false)
    await writeFileWhole(join(folder, 'new'), '')
    const stay = existsSync('/proc/self/stat') ? [gone, reused] : [gone]
    expect(readdirSync(folder).sort()).toEqual([...names.filter(name => !stay.includes(name)), 'new'].sort())
  }))
