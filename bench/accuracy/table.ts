/** Observed orders of accuracy, as a table in Markdown. */
import { createSolver } from 'peel'
import { formatTable } from 'peel/formats'
import { manufacturedSolutions } from './manufactured.js'
import { type Errors, measureErrors } from './measure.js'

/** Cells along a side. Neighbouring sizes are close, because walls and surfaces cut every grid differently: orders are slopes over all. */
export const SIZES = { 2: [24, 32, 48, 64, 96, 128], 3: [12, 16, 20, 24, 32, 40, 48] } as const

/** One solution on several grids. */
export interface Convergence {
  readonly name: string
  readonly about: string
  readonly dims: 2 | 3
  /** Coarsest grid first. */
  readonly errors: readonly Errors[]
}

export async function measureConvergence(dims: 2 | 3, sizes: readonly number[]): Promise<Convergence[]> {
  const solver = createSolver('nas-mgpcg')
  const rows: Convergence[] = []
  for (const solution of manufacturedSolutions(dims)) {
    const errors: Errors[] = []
    for (const size of sizes) errors.push(await measureErrors(solution, dims, size, solver))
    rows.push({ name: solution.name, about: solution.about, dims, errors })
  }
  solver.dispose()
  return rows
}

/** What is measured: root mean square and largest error, of the velocity also on faces that are more than 0.2 open. */
export const NORMS = {
  'p rms': errors => errors.pressure.rms,
  'p max': errors => errors.pressure.max,
  'u rms': errors => errors.velocity.rms,
  'u max': errors => errors.velocity.max,
  'u max, wide faces': errors => errors.wideVelocity.max,
} satisfies Record<string, (errors: Errors) => number>

export type Norm = keyof typeof NORMS

/** Slope of log error over log spacing, by least squares. */
export function orderOf({ errors }: Convergence, norm: Norm): number {
  const points = errors.map(at => [-Math.log(at.size), Math.log(NORMS[norm](at))])
  const [x, y] = [0, 1].map(n => points.reduce((sum, point) => sum + point[n], 0) / points.length)
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return above / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

/** A line for every solution: the error on the finest grid and the observed order, in every norm. */
export function formatOrders(rows: readonly Convergence[]): string {
  const norms = Object.keys(NORMS) as Norm[]
  const lines = rows.map(row => [
    `${row.name}, ${row.dims}D`,
    ...norms.map(norm => `${NORMS[norm](row.errors.at(-1)!).toExponential(1)}, ${orderOf(row, norm).toFixed(1)}`),
  ])
  return formatTable(['problem', ...norms], lines)
}

export async function measureOrders(dims: 2 | 3): Promise<string> {
  return formatOrders(await measureConvergence(dims, SIZES[dims]))
}
