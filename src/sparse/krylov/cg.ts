/** Preconditioned conjugate gradients (Hestenes, Stiefel 1952). */
import type { Buffers } from '../buffers.js'
import { endWithoutCurvature, type KrylovEnd, type LinearOperator } from './method.js'

export function* cg(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
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
