// A solver of one's own: projected gradient steps with Nesterov's momentum, restarted where it points uphill (O'Donoghue and Candès 2015).
// A method is a generator: it improves p in place and yields its residual after every iteration. Limits, history, cancelling, sealed
// pockets and the independent check of the answer come from createAlgebraicSolver.
import { CONTACT, createAlgebraicSolver, parseOptions } from 'peel/solvers'

const options = {
  momentum: { type: 'flag', default: true, about: 'Nesterov momentum; without it the method is projected Jacobi.' },
}

export const acceleratedProjection = {
  name: 'accelerated-projection',
  title: 'Projected gradients with momentum',
  separating: true,
  reference: "Nesterov 1983; O'Donoghue and Candès 2015",
  options,
  create(given) {
    const { momentum } = parseOptions('accelerated-projection', options, given)
    return createAlgebraicSolver('accelerated-projection', true, (system, p, run) => iterate(system, p, run, momentum))
  },
}

function* iterate(system, p, run, momentum) {
  const { rows, columns, values, diagonalAt, kind } = system
  // Arrays are kept for the next solve.
  const [before, w, wBefore] = ['before', 'w', 'wBefore'].map(name => run.buffers.f64(`own.${name}`, rows))
  before.set(p)
  divergence(system, p, w)
  wBefore.set(w)
  for (let age = 0; ; age++) {
    const push = momentum ? age / (age + 3) : 0
    let uphill = 0
    for (let row = 0; row < rows; row++) {
      const diagonal = values[diagonalAt[row]]
      // A is linear, so A y + b at the point y = p + push (p - before) needs no product of its own.
      const y = p[row] + push * (p[row] - before[row])
      const wy = w[row] + push * (w[row] - wBefore[row])
      // Scaled by its diagonal, an M-matrix with dominant diagonal has no eigenvalue above 2.
      let next = y - wy / (2 * diagonal)
      if (kind[row] === CONTACT && next < 0) next = 0
      uphill += diagonal * (y - next) * (next - p[row])
      before[row] = p[row]
      p[row] = next
    }
    if (uphill > 0) age = -1
    wBefore.set(w)
    divergence(system, p, w)
    run.work.add(columns.length)
    yield naturalResidual(system, p, w)
  }
}

/** w = A p + b. */
function divergence({ rows, rowStart, columns, values, b }, p, w) {
  for (let row = 0; row < rows; row++) {
    let sum = b[row]
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum += values[at] * p[columns[at]]
    w[row] = sum
  }
}

/** The yardstick of all solvers, see docs/conventions.md. */
function naturalResidual({ rows, values, diagonalAt, kind }, p, w) {
  let residual = 0
  let pinned = 0
  for (let row = 0; row < rows; row++) {
    const isContact = kind[row] === CONTACT
    if (isContact && p[row] === 0) pinned++
    residual = Math.max(residual, Math.abs(isContact ? Math.min(w[row], values[diagonalAt[row]] * p[row]) : w[row]))
  }
  return { residual, pinned }
}
