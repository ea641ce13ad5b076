/** The sparse triple product against the dense one. */
import { describe, expect, it } from 'vitest'
import { random } from '../../src/random.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { type CompressedRows, galerkinProduct, transpose } from '../../src/sparse/product.js'

function fromDense(dense: readonly (readonly number[])[]): CompressedRows {
  const rowStart = [0]
  const columns: number[] = []
  const values: number[] = []
  for (const row of dense) {
    row.forEach((value, column) => {
      if (value === 0) return
      columns.push(column)
      values.push(value)
    })
    rowStart.push(columns.length)
  }
  return {
    rows: dense.length,
    rowStart: Int32Array.from(rowStart),
    columns: Int32Array.from(columns),
    values: Float64Array.from(values),
  }
}

function toDense({ rows, rowStart, columns, values }: CompressedRows, width: number): number[][] {
  return Array.from({ length: rows }, (_, row) => {
    const dense = new Array<number>(width).fill(0)
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) dense[columns[at]] += values[at]
    return dense
  })
}

/** A symmetric A with full diagonal and a P whose columns all are in use and some of whose rows are empty. */
function randomPair(seed: number, rows: number, width: number) {
  const A = Array.from({ length: rows }, () => new Array<number>(rows).fill(0))
  for (let i = 0; i < rows; i++) {
    A[i][i] = 4 + random(seed, i)
    for (let j = 0; j < i; j++) if (random(seed, i, j) < 0.2) A[i][j] = A[j][i] = -random(seed, i, j, 1)
  }
  const P = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: width }, (_, j) =>
      i % 5 === 4 ? 0 : j === i % width ? 0.5 : random(seed, i, j, 2) < 0.2 ? random(seed, i, j, 3) : 0,
    ),
  )
  return { A, P }
}

describe('galerkinProduct', () => {
  const buffers = createBuffers()
  it.each([
    [1, 1],
    [7, 3],
    [40, 12],
    [12, 4],
    [90, 31],
  ])('of %d rows and %d columns equals scale Pᵀ A P and is symmetric bit for bit', (rows, width) => {
    for (let seed = 1; seed <= 5; seed++) {
      const { A, P } = randomPair(seed, rows, width)
      const { product, touched } = galerkinProduct(fromDense(A), fromDense(P), width, 0.125, buffers, 'test')
      const dense = toDense(product, width)
      for (let I = 0; I < width; I++) {
        for (let J = 0; J < width; J++) {
          let expected = 0
          for (let i = 0; i < rows; i++) for (let j = 0; j < rows; j++) expected += 0.125 * P[i][I] * A[i][j] * P[j][J]
          expect(dense[I][J]).toBeCloseTo(expected, 12)
          expect(dense[I][J]).toBe(dense[J][I])
        }
        expect(product.columns[product.diagonalAt[I]]).toBe(I)
        const columns = [...product.columns.subarray(product.rowStart[I], product.rowStart[I + 1])]
        expect(columns).toEqual([...new Set(columns)].sort((a, b) => a - b))
      }
      expect(touched).toBeGreaterThanOrEqual(product.rowStart[width])
    }
  })

  it('transposes with ascending columns', () => {
    const { P } = randomPair(3, 20, 6)
    const transposed = transpose(fromDense(P), 6, buffers, 'transposed')
    expect(toDense(transposed, 20)).toEqual(Array.from({ length: 6 }, (_, j) => P.map(row => row[j])))
  })
})
