/** Orders of accuracy that theory promises, and the tables of the document that states them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type Convergence, formatOrders, type Norm, orderOf } from '../../bench/accuracy/table.js'

/** What theory promises, minus what chance takes: walls and surfaces cut every grid differently, which moves single errors by a factor of two.
 *
 *  Pressure: 2 in both norms. Velocity: 1 at walls and surfaces, where it is the difference of pressures with rough errors of second order;
 *  they fill a layer one cell wide, so that the root mean square has order 1.5.
 *
 *  The largest velocity error on narrow faces of contact lines has no order: see docs/accuracy.md. */
const ORDERS: Record<Norm, number> = { 'p rms': 1.8, 'p max': 1.6, 'u rms': 1.3, 'u max': 0.6, 'u max, wide faces': 0.6 }

/** Solutions with a surface that meets a wall. */
const hasContactLine = ({ name }: Convergence) => /contact line|desired divergence|leaving/.test(name)

export function expectOrders(row: Convergence): void {
  for (const norm of Object.keys(ORDERS) as Norm[]) {
    if (norm === 'u max' && hasContactLine(row)) continue
    expect(orderOf(row, norm), `order of ${norm} of ${row.name} in ${row.dims}D`).toBeGreaterThan(ORDERS[norm])
  }
}

/** Fewer and fewer contacts are on the wrong side, all of them close to where the liquid begins to leave. */
export function expectActiveSet({ errors, name }: Convergence): void {
  const share = (n: number) => errors.at(n)!.wrongContacts / errors.at(n)!.contacts
  expect(errors[0].contacts, name).toBeGreaterThan(0)
  expect(share(-1), name).toBeLessThan(0.1)
  expect(share(-1), name).toBeLessThan(0.7 * share(0))
}

/** Lines of a table up to the widths of its columns. */
const cellsOf = (table: string) =>
  table
    .split('\n')
    .filter(line => /^\|.*\d/.test(line))
    .map(line => line.split('|').map(cell => cell.trim()))

export function expectDocumented(rows: readonly Convergence[]): void {
  const document = readFileSync(fileURLToPath(new URL('../../docs/accuracy.md', import.meta.url)), 'utf8')
  const documented = cellsOf(document)
  for (const line of cellsOf(formatOrders(rows))) expect(documented, 'run node bench/accuracy.mjs').toContainEqual(line)
}
