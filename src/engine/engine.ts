/** The loops that geometric multigrid is made of, behind one interface: solvers and cycles are written once against it, the
 *  portable engine is their definition, and compiled engines must agree with it.
 *
 *  A level is a weighted graph in two colours: row i stands for (dᵢ + Σ w) xᵢ − Σ w xⱼ, neighbours always have the other colour,
 *  and red rows come first. Rows that are off (pinned contacts, coarse cells without a free child) have inverse 0. */
export interface Level {
  /** Cells per axis of this level's grid. */
  readonly shape: readonly [number, number, number]
  readonly rows: number
  /** Rows [0, reds) are red, the others black. */
  readonly reds: number
  /** Grid cell of every row; a cell cut by a thin wall may hold several rows. */
  readonly cell: Int32Array
  readonly rowStart: Int32Array
  readonly column: Int32Array
  /** ≥ 0 per stored neighbour; 0 towards rows that are off, except on the level where they are switched off. */
  readonly weight: Float64Array
  /** dᵢ ≥ 0: what holds the row towards p = 0. */
  readonly dirichlet: Float64Array
  readonly diagonal: Float64Array
  /** 1 / diagonal, 0 on rows that are off. */
  readonly inverse: Float64Array
  /** Row of the next coarser level, −1 where this level solves the row by itself. */
  readonly parent: Int32Array
}

export type Colour = 'red' | 'black'

export interface Engine {
  readonly name: string
  /** Gauss–Seidel on one colour: x = (f + Σ w x) / diagonal. */
  smooth(level: Level, colour: Colour, f: Float64Array, x: Float64Array): void
  /** Projected Gauss–Seidel on one colour for A x + b = 0, or 0 ≤ x ⊥ A x + b ≥ 0 where `contact` is set. */
  smoothProjected(level: Level, colour: Colour, b: Float64Array, contact: Uint8Array, x: Float64Array): void
  /** Gauss–Seidel from x = 0: x = f / diagonal on red; black is not touched. */
  smoothRedFromZero(level: Level, f: Float64Array, x: Float64Array): void
  /** coarse = sum over children of f − A x, taken on one colour (after smoothing, the other one's residual is 0). */
  restrictResidual(level: Level, colour: Colour, f: Float64Array, x: Float64Array, coarse: Float64Array): void
  /** x += the parent's correction, on one colour (the other is smoothed next and does not need it). */
  prolong(level: Level, colour: Colour, coarse: Float64Array, x: Float64Array): void
  /** y = A x on rows that are on, 0 elsewhere. */
  multiply(level: Level, x: Float64Array, y: Float64Array): void
  /** After a cycle that ended on red A z = r there: completes Az on black and returns z·r, z·Az and z·q. */
  finishProduct(level: Level, z: Float64Array, r: Float64Array, q: Float64Array, Az: Float64Array): ProductDots
  /** d = z + βd, q = Az + βq, p += αd, r −= αq in one pass; returns the largest |r|. */
  update(alpha: number, beta: number, z: Float64Array, Az: Float64Array, vectors: ConjugateVectors): number
}

export interface ProductDots {
  readonly zr: number
  readonly zAz: number
  readonly zq: number
}

export interface ConjugateVectors {
  readonly d: Float64Array
  readonly q: Float64Array
  readonly p: Float64Array
  readonly r: Float64Array
}
