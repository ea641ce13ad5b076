/** MPRGP: modified proportioning with reduced gradient projections. Minimises ½ pᵀAp + bᵀp subject to p ≥ 0 on contacts by
 *  conjugate gradients in the face of free rows, with two extra steps that change the face: expansion when a contact would go
 *  negative, proportioning when a pinned one wants to come back. The energy falls in every step and convergence is R-linear.
 *  Dostál and Schöberl 2005; used for liquids by Narain 2010 and Gerszewski 2013. Differences: all gradient steps are scaled by
 *  the diagonal, i.e. the method runs on the problem with unit diagonal, where the step length is known without estimating a
 *  norm and nothing depends on units; the face is preconditioned, and its factor may lag
 *  behind (`refactor`), which saves less than it costs where contacts are many. */
import { CONTACT } from '../pressure/problem.js'
import { divergenceLeft, dot, multiply, nonZeros } from '../sparse/matrix.js'
import { type OptionValues, parseOptions } from './contract/options.js'
import { choosePreconditioner, preconditionerOptions } from './contract/preconditioner-options.js'
import { naturalStep } from './parts/active-set.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Method, type Run } from './running/on-rows.js'
import { projectSingular, type System } from './running/system.js'

const options = {
  ...preconditionerOptions,
  proportioning: {
    type: 'number',
    default: 1,
    min: 0,
    open: true,
    about: 'Γ: how large the gradient at pinned contacts may be, relative to that of free rows, before contacts are released.',
  },
  refactor: {
    type: 'number',
    default: 0,
    min: 0,
    max: 1,
    about: 'Fraction of contacts that may change before the preconditioner is rebuilt.',
  },
} as const

export const mprgp: SolverEntry<typeof options> = {
  name: 'mprgp',
  title: 'Modified proportioning with reduced gradient projections',
  separating: true,
  reference: 'Dostál and Schöberl 2005',
  options,
  create: given => createAlgebraicSolver('mprgp', true, proportioning(parseOptions('mprgp', options, given))),
}

function proportioning(chosen: OptionValues<typeof options>): Method {
  return function* (system, p, run) {
    const face = createFace(system, p, chosen, run)
    const { buffers } = run
    const d = buffers.f64('mprgp.d', system.rows)
    const Ad = buffers.f64('mprgp.Ad', system.rows)
    const z = buffers.f64('mprgp.z', system.rows)
    const restart = () => {
      face.precondition(z)
      d.set(z)
    }
    face.recompute()
    restart()
    /** The gradient has been computed again, and nothing has moved since. */
    let fresh = true
    for (;;) {
      if (face.proportional()) {
        // On all rows: the gradient at pinned contacts decides when they come back.
        multiply(system, d, Ad)
        run.work.add(nonZeros(system) + 6 * system.rows)
        const curvature = dot(d, Ad)
        const slope = dot(face.g, d)
        const feasible = face.feasibleStep(d)
        // Along the null vector of an expanding pocket there is no curvature, only a wall in the way.
        const wanted = curvature > 0 ? slope / curvature : slope > 0 ? Infinity : 0
        if (wanted <= feasible && Number.isFinite(wanted) && wanted !== 0) {
          fresh = false
          face.move(-wanted, d, Ad)
          face.precondition(z)
          const gamma = dot(z, Ad) / curvature
          for (let row = 0; row < d.length; row++) d[row] = face.free[row] ? z[row] - gamma * d[row] : 0
        } else if (feasible === Infinity && !fresh) {
          // It may be the gradient that has lost its digits, and not the matrix.
          face.recompute()
          restart()
          fresh = true
        } else if (feasible === Infinity) {
          return { status: 'diverged', message: 'The energy has no minimum: A is not positive definite on the free rows.' }
        } else {
          face.move(-feasible, d, Ad)
          face.expand()
          restart()
        }
      } else {
        face.release(d)
        restart()
      }
      const verdict = yield face.step()
      if (verdict === 'recompute') {
        face.recompute()
        restart()
      }
    }
  }
}

/** The point p with its gradient g = A p + b and its face: contacts with p = 0 are pinned. */
function createFace(system: System, p: Float64Array, chosen: OptionValues<typeof options>, run: Run) {
  const { rows, kind, contacts, values, diagonalAt } = system
  const { buffers, work } = run
  const g = buffers.f64('mprgp.g', rows)
  const free = buffers.u8('mprgp.free', rows)
  const builtFor = buffers.u8('mprgp.builtFor', rows).fill(2)
  const masked = buffers.f64('mprgp.masked', rows)
  const A = buffers.f64('mprgp.A', rows)
  const preconditioner = choosePreconditioner(chosen, run)
  const stepLength = 1.9 / scaledNorm(system)
  const diagonal = (row: number) => values[diagonalAt[row]]

  function markFace(): void {
    free.fill(1)
    for (const row of contacts) if (p[row] <= 0) free[row] = 0
  }

  return {
    g,
    free,

    recompute(): void {
      for (const row of contacts) if (p[row] < 0) p[row] = 0
      divergenceLeft(system, p, g)
      projectSingular(system, g)
      work.add(nonZeros(system))
      markFace()
    },

    /** z ≈ A⁻¹ g in the face. A factor built for another face is applied between two masks, which keeps it definite. */
    precondition(z: Float64Array): void {
      // Rounding that leaves the range of A cannot be removed by any direction, and constants in z only cost digits.
      projectSingular(system, g)
      let changed = 0
      for (const row of contacts) if (free[row] !== builtFor[row]) changed++
      if (changed > chosen.refactor * contacts.length || builtFor[0] === 2) {
        preconditioner.build(system, free)
        builtFor.set(free)
      }
      for (let row = 0; row < rows; row++) masked[row] = free[row] && builtFor[row] ? g[row] : 0
      preconditioner.apply(masked, z)
      work.add(preconditioner.nonZeros + 2 * rows)
      // Rows freed since the factor was built are not in it; there the diagonal serves.
      for (let row = 0; row < rows; row++) if (!free[row] || !builtFor[row]) z[row] = free[row] ? g[row] / diagonal(row) : 0
      projectSingular(system, z)
    },

    /** ‖β‖² ≤ Γ² φ̃ᵀφ: the pull at pinned contacts is small beside what the face itself still wants. */
    proportional(): boolean {
      let chopped = 0
      let reduced = 0
      for (let row = 0; row < rows; row++) {
        if (kind[row] === CONTACT) {
          if (!free[row]) {
            if (g[row] < 0) chopped += (g[row] * g[row]) / diagonal(row)
            continue
          }
          const step = Math.min((p[row] * diagonal(row)) / stepLength, g[row])
          reduced += (step * g[row]) / diagonal(row)
        } else reduced += (g[row] * g[row]) / diagonal(row)
      }
      return chopped <= chosen.proportioning ** 2 * reduced
    },

    /** How far p − α d stays feasible. */
    feasibleStep(d: Float64Array): number {
      let step = Infinity
      for (const row of contacts) if (free[row] && d[row] > 0) step = Math.min(step, p[row] / d[row])
      return step
    },

    move(alpha: number, d: Float64Array, Ad: Float64Array): void {
      for (let row = 0; row < rows; row++) {
        p[row] += alpha * d[row]
        g[row] += alpha * Ad[row]
      }
      work.add(2 * rows)
    },

    /** A projected gradient step of fixed length, which may pin many contacts at once. */
    expand(): void {
      for (let row = 0; row < rows; row++) if (free[row]) p[row] -= (stepLength * g[row]) / diagonal(row)
      this.recompute()
    },

    /** Minimises along the pull of the pinned contacts, which frees them. */
    release(d: Float64Array): void {
      d.fill(0)
      for (const row of contacts) if (!free[row] && g[row] < 0) d[row] = g[row] / diagonal(row)
      multiply(system, d, A)
      work.add(nonZeros(system))
      const curvature = dot(d, A)
      this.move(-dot(g, d) / curvature, d, A)
      markFace()
      this.recompute()
    },

    step: () => naturalStep(system, g, p, run),
  }
}

/** Bound of the largest eigenvalue of D⁻¹A by its row sums: 2 for a diagonally dominant matrix. */
function scaledNorm({ rows, rowStart, values, diagonalAt }: System): number {
  let largest = 0
  for (let row = 0; row < rows; row++) {
    let sum = 0
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum += Math.abs(values[at])
    largest = Math.max(largest, sum / values[diagonalAt[row]])
  }
  return largest
}
