import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatSparseProblem, parseSparseProblem } from '../../../src/io/problem/sparse-problem.js'
import { entryOf } from '../../../src/pressure/check-problem.js'
import { CONTACT, LIQUID, type SparseProblem } from '../../../src/pressure/problem.js'
import { measure } from '../../../src/pressure/residual.js'
import { refusal } from '../refusal.js'

const coordinate = (symmetry: string, rows: number, columns: number, ...entries: string[]): string =>
  `%%MatrixMarket matrix coordinate real ${symmetry}\n${rows} ${columns} ${entries.length}\n${entries.map(line => `${line}\n`).join('')}`
const column = (...values: (number | string)[]): string =>
  `%%MatrixMarket matrix array real general\n${values.length} 1\n${values.join('\n')}\n`

function read(A: string, b: string, separating?: string): SparseProblem {
  return parseSparseProblem({
    A: { text: A, where: 'p.A.mtx' },
    b: { text: b, where: 'p.b.mtx' },
    separating: separating === undefined ? undefined : { text: separating, where: 'p.separating.mtx' },
  })
}

const chain = coordinate('symmetric', 3, 3, '3 3 2.5', '3 2 -1', '1 1 2', '2 2 2', '2 1 -1', '3 1 0')
const expected: SparseProblem = {
  rows: 3,
  rowStart: Int32Array.of(0, 2, 5, 7),
  columns: Int32Array.of(0, 1, 0, 1, 2, 1, 2),
  values: Float64Array.of(2, -1, -1, 2, -1, -1, 2.5),
  diagonalAt: Int32Array.of(0, 3, 6),
  b: Float64Array.of(-1, 0, 1),
  kind: Uint8Array.of(LIQUID, CONTACT, LIQUID),
}

describe('reading', () => {
  it('a lower triangle becomes full rows with ascending columns, stored zeros dropped', () => {
    expect(read(chain, column(-1, 0, 1), column(0, 1, 0))).toStrictEqual(expected)
  })

  it('a general matrix is read the same', () => {
    const general = coordinate('general', 3, 3, '1 2 -1', '1 1 2', '2 3 -1', '2 1 -1', '3 3 2.5', '3 2 -1', '2 2 2', '1 3 0')
    expect(read(general, column(-1, 0, 1), column(0, 1, 0))).toStrictEqual(expected)
  })

  it('a column in coordinate format, as SciPy writes sparse ones, was refused', () => {
    const sparse = (...entries: string[]) => coordinate('general', 3, 1, ...entries)
    expect(read(chain, sparse('3 1 1', '1 1 -1'), sparse('2 1 1'))).toStrictEqual(expected)
    expect(read(chain, sparse()).b).toEqual(new Float64Array(3))
  })

  it('without a separating file every row separates', () => {
    expect(read(chain, column(-1, 0, 1)).kind).toEqual(Uint8Array.of(CONTACT, CONTACT, CONTACT))
  })

  it('the problem means what it says: a known solution has residual 0', () => {
    const problem = read(coordinate('symmetric', 2, 2, '1 1 2', '2 1 -1', '2 2 2'), column(0, -3), column(0, 0))
    expect(measure(problem, Float64Array.of(1, 2)).residual).toBe(0)
  })
})

describe('refused with the file and the row', () => {
  const three = column(0, 0, 0)
  it.each([
    ['an array as matrix', column(1, 2, 3), three, undefined, 'p.A.mtx: the matrix must be in coordinate format'],
    [
      'a matrix that is not square',
      coordinate('general', 2, 3, '1 1 1'),
      three,
      undefined,
      'p.A.mtx: the matrix has 2 rows and 3 columns',
    ],
    ['no rows', coordinate('general', 0, 0), column(), undefined, 'p.A.mtx: the matrix has no rows'],
    [
      'a right-hand side with several columns',
      chain,
      chain,
      undefined,
      'p.b.mtx: the matrix is 3 × 3, but the matrix A needs 3 × 1',
    ],
    [
      'a huge matrix with a huge right-hand side of nothing',
      coordinate('general', 90000000, 90000000),
      coordinate('general', 90000000, 1),
      undefined,
      'p.b.mtx: the matrix A has 90000000 rows and 0 entries, so one of its rows is empty',
    ],
    [
      'a right-hand side of another length',
      chain,
      column(1, 2),
      undefined,
      'p.b.mtx: the array is 2 × 1, but the matrix A needs 3 × 1',
    ],
    ['flags of another length', chain, three, column(1), 'p.separating.mtx: the array is 1 × 1'],
    ['flags beyond 0 and 1', chain, three, column(0, 2, 1), 'p.separating.mtx: row 2 is 2'],
    [
      'a missing diagonal',
      coordinate('symmetric', 3, 3, '1 1 1', '3 2 -1', '2 2 1'),
      three,
      undefined,
      'p.A.mtx: the diagonal of A is 0 in row 3',
    ],
    [
      'a diagonal of 0',
      coordinate('symmetric', 3, 3, '1 1 0', '2 2 1', '3 3 1'),
      three,
      undefined,
      'p.A.mtx: the diagonal of A is 0 in row 1',
    ],
    ['an empty row', coordinate('symmetric', 3, 3, '1 1 1', '3 3 1'), three, undefined, 'p.A.mtx: row 2 of A is empty'],
    [
      'a positive link',
      coordinate('symmetric', 3, 3, '1 1 1', '2 2 1', '3 3 1', '3 1 1'),
      three,
      undefined,
      'p.A.mtx: A(1, 3) is 1, a positive link',
    ],
    [
      'one side of a link',
      coordinate('general', 3, 3, '1 1 1', '2 2 1', '3 3 1', '3 1 -1'),
      three,
      undefined,
      'p.A.mtx: A is not symmetric',
    ],
    ['a bad line', chain.replace('2.5', 'x'), three, undefined, 'p.A.mtx: line 3'],
    [
      'a huge matrix with a small right-hand side',
      coordinate('symmetric', 90000000, 90000000),
      three,
      undefined,
      'p.b.mtx: the array is 3 × 1',
    ],
  ])('%s', (_, A, b, separating, mentioned) => {
    expect(refusal(() => read(A, b, separating))).toContain(mentioned)
  })

  it('a problem that could not be read back is not written', () => {
    expect(refusal(() => formatSparseProblem({ ...expected, b: Float64Array.of(0, Number.NaN, 0) }))).toContain(
      'b is NaN in row 2',
    )
  })
})

it('every problem is read back as it was written', () => {
  const link = fc.tuple(fc.nat(7), fc.nat(7), fc.double({ min: 1e-300, max: 1e300, noNaN: true }))
  const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(
      fc.array(link, { maxLength: 20 }),
      numbers,
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      (links, b, contact) => {
        const dense = new Map(Array.from({ length: 8 }, (_, i) => [`${i + 1} ${i + 1}`, 1 + i]))
        for (const [i, j, size] of links) if (i !== j) dense.set(`${Math.max(i, j) + 1} ${Math.min(i, j) + 1}`, -size)
        const A = coordinate('symmetric', 8, 8, ...Array.from(dense, ([place, value]) => `${place} ${value}`))
        const problem = read(A, column(...b), column(...contact.map(Number)))
        for (const [place, value] of dense) {
          const [row, other] = place.split(' ').map(Number)
          expect([entryOf(problem, row - 1, other - 1), entryOf(problem, other - 1, row - 1)]).toEqual([value, value])
        }
        const texts = formatSparseProblem(problem)
        expect(read(texts.A, texts.b, texts.separating)).toStrictEqual(problem)
      },
    ),
  )
})
