/** Restarted GMRES, preconditioned from the right, so that the residual it minimises is the true one (Saad, Schultz 1986). */
import type { Buffers } from '../buffers.js'
import { addScaled, dot, step } from '../matrix.js'
import type { KrylovEnd, LinearOperator } from './method.js'

/** Vectors kept before a restart. */
const GMRES_RESTART = 30

export function* gmres(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
  const n = A.size
  const m = Math.min(GMRES_RESTART, n)
  const cycle: GmresCycle = {
    A,
    m,
    basis: Array.from({ length: m + 1 }, (_, i) => buffers.f64(`gmres.v${i}`, n)),
    z: buffers.f64('gmres.z', n),
    sum: buffers.f64('gmres.sum', n),
    H: buffers.f64('gmres.H', (m + 1) * m),
    rotation: buffers.f64('gmres.rotation', 2 * m),
    g: buffers.f64('gmres.g', m + 1),
  }
  for (;;) {
    const norm = Math.sqrt(dot(r, r))
    if (!(norm > 0)) return 'exact'
    for (let i = 0; i < n; i++) cycle.basis[0][i] = r[i] / norm
    cycle.g.fill(0)
    cycle.g[0] = norm
    let columns = 0
    try {
      for (let exhausted = false; columns < m && !exhausted; ) {
        exhausted = extendBasis(cycle, columns)
        rotate(cycle, columns)
        columns++
        if (columns < m && !exhausted) yield Math.abs(cycle.g[columns])
      }
    } finally {
      closeCycle(cycle, columns, x, r)
    }
    yield Math.sqrt(dot(r, r))
  }
}

interface GmresCycle {
  readonly A: LinearOperator
  readonly m: number
  readonly basis: Float64Array[]
  readonly z: Float64Array
  readonly sum: Float64Array
  readonly H: Float64Array
  readonly rotation: Float64Array
  readonly g: Float64Array
}

/** One Arnoldi step by modified Gram–Schmidt; true when the Krylov space is exhausted. */
function extendBasis({ A, m, basis, z, H }: GmresCycle, j: number): boolean {
  const w = basis[j + 1]
  A.precondition(basis[j], z)
  A.apply(z, w)
  const before = Math.sqrt(dot(w, w))
  for (let i = 0; i <= j; i++) {
    const h = dot(w, basis[i])
    H[i * m + j] = h
    addScaled(w, -h, basis[i])
  }
  A.countVectors(4 * (j + 1))
  const norm = Math.sqrt(dot(w, w))
  H[(j + 1) * m + j] = norm
  if (!(norm > 1e-14 * before)) return true
  for (let i = 0; i < w.length; i++) w[i] /= norm
  return false
}

/** Applies the Givens rotations so far to column j and adds the one that clears its subdiagonal. */
function rotate({ m, H, rotation, g }: GmresCycle, j: number): void {
  for (let i = 0; i < j; i++) {
    const a = H[i * m + j]
    const b = H[(i + 1) * m + j]
    H[i * m + j] = rotation[2 * i] * a + rotation[2 * i + 1] * b
    H[(i + 1) * m + j] = -rotation[2 * i + 1] * a + rotation[2 * i] * b
  }
  const a = H[j * m + j]
  const b = H[(j + 1) * m + j]
  const length = Math.hypot(a, b)
  const c = length > 0 ? a / length : 1
  const s = length > 0 ? b / length : 0
  rotation[2 * j] = c
  rotation[2 * j + 1] = s
  H[j * m + j] = length
  H[(j + 1) * m + j] = 0
  g[j + 1] = -s * g[j]
  g[j] *= c
}

/** x += M V y with H y = g, and r −= A M V y. */
function closeCycle({ A, m, basis, z, sum, H, g }: GmresCycle, columns: number, x: Float64Array, r: Float64Array): void {
  sum.fill(0)
  for (let i = columns - 1; i >= 0; i--) {
    let y = g[i]
    for (let j = i + 1; j < columns; j++) y -= H[i * m + j] * g[j]
    // A zero pivot is the null space of a sealed pocket: no step along it.
    g[i] = Math.abs(H[i * m + i]) > 1e-300 ? y / H[i * m + i] : 0
    addScaled(sum, g[i], basis[i])
  }
  A.precondition(sum, z)
  A.apply(z, sum)
  step(x, r, 1, z, sum)
}
