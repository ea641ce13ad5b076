/** The levels of a problem in the memory of a machine: vectors are addresses, operations are calls of its kernels. */
import type { SolveMachine } from '../../machine/generated/solve.js'
import { subtractMeans } from '../../pressure/pockets.js'
import type { Buffers } from '../../sparse/buffers.js'
import { type LevelSize, type Levels, NON_ZEROS_OF_CHILDREN, type SweepColour } from '../levels.js'
import { packLevels, type Stack } from './compiled-stack.js'
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
  /** Addresses of the levels, for kernels. */
  readonly addresses: readonly number[]
  /** Blocks of each level with coefficients of their own, 128 bytes each; and pieces of work its loops are cut into. */
  readonly slots: readonly number[]
  readonly pieces: readonly number[]
  /** Natural residual of the pressure with contacts below 0 set to 0. If it is above `target`, they are not. */
  clampAndMeasure(target: number): number
  /** To be called after the pressure was written to from outside. */
  forgetResidual(): void
}

/** Of a problem that was scanned and whose pockets are neutralised. `wide`: f64 throughout instead of f32 with f64 where it counts. */
export function createCompiledLevels(
  machine: SolveMachine,
  loaded: LoadedProblem,
  pockets: LoadedPockets,
  wide: boolean,
  scratch: Buffers,
): CompiledLevels {
  const stack = packLevels(machine, loaded, pockets, wide ? 1 : 0, scratch)
  const { levels, field, dense, residualScale, pressureScale } = stack
  const sizes = levels.map((_, at): LevelSize => {
    const unknowns = field(at, 'unknowns')
    return { shape: [field(at, 'nx'), field(at, 'ny'), field(at, 'nz')], unknowns, nonZeros: unknowns + field(at, 'links') }
  })
  return {
    sizes,
    dense,
    pressure: field(0, 'p'),
    rows: field(0, 'rows'),
    singular: stack.pockets.singular,
    residualScale,
    pressureScale,
    addresses: levels,
    slots: levels.map((_, at) => field(at, 'slots')),
    pieces: levels.map((_, at) => field(at, 'chunks')),
    vectors: at => stack.vectors[at],
    contacts: at => field(at, 'contacts'),
    ...linearOperations(stack),
    ...contactOperations(stack),
    clampAndMeasure: clampAndMeasureBy(stack),
    forgetResidual() {
      stack.finest.isExact = false
    },
  }
}

function linearOperations({ kernels, wide, levels, finest }: Stack) {
  const last = levels[levels.length - 1]
  const colourNumber = (colour: SweepColour) => (colour === 'black' ? 1 : 0)
  return {
    clear: (at, x) => kernels.clear(wide, levels[at], x),
    dot: (at, x, y) => kernels.dot(wide, levels[at], x, y),
    multiply: (at, x, y) => kernels.multiply(wide, levels[at], x, y),
    smooth: (at, colour, f, x) => kernels.smooth(wide, levels[at], colourNumber(colour), f, x, 0),
    smoothRedFromZero: (at, f, x) => kernels.smoothFromZero(wide, levels[at], f, x),
    restrictResidual: (at, f, x, coarse) => kernels.restrictResidual(wide, levels[at], f, x, levels[at + 1], coarse),
    prolong: (at, coarse, x) => kernels.prolong(wide, levels[at], coarse, x),
    finishProduct(at, z, r, q, Az) {
      const zr = kernels.finishProduct(wide, levels[at], z, r, q, Az)
      return { zr, zAz: kernels.lastCurvature(), zq: kernels.lastOverlap() }
    },
    update(at, alpha, beta, { x, r, z, Az, d, q }) {
      if (at === 0) finest.isExact = false
      return kernels.update(wide, levels[at], alpha, beta, z, Az, d, q, x, r)
    },
    precondition(at, sweeps, { r, z, Az, q }, below) {
      const twice = below.twice.reduceRight((bits, again, level) => (level > at ? 2 * bits + Number(again) : bits), 0)
      const zr = kernels.precondition(wide, levels[at], sweeps, r, z, q, Az, below.sweeps, twice)
      return { zr, zAz: kernels.lastCurvature(), zq: kernels.lastOverlap(), touched: kernels.lastTouched() }
    },
    factorCoarsest: () => kernels.factorCoarsest(wide, last),
    solveCoarsest: (f, x) => kernels.solveCoarsest(wide, f, x),
  } satisfies Partial<Levels<number>>
}

function contactOperations({ kernels, wide, levels, vectors, field, pressure, b, r, finest, pockets }: Stack) {
  // Changed rows of a level and of the next, in turn.
  const most = Math.max(1, ...levels.map((_, at) => field(at, 'sensitive')))
  const lists = [kernels.allocate(4 * most), kernels.allocate(4 * most)]
  const largest = () => kernels.largest(wide, levels[0], vectors[0].r)
  return {
    startEnergy() {
      if (!finest.hasPressure) return { energy: 0, work: 0 }
      finest.makeExact()
      return energyOf(pressure(), b(), r())
    },
    reset(at) {
      kernels.clear(wide, levels[at], vectors[at].x)
      if (at > 0 || !finest.hasPressure) return
      pressure().fill(0)
      finest.hasPressure = false
      finest.isExact = false
    },
    loadRightSide(at) {
      if (at === 0) kernels.takeRightSide(wide, levels[0], vectors[0].f)
      else kernels.sumRightSide(wide, levels[at], vectors[at - 1].f, vectors[at].f)
    },
    residualOfZero: at => kernels.residualOfZero(wide, levels[at], vectors[at].f),
    carryUp: at => kernels.carryUp(wide, levels[at], vectors[at + 1].x, vectors[at].x),
    // Uses z, which is not in use before the first cycle.
    smoothProjected: (at, sweeps) => kernels.smoothProjected(wide, levels[at], sweeps),
    restore: at => kernels.restoreLevels(wide, levels[at], at === 0 ? 1 : 0),
    startSet(at) {
      kernels.beginSet(wide, levels[at], at > 0 || !finest.hasPressure ? 1 : 0, lists[0], lists[1])
      if (at === 0) finest.isExact = false
    },
    recomputeResidual(at) {
      if (at > 0) return kernels.coarseResidual(wide, levels[at])
      finest.isExact = false
      finest.makeExact()
      if (pockets.singular.length === 0) return Math.max(finest.inLiquid, kernels.lastAtContacts())
      subtractMeans(pockets.singular, r())
      return largest()
    },
    natural(at, largest) {
      const residual = kernels.lookOver(wide, levels[at], largest)
      return { residual, pinned: kernels.lastPinned() }
    },
    changeSet(at, release, pin) {
      const changed = kernels.changeSet(wide, levels[at], release, pin, lists[0], lists[1])
      if (at === 0 && changed > 0) finest.isExact = false
      return { changed, touched: changed > 0 ? NON_ZEROS_OF_CHILDREN * kernels.lastFollowed() : 0 }
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

function clampAndMeasureBy({ kernels, wide, levels, field, finest }: Stack): CompiledLevels['clampAndMeasure'] {
  /** Room for the pressure of contacts, as soon as it is needed. */
  let kept = 0
  const natural = () => {
    finest.makeExact()
    return Math.max(finest.inLiquid, kernels.measureContacts(wide, levels[0]))
  }
  return target => {
    finest.makeExact()
    if (kernels.countNegative(levels[0]) === 0) return natural()
    kept ||= kernels.allocate(8 * field(0, 'contacts'))
    kernels.clampContacts(levels[0], kept)
    finest.isExact = false
    const after = natural()
    if (after > target) {
      kernels.putBackContacts(levels[0], kept)
      finest.isExact = false
    }
    return after
  }
}
