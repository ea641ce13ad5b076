/** Projected SOR: visit the rows in order, solve each for its own pressure, overrelax, and clamp contacts at 0 as they are
 *  written. Converges for every symmetric positive definite A and relaxation in (0, 2) (Cryer 1971); slow on fine grids.
 *  `auto` starts as Gauss–Seidel and raises the factor from the decay it observes, after Young and Hageman, without knowledge of
 *  the spectrum: with it the number of sweeps grows with N instead of N². */
import { CONTACT } from '../pressure/problem.js'
import { nonZeros } from '../sparse/matrix.js'
import { type OptionValues, parseOptions } from './contract/options.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Method } from './running/on-rows.js'
import type { System } from './running/system.js'

const options = {
  relaxation: {
    type: 'number',
    default: 0,
    min: 0,
    max: 1.9999,
    about: 'Relaxation factor; 1 is projected Gauss–Seidel, 0 chooses and adapts it.',
  },
  order: {
    type: 'choice',
    choices: ['forward', 'symmetric'],
    default: 'forward',
    about: 'Sweep in ascending order, or alternate ascending and descending.',
  },
} as const

export const psor: SolverEntry<typeof options> = {
  name: 'psor',
  title: 'Projected SOR / Gauss–Seidel',
  separating: true,
  reference: 'Cryer 1971; used as smoother by Chentanez and Müller 2011 and Lai et al. 2020',
  options,
  create: given => createAlgebraicSolver('psor', true, projectedSor(parseOptions('psor', options, given))),
}

function projectedSor({ relaxation, order }: OptionValues<typeof options>): Method {
  return function* (system, p, run) {
    const adaptive = relaxation === 0 ? createRelaxation() : undefined
    for (let sweeps = 1; ; sweeps++) {
      const forward = order === 'forward' || sweeps % 2 === 1
      const { residual, pinned, change } = sweep(system, p, adaptive ? adaptive.factor : relaxation, forward)
      adaptive?.observe(change)
      run.work.add(nonZeros(system))
      yield { residual, pinned }
    }
  }
}

/** One pass over all rows. The residual is that of each row when it is visited, so it costs nothing extra. */
export function sweep(
  system: System,
  p: Float64Array,
  relaxation: number,
  forward = true,
): { residual: number; pinned: number; change: number } {
  const { rows, rowStart, columns, values, diagonalAt, b, kind } = system
  let residual = 0
  let pinned = 0
  let change = 0
  for (let visited = 0; visited < rows; visited++) {
    const row = forward ? visited : rows - 1 - visited
    let w = b[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) w += values[at] * p[columns[at]]
    const diagonal = values[diagonalAt[row]]
    let next = p[row] - (relaxation * w) / diagonal
    let natural = w
    if (kind[row] === CONTACT) {
      natural = Math.min(w, diagonal * p[row])
      if (next <= 0) {
        next = 0
        pinned++
      }
    }
    const step = (next - p[row]) * diagonal
    change += (step * step) / diagonal
    p[row] = next
    const size = Math.abs(natural)
    if (!(size <= residual)) residual = size
    if (Number.isNaN(size)) return { residual: NaN, pinned, change: NaN }
  }
  return { residual, pinned, change: Math.sqrt(change) }
}

const MAX_FACTOR = 1.9995

/** Close to the best factor errors first shrink like k (ω − 1)ᵏ, which looks slower than it is; Hageman and Young's exponent
 *  distinguishes that from a factor that is too small. */
const DECAY_POWER = 0.75

/** Young's relation (λ + ω − 1)² = λ ω² μ² gives the Jacobi rate μ from the decay λ observed at ω, and μ the best ω. */
function createRelaxation() {
  let factor = 1
  let sweeps = 0
  let first = 0
  return {
    get factor() {
      return factor
    },
    observe(change: number): void {
      sweeps++
      // The larger the factor, the longer transients last.
      const settling = Math.ceil(2 / (2 - factor))
      const window = Math.max(10, 2 * settling)
      if (sweeps === settling) first = change
      if (sweeps < settling + window) return
      sweeps = 0
      const decay = (change / first) ** (1 / window)
      // Not decaying yet: contacts still change sides, or a mode grows out of rounding.
      if (!(decay < 1) || !(decay > (factor - 1) ** DECAY_POWER)) return
      const mu2 = Math.min(1, (decay + factor - 1) ** 2 / (decay * factor * factor))
      factor = Math.min(MAX_FACTOR, Math.max(factor, 2 / (1 + Math.sqrt(1 - mu2))))
    },
  }
}
