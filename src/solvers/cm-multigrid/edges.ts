/** The alternative contact condition of Chentanez and Müller (section 3.1): not p ≥ 0 at the centres of contact cells but p ≥ 0
 *  where the solid surface crosses the edge between two centres. Where the interpolated pressure is negative there, both ends are
 *  moved by the least squared change that makes it 0. For comparison in 2D; the method itself works with nodes.
 *  The problem keeps open fractions, not the solid's level set, so the surface is put where the mean open fraction of the faces,
 *  interpolated along the edge, is one half. Contacts on no such edge (flat walls on cell faces) stay bounded at their centres. */
import { cellPosition, cellStrides } from '../../grid/grid.js'
import { faceStrides } from '../../grid/staggered.js'
import { type AssembledProblem, isAssembled } from '../../pressure/assemble.js'
import type { PressureProblem } from '../../pressure/problem.js'

export interface EdgeContacts {
  /** Grid cells on such edges, which are not bounded at their centres. */
  readonly cells: ReadonlySet<number>
  /** Makes p + base satisfy the condition; base is 0 if absent. Sets `held` at the ends of edges at 0. */
  enforce(p: Float64Array, base: Float64Array | undefined, held: Uint8Array): void
}

/** Interpolated pressures this close to 0, relative to the ends, are held. */
const EDGE_ROUNDING = 1e-12

/** `contact` is set in contact cells; `indexOf` returns the index of a grid cell in p. */
export function findEdges(problem: PressureProblem, contact: Uint8Array, indexOf: (cell: number) => number): EdgeContacts {
  const cells = new Set<number>()
  const ends: number[] = []
  const shares: number[] = []
  if (isAssembled(problem)) {
    forCrossings(problem, contact, (open, solid, share) => {
      ends.push(indexOf(open), indexOf(solid))
      shares.push(share)
      cells.add(open)
      cells.add(solid)
    })
  }
  return {
    cells,
    enforce(p, base, held) {
      for (const end of ends) held[end] = 0
      for (let edge = 0; edge < shares.length; edge++) {
        const a = ends[2 * edge]
        const b = ends[2 * edge + 1]
        const t = shares[edge]
        const [pa, pb] = base ? [p[a] + base[a], p[b] + base[b]] : [p[a], p[b]]
        const atSurface = (1 - t) * pa + t * pb
        if (atSurface > EDGE_ROUNDING * (Math.abs(pa) + Math.abs(pb))) continue
        held[a] = 1
        held[b] = 1
        if (!(atSurface < 0)) continue
        const step = -atSurface / ((1 - t) ** 2 + t ** 2)
        p[a] += (1 - t) * step
        p[b] += t * step
      }
    },
  }
}

/** Calls back with the cell in the open, the one in the solid and the distance of the surface from the first, as a share of the edge. */
function forCrossings(
  problem: AssembledProblem,
  contact: Uint8Array,
  visit: (open: number, solid: number, share: number) => void,
): void {
  const { grid, links } = problem
  const strides = cellStrides(grid)
  for (let cell = 0; cell < grid.cells; cell++) {
    for (let axis = 0; axis < grid.dims; axis++) {
      const other = cell + strides[axis]
      if (links[axis][cell] === 0 || (!contact[cell] && !contact[other])) continue
      const here = openShare(problem, cell)
      const there = openShare(problem, other)
      if (here >= 0.5 && there < 0.5) visit(cell, other, (here - 0.5) / (here - there))
      else if (there >= 0.5 && here < 0.5) visit(other, cell, (there - 0.5) / (there - here))
    }
  }
}

function openShare({ grid, open }: AssembledProblem, cell: number): number {
  const [i, j, k] = cellPosition(grid, cell)
  let sum = 0
  for (const axis of [0, 1, 2] as const) {
    if (axis >= grid.dims) continue
    const { row, plane, step } = faceStrides(grid, axis)
    const face = i + row * (j + plane * k)
    sum += open[axis][face] + open[axis][face + step]
  }
  return sum / (2 * grid.dims)
}
