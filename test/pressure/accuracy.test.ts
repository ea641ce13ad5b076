/** Orders of accuracy of the assembled problem and its projection, in 2D. */
import { beforeAll, describe, expect, it } from 'vitest'
import { manufacturedSolutions } from '../../bench/accuracy/manufactured.js'
import { type Convergence, measureConvergence, SIZES } from '../../bench/accuracy/table.js'
import { expectActiveSet, expectDocumented, expectOrders } from '../support/accuracy.js'

const names = manufacturedSolutions(2).map(({ name }) => name)
let rows: Convergence[]
beforeAll(async () => {
  rows = await measureConvergence(2, SIZES[2])
})
const row = (name: string) => rows.find(candidate => candidate.name === name)!

describe('manufactured solutions in 2D', () => {
  it.each(names)('%s: pressure and velocity converge as theory has it', name => expectOrders(row(name)))

  it('finds which contacts separate', () => expectActiveSet(row('leaving a wall')))

  it('has the same answer at separating walls as at sticking ones where nothing separates', () => {
    for (const solution of ['closed vessel', 'contact line']) {
      const [sticking, separating] = ['sticking', 'separating'].map(kind => row(`${solution}, ${kind} walls`))
      sticking.errors.forEach(({ velocity }, n) => {
        expect(separating.errors[n].velocity.max / velocity.max).toBeCloseTo(1, 4)
      })
    }
  })

  it('are in the document as they are measured', () => expectDocumented(rows))
})
