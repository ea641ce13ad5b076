/** peel info: describes a problem without solving it. */

import { Command } from 'commander'
import { counted } from '../../counted.js'
import { cellPosition } from '../../grid/grid.js'
import { findPockets, judgePocket, type Pocket } from '../../pressure/pockets.js'
import { countUnknowns, isGridProblem, type Problem } from '../../pressure/problem.js'
import { measure } from '../../pressure/residual.js'
import { DEFAULT_TOLERANCE } from '../../solvers/contract/solver.js'
import { createBuffers } from '../../sparse/buffers.js'
import { checkMatrix } from '../../sparse/m-matrix.js'
import { compact, largestMagnitude, nonZeros } from '../../sparse/matrix.js'
import { addProblemFlags, loadProblem, type NamedProblem, type ProblemFlags } from '../arguments/problem-argument.js'
import { scientific } from '../output/table.js'
import { printData } from '../terminal.js'

interface InfoFlags extends ProblemFlags {
  readonly json?: boolean
}

export function infoCommand(): Command {
  return addProblemFlags(new Command('info'))
    .description('Describe a problem: unknowns, contacts, sealed pockets, matrix, right-hand side.')
    .argument('<PROBLEM>', 'gallery:NAME, a .npz grid problem, or the prefix of Matrix Market files')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  peel info gallery:two-spheres --size 32')
    .action(async (argument: string, flags: InfoFlags) => {
      const description = describe(await loadProblem(argument, flags))
      printData(flags.json ? JSON.stringify(description) : formatDescription(description))
    })
}

type Description = ReturnType<typeof describe>

function describe({ name, problem, known }: NamedProblem) {
  const { rows, labels } = toRows(problem)
  const { unknowns, contacts } = countUnknowns(problem)
  const place = (row: number) =>
    isGridProblem(problem) ? cellPosition(problem.grid, labels[row]).slice(0, problem.grid.dims) : [row]
  return {
    problem: name,
    shape: isGridProblem(problem) ? problem.grid.shape.slice(0, problem.grid.dims) : [problem.rows],
    kind: isGridProblem(problem) ? 'grid' : 'sparse',
    unknowns,
    contacts,
    nonZeros: nonZeros(rows),
    largestB: largestMagnitude(rows.b),
    residualOfZero: measure(problem, new Float64Array(problem.b.length)).residual,
    matrix: checkMatrix(rows),
    pockets: findPockets(rows).map(pocket => describePocket(pocket, place(pocket.rows[0]))),
    known: known?.about,
  }
}

function describePocket(pocket: Pocket, at: number[]) {
  const nature = judgePocket(pocket, DEFAULT_TOLERANCE, true)
  return { unknowns: pocket.rows.length, contacts: pocket.contacts, excess: pocket.excess, nature, at }
}

function toRows(problem: Problem) {
  if (!isGridProblem(problem)) return { rows: problem, labels: new Int32Array(0) }
  const { problem: rows, cells } = compact(problem, createBuffers())
  return { rows, labels: cells }
}

function formatDescription(info: Description): string {
  const { matrix, pockets } = info
  const lines = [
    ['problem', info.problem],
    ['shape', `${info.shape.join(' × ')} ${info.kind === 'grid' ? 'cells' : 'rows'}`],
    ['unknowns', `${info.unknowns}, of which ${info.contacts} are contacts`],
    [
      'matrix',
      `${info.nonZeros} non-zeros, ${matrix.asymmetry === 0 ? 'symmetric' : `asymmetric by ${scientific(matrix.asymmetry)}`}`,
    ],
    ['M-matrix', `${matrix.isMMatrix ? 'yes' : 'no'}: ${matrix.why}`],
    ['row sums', `at least ${scientific(matrix.smallestRowSum)} of the diagonal`],
    ['|b|', `${scientific(info.largestB)} 1/s at most; residual of p = 0: ${scientific(info.residualOfZero)} 1/s`],
    ['pockets', pockets.length === 0 ? 'none, all liquid touches air' : `${pockets.length} without air`],
    ...pockets.map(({ unknowns, contacts, excess, nature, at }) => {
      return [
        '',
        `${counted(unknowns, 'unknown')} (${counted(contacts, 'contact')}) from (${at.join(', ')}): Σb = ${scientific(excess)} 1/s, ${nature}`,
      ]
    }),
  ]
  if (info.known) lines.push(['known', info.known])
  return lines.map(([label, text]) => `${label.padEnd(10)}${text}`).join('\n')
}
