import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadProblem } from '../../src/cli/arguments/problem-argument.js'
import { InputError } from '../../src/input-error.js'

describe('hints on the names of problems', () => {
  const before = process.cwd()
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peel-hints-'))
    process.chdir(folder)
  })
  afterAll(async () => {
    process.chdir(before)
    await rm(folder, { recursive: true })
  })
  const message = async (argument: string): Promise<string> => {
    const error = await loadProblem(argument, {}).catch(error => error)
    expect(error).toBeInstanceOf(InputError)
    return error.message
  }

  it('were nonsense where a file is there and damaged', async () => {
    const matrix = '%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 x\n'
    for (const name of ['tan', 'tank2', 'p']) {
      await writeFile(`${name}.A.mtx`, matrix)
      await writeFile(`${name}.b.mtx`, matrix)
      expect(await message(name)).toBe(`${name}.A.mtx: line 3 has "x" instead of a finite number.`)
    }
    await writeFile('half-bal', 'this is no problem')
    expect(await message('half-bal')).toBe('half-bal is not a problem: a .npz file, a NAME.A.mtx file or a folder was expected.')
  })

  it('were nonsense for names that are like none, because all share the prefix gallery:', async () => {
    for (const name of ['q', 'my-data', 'xyz', 'out']) expect(await message(name)).not.toContain('did you mean')
  })

  it('are given for a slip of the pen where no file is', async () => {
    expect(await message('half-bll')).toMatch(/^No problem at half-bll: .* \(did you mean gallery:half-ball\?\)\.$/)
    expect(await message('half-bll.npz')).not.toContain('did you mean')
  })
})
