import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import * as io from '../../../src/io/index.js'
import { formatNpy, readPressure, readProblem, writeFileWhole, writePressure, writeProblem } from '../../../src/io/index.js'
import { CONTACT, LIQUID, type PressureProblem, type SparseProblem } from '../../../src/pressure/problem.js'
import { laterRefusal } from '../refusal.js'

const grid: PressureProblem = {
  grid: createGrid([2, 1], 0.5),
  kind: Uint8Array.of(LIQUID, CONTACT),
  diagonal: Float64Array.of(2, 2),
  links: [Float64Array.of(-1, 0), new Float64Array(2), new Float64Array(2)],
  b: Float64Array.of(1, -1),
}
const matrix: SparseProblem = {
  rows: 2,
  rowStart: Int32Array.of(0, 2, 4),
  columns: Int32Array.of(0, 1, 0, 1),
  values: Float64Array.of(2, -1, -1, 2),
  diagonalAt: Int32Array.of(0, 3),
  b: Float64Array.of(1, -1),
  kind: Uint8Array.of(LIQUID, CONTACT),
}

let folder: string
const at = (...names: string[]): string => join(folder, ...names)
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peel-io-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('problems', () => {
  it('a grid problem is one .npz file', async () => {
    await writeProblem(at('p.npz'), grid)
    expect(await readdir(folder)).toEqual(['p.npz'])
    expect(await readProblem(at('p.npz'))).toStrictEqual(grid)
  })

  it('a matrix is three files, found by prefix, by file and by folder', async () => {
    await writeProblem(at('p'), matrix)
    expect(await readdir(folder)).toEqual(['p.A.mtx', 'p.b.mtx', 'p.separating.mtx'])
    for (const path of [at('p'), at('p.A.mtx'), folder, `${folder}/`]) expect(await readProblem(path), path).toStrictEqual(matrix)
  })

  it('walls of some strength are one more array, or one more file', async () => {
    const adhesion = Float64Array.of(0, 12.5)
    await writeProblem(at('p.npz'), { ...grid, adhesion })
    expect(await readProblem(at('p.npz'))).toStrictEqual({ ...grid, adhesion })
    await writeProblem(at('m'), { ...matrix, adhesion })
    expect(await readdir(folder)).toEqual(['m.A.mtx', 'm.adhesion.mtx', 'm.b.mtx', 'm.separating.mtx', 'p.npz'])
    expect(await readProblem(at('m'))).toStrictEqual({ ...matrix, adhesion })
    // A problem without them must not inherit the file.
    await writeProblem(at('m'), matrix)
    expect((await readProblem(at('m'))).adhesion).toEqual(new Float64Array(2))
    await writeFile(at('m.adhesion.mtx'), '%%MatrixMarket matrix array real general\n2 1\n0\n-3\n')
    expect(await laterRefusal(() => readProblem(at('m')))).toMatch(/m\.A\.mtx: array "adhesion" is -3 in row 2; it must be/)
  })

  it('the name of the matrix file serves for writing too', async () => {
    await writeProblem(at('p.A.mtx'), matrix)
    expect(await readProblem(at('p'))).toStrictEqual(matrix)
  })

  it('without flags every row separates', async () => {
    await writeProblem(at('p'), matrix)
    await rm(at('p.separating.mtx'))
    expect((await readProblem(at('p'))).kind).toEqual(Uint8Array.of(CONTACT, CONTACT))
  })

  it('a prefix that is also a folder means the files', async () => {
    await writeProblem(at('p'), matrix)
    await mkdir(at('p'))
    expect(await readProblem(at('p'))).toStrictEqual(matrix)
  })

  it('what is missing is named', async () => {
    await mkdir(at('empty'))
    await writeFile(at('notes.txt'), 'hello')
    expect(await laterRefusal(() => readProblem(at('p.npz')))).toBe(
      `${at('p.npz')} cannot be read: there is no such file or folder.`,
    )
    expect(await laterRefusal(() => readProblem(at('p')))).toContain(`no ${at('p.A.mtx')}`)
    expect(await laterRefusal(() => readProblem(at('p.A.mtx')))).toContain(at('p.A.mtx'))
    expect(await laterRefusal(() => readProblem(at('empty')))).toContain('contains no file NAME.A.mtx')
    expect(await laterRefusal(() => readProblem(at('notes.txt')))).toContain('is not a problem')
    expect(await laterRefusal(() => readProblem(at('notes.txt', 'p.npz')))).toContain('a part of the path is not a folder')
    await writeProblem(at('p'), matrix)
    await rm(at('p.b.mtx'))
    expect(await laterRefusal(() => readProblem(at('p')))).toContain(at('p.b.mtx'))
    await writeProblem(at('q'), matrix)
    expect(await laterRefusal(() => readProblem(folder))).toMatch(/contains 2 problems; give one of p, q\.$/)
  })

  it('a folder or a huge file in place of a file is refused before it is read', async () => {
    await mkdir(at('p.npz'))
    expect(await laterRefusal(() => readProblem(at('p.npz')))).toContain('it is a folder')
    for (const [name, size] of [
      ['q.npz', 2 ** 31],
      ['q.A.mtx', 2 ** 29],
      ['q.b.mtx', 1],
    ] as const) {
      await writeFile(at(name), '')
      await truncate(at(name), size)
    }
    expect(await laterRefusal(() => readProblem(at('q.npz')))).toContain('its 2147483648 bytes are too many')
    expect(await laterRefusal(() => readProblem(at('q')))).toContain('its 536870912 bytes are too many')
  })

  it('errors inside a file name it', async () => {
    await writeProblem(at('p'), matrix)
    await writeFile(at('p.A.mtx'), '%%MatrixMarket matrix coordinate real general\n1 x')
    expect(await laterRefusal(() => readProblem(at('p')))).toContain(`${at('p.A.mtx')}: line 2`)
    await writeFile(at('p.npz'), 'hello')
    expect(await laterRefusal(() => readProblem(at('p.npz')))).toContain(`${at('p.npz')}: this is not a whole .npz`)
  })

  it('the name must suit the problem', async () => {
    expect(await laterRefusal(() => writeProblem(at('p.txt'), grid))).toContain('must end in .npz')
    expect(await laterRefusal(() => writeProblem(at('p.npz'), matrix))).toContain('becomes Matrix Market files')
    expect(await laterRefusal(() => writeProblem(`${folder}/`, matrix))).toContain('a name for the matrix files is missing')
    expect(await readdir(folder)).toEqual([])
  })
})

describe('pressures', () => {
  it.each([
    ['grid', grid],
    ['matrix', matrix],
  ] as const)('of a %s are read back', async (_, problem) => {
    const pressure = Float64Array.of(0.1, 1e-300)
    await writePressure(at('p.npy'), pressure, problem)
    expect(await readPressure(at('p.npy'), problem)).toEqual(pressure)
  })

  it('f32 is read as f64', async () => {
    await writeFile(at('p.npy'), formatNpy(Float32Array.of(0.5, 2), [2]))
    expect(await readPressure(at('p.npy'), matrix)).toStrictEqual(Float64Array.of(0.5, 2))
  })

  it('of another kind are refused', async () => {
    await writeFile(at('p.npy'), formatNpy(Int32Array.of(1, 2), [2]))
    expect(await laterRefusal(() => readPressure(at('p.npy'), matrix))).toContain('element type <i4')
    expect(await laterRefusal(() => readPressure(at('p.npy'), grid))).toContain('the problem needs (1, 2)')
    expect(await laterRefusal(() => writePressure(at('q.npy'), new Float64Array(3), matrix))).toContain('3 values')
    expect(await laterRefusal(() => readPressure(at('q.npy'), matrix))).toContain('there is no such file')
  })
})

describe('writing a whole file', () => {
  it('replaces the earlier one and keeps its permissions', async () => {
    await writeFileWhole(at('a.txt'), 'first')
    await chmod(at('a.txt'), 0o640)
    await writeFileWhole(at('a.txt'), new TextEncoder().encode('second'))
    expect(await readFile(at('a.txt'), 'utf8')).toBe('second')
    expect((await stat(at('a.txt'))).mode & 0o777).toBe(0o640)
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  it('goes through a link to the file behind it', async () => {
    await mkdir(at('real'))
    await writeFile(at('real', 'a.txt'), 'first')
    await symlink(at('real', 'a.txt'), at('link.txt'))
    await writeFileWhole(at('link.txt'), 'second')
    expect(await readFile(at('real', 'a.txt'), 'utf8')).toBe('second')
    expect(await readdir(at('real'))).toEqual(['a.txt'])
  })

  it('takes the longest name that a folder takes', async () => {
    await writeFileWhole(at('x'.repeat(255)), 'text')
    expect(await laterRefusal(() => writeFileWhole(at('x'.repeat(256)), 'text'))).toContain('the name is too long')
  })

  it('says in one sentence why it cannot', async () => {
    await writeFile(at('file'), '')
    expect(await laterRefusal(() => writeFileWhole(at('none', 'a.txt'), ''))).toBe(
      `${at('none', 'a.txt')} cannot be written: the folder ${at('none')} does not exist.`,
    )
    expect(await laterRefusal(() => writeFileWhole(folder, ''))).toContain('it is a folder, not a file')
    expect(await laterRefusal(() => writeFileWhole(at('file', 'a.txt'), ''))).toContain('a part of the path is not a folder')
    expect(await laterRefusal(() => writeFileWhole(at('none/'), ''))).toContain('it has no file name')
    expect(await laterRefusal(() => writeFileWhole(at('nul\0l'), ''))).toContain('cannot be written')
    expect(await readdir(folder)).toEqual(['file'])
  })

  it.skipIf(process.platform === 'win32')('leaves devices alone', async () => {
    expect(await laterRefusal(() => writeFileWhole('/dev/null', ''))).toContain('it is not a regular file')
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
  })

  // The superuser may write everywhere.
  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('respects permissions', async () => {
    await writeFile(at('a.txt'), 'first', { mode: 0o444 })
    expect(await laterRefusal(() => writeFileWhole(at('a.txt'), 'second'))).toContain('permission is denied')
    await mkdir(at('closed'), { mode: 0o555 })
    expect(await laterRefusal(() => writeFileWhole(at('closed', 'a.txt'), ''))).toContain('permission is denied')
    await chmod(at('a.txt'), 0)
    expect(await laterRefusal(() => readPressure(at('a.txt'), grid))).toContain('permission is denied')
    await mkdir(at('hidden'), { mode: 0 })
    expect(await laterRefusal(() => readProblem(at('hidden')))).toContain('permission is denied')
    expect(await readdir(at('closed'))).toEqual([])
  })
})

it('the room offers its readers and writers in one place', () => {
  const names = [
    'readProblem',
    'writeProblem',
    'readPressure',
    'formatNpz',
    'parseMatrixMarket',
    'formatFrame',
    'createRun',
    'readRun',
  ]
  expect(Object.keys(io)).toEqual(expect.arrayContaining(names))
})
