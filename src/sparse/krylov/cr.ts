/** Preconditioned conjugate residuals (Stiefel 1955): minimises the residual, so it falls without bumps. */
import type { Buffers } from '../buffers.js'
import { addScaled, dot, step } from '../matrix.js'
import { endWithoutCurvature, type KrylovEnd, type LinearOperator } from './method.js'

export function* cr(A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers): Generator<number, KrylovEnd> {
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
