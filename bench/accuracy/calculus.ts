/** Derivatives of functions of position, by fourth-order central differences: exact to about 1e-11 for the fields of the manufactured
 *  solutions, far below every error that is measured. */
import type { ScalarFunction } from 'peel'

export type VectorFunction = readonly [ScalarFunction, ScalarFunction, ScalarFunction]

/** Of the unit of length: the truncation error, step⁴/30, and the rounding error, 1e-16/step, are alike. */
const STEP = 1e-3

export function derivative(f: ScalarFunction, axis: number): ScalarFunction {
  const at = (x: number, y: number, z: number, by: number) =>
    axis === 0 ? f(x + by, y, z) : axis === 1 ? f(x, y + by, z) : f(x, y, z + by)
  return (x, y, z) =>
    (8 * (at(x, y, z, STEP) - at(x, y, z, -STEP)) - (at(x, y, z, 2 * STEP) - at(x, y, z, -2 * STEP))) / (12 * STEP)
}

export function gradient(f: ScalarFunction): VectorFunction {
  return [derivative(f, 0), derivative(f, 1), derivative(f, 2)]
}

export function curl([a, b, c]: VectorFunction): VectorFunction {
  return [
    subtract(derivative(c, 1), derivative(b, 2)),
    subtract(derivative(a, 2), derivative(c, 0)),
    subtract(derivative(b, 0), derivative(a, 1)),
  ]
}

export function divergence([u, v, w]: VectorFunction): ScalarFunction {
  const [ux, vy, wz] = [derivative(u, 0), derivative(v, 1), derivative(w, 2)]
  return (x, y, z) => ux(x, y, z) + vy(x, y, z) + wz(x, y, z)
}

export function times(f: ScalarFunction, [u, v, w]: VectorFunction): VectorFunction {
  const by =
    (g: ScalarFunction): ScalarFunction =>
    (x, y, z) =>
      f(x, y, z) * g(x, y, z)
  return [by(u), by(v), by(w)]
}

export function plus([a, b, c]: VectorFunction, [u, v, w]: VectorFunction): VectorFunction {
  const sum =
    (f: ScalarFunction, g: ScalarFunction): ScalarFunction =>
    (x, y, z) =>
      f(x, y, z) + g(x, y, z)
  return [sum(a, u), sum(b, v), sum(c, w)]
}

function subtract(f: ScalarFunction, g: ScalarFunction): ScalarFunction {
  return (x, y, z) => f(x, y, z) - g(x, y, z)
}
