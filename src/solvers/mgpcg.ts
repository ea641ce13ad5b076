/** Conjugate gradients preconditioned by one geometric V-cycle on the voxelised domain: every level knows only which cells are
 *  liquid, air or solid, and the outer iteration makes up for what voxels miss. Contacts are liquid rows, so walls stick. The
 *  cycle is symmetric positive definite, so the steps number at most the unknowns in exact arithmetic; on voxelised domains
 *  doubling the grid adds a few (14, 17, 23 at 32³, 64³, 128³ for smoke past a sphere).
 *  McAdams, Sifakis, Teran 2010. Differences: the band of extra smoothing is two cells wide on every level, where they derive it
 *  from the prolongation; the coarsest level is solved by a Cholesky factor instead of many sweeps; null spaces are projected
 *  out per sealed pocket instead of once; `finest` = `problem` smooths the finest level with the matrix of the problem itself,
 *  because cut cells and the ghost-fluid surface put numbers into it that no voxel shows. */

import { createCompiledLattices } from '../multigrid/lattice/compiled.js'
import type { Lattices } from '../multigrid/lattice/lattices.js'
import { createPortableLattices, type PortableLevel } from '../multigrid/lattice/plain.js'
import { latticeIndices } from '../multigrid/lattice/transfer.js'
import { matrixOf, type VoxelLevel, voxelise } from '../multigrid/lattice/voxel.js'
import { CYCLE_VECTORS, createVoxelCycle } from '../multigrid/lattice/voxel-cycle.js'
import { subtractMeans } from '../pressure/pockets.js'
import { isGridProblem } from '../pressure/problem.js'
import { nonZeros } from '../sparse/matrix.js'
import { type OptionValues, parseOptions } from './contract/options.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Ending, type Method, type Run, type Step, type Verdict } from './running/on-rows.js'
import type { System } from './running/system.js'

const MGPCG = 'mgpcg'

const options = {
  finest: {
    type: 'choice',
    choices: ['problem', 'voxelised'],
    default: 'problem',
    about: 'Stencil of the V-cycle on the finest level: the matrix itself, or uniform voxels as in the paper.',
  },
  bandSweeps: {
    type: 'number',
    default: 2,
    min: 0,
    max: 100,
    integer: true,
    about: 'Gauss–Seidel sweeps near the boundary on the finest level, doubled on each coarser one.',
  },
} as const

export const mgpcg: SolverEntry<typeof options> = {
  name: MGPCG,
  title: 'Conjugate gradients with a voxel multigrid cycle, sticking walls',
  separating: false,
  needsGrid: true,
  reference: 'McAdams, Sifakis and Teran 2010',
  options,
  create: (given, engine = {}) =>
    createAlgebraicSolver(MGPCG, false, voxelPreconditioned(parseOptions(MGPCG, options, given)), { needsGrid: true, engine }),
}

/** Vectors beside those of the cycle: right-hand side, solution, and direction. */
export const OWN_VECTORS = 3

function voxelPreconditioned({ finest, bandSweeps }: OptionValues<typeof options>): Method {
  return function* (system, p, run) {
    const { source, cells, buffers, machine } = run
    if (!isGridProblem(source) || !cells) throw new TypeError('mgpcg runs on grids only')
    const levels = voxelise(source, finest, buffers)
    run.showLevels(
      levels.map(({ lattice, cells: unknowns, nonZeros: own }) => ({
        shape: lattice.shape.slice(0, source.grid.dims),
        unknowns: unknowns.length,
        nonZeros: own,
      })),
    )
    const at = latticeIndices(source.grid, levels[0].lattice, cells, buffers.i32('mgpcg.at', system.rows))
    // The iteration multiplies by the matrix of the problem, whatever the cycle smooths with.
    const all: PortableLevel[] =
      finest === 'problem' ? levels : [matrixOf(source, levels[0].lattice, buffers, 'mgpcg'), ...levels]
    const hierarchy = { levels, first: all.length - levels.length, at, bandSweeps }
    if (!machine) return yield* conjugateGradients(createPortableLattices(all, buffers, 'mgpcg'), hierarchy, system, p, run)
    const vectors = (depth: number) => CYCLE_VECTORS + (depth === hierarchy.first ? OWN_VECTORS : 0)
    const compiled = all.map((matrix, depth) => ({ matrix, vectors: depth < hierarchy.first ? 0 : vectors(depth) }))
    return yield* conjugateGradients(createCompiledLattices(machine, compiled, MGPCG, buffers), hierarchy, system, p, run)
  }
}

interface Hierarchy {
  readonly levels: readonly VoxelLevel[]
  /** Of the levels among the lattices. */
  readonly first: number
  /** Lattice index of every row. */
  readonly at: Int32Array
  readonly bandSweeps: number
}

/** Preconditioned conjugate gradients (Hestenes, Stiefel 1952) on lattice vectors. */
function* conjugateGradients<Vector>(
  lattices: Lattices<Vector>,
  { levels, first, at, bandSweeps }: Hierarchy,
  system: System,
  p: Float64Array,
  run: Run,
): Generator<Step, Ending, Verdict> {
  const cycle = createVoxelCycle(lattices, levels, bandSweeps, run.buffers, first)
  const { b: r, p: z, r: Ad } = cycle
  const [f, x, d] = [lattices.vector(first), lattices.vector(first), lattices.vector(first)]
  const places = lattices.places(first, at, run.buffers.i32('mgpcg.places', at.length))
  // A cell closed all around has no equation and perhaps no place.
  const placesOf = (rows: Int32Array, pocket: number) => {
    const found = run.buffers.i32(`mgpcg.pocket${pocket}`, rows.length)
    let count = 0
    for (let n = 0; n < rows.length; n++) if (places[rows[n]] >= 0) found[count++] = places[rows[n]]
    return found.subarray(0, count)
  }
  // On a sealed pocket A is singular; r must be in its range, and so is z then.
  const pockets = system.singular.map(placesOf)
  const put = (from: Float64Array, vector: Vector, factor: number) => {
    const values = lattices.values(first, vector)
    for (let row = 0; row < places.length; row++) if (places[row] >= 0) values[places[row]] = factor * from[row]
  }
  const handBack = () => {
    const values = lattices.values(first, x)
    for (let row = 0; row < places.length; row++) if (places[row] >= 0) p[row] = values[places[row]]
  }
  const precondition = () => {
    subtractMeans(pockets, lattices.values(first, r))
    cycle.run()
    subtractMeans(pockets, lattices.values(first, z))
    run.work.add(cycle.nonZeros)
  }
  put(system.b, f, -1)
  put(p, x, 1)
  try {
    for (;;) {
      lattices.residual(0, x, f, r)
      run.work.add(nonZeros(system))
      precondition()
      let rz = lattices.dot(0, r, z)
      lattices.combine(0, 1, z, 0, d)
      for (;;) {
        const curvature = rz === 0 ? 0 : lattices.apply(0, d, Ad)
        run.work.add(nonZeros(system))
        if (rz !== 0 && curvature <= 0)
          return {
            status: 'diverged',
            message: 'A is not positive definite: conjugate gradients met a direction without curvature.',
          }
        // Without a direction nothing moves, and this only measures.
        const exact = !(curvature > 0)
        const residual = lattices.step(0, exact ? 0 : rz / curvature, { d: exact ? r : d, Ad: exact ? f : Ad, x, r })
        run.work.add(6 * system.rows)
        if (residual <= system.target) handBack()
        const verdict = yield { residual, pinned: 0 }
        if (exact || verdict === 'recompute') break
        precondition()
        const rzNew = lattices.dot(0, r, z)
        lattices.combine(0, 1, z, rzNew / rz, d)
        rz = rzNew
      }
    }
  } finally {
    handBack()
  }
}
