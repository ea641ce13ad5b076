/** What src/engine/assembly/sparse.ts and sparse-product.ts export. Besides counts, factors and flags, all are addresses. */
export interface SparseKernels {
  rowsMultiplyFree(rows: number, rowStart: number, columns: number, values: number, free: number, x: number, y: number): void
  rowsDivergence(rows: number, rowStart: number, columns: number, values: number, b: number, p: number, w: number): void
  rowsDot(rows: number, x: number, y: number): number
  rowsAddScaled(rows: number, y: number, alpha: number, x: number): void
  rowsLargest(rows: number, x: number): number
  rowsStep(rows: number, x: number, r: number, alpha: number, d: number, Ad: number): number
  rowsNegate(rows: number, x: number, y: number): void
  rowsAddProduct(rows: number, y: number, sign: number, a: number, x: number): void
  rowsNatural(rows: number, values: number, diagonalAt: number, kind: number, w: number, p: number): number
  rowsPinned(): number
  rowsTurn(rows: number, d: number, z: number, beta: number): void
  rowsSolveFactor(
    rows: number,
    rowStart: number,
    columns: number,
    diagonalAt: number,
    upper: number,
    inversePivot: number,
    r: number,
    z: number,
  ): void
  rowsSweep(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    inverseDiagonal: number,
    byColour: number,
    backward: number,
    f: number,
    x: number,
  ): number
  rowsSweepTwice(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    inverseDiagonal: number,
    backward: number,
    lag: number,
    f: number,
    x: number,
  ): number
  rowsLeftover(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    inverseDiagonal: number,
    f: number,
    x: number,
    r: number,
  ): void
  rowsSweepProjected(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    diagonalAt: number,
    inverseDiagonal: number,
    contact: number,
    byColour: number,
    backward: number,
    f: number,
    b: number,
    literal: number,
    p: number,
  ): number
  rowsSweepProjectedTwice(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    diagonalAt: number,
    inverseDiagonal: number,
    contact: number,
    backward: number,
    lag: number,
    f: number,
    b: number,
    literal: number,
    p: number,
  ): number
  rowsEvaluate(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    diagonalAt: number,
    inverseDiagonal: number,
    contact: number,
    b: number,
    literal: number,
    p: number,
    n: number,
  ): void
  rowsRestrict(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    scale: number,
    x: number,
    width: number,
    y: number,
  ): void
  rowsInterpolate(rows: number, rowStart: number, columns: number, values: number, x: number, y: number): void
  rowsProduct(
    rows: number,
    leftStart: number,
    leftColumns: number,
    leftValues: number,
    rightStart: number,
    rightColumns: number,
    rightValues: number,
    wanted: number,
    upper: number,
    marker: number,
    rowStart: number,
    columns: number,
    values: number,
    capacity: number,
    progress: number,
  ): void
  rowsTranspose(
    rows: number,
    rowStart: number,
    columns: number,
    values: number,
    width: number,
    start: number,
    index: number,
    value: number,
  ): void
  rowsMirror(
    rows: number,
    upperStart: number,
    lowerStart: number,
    lowerColumns: number,
    lowerValues: number,
    scale: number,
    rowStart: number,
    columns: number,
    values: number,
    diagonalAt: number,
    next: number,
  ): void
}
