/** The loops on lattices in plain TypeScript: the definition. */

import type { Buffers } from '../../sparse/buffers.js'
import type { BoxMatrix, CellList, Lattices } from './lattices.js'
import { type LatticeMatrix, relax, residual } from './rediscretise-matrix.js'
import type { Transfer } from './transfer.js'

export interface PortableLevel extends LatticeMatrix, Omit<BoxMatrix, keyof LatticeMatrix> {
  readonly transfer?: Transfer | undefined
}

export function createPortableLattices(levels: readonly PortableLevel[], buffers: Buffers, name: string): Lattices<Float64Array> {
  let taken = 0
  const listOf = (at: number, list: CellList): readonly [Int32Array, number, number] => {
    const { cells, reds, band, bandReds } = levels[at]
    const inBand = list === 'bandRed' || list === 'bandBlack'
    const [all, half] = inBand ? [band, bandReds] : [cells, reds]
    if (!all || half === undefined) throw new TypeError(`level ${at} has no list ${list}`)
    return list === 'red' || list === 'bandRed' ? [all, 0, half] : [all, half, all.length]
  }
  return {
    vector: at => buffers.f64(`${name}.vector${taken++}`, levels[at].lattice.size).fill(0),
    values: (_, x) => x,
    places(_, cells, into = new Int32Array(cells.length)) {
      into.set(cells)
      return into
    },
    relax(at, list, p, b, lowest) {
      const [cells, from, to] = listOf(at, list)
      relax(levels[at], cells, from, to, p, b, lowest)
    },
    jacobi(at, damping, b, p, add) {
      const { cells, diagonal } = levels[at]
      for (let n = 0; n < cells.length; n++) {
        const c = cells[n]
        const value = (damping * b[c]) / diagonal[c]
        p[c] = add ? p[c] + value : value
      }
    },
    residual: (at, p, b, r) => residual(levels[at], p, b, r),
    apply: (at, x, y) => apply(levels[at], x, y),
    restrict(at, r, to) {
      levels[at].transfer!.restrict(r, to)
      keepUnknowns(levels[at + 1], to, buffers)
    },
    prolong: (at, x, to) => levels[at].transfer!.prolong(x, to),
    dot(at, x, y) {
      let sum = 0
      for (const c of levels[at].cells) sum += x[c] * y[c]
      return sum
    },
    clear(at, x) {
      for (const c of levels[at].cells) x[c] = 0
    },
    combine(at, a, x, b, to) {
      if (b === 0) for (const c of levels[at].cells) to[c] = a * x[c]
      else for (const c of levels[at].cells) to[c] = a * x[c] + b * to[c]
    },
    step(at, alpha, { d, Ad, x, r }) {
      let largest = 0
      for (const c of levels[at].cells) {
        x[c] += alpha * d[c]
        r[c] -= alpha * Ad[c]
        largest = Math.max(largest, Math.abs(r[c]))
      }
      return largest
    },
    clamp(at, p, lowest) {
      for (const c of levels[at].cells) if (p[c] < lowest[c]) p[c] = lowest[c]
    },
    maskPinned(at, p, lowest, from, to) {
      for (const c of levels[at].cells) to[c] = p[c] <= lowest[c] && from[c] < 0 ? 0 : from[c]
    },
    energy(at, { p, start, r, rStart }, contacts) {
      const { cells, diagonal } = levels[at]
      let change = 0
      let needed = 0
      for (const c of cells) {
        const w = -rStart[c]
        const natural = contacts[c] > -Infinity ? Math.min(w, diagonal[c] * start[c]) : w
        needed += (natural * natural) / diagonal[c]
        change -= 0.5 * (p[c] - start[c]) * (r[c] + rStart[c])
      }
      return { needed, change }
    },
    slopes(at, { p, start, r, rStart }) {
      let slope = 0
      let curvature = 0
      for (const c of levels[at].cells) {
        const step = p[c] - start[c]
        slope -= step * rStart[c]
        curvature += step * (rStart[c] - r[c])
      }
      return { slope, curvature }
    },
    natural(at, p, r, contacts) {
      const { cells, diagonal } = levels[at]
      let largest = 0
      let pinned = 0
      for (const c of cells) {
        let natural = -r[c]
        if (contacts[c] > -Infinity) {
          const scaled = diagonal[c] * p[c]
          if (scaled < natural) {
            natural = scaled
            pinned++
          }
        }
        largest = Math.max(largest, Math.abs(natural))
      }
      return { residual: largest, pinned }
    },
  }
}

function apply({ cells, diagonal, links, lattice }: PortableLevel, x: Float64Array, y: Float64Array): number {
  const [lx, ly, lz] = links
  const [sx, sy, sz] = lattice.strides
  let sum = 0
  for (let n = 0; n < cells.length; n++) {
    const c = cells[n]
    const along = lx[c] * x[c + sx] + lx[c - sx] * x[c - sx]
    const across = ly[c] * x[c + sy] + ly[c - sy] * x[c - sy]
    const up = lz[c] * x[c + sz] + lz[c - sz] * x[c - sz]
    const value = diagonal[c] * x[c] + along + across + up
    y[c] = value
    sum += x[c] * value
  }
  return sum
}

/** Restriction also writes to cells that are not unknowns. */
function keepUnknowns({ cells, lattice: { size } }: PortableLevel, x: Float64Array, buffers: Buffers): void {
  const kept = buffers.f64('lattices.kept', size)
  for (const c of cells) kept[c] = x[c]
  x.fill(0)
  for (const c of cells) x[c] = kept[c]
}
