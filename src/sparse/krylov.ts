/** Krylov methods as generators over one operator: each step improves x and yields the 2-norm of the residual, the caller
 *  decides when to stop. All start from x with r = f − A x given and keep r the residual of x; GMRES updates both
 *  when a cycle closes or the caller leaves the loop.
 *  On singular but consistent systems (sealed pockets) they work as they are: r stays in the range of A. */
import type { Buffers } from './buffers.js'
import { addScaled, dot, step } from './matrix.js'

export const KRYLOV_METHODS = ['cg', 'cr', 'gmres', 'bicgstab'] as const
export type KrylovName = (typeof KRYLOV_METHODS)[number]

export interface LinearOperator {
  readonly size: number
  /** y = A x */
  apply(x: Float64Array, y: Float64Array): void
  /** z = M r, symmetric positive definite for cg and cr */
  precondition(r: Float64Array, z: Float64Array): void
  /** Counts that many passes over vectors as work. */
  countVectors(passes: number): void
}

/** Why a method stopped by itself: nothing left to do, or a direction without positive curvature. */
export type KrylovEnd = 'exact' | 'indefinite'

export type KrylovMethod = (A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers) => Generator<number, KrylovEnd>

/** Vectors GMRES keeps before it restarts. */
const GMRES_RESTART = 30

export const krylov: Readonly<Record<KrylovName, KrylovMethod>> = { cg, cr, gmres, bicgstab }

/** Preconditioned conjugate gradients (Hestenes, Stiefel 1952). */
function* cg(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
  const { dot, step, turn } = buffers.loops
  const z = buffers.f64('cg.z', A.size)
  const d = buffers.f64('cg.d', A.size)
  const Ad = buffers.f64('cg.Ad', A.size)
  A.precondition(r, z)
  d.set(z)
  let rz = dot(r, z)
  for (;;) {
    if (rz === 0) return 'exact'
    A.apply(d, Ad)
    const curvature = dot(d, Ad)
    if (!(curvature > 0)) return endWithoutCurvature(curvature)
    const norm = step(x, r, rz / curvature, d, Ad)
    A.countVectors(6)
    yield norm
    A.precondition(r, z)
    const rzNew = dot(r, z)
    const beta = rzNew / rz
    turn(d, z, beta)
    rz = rzNew
  }
}

/** NaN is left for the caller to find in its own residual. */
function endWithoutCurvature(curvature: number): KrylovEnd {
  return curvature <= 0 ? 'indefinite' : 'exact'
}

/** Preconditioned conjugate residuals (Stiefel 1955): minimises the residual, so it falls without bumps. */
function* cr(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
  const z = buffers.f64('cr.z', A.size)
  const Az = buffers.f64('cr.Az', A.size)
  const d = buffers.f64('cr.d', A.size)
  const Ad = buffers.f64('cr.Ad', A.size)
  const MAd = buffers.f64('cr.MAd', A.size)
  A.precondition(r, z)
  A.apply(z, Az)
  d.set(z)
  Ad.set(Az)
  let zAz = dot(z, Az)
  for (;;) {
    if (zAz === 0) return 'exact'
    A.precondition(Ad, MAd)
    const size = dot(Ad, MAd)
    if (!(size > 0) || !(zAz > 0)) return endWithoutCurvature(Math.min(size, zAz))
    const alpha = zAz / size
    const norm = step(x, r, alpha, d, Ad)
    addScaled(z, -alpha, MAd)
    A.countVectors(9)
    yield norm
    A.apply(z, Az)
    const zAzNew = dot(z, Az)
    const beta = zAzNew / zAz
    for (let i = 0; i < d.length; i++) {
      d[i] = z[i] + beta * d[i]
      Ad[i] = Az[i] + beta * Ad[i]
    }
    zAz = zAzNew
  }
}

/** Stabilised bi-conjugate gradients, preconditioned from the right (van der Vorst 1992). Two products per step. */
function* bicgstab(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
  const n = A.size
  const shadow = buffers.f64('bicgstab.shadow', n)
  const d = buffers.f64('bicgstab.d', n)
  const Md = buffers.f64('bicgstab.Md', n)
  const AMd = buffers.f64('bicgstab.AMd', n)
  const Mr = buffers.f64('bicgstab.Mr', n)
  const AMr = buffers.f64('bicgstab.AMr', n)
  for (;;) {
    // (Re)start: also after the recurrences have broken down, which costs one step, not the solve.
    shadow.set(r)
    d.set(r)
    let rho = dot(shadow, r)
    const atStart = rho
    if (!(rho > 0)) return 'exact'
    for (;;) {
      A.precondition(d, Md)
      A.apply(Md, AMd)
      const curvature = dot(shadow, AMd)
      if (curvature === 0 || Number.isNaN(curvature)) return 'indefinite'
      const alpha = rho / curvature
      step(x, r, alpha, Md, AMd)
      A.precondition(r, Mr)
      A.apply(Mr, AMr)
      const size = dot(AMr, AMr)
      const omega = size > 0 ? dot(AMr, r) / size : 0
      const norm = step(x, r, omega, Mr, AMr)
      A.countVectors(12)
      yield norm
      const rhoNew = dot(shadow, r)
      if (omega === 0 || Math.abs(rhoNew) < 1e-14 * Math.sqrt(atStart) * norm) break
      const beta = (rhoNew / rho) * (alpha / omega)
      for (let i = 0; i < n; i++) d[i] = r[i] + beta * (d[i] - omega * AMd[i])
      rho = rhoNew
    }
  }
}

/** Restarted GMRES, preconditioned from the right, so that the residual it minimises is the true one (Saad, Schultz 1986). */
function* gmres(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
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
