/** Problems and pressures in the file system: .npz for grid problems, Matrix Market files for matrices, .npy for pressures. */
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import { isGridProblem, type Problem } from '../../pressure/problem.js'
import { isFolder, isThere, readBytes, readText, readTextIfThere, writeFilesWhole, writeFileWhole } from '../files/atomic-file.js'
import { listFolder } from '../files/folder.js'
import { formatGridProblem, parseGridProblem } from './grid-problem.js'
import { formatPressure, parsePressure } from './pressure-array.js'
import { formatSparseProblem, parseSparseProblem } from './sparse-problem.js'

export { writeFilesWhole, writeFileWhole }

const GRID = '.npz'
const MATRIX = '.A.mtx'
const RIGHT_SIDE = '.b.mtx'
const SEPARATING_FILE = '.separating.mtx'
const ADHESION_FILE = '.adhesion.mtx'

/** `path` is a .npz file, a NAME.A.mtx file, its prefix NAME, or a folder with one such file in it. */
export async function readProblem(path: string): Promise<Problem> {
  if (path.toLowerCase().endsWith(GRID)) return parseGridProblem(await readBytes(path), path)
  const prefix = await findPrefix(path)
  const readColumn = async (suffix: string) => {
    const text = await readTextIfThere(prefix + suffix)
    return text === undefined ? undefined : { text, where: prefix + suffix }
  }
  return parseSparseProblem({
    A: { text: await readText(prefix + MATRIX), where: prefix + MATRIX },
    b: { text: await readText(prefix + RIGHT_SIDE), where: prefix + RIGHT_SIDE },
    separating: await readColumn(SEPARATING_FILE),
    adhesion: await readColumn(ADHESION_FILE),
  })
}

/** Whether anything that `path` may mean is there, readable or not. */
export async function isProblemThere(path: string): Promise<boolean> {
  return (await isThere(path)) || (await isThere(path + MATRIX))
}

/** A grid problem becomes the .npz file `path`; a matrix the files NAME.A.mtx, NAME.b.mtx, NAME.separating.mtx
 *  and, if walls have strength, NAME.adhesion.mtx, where `path` is NAME or NAME.A.mtx. All of it is written or nothing. */
export async function writeProblem(path: string, problem: Problem): Promise<void> {
  const isNpz = path.toLowerCase().endsWith(GRID)
  if (isGridProblem(problem)) {
    if (!isNpz) throw new InputError(`${path} cannot be written: the file of a grid problem must end in ${GRID}.`)
    await writeFileWhole(path, formatGridProblem(problem))
    return
  }
  if (isNpz)
    throw new InputError(`${path} cannot be written: a matrix problem becomes Matrix Market files; give a name without ${GRID}.`)
  const prefix = withoutSuffix(path)
  if (prefix === '' || prefix.endsWith('/'))
    throw new InputError(`${path} cannot be written: a name for the matrix files is missing.`)
  // The strength of an earlier problem of that name would become one of this.
  const isStale = problem.adhesion === undefined && (await isThere(prefix + ADHESION_FILE))
  const written = isStale ? { ...problem, adhesion: new Float64Array(problem.rows) } : problem
  const { A, b, separating, adhesion } = formatSparseProblem(written)
  await writeFilesWhole([
    [prefix + MATRIX, A],
    [prefix + RIGHT_SIDE, b],
    [prefix + SEPARATING_FILE, separating],
    ...(adhesion === undefined ? [] : [[prefix + ADHESION_FILE, adhesion] as const]),
  ])
}

export async function readPressure(path: string, problem: Problem): Promise<Float64Array> {
  return parsePressure(await readBytes(path), path, problem)
}

export async function writePressure(path: string, pressure: Float64Array, problem: Problem): Promise<void> {
  await writeFileWhole(path, formatPressure(pressure, problem))
}

async function findPrefix(path: string): Promise<string> {
  if (path.endsWith(MATRIX)) return withoutSuffix(path)
  if (await isThere(path + MATRIX)) return path
  if (await isFolder(path)) return join(path, withoutSuffix(await onlyMatrixIn(path)))
  if (await isThere(path))
    throw new InputError(`${path} is not a problem: a ${GRID} file, a NAME${MATRIX} file or a folder was expected.`)
  throw new InputError(`No problem at ${path}: there is no such ${GRID} file or folder, and no ${path}${MATRIX}.`)
}

async function onlyMatrixIn(folder: string): Promise<string> {
  const names = await listFolder(folder)
  const found = names.filter(name => name.endsWith(MATRIX)).sort()
  if (found.length === 0) throw new InputError(`No problem in the folder ${folder}: it contains no file NAME${MATRIX}.`)
  if (found.length > 1)
    throw new InputError(
      `The folder ${folder} contains ${found.length} problems; give one of ${found.map(withoutSuffix).join(', ')}.`,
    )
  return found[0]
}

function withoutSuffix(path: string): string {
  return path.endsWith(MATRIX) ? path.slice(0, -MATRIX.length) : path
}
