/** Quantities on the faces of the grid (Harlow and Welch's staggered layout): one array per axis, x-faces first. */
import { checkFunction, checkList, checkNumber, checkNumbers } from '../checks.js'
import { type ScalarFunction, sample } from './field.js'
import { AXES, type Axis, checkGrid, faceShape, type Grid } from './grid.js'

export type FaceField = readonly [Float64Array, Float64Array, Float64Array]

/** Throws an InputError unless there is one array of all faces per axis. */
export function checkFaces(grid: Grid, faces: FaceField, what: string): void {
  checkList(faces, what)
  for (const axis of AXES) {
    const [nx, ny, nz] = faceShape(grid, axis)
    checkNumbers(faces[axis], `${what}[${axis}]`, Float64Array, nx * ny * nz, `face normal to ${'xyz'[axis]}`)
  }
}

export function createFaceField(grid: Grid, value = 0): FaceField {
  checkGrid(grid, 'createFaceField: the grid')
  checkNumber(value, 'createFaceField: the value')
  const create = (axis: Axis) => {
    const [nx, ny, nz] = faceShape(grid, axis)
    return new Float64Array(nx * ny * nz).fill(value)
  }
  return [create(0), create(1), create(2)]
}

/** Samples one function per axis at the centres of the faces normal to it. */
export function sampleFaces(grid: Grid, values: readonly [ScalarFunction, ScalarFunction, ScalarFunction]): FaceField {
  checkGrid(grid, 'sampleFaces: the grid')
  checkList(values, 'sampleFaces: the functions')
  for (const axis of AXES) checkFunction(values[axis], `sampleFaces: the function of ${'xyz'[axis]}`)
  const create = (axis: Axis) => {
    const offset: [number, number, number] = [0.5, 0.5, 0.5]
    offset[axis] = 0
    return sample(grid, faceShape(grid, axis), offset, values[axis])
  }
  return [create(0), create(1), create(2)]
}

/** The lower face of cell (i, j, k) on `axis` is face `i + row (j + plane k)`; the upper one is `step` further on. */
export function faceStrides(grid: Grid, axis: Axis): { row: number; plane: number; step: number } {
  const [nx, ny] = faceShape(grid, axis)
  return { row: nx, plane: ny, step: [1, nx, nx * ny][axis] }
}

/** Adds the outflow through the faces of every cell, Σ ± weight·value / spacing, to `sums` (1/s for velocities in m/s). */
export function addOutflow(grid: Grid, values: FaceField, weights: FaceField, sums: Float64Array): void {
  const [nx, ny, nz] = grid.shape
  for (const axis of AXES) {
    const { row, plane, step } = faceStrides(grid, axis)
    const value = values[axis]
    const weight = weights[axis]
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        let face = row * (j + plane * k)
        for (let i = 0; i < nx; i++, cell++, face++) {
          sums[cell] += (weight[face + step] * value[face + step] - weight[face] * value[face]) / grid.spacing
        }
      }
    }
  }
}
