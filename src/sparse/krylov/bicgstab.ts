/** Stabilised bi-conjugate gradients, preconditioned from the right (van der Vorst 1992). Two products per step. */
import type { Buffers } from '../buffers.js'
import { dot, step } from '../matrix.js'
import type { KrylovEnd, LinearOperator } from './method.js'

export function* bicgstab(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
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
