/** Conjugate gradients preconditioned by one geometric V-cycle on the voxelised domain: every level knows only which cells are
 *  liquid, air or solid, and the outer iteration makes up for what voxels miss. Contacts are liquid rows, so walls stick. The
 *  cycle is symmetric positive definite, so the steps number at most the unknowns in exact arithmetic; on voxelised domains
 *  doubling the grid adds a few (14, 17, 23 at 32³, 64³, 128³ for smoke past a sphere).
 *  McAdams, Sifakis, Teran 2010. Differences: the band of extra smoothing is two cells wide on every level, where they derive it
 *  from the prolongation; the coarsest level is solved by a Cholesky factor instead of many sweeps; null spaces are projected
 *  out per sealed pocket instead of once; `finest` = `problem` smooths the finest level with the matrix of the problem itself,
 *  because cut cells and the ghost-fluid surface put numbers into it that no voxel shows. */

import { latticeIndices } from '../multigrid/transfer.js'
import { voxelise } from '../multigrid/voxel.js'
import { createVoxelCycle } from '../multigrid/voxel-cycle.js'
import { isGridProblem } from '../pressure/problem.js'
import type { LinearOperator } from '../sparse/krylov.js'
import { multiply, nonZeros } from '../sparse/matrix.js'
import { createAlgebraicSolver, type Method, type Run } from './algebraic.js'
import { conjugateGradients } from './conjugate-gradients.js'
import { type OptionValues, parseOptions } from './options.js'
import type { SolverEntry } from './registry.js'
import { projectSingular, type System } from './system.js'

const options = {
  finest: {
    type: 'choice',
    choices: ['problem', 'voxelised'],
    default: 'problem',
    about: 'Stencil that the V-cycle smooths with on the finest level: the matrix itself, or uniform voxels as in the paper.',
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
  name: 'mgpcg',
  title: 'Conjugate gradients with a voxel multigrid cycle, walls stick',
  separating: false,
  needsGrid: true,
  reference: 'McAdams, Sifakis and Teran 2010',
  options,
  create: given =>
    createAlgebraicSolver('mgpcg', false, voxelPreconditioned(parseOptions('mgpcg', options, given)), { needsGrid: true }),
}

function voxelPreconditioned(chosen: OptionValues<typeof options>): Method {
  return (system, p, run) => conjugateGradients(system, p, createOperator(system, chosen, run), run)
}

function createOperator(system: System, { finest, bandSweeps }: OptionValues<typeof options>, run: Run): LinearOperator {
  const { source, cells, buffers } = run
  if (!isGridProblem(source) || !cells) throw new TypeError('mgpcg runs on grids only')
  const levels = voxelise(source, finest, buffers)
  run.showLevels(
    levels.map(({ lattice, cells: unknowns, nonZeros: own }) => ({
      shape: lattice.shape.slice(0, source.grid.dims),
      unknowns: unknowns.length,
      nonZeros: own,
    })),
  )
  const cycle = createVoxelCycle(levels, bandSweeps, buffers)
  const at = latticeIndices(source.grid, levels[0].lattice, cells, buffers.i32('mgpcg.at', system.rows))
  return {
    size: system.rows,
    apply(x, y) {
      multiply(system, x, y)
      run.work.add(nonZeros(system))
    },
    precondition(r, z) {
      for (let row = 0; row < at.length; row++) cycle.b[at[row]] = r[row]
      cycle.run()
      for (let row = 0; row < at.length; row++) z[row] = cycle.p[at[row]]
      projectSingular(system, z)
      run.work.add(cycle.nonZeros)
    },
    countVectors: passes => run.work.add(passes * system.rows),
  }
}
