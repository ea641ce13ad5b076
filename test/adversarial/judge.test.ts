/** The judge itself: its arithmetic is exact, its reference agrees with trying all sets, and it catches what it is there for. */
import { describe, expect, it } from 'vitest'
import { checkGridProblem, checkSparseProblem } from '../../src/pressure/check-problem.js'
import type { SolveResult, Status } from '../../src/solvers/contract/solver.js'
import { bruteForce } from '../support/problems.js'
import { addProduct, addTo, dd, divide, multiply, productError, sumError } from './double-double.js'
import { createDraw } from './draw.js'
import { type Case, type Fault, judge, measureAnswer, openCase } from './judge.js'
import { type Adversary, GRID_CLASS_NAMES, makeGridProblem, makeSparseProblem, SPARSE_CLASS_NAMES } from './problems.js'
import { solveReference } from './reference.js'

/** An f64 as a whole multiple of 2⁻¹⁰⁷⁴, and so without any rounding. */
function exactly(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const word = bits.getBigUint64(0)
  const exponent = (word >> 52n) & 0x7ffn
  const fraction = word & 0xfffffffffffffn
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n)
  return word >> 63n ? -size : size
}

function numbers(count: number): number[] {
  const draw = createDraw(3, 0)
  return Array.from({ length: count }, () => draw.power(-9, 9) * Math.sign(draw.between(-1, 1)))
}

describe('double-double arithmetic', () => {
  it('knows the rounding of sums and products to the last bit', () => {
    const values = numbers(400)
    for (let at = 0; at + 1 < values.length; at++) {
      const [a, b] = [values[at], values[at + 1]]
      expect(exactly(a + b) + exactly(sumError(a, b, a + b))).toBe(exactly(a) + exactly(b))
      expect((exactly(a * b) + exactly(productError(a, b, a * b))) << 1074n).toBe(exactly(a) * exactly(b))
    }
  })

  it('keeps what cancels in f64', () => {
    const sum = dd(2 ** 20)
    addProduct(sum, 1 + 2 ** -40, 1 + 2 ** -40)
    addTo(sum, -(2 ** 20))
    addTo(sum, -1)
    expect(sum.hi).toBe(2 ** -39 + 2 ** -80)
    const third = divide(dd(1), dd(3))
    const back = multiply(third, dd(3))
    addTo(back, -1)
    expect(Math.abs(back.hi)).toBeLessThan(1e-31)
  })
})

describe('problems', () => {
  it('are the same when made alone, and others with another seed', () => {
    for (const make of [makeGridProblem, makeSparseProblem]) {
      expect(make(5, 12)).toEqual(make(5, 12))
      expect(make(5, 12).problem.b).not.toEqual(make(6, 12).problem.b)
    }
  })

  it('are what a solver has to accept, but for rows that are empty on purpose', () => {
    for (let number = 0; number < 4 * GRID_CLASS_NAMES.length; number++) {
      const { problem, mayBeRefused } = makeGridProblem(2, number)
      if ('grid' in problem && !mayBeRefused) checkGridProblem(problem, `problem ${number}`)
    }
    for (let number = 0; number < 20 * SPARSE_CLASS_NAMES.length; number++) {
      const { problem, mayBeRefused } = makeSparseProblem(2, number)
      if (!('grid' in problem) && !mayBeRefused) checkSparseProblem(problem, `problem ${number}`)
    }
  })

  it('have the pockets that their class promises', () => {
    const natures = new Map<string, Set<string>>()
    for (let number = 0; number < 12 * GRID_CLASS_NAMES.length; number++) {
      const adversary = makeGridProblem(2, number)
      const known = natures.get(adversary.className) ?? new Set()
      for (const { nature } of openCase(adversary, false).bodies) known.add(nature)
      natures.set(adversary.className, known)
    }
    expect(natures.get('sealed-balanced')).toEqual(new Set(['open', 'linear']))
    expect(natures.get('sealed-squeezed')).toEqual(new Set(['open', 'infeasible']))
    expect(natures.get('sealed-slight')).toEqual(new Set(['open', 'linear', 'expanding']))
    expect(natures.get('sealed-expanding')).toContain('expanding')
    expect(natures.get('tame')).toEqual(new Set(['open']))
  })
})

describe('the reference', () => {
  it('finds what trying all pinned sets finds', () => {
    let compared = 0
    for (let number = 0; number < 240; number++) {
      const adversary = makeSparseProblem(4, 4 * number)
      const found = openCase(adversary, false)
      if (found.rows.contact.reduce((sum, value) => sum + value, 0) > 10 || found.rows.count > 20) continue
      const answer = bruteForce(adversary.problem)!
      const reference = solveReference(found)!
      reference.pressure.forEach((value, row) => {
        expect(value).toBeCloseTo(answer[row], 6)
      })
      compared++
    }
    expect(compared).toBeGreaterThan(10)
  })

  it('satisfies every row of open bodies to far below the tolerance', () => {
    for (let number = 0; number < 2 * GRID_CLASS_NAMES.length; number++) {
      const adversary = makeGridProblem(3, number)
      const found = openCase(adversary, false)
      const reference = solveReference(found)
      if (reference && found.bodies.every(({ nature }) => nature === 'open' || nature === 'expanding'))
        expect(reference.exact).toBeLessThanOrEqual(1e-6 * adversary.tolerance)
    }
  })
})

describe('the judge', () => {
  const resultOf = (found: Case, pressure: Float64Array, status: Status, infeasible: number[] = []) =>
    ({
      status,
      message: '',
      iterations: 1,
      residual: measureAnswer(found, pressure).whole,
      infeasible: Int32Array.from(infeasible),
    }) as unknown as SolveResult

  function answered(className: string, fits: (adversary: Adversary) => boolean = () => true) {
    for (let number = GRID_CLASS_NAMES.indexOf(className); ; number += GRID_CLASS_NAMES.length) {
      const adversary = makeGridProblem(2, number)
      const found = openCase(adversary, false)
      const { pressure, reachable } = solveReference(found)!
      if (fits(adversary) && reachable < 1e-3 * adversary.tolerance) return { found, pressure, adversary }
    }
  }

  const faultsOf = (found: Case, pressure: Float64Array, result: SolveResult | Error): readonly Fault[] =>
    judge(found, pressure, result).faults

  it('accepts the answer of the reference', () => {
    const { found, pressure } = answered('tame')
    const verdict = judge(found, pressure, resultOf(found, pressure, 'converged'))
    expect(verdict).toMatchObject({ faults: [], solved: true })
    expect(judge(found, pressure, resultOf(found, pressure, 'stagnated'))).toMatchObject({ solved: false, denied: true })
  })

  it('sees a residual just above the tolerance', () => {
    const { found, pressure, adversary } = answered('tame')
    const row = found.rows.contact.indexOf(0)
    const wrong = pressure.slice()
    wrong[found.rows.label[row]] += (1.01 * adversary.tolerance) / found.rows.diagonal[row]
    expect(faultsOf(found, wrong, resultOf(found, wrong, 'converged'))).toEqual(['false-convergence'])
    expect(faultsOf(found, wrong, resultOf(found, wrong, 'stagnated'))).toEqual([])
  })

  it('sees what is not finite, negative at a contact, in dry cells, reported wrongly, or thrown', () => {
    const { found, pressure, adversary } = answered('tame', ({ problem }) => problem.kind.includes(0) && problem.kind.includes(2))
    const result = resultOf(found, pressure, 'converged')
    const changed = (index: number, value: number) => {
      const copy = pressure.slice()
      copy[index] = value
      return copy
    }
    const contact = adversary.problem.kind.indexOf(2)
    expect(faultsOf(found, changed(contact, NaN), result)).toContain('not-finite')
    expect(faultsOf(found, changed(contact, -1e-300), result)).toContain('negative-contact')
    expect(faultsOf(found, changed(adversary.problem.kind.indexOf(0), 0.125), result)).toEqual(['dry-cell'])
    expect(faultsOf(found, pressure, { ...result, residual: 0.1 * adversary.tolerance })).toEqual(['wrong-report'])
    expect(faultsOf(found, pressure, new RangeError('out of memory'))).toEqual(['crash'])
  })

  it('knows which cells no pressure can satisfy', () => {
    const { found, pressure } = answered('sealed-squeezed', adversary =>
      openCase(adversary, false).bodies.some(({ nature }) => nature === 'infeasible'),
    )
    const cells = found.bodies.flatMap(({ nature, rows }) =>
      nature === 'infeasible' ? Array.from(rows, row => found.rows.label[row]) : [],
    )
    expect(judge(found, pressure, resultOf(found, pressure, 'infeasible', cells))).toMatchObject({ faults: [], solved: true })
    expect(faultsOf(found, pressure, resultOf(found, pressure, 'infeasible', cells.slice(1)))).toEqual(['wrong-infeasible-set'])
    expect(faultsOf(found, pressure, resultOf(found, pressure, 'converged'))).toEqual(['wrong-infeasible-set'])
    const moved = pressure.map(value => 2 * value + 1e3)
    expect(faultsOf(found, moved, resultOf(found, moved, 'infeasible', cells))).toContain('false-convergence')
  })

  it('lets a pocket be squeezed by less than the tolerance', () => {
    const { found, pressure } = squeezedSlightly()
    expect(judge(found, pressure, resultOf(found, pressure, 'converged'))).toMatchObject({ faults: [], solved: true })
    const cells = found.bodies.flatMap(({ nature, rows }) =>
      nature === 'linear' ? Array.from(rows, row => found.rows.label[row]) : [],
    )
    expect(faultsOf(found, pressure, resultOf(found, pressure, 'infeasible', cells))).toContain('wrong-infeasible-set')
  })

  /** Its residual is what the pocket is squeezed by. */
  function squeezedSlightly() {
    for (let number = GRID_CLASS_NAMES.indexOf('sealed-slight'); ; number += GRID_CLASS_NAMES.length) {
      const found = openCase(makeGridProblem(2, number), false)
      if (found.bodies.some(({ nature, mean }) => nature === 'linear' && mean < -0.6 * found.adversary.tolerance))
        return { found, pressure: solveReference(found)!.pressure }
    }
  }
})
