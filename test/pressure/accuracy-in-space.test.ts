/** Orders of accuracy of the assembled problem and its projection, in 3D. */
import { beforeAll, describe, it } from 'vitest'
import { manufacturedSolutions } from '../../bench/accuracy/manufactured.js'
import { type Convergence, measureConvergence, SIZES } from '../../bench/accuracy/table.js'
import { expectActiveSet, expectDocumented, expectOrders } from '../support/accuracy.js'

const names = manufacturedSolutions(3).map(({ name }) => name)
let rows: Convergence[]
beforeAll(async () => {
  rows = await measureConvergence(3, SIZES[3])
}, 1_800_000)
const row = (name: string) => rows.find(candidate => candidate.name === name)!

describe('manufactured solutions in 3D', () => {
  it.each(names)('%s: pressure and velocity converge as theory has it', name => expectOrders(row(name)))

  it('finds which contacts separate', () => expectActiveSet(row('leaving a wall')))

  it('are in the document as they are measured', () => expectDocumented(rows))
})
