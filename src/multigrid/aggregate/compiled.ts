/** The levels of a problem in the memory of a machine: vectors are addresses, operations are calls of its kernels. */
import type { SolveMachine } from '../../machine/generated/solve.js'
import { subtractMeans } from '../../pressure/pockets.js'
import type { Buffers } from '../../sparse/buffers.js'
import { type LevelSize, type Levels, NON_ZEROS_OF_CHILDREN, type SweepColour } from '../levels.js'
import { type LevelRecord, packLevels, type Stack } from './compiled-stack.js'
import type { LoadedProblem } from './load-problem.js'
import type { LoadedPockets } from './loaded-pockets.js'

export interface CompiledLevels extends Levels<number> {
  /** Address of the finest pressure in f64, in the order of its rows; up to date after `clampAndMeasure`. */
  readonly pressure: number
  readonly rows: number
  /** Singular pockets by rows of the finest level. */
  readonly singular: readonly Int32Array[]
  /** What residuals and pressures of the levels are multiplied by to become those of the problem, 1/s and Pa. */
  readonly residualScale: number
  readonly pressureScale: number
  /** Addresses of the levels, for kernels, and the records there. */
  readonly addresses: readonly number[]
  readonly records: readonly LevelRecord[]
  /** Natural residual of the pressure with contacts below 0 set to 0. If it is above `target`, they are not. */
  clampAndMeasure(target: number): number
  /** To be called after the pressure was changed from outside. */
  invalidateResidual(): void
}

/** The problem must have been scanned and its pockets neutralised. `wide`: f64 throughout instead of f32 with f64 where it matters. */
export function createCompiledLevels(
  machine: SolveMachine,
  loaded: LoadedProblem,
  pockets: LoadedPockets,
  wide: boolean,
  scratch: Buffers,
): CompiledLevels {
  const stack = packLevels(machine, loaded, pockets, wide, scratch)
  const { levels, records, dense, residualScale, pressureScale } = stack
  const sizes = records.map(
    ({ nx, ny, nz, unknowns, links }): LevelSize => ({ shape: [nx, ny, nz], unknowns, nonZeros: unknowns + links }),
  )
  const contacts = records.map(({ contactCount }) => contactCount)
  return {
    sizes,
    dense,
    pressure: records[0].p,
    rows: records[0].rows,
    singular: stack.pockets.singular,
    residualScale,
    pressureScale,
    addresses: levels,
    records,
    vectors: at => stack.vectors[at],
    contacts: at => contacts[at],
    ...linearOperations(stack),
    ...contactOperations(stack),
    clampAndMeasure: clampAndMeasureBy(stack),
    invalidateResidual() {
      stack.finest.isExact = false
    },
  }
}

function linearOperations({ kernels, results, levels, finest }: Stack) {
  const last = levels[levels.length - 1]
  const colourNumber = (colour: SweepColour) => (colour === 'black' ? 1 : 0)
  return {
    clear: (at, x) => kernels.clear(levels[at], x),
    dot: (at, x, y) => kernels.dot(levels[at], x, y),
    multiply: (at, x, y) => kernels.multiply(levels[at], x, y),
    smooth: (at, colour, f, x) => kernels.smooth(levels[at], colourNumber(colour), f, x, 0),
    smoothRedFromZero: (at, f, x) => kernels.smoothFromZero(levels[at], f, x),
    restrictResidual: (at, f, x, coarse) => kernels.restrictResidual(levels[at], f, x, coarse),
    prolong: (at, coarse, x) => kernels.prolong(levels[at], coarse, x),
    finishProduct(at, r) {
      kernels.finishProduct(levels[at], r)
      const [zr, zAz, zq] = results()
      return { zr, zAz, zq }
    },
    update(at, alpha, beta, r) {
      if (at === 0) finest.isExact = false
      return kernels.update(levels[at], alpha, beta, r)
    },
    precondition(at, sweeps, r, below) {
      const twice = below.twice.reduceRight((bits, again, level) => (level > at ? 2 * bits + Number(again) : bits), 0)
      kernels.precondition(levels[at], sweeps, r, below.sweeps, twice)
      const [zr, zAz, zq, touched] = results()
      return { zr, zAz, zq, touched }
    },
    factorCoarsest: () => kernels.factorCoarsest(last),
    solveCoarsest: (f, x) => kernels.solveDense(last, f, x),
  } satisfies Partial<Levels<number>>
}

function contactOperations({ kernels, results, levels, records, vectors, pressure, b, r, finest, pockets }: Stack) {
  // Changed rows of a level and of the next, in turn.
  const most = Math.max(1, ...records.map(({ dependentCount }) => dependentCount))
  const lists = [kernels.allocate(4 * most), kernels.allocate(4 * most)]
  const largest = () => kernels.largest(levels[0], vectors[0].r)
  return {
    startEnergy() {
      if (!finest.hasPressure) return { energy: 0, work: 0 }
      finest.makeExact()
      return energyOf(pressure(), b(), r())
    },
    reset(at) {
      kernels.clear(levels[at], vectors[at].x)
      if (at > 0 || !finest.hasPressure) return
      pressure().fill(0)
      finest.hasPressure = false
      finest.isExact = false
    },
    loadRightSide(at) {
      if (at === 0) kernels.loadRightSide(levels[0])
      else kernels.sumRightSide(levels[at], vectors[at - 1].f, vectors[at].f)
    },
    residualOfZero: at => kernels.residualOfZero(levels[at]),
    carryUp: at => kernels.carryUp(levels[at], vectors[at + 1].x, vectors[at].x),
    // Uses z, which is not in use before the first cycle.
    smoothProjected: (at, sweeps) => kernels.smoothProjected(levels[at], sweeps),
    restore: at => kernels.restoreLevels(levels[at], at === 0 ? 1 : 0),
    startSet(at) {
      kernels.startSet(levels[at], at > 0 || !finest.hasPressure ? 1 : 0, lists[0], lists[1])
      if (at === 0) finest.isExact = false
    },
    recomputeResidual(at) {
      if (at > 0) return kernels.coarseResidual(levels[at])
      finest.isExact = false
      finest.makeExact()
      if (pockets.singular.length === 0) return Math.max(finest.inLiquid, finest.atContacts)
      subtractMeans(pockets.singular, r())
      return largest()
    },
    natural(at, largest) {
      const residual = kernels.naturalResidual(levels[at], largest)
      return { residual, pinned: results()[1] }
    },
    changeSet(at, release, pin) {
      const changed = kernels.changeSet(levels[at], release, pin, lists[0], lists[1])
      if (at === 0 && changed > 0) finest.isExact = false
      return { changed, touched: NON_ZEROS_OF_CHILDREN * results()[1] }
    },
    projectSingular(before) {
      if (pockets.singular.length === 0) return before
      subtractMeans(pockets.singular, r())
      return largest()
    },
  } satisfies Partial<Levels<number>>
}

/** pᵀAp and bᵀp, given r = −(A p + b). */
function energyOf(p: Float64Array, b: Float64Array, r: Float64Array | Float32Array): { energy: number; work: number } {
  let energy = 0
  let work = 0
  for (let row = 0; row < p.length; row++) {
    if (p[row] === 0) continue
    energy -= p[row] * (r[row] + b[row])
    work += p[row] * b[row]
  }
  return { energy, work }
}

function clampAndMeasureBy({ kernels, levels, records, finest }: Stack): CompiledLevels['clampAndMeasure'] {
  /** Address for the pressure of contacts, allocated when it is first needed. */
  let kept = 0
  const natural = () => {
    finest.makeExact()
    return Math.max(finest.inLiquid, kernels.measureContacts(levels[0]))
  }
  return target => {
    finest.makeExact()
    if (kernels.countNegative(levels[0]) === 0) return natural()
    kept ||= kernels.allocate(8 * records[0].contactCount)
    kernels.clampContacts(levels[0], kept)
    finest.isExact = false
    const after = natural()
    if (after > target) {
      kernels.restoreContacts(levels[0], kept)
      finest.isExact = false
    }
    return after
  }
}
