/** Pressures as .npy files, in the shape of their problem: (ny, nx), (nz, ny, nx), or (rows,) for a matrix without geometry. */
import { InputError } from '../../input-error.js'
import { isGridProblem, type Problem } from '../../pressure/problem.js'
import { formatNpy, parseNpy, showShape } from '../formats/npy.js'
import { gridArrayShape } from './grid-problem.js'

export function parsePressure(bytes: Uint8Array, where: string, problem: Problem): Float64Array {
  const { data, shape, descr } = parseNpy(bytes, where)
  const expected = pressureShape(problem)
  if (showShape(shape) !== showShape(expected))
    throw new InputError(`${where}: the pressure has shape ${showShape(shape)}, the problem needs ${showShape(expected)}.`)
  if (!(data instanceof Float64Array) && !(data instanceof Float32Array))
    throw new InputError(`${where}: the pressure has element type ${descr}; save it as float64 or float32.`)
  const pressure = data instanceof Float64Array ? data : Float64Array.from(data)
  const wrong = pressure.findIndex(value => !Number.isFinite(value))
  if (wrong >= 0)
    throw new InputError(`${where}: the pressure is ${pressure[wrong]} at flat index ${wrong}, not a finite number.`)
  return pressure
}

export function formatPressure(pressure: Float64Array, problem: Problem): Uint8Array {
  return formatNpy(pressure, pressureShape(problem))
}

function pressureShape(problem: Problem): number[] {
  return isGridProblem(problem) ? gridArrayShape(problem.grid) : [problem.rows]
}
