/** The level sets of a frame on a finer grid: liquid by a cubic through its values along each axis, solids linearly between nodes. */
import { checkWhole } from '../../checks.js'
import { createGrid, type Grid, nodeShape } from '../../grid/grid.js'
import { InputError } from '../../input-error.js'
import type { Frame } from '../frame.js'
import { matchVolume } from './match-volume.js'

type Levels = Pick<Frame, 'grid' | 'liquid' | 'solid'>

/** Finer cells per cell and axis. */
const FACTORS = [1, 2, 4] as const
/** Cells of the finer grid. */
const MAX_REFINED_CELLS = 2 ** 26
/** Share of its depth that liquid keeps which the finer grid would miss. */
const KEPT_DEPTH = 0.25

/** `factor` finer cells per cell and axis; a 2D grid stays one cell deep. */
export function refineLevels(frame: Levels, factor: number): Levels {
  checkWhole(factor, 'surfaceMesh: refine', 1)
  if (!FACTORS.some(known => known === factor))
    throw new InputError(`surfaceMesh: refine is ${FACTORS.join(', ')}, not ${factor}.`)
  const cells = frame.grid.cells * factor ** frame.grid.dims
  if (cells > MAX_REFINED_CELLS)
    throw new InputError(
      `A surface on ${factor} × as fine a grid has ${cells} cells, more than the ${MAX_REFINED_CELLS} that fit into memory; refine it less.`,
    )
  let levels = frame
  for (let rest = factor; rest > 1; rest /= 2) levels = twiceAsFine(levels)
  return levels
}

function twiceAsFine({ grid, liquid, solid }: Levels): Levels {
  const fine = createGrid(
    grid.shape.slice(0, grid.dims).map(size => 2 * size),
    grid.spacing / 2,
  )
  const refined = { grid: fine, liquid: refineCells(grid, liquid), solid: refineNodes(grid, solid) }
  matchVolume({ grid, liquid, solid }, refined)
  keepLiquid(grid, liquid, refined.liquid)
  return refined
}

/** Finer centres are a quarter of a cell off the old ones: the cubic through four values there. */
function refineCells({ dims, shape }: Grid, values: Float32Array): Float32Array {
  const size: [number, number, number] = [...shape]
  let from = values
  for (let axis = 0; axis < dims; axis++) {
    const stride = axis === 0 ? 1 : axis === 1 ? size[0] : size[0] * size[1]
    const count = size[axis]
    const to = new Float32Array(2 * from.length)
    for (let at = 0; at < from.length; at++) {
      const inner = at % stride
      const place = Math.floor(at / stride) % count
      const first = 2 * (at - inner - place * stride) + inner + 2 * place * stride
      const value = (step: number) => from[at + (Math.min(Math.max(place + step, 0), count - 1) - place) * stride]
      to[first] = quarterWay(value(0), value(-1), value(1), value(-2))
      to[first + stride] = quarterWay(value(0), value(1), value(-1), value(2))
    }
    size[axis] *= 2
    from = to
  }
  return from
}

/** Towards `near`, of which `beyond` is on the other side; `behind` is on the other side of `own`. */
function quarterWay(own: number, near: number, behind: number, beyond: number): number {
  return (105 * own + 35 * near - 7 * behind - 5 * beyond) / 128
}

/** Liquid at a single centre can be missed by all finer ones around it: drops, and thin places of sheets. There the lowest becomes liquid. */
function keepLiquid({ dims, shape: [nx, ny, nz] }: Grid, liquid: Float32Array, fine: Float32Array): void {
  const [row, plane] = [2 * nx, 4 * nx * ny]
  const steps = [0, 1, row, row + 1, ...(dims === 3 ? [plane, plane + 1, plane + row, plane + row + 1] : [])]
  for (let k = 0, cell = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, cell++) {
        if (!(liquid[cell] < 0)) continue
        const first = 2 * i + row * 2 * j + (dims === 3 ? plane * 2 * k : 0)
        if (steps.some(step => fine[first + step] < 0)) continue
        const lowest = steps.reduce((best, step) => (fine[first + step] < fine[first + best] ? step : best), 0)
        fine[first + lowest] = KEPT_DEPTH * liquid[cell]
      }
}

function refineNodes(grid: Grid, solid: Float32Array): Float32Array {
  let size: readonly [number, number, number] = nodeShape(grid)
  let from = solid
  for (let axis = 0; axis < grid.dims; axis++) {
    const finer: [number, number, number] = [...size]
    finer[axis] = 2 * size[axis] - 1
    const stride = axis === 0 ? 1 : axis === 1 ? size[0] : size[0] * size[1]
    const to = new Float32Array(finer[0] * finer[1] * finer[2])
    for (let at = 0; at < from.length; at++) {
      const inner = at % stride
      const place = Math.floor(at / stride) % size[axis]
      const outer = Math.floor(at / (stride * size[axis]))
      const first = inner + stride * (2 * place + finer[axis] * outer)
      to[first] = from[at]
      if (place + 1 < size[axis]) to[first + stride] = (from[at] + from[at + stride]) / 2
    }
    size = finer
    from = to
  }
  return from
}
