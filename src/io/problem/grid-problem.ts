/** Grid problems as .npz files: the arrays `diag`, `east`, `north`, `up` (3D only), `b` and `separating`, all of one shape,
 *  (ny, nx) or (nz, ny, nx); a `diag` of 0 marks a cell that is no unknown. An optional array `adhesion` of that shape has the strength of walls
 *  in Pa, 0 where it is absent; only that of contacts counts. An optional scalar `spacing` holds the edge length
 *  of a cell in metres, 1 where it is absent. */
import { createGrid, type Grid } from '../../grid/grid.js'
import { InputError } from '../../input-error.js'
import { checkGridProblem } from '../../pressure/check-problem.js'
import { CONTACT, DRY, F32_ROUNDING, LIQUID, type PressureProblem } from '../../pressure/problem.js'
import { type NpyData, showShape } from '../formats/npy.js'
import { formatNpz, openNpz, type PackedArray } from '../formats/npz.js'

const ARRAY_NAMES = { diagonal: 'diag', links: ['east', 'north', 'up'], b: 'b' } as const
const SEPARATING_ARRAY = 'separating'
const ADHESION_ARRAY = 'adhesion'
const SPACING = 'spacing'
const KNOWN = [ARRAY_NAMES.diagonal, ...ARRAY_NAMES.links, ARRAY_NAMES.b, SEPARATING_ARRAY, ADHESION_ARRAY, SPACING]

type Arrays = ReadonlyMap<string, PackedArray>

export function parseGridProblem(bytes: Uint8Array, where: string): PressureProblem {
  // Names, shapes and types are checked before the first array is unpacked.
  const arrays = openNpz(bytes, where, KNOWN)
  const grid = readGrid(arrays, where)
  const diagonal = readNumbers(arrays, ARRAY_NAMES.diagonal, where)
  const east = readNumbers(arrays, ARRAY_NAMES.links[0], where)
  const north = readNumbers(arrays, ARRAY_NAMES.links[1], where)
  const up = grid.dims === 3 ? readNumbers(arrays, ARRAY_NAMES.links[2], where) : new Float64Array(grid.cells)
  const b = readNumbers(arrays, ARRAY_NAMES.b, where)
  const kind = readKinds(arrays, diagonal, where)
  const isSingle = [ARRAY_NAMES.diagonal, ...ARRAY_NAMES.links].some(name => arrays.get(name)?.type === 'f4')
  const problem: PressureProblem = {
    grid,
    kind,
    diagonal,
    links: [east, north, up],
    b,
    ...(arrays.has(ADHESION_ARRAY) && { adhesion: readNumbers(arrays, ADHESION_ARRAY, where) }),
    ...(isSingle && { rounding: F32_ROUNDING }),
  }
  checkGridProblem(problem, where, ARRAY_NAMES)
  return problem
}

/** Coefficients that came from f32 are written as f32, so that readers know how they were rounded. */
export function formatGridProblem(problem: PressureProblem): Uint8Array {
  checkGridProblem(problem)
  const { grid, kind, links, b, adhesion } = problem
  const shape = gridArrayShape(grid)
  // In the file, only the diagonal tells cells that are not unknowns.
  const diagonal = problem.diagonal.map((value, cell) => (kind[cell] === DRY ? 0 : value))
  const separating = kind.map(value => (value === CONTACT ? 1 : 0))
  const coefficients = [
    [ARRAY_NAMES.diagonal, diagonal],
    ...ARRAY_NAMES.links.slice(0, grid.dims).map((name, axis) => [name, links[axis]] as const),
  ] as const
  const narrow = problem.rounding === F32_ROUNDING
  return formatNpz([
    ...coefficients.map(([name, data]) => [name, { data: narrow ? narrowed(data) : data, shape }] as const),
    [ARRAY_NAMES.b, { data: b, shape }],
    [SEPARATING_ARRAY, { data: separating, shape }],
    ...(adhesion ? [[ADHESION_ARRAY, { data: adhesion, shape }] as const] : []),
    [SPACING, { data: Float64Array.of(grid.spacing), shape: [] }],
  ])
}

/** Shape of a cell array in NumPy's order, slowest axis first. */
export function gridArrayShape({ dims, shape: [nx, ny, nz] }: Grid): number[] {
  return dims === 3 ? [nz, ny, nx] : [ny, nx]
}

function readGrid(arrays: Arrays, where: string): Grid {
  const diagonal = requireArray(arrays, ARRAY_NAMES.diagonal, where)
  const { shape } = diagonal
  if ((shape.length !== 2 && shape.length !== 3) || shape.includes(0))
    throw new InputError(
      `${where}: array "${ARRAY_NAMES.diagonal}" has shape ${showShape(shape)}; a grid needs (ny, nx) or (nz, ny, nx) with no side 0.`,
    )
  if (shape.length === 2 && arrays.has('up'))
    throw new InputError(
      `${where}: array "up" belongs to a 3D problem, but "${ARRAY_NAMES.diagonal}" has shape ${showShape(shape)}.`,
    )
  const optional = arrays.has(ADHESION_ARRAY) ? [ADHESION_ARRAY] : []
  const required = [...ARRAY_NAMES.links.slice(0, shape.length), ARRAY_NAMES.b, SEPARATING_ARRAY, ...optional]
  for (const name of required) {
    const { shape: found } = requireArray(arrays, name, where)
    if (found.length !== shape.length || found.some((side, axis) => side !== shape[axis]))
      throw new InputError(
        `${where}: array "${name}" has shape ${showShape(found)}, but "${ARRAY_NAMES.diagonal}" has ${showShape(shape)}.`,
      )
  }
  for (const name of [ARRAY_NAMES.diagonal, ...required]) {
    const [types, words] = name === SEPARATING_ARRAY ? [['u1', 'b1'], 'uint8 or bool'] : [['f8', 'f4'], 'float64 or float32']
    const { type, descr } = requireArray(arrays, name, where)
    if (!types.includes(type)) throw new InputError(`${where}: array "${name}" has element type ${descr}; save it as ${words}.`)
  }
  const spacing = readSpacing(arrays, where)
  try {
    return createGrid([...shape].reverse(), spacing)
  } catch (error) {
    throw new InputError(`${where}: ${(error as Error).message}`)
  }
}

function readSpacing(arrays: Arrays, where: string): number {
  const found = arrays.get(SPACING)
  if (found === undefined) return 1
  const isOne = found.shape.every(side => side === 1)
  const spacing = isOne ? Number(found.unpack().data[0]) : Number.NaN
  if (!(spacing > 0 && Number.isFinite(spacing)))
    throw new InputError(`${where}: array "${SPACING}" must be one positive number, the edge length of a cell in metres.`)
  return spacing
}

function readNumbers(arrays: Arrays, name: string, where: string): Float64Array {
  const { data } = requireArray(arrays, name, where).unpack()
  return data instanceof Float64Array ? data : Float64Array.from(data as Float32Array)
}

function readKinds(arrays: Arrays, diagonal: Float64Array, where: string): Uint8Array {
  const data = requireArray(arrays, SEPARATING_ARRAY, where).unpack().data as Uint8Array
  const wrong = data.findIndex(value => value > 1)
  if (wrong >= 0)
    throw new InputError(
      `${where}: array "${SEPARATING_ARRAY}" holds ${data[wrong]} at flat index ${wrong}; only 0 and 1 are allowed.`,
    )
  return Uint8Array.from(diagonal, (value, cell) => {
    if (value === 0) return DRY
    return data[cell] === 1 ? CONTACT : LIQUID
  })
}

function requireArray(arrays: Arrays, name: string, where: string): PackedArray {
  const found = arrays.get(name)
  if (found === undefined) throw new InputError(`${where}: array "${name}" is missing from this grid problem.`)
  return found
}

function narrowed(data: Float64Array): NpyData {
  const single = Float32Array.from(data)
  return data.every((value, i) => value === single[i]) ? single : data
}
