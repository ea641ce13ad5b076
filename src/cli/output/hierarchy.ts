/** The levels of a multigrid solver as text: what `--view` shows. */
import { counted } from '../../counted.js'
import type { Solved } from '../solve-all.js'
import { type Column, formatTable } from './table.js'

export function formatHierarchy({ solver, result: { levels } }: Solved): string {
  if (levels.length === 0) return `${solver}: one level only`
  const columns: Column<number>[] = [
    { title: 'level', right: true, text: at => String(at) },
    { title: 'cells', text: at => levels[at].shape.join(' × ') },
    { title: 'unknowns', right: true, text: at => String(levels[at].unknowns) },
    { title: 'non-zeros', right: true, text: at => String(levels[at].nonZeros) },
    { title: 'per row', right: true, text: at => (levels[at].nonZeros / Math.max(1, levels[at].unknowns)).toFixed(1) },
  ]
  const total = levels.reduce((sum, { nonZeros }) => sum + nonZeros, 0)
  const complexity = (total / Math.max(1, levels[0].nonZeros)).toFixed(2)
  return `${solver}: ${counted(levels.length, 'level')}, operator complexity ${complexity}\n${formatTable(columns, [...levels.keys()])}`
}
