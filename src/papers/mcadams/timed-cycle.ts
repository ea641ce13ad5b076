/** One iteration of multigrid-preconditioned conjugate gradients, its stages timed apart, as in Table 2 of McAdams 2010. */

import { solveModule } from '../../machine/generated/solve.js'
import { startMachine } from '../../machine/machine.js'
import { type CompiledLevel, createCompiledLattices } from '../../multigrid/lattice/compiled.js'
import type { Lattices } from '../../multigrid/lattice/lattices.js'
import { voxelise } from '../../multigrid/lattice/voxel.js'
import { CYCLE_VECTORS, createVoxelCycle } from '../../multigrid/lattice/voxel-cycle.js'
import type { PressureProblem } from '../../pressure/problem.js'
import { OWN_VECTORS } from '../../solvers/mgpcg.js'
import { createBuffers } from '../../sparse/buffers.js'

export const CYCLE_STAGES = [
  'interior smoothing and residuals',
  'boundary smoothing and residuals',
  'restriction',
  'prolongation',
  'boundary smoothing, upstroke',
  'interior smoothing, upstroke',
  'V-cycle total',
  'PCG, line 6',
  'PCG, line 8',
  'PCG, line 13',
  'PCG, line 16',
  'PCG total',
] as const
export type CycleStage = (typeof CYCLE_STAGES)[number]

export interface TimedCycle {
  /** Seconds until the first iteration could begin. */
  readonly initialisation: number
  /** Seconds of one iteration, the fastest of several. */
  readonly stages: Readonly<Record<CycleStage, number>>
  /** Memory of the loops: levels and vectors. */
  readonly bytesPerCell: number
}

const BAND_SWEEPS = 2
/** The first one meets cold memory, others are disturbed. */
const CYCLE_ROUNDS = 10

export async function timeCycle(problem: PressureProblem, threads: number, clock: () => number): Promise<TimedCycle> {
  const machine = await startMachine(solveModule, threads)
  try {
    const began = clock()
    const buffers = createBuffers()
    const levels = voxelise(problem, 'voxelised', buffers)
    const compiled: CompiledLevel[] = levels.map((matrix, depth) => ({
      matrix,
      vectors: CYCLE_VECTORS + (depth === 0 ? OWN_VECTORS : 0),
    }))
    const lattices = createCompiledLattices(machine, compiled, 'mgpcg')
    const times: Record<string, number> = {}
    const cycle = createVoxelCycle(finestTimed(lattices, times, clock), levels, BAND_SWEEPS, buffers)
    const vectors = { r: cycle.b, z: cycle.p, Ad: cycle.r, x: lattices.vector(0), d: lattices.vector(0) }
    const places = lattices.places(0, levels[0].cells)
    const initialisation = clock() - began
    const values = lattices.values(0, vectors.r)
    places.forEach((place, at) => {
      values[place] = Math.sin(at)
    })
    const rounds = Array.from({ length: CYCLE_ROUNDS }, () => timeIteration(lattices, cycle.run, vectors, times, clock))
    const total = (stages: Record<CycleStage, number>) => stages['PCG total']
    const stages = rounds.reduce((best, next) => (total(next) < total(best) ? next : best))
    return {
      initialisation,
      stages,
      bytesPerCell: machine.memory.buffer.byteLength / problem.grid.cells,
    }
  } catch (error) {
    throw (await machine.failure()) ?? error
  } finally {
    machine.dispose()
  }
}

/** By the lines of Algorithm 3 of the paper. Ours updates x and r in one loop, so half of line 16 is counted in line 8. */
function timeIteration<Vector>(
  lattices: Lattices<Vector>,
  runCycle: () => void,
  { r, z, Ad, x, d }: Readonly<Record<'r' | 'z' | 'Ad' | 'x' | 'd', Vector>>,
  times: Record<string, number>,
  clock: () => number,
): Record<CycleStage, number> {
  for (const stage of Object.keys(times)) delete times[stage]
  const marks = [clock()]
  const mark = () => marks.push(clock())
  const curvature = lattices.apply(0, d, Ad)
  mark()
  lattices.step(0, curvature > 0 ? 1e-3 / curvature : 0, { d, Ad, x, r })
  mark()
  runCycle()
  mark()
  const rz = lattices.dot(0, r, z)
  mark()
  lattices.combine(0, 1, z, 0.5 * Math.sign(rz), d)
  mark()
  const [line6, line8, whole, dot, line16] = marks.slice(1).map((end, at) => end - marks[at])
  const all = {
    ...times,
    'V-cycle total': whole,
    'PCG, line 6': line6,
    'PCG, line 8': line8,
    'PCG, line 13': whole + dot,
    'PCG, line 16': line16,
    'PCG total': marks[marks.length - 1] - marks[0],
  }
  return all as Record<CycleStage, number>
}

/** The loops on the finest level, with their times added up by stage. Coarser levels are part of the whole only, as in the paper. */
function finestTimed<Vector>(lattices: Lattices<Vector>, times: Record<string, number>, clock: () => number): Lattices<Vector> {
  let isUp = false
  const timed = <T>(at: number, stage: CycleStage, work: () => T): T => {
    if (at !== 0) return work()
    const began = clock()
    const result = work()
    times[stage] = (times[stage] ?? 0) + clock() - began
    return result
  }
  const interior = (): CycleStage => (isUp ? 'interior smoothing, upstroke' : 'interior smoothing and residuals')
  const boundary = (): CycleStage => (isUp ? 'boundary smoothing, upstroke' : 'boundary smoothing and residuals')
  return {
    ...lattices,
    relax: (at, ...rest) => timed(at, boundary(), () => lattices.relax(at, ...rest)),
    jacobi(at, damping, b, p, add) {
      if (at === 0 && !add) isUp = false
      timed(at, interior(), () => lattices.jacobi(at, damping, b, p, add))
    },
    residual: (at, ...rest) => timed(at, interior(), () => lattices.residual(at, ...rest)),
    restrict: (at, ...rest) => timed(at, 'restriction', () => lattices.restrict(at, ...rest)),
    prolong(at, x, to) {
      timed(at, 'prolongation', () => lattices.prolong(at, x, to))
      if (at === 0) isUp = true
    },
  }
}
