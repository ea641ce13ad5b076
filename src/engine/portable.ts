/** The engine in plain TypeScript, double precision: the definition that every other engine is compared with. */
import type { Colour, Engine, Level } from './engine.js'

export const portableEngine: Engine = {
  name: 'portable',

  smooth(level, colour, f, x) {
    const { rowStart, column, weight, inverse } = level
    const [from, to] = rowsOf(level, colour)
    for (let row = from; row < to; row++) {
      let sum = f[row]
      for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += weight[at] * x[column[at]]
      x[row] = sum * inverse[row]
    }
  },

  smoothProjected(level, colour, b, contact, x) {
    const { rowStart, column, weight, inverse } = level
    const [from, to] = rowsOf(level, colour)
    for (let row = from; row < to; row++) {
      let sum = -b[row]
      for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += weight[at] * x[column[at]]
      const value = sum * inverse[row]
      // Clamped as it is written: clamping after the sweep would have another fixed point.
      x[row] = contact[row] && value < 0 ? 0 : value
    }
  },

  smoothRedFromZero({ reds, inverse }, f, x) {
    for (let row = 0; row < reds; row++) x[row] = f[row] * inverse[row]
  },

  restrictResidual(level, colour, f, x, coarse) {
    const { rowStart, column, weight, diagonal, inverse, parent } = level
    const [from, to] = rowsOf(level, colour)
    coarse.fill(0)
    for (let row = from; row < to; row++) {
      if (parent[row] < 0 || inverse[row] === 0) continue
      let sum = f[row] - diagonal[row] * x[row]
      for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += weight[at] * x[column[at]]
      coarse[parent[row]] += sum
    }
  },

  prolong(level, colour, coarse, x) {
    const { parent, inverse } = level
    const [from, to] = rowsOf(level, colour)
    for (let row = from; row < to; row++) if (parent[row] >= 0 && inverse[row] !== 0) x[row] += coarse[parent[row]]
  },

  multiply(level, x, y) {
    const { rows } = level
    for (let row = 0; row < rows; row++) y[row] = productOfRow(level, row, x)
  },

  finishProduct(level, z, r, q, Az) {
    const { rows, reds } = level
    let zr = 0
    let zAz = 0
    let zq = 0
    for (let row = 0; row < rows; row++) {
      Az[row] = row < reds ? r[row] : productOfRow(level, row, z)
      zr += z[row] * r[row]
      zAz += z[row] * Az[row]
      zq += z[row] * q[row]
    }
    return { zr, zAz, zq }
  },

  update(alpha, beta, z, Az, { d, q, p, r }) {
    let largest = 0
    for (let row = 0; row < z.length; row++) {
      d[row] = z[row] + beta * d[row]
      q[row] = Az[row] + beta * q[row]
      p[row] += alpha * d[row]
      r[row] -= alpha * q[row]
      const size = Math.abs(r[row])
      if (!(size <= largest)) largest = size
    }
    return largest
  },
}

function rowsOf({ reds, rows }: Level, colour: Colour): readonly [number, number] {
  return colour === 'red' ? [0, reds] : [reds, rows]
}

function productOfRow({ rowStart, column, weight, diagonal, inverse }: Level, row: number, x: Float64Array): number {
  if (inverse[row] === 0) return 0
  let sum = diagonal[row] * x[row]
  for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum -= weight[at] * x[column[at]]
  return sum
}
