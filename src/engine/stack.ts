/** The levels of one problem in the memory of an engine, and everything a solver does with them. Methods are written once against this;
 *  `Vector` is whatever the engine keeps its vectors in. */
import type { Colour, ProductDots } from './engine.js'

export interface LevelVectors<Vector> {
  /** Right-hand side, solution, and residual. */
  readonly f: Vector
  readonly x: Vector
  readonly r: Vector
  /** Preconditioned residual, direction, and the images of both. */
  readonly z: Vector
  readonly Az: Vector
  readonly d: Vector
  readonly q: Vector
}

export interface LevelSize {
  readonly shape: readonly [number, number, number]
  readonly unknowns: number
  /** Of the matrix, diagonal included. */
  readonly nonZeros: number
}

export type CycleVectors<Vector> = Pick<LevelVectors<Vector>, 'r' | 'z' | 'Az' | 'q'>

/** What a cycle does below the level it starts from. */
export interface CoarseCycle {
  /** Red-black sweeps before and after the coarse correction. */
  readonly sweeps: number
  /** Per level: is it solved by steps of conjugate gradients, or visited once? */
  readonly twice: readonly boolean[]
}

/** What a multigrid cycle is made of. Levels count from the finest, 0. */
export interface LevelLoops<Vector> {
  readonly sizes: readonly LevelSize[]
  /** The coarsest level is solved densely. */
  readonly dense: boolean
  vectors(at: number): LevelVectors<Vector>
  clear(at: number, x: Vector): void
  /** Gauss–Seidel on one colour: x = (f + Σ w x) / diagonal. */
  smooth(at: number, colour: Colour, f: Vector, x: Vector): void
  /** Gauss–Seidel from x = 0: x = f / diagonal on red; black is not touched. */
  smoothRedFromZero(at: number, f: Vector, x: Vector): void
  /** `coarse` = sum over children of f − A x, taken on red; after smoothing black, nothing is left there. */
  restrictResidual(at: number, f: Vector, x: Vector, coarse: Vector): void
  /** x += the parent's correction, on red; black is smoothed next and does not need it. */
  prolong(at: number, coarse: Vector, x: Vector): void
  /** The way down on one level: red-black sweeps from x = 0 with `smoothRedFromZero` first, then `restrictResidual`. */
  goDown(at: number, sweeps: number, f: Vector, x: Vector, coarse: Vector): void
  /** The way up: `prolong`, then as many sweeps of black and red. */
  goUp(at: number, sweeps: number, coarse: Vector, f: Vector, x: Vector): void
  /** `goUp` with f = r and x = z, then `finishProduct`. */
  goUpAndFinish(at: number, sweeps: number, coarse: Vector, r: Vector, z: Vector, q: Vector, Az: Vector): ProductDots
  /** y = A x on rows that are on, 0 elsewhere. */
  multiply(at: number, x: Vector, y: Vector): void
  dot(at: number, x: Vector, y: Vector): number
  /** After a cycle that ended on red A z = r there: completes Az on black and returns z·r, z·Az and z·q. */
  finishProduct(at: number, z: Vector, r: Vector, q: Vector, Az: Vector): ProductDots
  /** d = z + βd, q = Az + βq, x += αd, r −= αq in one pass; returns the largest |r|. */
  update(at: number, alpha: number, beta: number, vectors: UpdateVectors<Vector>): number
  /** To be called whenever values of the coarsest level have changed. */
  factorCoarsest(): void
  solveCoarsest(f: Vector, x: Vector): void
}

/** What a solver of linear problems needs. */
export interface Levels<Vector> extends LevelLoops<Vector> {
  /** z = M r by one cycle, as defined in multigrid/cycle.ts, and Az = A z. Returns z·r, z·Az and z·q, and the matrix non-zeros touched
   *  for z. */
  precondition(at: number, sweeps: number, vectors: CycleVectors<Vector>, below: CoarseCycle): Preconditioned
}

export interface Preconditioned extends ProductDots {
  readonly touched: number
}

export type UpdateVectors<Vector> = Omit<LevelVectors<Vector>, 'f'>

/** The complementarity problem A x + b = 0, or 0 ≤ x ⊥ A x + b ≥ 0 at contacts, on every level. On the finest one x is the latest part
 *  of the pressure, which the engine may keep in higher precision. */
export interface ContactLevels<Vector> extends Levels<Vector> {
  contacts(at: number): number
  /** f = −b: on the finest level from the problem (where f and r may be the same vector), else the sum over children. */
  takeRightSide(at: number): void
  /** Natural residual of x = 0, from f. Coarse levels only. */
  residualOfZero(at: number): number
  /** Is the pressure that the solve was given near the answer of this problem, up to a factor? */
  isWorthKeeping(): boolean
  /** Pressure 0. */
  forget(at: number): void
  /** x = the answer of the next level. */
  carryUp(at: number): void
  /** Red-black sweeps of projected Gauss–Seidel with f and x of the level, and a red one to end with, so that the whole is symmetric. */
  smoothProjected(at: number, sweeps: number): void
  /** Nothing is off on this level, and it has the values it has as the finest. */
  restore(at: number): void
  /** Pins the contacts that pull at the present point, and those at rest that lift; coarser levels follow. */
  startSet(at: number): void
  /** r from the pressure, as exactly as the engine can; 0 on rows that are off. Returns the largest |r|. */
  refresh(at: number): number
  /** Natural residual and pinned contacts at the present point, given the largest |r|. */
  look(at: number, largest: number): { residual: number; pinned: number }
  /** Frees pinned contacts that are pressed by more than `release`, pins free ones that pull by more than `pin` (both 1/s), patches
   *  residual and direction, and lets coarser levels follow. Must come after `look`. Returns how many contacts changed, and how many
   *  matrix non-zeros were touched for it. */
  changeSet(at: number, release: number, pin: number): { changed: number; touched: number }
  /** Takes what lies outside the range of a singular matrix out of r on the finest level; false if there is no such matrix. */
  projectSingular(): boolean
  /** Largest |r| of the finest level. */
  largestResidual(): number
}
