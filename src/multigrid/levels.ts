/** The levels of one pressure problem in the memory of an engine, and the operations that a multigrid method with contacts consists of.
 *  Methods are written once against this; `Vector` is whatever an engine keeps its vectors in: Float64Array (aggregate/plain, the
 *  definition) or an address (aggregate/compiled).
 *
 *  A level is a weighted graph in two colours: row i is (dᵢ + Σ w) xᵢ − Σ w xⱼ, and neighbours always have the other colour. A row is pinned
 *  if it is a pinned contact or, on a coarse level, if it has no free child; x is 0 there, and all other rows are free. Levels count from
 *  the finest, 0; transfers go between `at` and `at + 1`. */

export type SweepColour = 'red' | 'black'

export interface LevelSize {
  readonly shape: readonly [number, number, number]
  readonly unknowns: number
  /** Of the matrix, diagonal included. */
  readonly nonZeros: number
}

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

export interface ProductDots {
  readonly zr: number
  readonly zAz: number
  readonly zq: number
}

/** What a cycle does below the level it starts from. */
export interface CoarseCycle {
  /** Red-black sweeps before and after the coarse correction. */
  readonly sweeps: number
  /** Per level: is it solved by steps of conjugate gradients, or visited once? */
  readonly twice: readonly boolean[]
}

export interface Preconditioned extends ProductDots {
  /** Matrix non-zeros touched for z. */
  readonly touched: number
}

/** Levels of at most this many rows are solved densely. */
export const DENSE_ROWS = 64

/** Matrix non-zeros touched to update a coarse row: those of eight children. */
export const NON_ZEROS_OF_CHILDREN = 56

/** Rows of the finest level that form a singular pocket, or one of which must stay pinned. */
export interface PocketRows {
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Int32Array[]
}

export interface Levels<Vector> {
  readonly sizes: readonly LevelSize[]
  /** Whether the coarsest level is solved densely. */
  readonly dense: boolean
  /** Those of the finest level may share memory: f and r are not in use at the same time. */
  vectors(at: number): LevelVectors<Vector>
  /** Number of rows that are contacts. */
  contacts(at: number): number

  clear(at: number, x: Vector): void
  dot(at: number, x: Vector, y: Vector): number
  /** y = A x on free rows, 0 elsewhere. */
  multiply(at: number, x: Vector, y: Vector): void
  /** Gauss–Seidel on one colour: x = (f + Σ w x) / diagonal. */
  smooth(at: number, colour: SweepColour, f: Vector, x: Vector): void
  /** Gauss–Seidel from x = 0: x = f / diagonal on red; black is not touched. */
  smoothRedFromZero(at: number, f: Vector, x: Vector): void
  /** `coarse` = sum over children of f − A x on red; after smoothing black, it is 0 on black. */
  restrictResidual(at: number, f: Vector, x: Vector, coarse: Vector): void
  /** x += the parent's correction, on red; black is smoothed next and does not need it. */
  prolong(at: number, coarse: Vector, x: Vector): void
  // The next three use the vectors of the level, but for the residual, which is f of a level that a K-cycle solves by steps.

  /** After a cycle that ended on red, A z = r there: completes Az on black and returns z·r, z·Az and z·q. */
  finishProduct(at: number, r: Vector): ProductDots
  /** d = z + βd, q = Az + βq, x += αd, r −= αq in one pass; returns the largest |r|. */
  update(at: number, alpha: number, beta: number, r: Vector): number
  /** z = M r by one cycle, as defined in cycle.ts, and Az = A z. */
  precondition(at: number, sweeps: number, r: Vector, below: CoarseCycle): Preconditioned

  /** To be called when values of the coarsest level have changed, except by `startSet` and `changeSet`. */
  factorCoarsest(): void
  solveCoarsest(f: Vector, x: Vector): void

  // The complementarity problem A x + b = 0, or 0 ≤ x ⊥ A x + b ≥ 0 at contacts, on every level. On the finest level x is added to a
  // pressure that an engine may store in higher precision.

  /** pᵀAp and bᵀp of the pressure that the solve was given; both 0 if that is 0. */
  startEnergy(): { readonly energy: number; readonly work: number }
  /** Sets the pressure to 0. */
  reset(at: number): void
  /** f = −b: on the finest level from the problem, else the sum over children. */
  loadRightSide(at: number): void
  /** Natural residual of x = 0, from f. Coarse levels only. */
  residualOfZero(at: number): number
  /** x = the answer of the next level. */
  carryUp(at: number): void
  /** Red-black sweeps of projected Gauss–Seidel with f and x of the level, and a red one to end with, so that the whole is symmetric. */
  smoothProjected(at: number, sweeps: number): void
  /** Frees all rows of this level and gives it the values it has as the finest. */
  restore(at: number): void
  /** Pins contacts with p < 0, and those with p = 0 and A p + b > 0; updates coarser levels. */
  startSet(at: number): void
  /** r from the pressure, as exactly as the engine can; 0 on pinned rows. Returns the largest |r|. */
  recomputeResidual(at: number): number
  /** Natural residual and pinned contacts at the present point, given the largest |r|. */
  natural(at: number, largest: number): { readonly residual: number; readonly pinned: number }
  /** Frees pinned contacts whose A p + b is below −`release`, pins free ones whose scaled pressure is below −`pin` (both 1/s), patches
   *  residual and direction, and updates coarser levels. To be called after `natural`. Returns how many contacts changed, and how many matrix
   *  non-zeros were touched for it. */
  changeSet(at: number, release: number, pin: number): { readonly changed: number; readonly touched: number }
  /** Projects r of the finest level onto the range of a singular matrix. Returns the largest |r|, given what it was before. */
  projectSingular(largest: number): number
}
