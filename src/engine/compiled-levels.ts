/** The levels of a problem in the memory of a machine: vectors are addresses, loops are calls of its kernels. */
import type { Colour } from './engine.js'
import type { Kernels, Machine } from './kernels.js'
import type { ContactLevels, LevelSize, LevelVectors } from './stack.js'

/** Levels of at most this many rows are solved densely. */
export const DENSE_ROWS = 64

/** By number, as levelField of the kernels counts them. */
const FIELD = {
  nx: 0,
  ny: 1,
  nz: 2,
  unknowns: 3,
  rows: 4,
  links: 6,
  contacts: 7,
  f: 8,
  x: 9,
  r: 10,
  z: 11,
  Az: 12,
  d: 13,
  q: 14,
  p: 15,
  b: 16,
  contactRows: 17,
  sensitive: 18,
  slots: 22,
  chunks: 23,
} as const
const FIELDS = 24

/** A given pressure is worth keeping if the best multiple of it is near itself. After an impact it is not. */
export const WORTH_KEEPING = [0.5, 1.5] as const

/** Rows of the finest level that form a singular pocket, or one of which must stay pinned. */
export interface PocketRows {
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Int32Array[]
}

export interface CompiledLevels extends ContactLevels<number> {
  /** Address of the finest pressure in f64, in the order of its rows; up to date after `clampAndMeasure`. */
  readonly pressure: number
  readonly rows: number
  /** Where the levels lie, for kernels. */
  readonly addresses: readonly number[]
  /** Blocks of each level with coefficients of their own, 128 bytes each; and pieces of work its loops are cut into. */
  readonly slots: readonly number[]
  readonly pieces: readonly number[]
  /** Natural residual, in f64, of the pressure with contacts below 0 set to 0. If it is above `target`, they are not. */
  clampAndMeasure(target: number): { residual: number; gap: number; pinned: number }
  /** After the last step: gives the means back that were taken out of b in singular pockets, and leaves no residual in rows that are contacts
   *  there, for somebody else to measure. */
  restorePockets(means: readonly number[], contacts: readonly Int32Array[]): void
}

/** `finest` is a packed level whose coarser ones are to be made. `started`: there is a pressure to start from. */
export function createCompiledLevels(
  machine: Machine,
  wide: number,
  finest: number,
  pockets: PocketRows,
  started: boolean,
): CompiledLevels {
  const { kernels, memory } = machine
  const levels = buildLevels(kernels, wide, finest)
  const room = kernels.allocate(4 * FIELDS)
  const fields = levels.map(level => {
    kernels.levelFields(level, room)
    return new Uint32Array(memory.buffer, room, FIELDS).slice()
  })
  const field = (at: number, name: keyof typeof FIELD) => fields[at][FIELD[name]]
  const sizes = levels.map((_, at): LevelSize => {
    const unknowns = field(at, 'unknowns')
    return { shape: [field(at, 'nx'), field(at, 'ny'), field(at, 'nz')], unknowns, nonZeros: unknowns + field(at, 'links') }
  })
  const vectors = fields.map((_, at): LevelVectors<number> => {
    const named = (name: keyof typeof FIELD) => field(at, name)
    return { f: named('f'), x: named('x'), r: named('r'), z: named('z'), Az: named('Az'), d: named('d'), q: named('q') }
  })
  const contactCounts = levels.map((_, at) => field(at, 'contacts'))
  const last = levels.length - 1
  const dense = sizes[last].unknowns <= DENSE_ROWS
  if (dense) kernels.createCoarsest(levels[last])
  // Changed rows of a level and of the next, in turn.
  const most = Math.max(1, ...levels.map((_, at) => field(at, 'sensitive')))
  const lists = [kernels.allocate(4 * most), kernels.allocate(4 * most)]
  if (pockets.expanding.length > 0) guard(machine, finest, pockets.expanding)
  const rows = field(0, 'rows')
  const p = field(0, 'p')
  const view = () =>
    wide ? new Float64Array(memory.buffer, vectors[0].r, rows) : new Float32Array(memory.buffer, vectors[0].r, rows)
  let warm = false
  /** x is 0 and r belongs to the pressure. */
  let isExact = false
  let inLiquid = 0
  /** Room for the pressure of contacts, as soon as it is needed. */
  let kept = 0

  function look(): void {
    if (isExact) return
    inLiquid = kernels.exactResidual(wide, levels[0])
    isExact = true
  }

  const colourNumber = (colour: Colour) => (colour === 'black' ? 1 : 0)

  function projectSingular(): boolean {
    if (pockets.singular.length === 0) return false
    const r = view()
    for (const pocket of pockets.singular) {
      let sum = 0
      for (let at = 0; at < pocket.length; at++) sum += r[pocket[at]]
      const mean = sum / pocket.length
      for (let at = 0; at < pocket.length; at++) r[pocket[at]] -= mean
    }
    return true
  }

  return {
    sizes,
    dense,
    pressure: p,
    rows,
    addresses: levels,
    slots: levels.map((_, at) => field(at, 'slots')),
    pieces: levels.map((_, at) => field(at, 'chunks')),
    vectors: at => vectors[at],
    clampAndMeasure(target) {
      const natural = () => {
        look()
        const atContacts = kernels.measureContacts(wide, levels[0])
        return { residual: Math.max(inLiquid, atContacts), gap: kernels.lastGap(), pinned: kernels.lastLetGo() }
      }
      const before = natural()
      if (kernels.countNegative(levels[0]) === 0) return before
      kept ||= kernels.allocate(8 * contactCounts[0])
      kernels.clampContacts(levels[0], kept)
      isExact = false
      const after = natural()
      if (after.residual > target) {
        kernels.putBackContacts(levels[0], kept)
        isExact = false
      }
      return after
    },
    restorePockets(means, contacts) {
      isExact = false
      look()
      const b = new Float64Array(memory.buffer, field(0, 'b'), rows)
      const r = view()
      pockets.singular.forEach((pocket, n) => {
        for (let at = 0; at < pocket.length; at++) b[pocket[at]] += means[n]
        for (const row of contacts[n]) b[row] += r[row] - means[n]
      })
      isExact = false
    },
    clear: (at, x) => kernels.clear(wide, levels[at], x),
    smooth: (at, colour, f, x) => kernels.smooth(wide, levels[at], colourNumber(colour), f, x, 0),
    smoothRedFromZero: (at, f, x) => kernels.smoothFromZero(wide, levels[at], f, x),
    restrictResidual: (at, f, x, coarse) => kernels.restrictResidual(wide, levels[at], f, x, levels[at + 1], coarse),
    goDown: (at, sweeps, f, x, coarse) => kernels.goDown(wide, levels[at], sweeps, f, x, levels[at + 1], coarse),
    goUp(at, sweeps, coarse, f, x) {
      kernels.goUp(wide, levels[at], sweeps, coarse, f, x, 0, 0)
    },
    goUpAndFinish(at, sweeps, coarse, r, z, q, Az) {
      const zr = kernels.goUp(wide, levels[at], sweeps, coarse, r, z, q, Az)
      return { zr, zAz: kernels.lastCurvature(), zq: kernels.lastOverlap() }
    },
    prolong: (at, coarse, x) => kernels.prolong(wide, levels[at], coarse, x),
    multiply: (at, x, y) => kernels.multiply(wide, levels[at], x, y),
    dot: (at, x, y) => kernels.dot(wide, levels[at], x, y),
    finishProduct(at, z, r, q, Az) {
      const zr = kernels.finishProduct(wide, levels[at], z, r, q, Az)
      return { zr, zAz: kernels.lastCurvature(), zq: kernels.lastOverlap() }
    },
    update(at, alpha, beta, { x, r, z, Az, d, q }) {
      if (at === 0) isExact = false
      return kernels.update(wide, levels[at], alpha, beta, z, Az, d, q, x, r)
    },
    precondition(at, sweeps, { r, z, Az, q }, below) {
      const twice = below.twice.reduceRight((bits, again, level) => (level > at ? 2 * bits + Number(again) : bits), 0)
      const zr = kernels.precondition(wide, levels[at], sweeps, r, z, q, Az, below.sweeps, twice)
      return { zr, zAz: kernels.lastCurvature(), zq: kernels.lastOverlap(), touched: kernels.lastTouched() }
    },
    factorCoarsest: () => kernels.factorCoarsest(wide, levels[last]),
    solveCoarsest: (f, x) => kernels.solveCoarsest(wide, f, x),

    contacts: at => contactCounts[at],
    takeRightSide(at) {
      if (at === 0) kernels.takeRightSide(wide, levels[0], vectors[0].f)
      else kernels.sumRightSide(wide, levels[at], vectors[at - 1].f, vectors[at].f)
    },
    residualOfZero: at => kernels.residualOfZero(wide, levels[at], vectors[at].f),
    isWorthKeeping() {
      if (!started) return false
      look()
      const [P, b, r] = [new Float64Array(memory.buffer, p, rows), new Float64Array(memory.buffer, field(0, 'b'), rows), view()]
      let energy = 0
      let drive = 0
      for (let row = 0; row < rows; row++) {
        if (P[row] === 0) continue
        energy -= P[row] * (r[row] + b[row])
        drive += P[row] * b[row]
      }
      const alpha = -drive / energy
      warm = energy > 0 && alpha > WORTH_KEEPING[0] && alpha < WORTH_KEEPING[1]
      return warm
    },
    forget(at) {
      kernels.clear(wide, levels[at], vectors[at].x)
      if (at > 0 || !started) return
      new Float64Array(memory.buffer, p, rows).fill(0)
      isExact = false
    },
    carryUp: at => kernels.carryUp(wide, levels[at], vectors[at + 1].x, vectors[at].x),
    smoothProjected(at, sweeps) {
      // z is not in use before the first cycle.
      kernels.smoothProjected(wide, levels[at], sweeps)
    },
    restore(at) {
      kernels.restoreLevels(wide, levels[at], at === 0 ? 1 : 0)
    },
    startSet(at) {
      kernels.beginSet(wide, levels[at], at > 0 || !warm ? 1 : 0, lists[0], lists[1])
      if (at === 0) isExact = false
    },
    refresh(at) {
      if (at > 0) return kernels.coarseResidual(wide, levels[at])
      isExact = false
      look()
      if (projectSingular()) return kernels.largest(wide, levels[0], vectors[0].r)
      return Math.max(inLiquid, kernels.lastAtContacts())
    },
    look(at, largest) {
      const residual = kernels.lookOver(wide, levels[at], largest)
      return { residual, pinned: kernels.lastPinned() }
    },
    changeSet(at, release, pin) {
      const changed = kernels.changeSet(wide, levels[at], release, pin, lists[0], lists[1])
      if (at === 0 && changed > 0) isExact = false
      return { changed, touched: changed > 0 ? 56 * kernels.lastFollowed() : 0 }
    },
    projectSingular,
    largestResidual: () => kernels.largest(wide, levels[0], vectors[0].r),
  }
}

/** Tells the finest level which of its contacts belong to pockets that must keep one of them pinned. */
function guard({ kernels, memory }: Machine, finest: number, expanding: readonly Int32Array[]): void {
  const count = kernels.levelField(finest, FIELD.contacts)
  const guards = kernels.allocate(4 * count)
  const pocketOf = new Map<number, number>()
  expanding.forEach((rows, pocket) => {
    for (const row of rows) pocketOf.set(row, pocket)
  })
  const contacts = new Int32Array(memory.buffer, kernels.levelField(finest, FIELD.contactRows), count)
  new Int32Array(memory.buffer, guards, count).set(contacts.map(row => pocketOf.get(row) ?? -1))
  kernels.setGuards(finest, guards, expanding.length)
}

function buildLevels(kernels: Kernels, wide: number, finest: number): number[] {
  const levels = [finest]
  for (;;) {
    const fine = levels[levels.length - 1]
    const size = (name: keyof typeof FIELD) => kernels.levelField(fine, FIELD[name])
    if (size('unknowns') <= DENSE_ROWS || Math.max(size('nx'), size('ny'), size('nz')) === 1) break
    const coarse = kernels.createCoarser(wide, fine)
    if (coarse === 0) break
    levels.push(coarse)
  }
  levels.forEach((level, at) => {
    kernels.createVectors(wide, level, at === 0 ? 1 : 0)
  })
  return levels
}
