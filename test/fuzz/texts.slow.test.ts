/** Damaged Matrix Market files, problems of three of them, and histories. */
import { formatHistories, parseHistories } from '../../src/io/formats/history.js'
import { parseMatrixMarket } from '../../src/io/formats/mtx.js'
import { formatSparseProblem, parseSparseProblem } from '../../src/io/problem/sparse-problem.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { SparseProblem } from '../../src/pressure/problem.js'
import { measure } from '../../src/pressure/residual.js'
import { type Draw, fuzz } from './fuzz.js'
import { mutateJsonText, mutateText, WORDS } from './mutate.js'

const texts = formatSparseProblem(galleryProblem('random-graph', { size: 3 }).problem as SparseProblem)
const column = '%%MatrixMarket matrix coordinate real general\n% a column\n3 1 2\n1 1 -1\n3 1 2.5\n'
const valid = [...Object.values(texts), column, '%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n']

/** Size lines are where files lie. */
function matrix(draw: Draw, given: readonly string[]): string {
  const text = mutateText(draw, given)
  if (!draw.chance(0.2)) return text
  const lines = text.split('\n')
  const at = lines.findIndex(line => /^\d/.test(line))
  if (at >= 0) lines[at] = Array.from({ length: 2 + draw.below(2) }, () => draw.pick(WORDS)).join(' ')
  return lines.join('\n')
}

fuzz('mtx', 14_000, draw => {
  parseMatrixMarket(matrix(draw, valid), 'a.mtx')
})
fuzz('sparse problem', 8000, draw => {
  const part = (text: string) => (draw.chance(0.4) ? matrix(draw, [text, ...(draw.chance(0.2) ? valid : [])]) : text)
  const problem = parseSparseProblem({
    A: { text: part(texts.A), where: 'p.A.mtx' },
    b: { text: part(texts.b), where: 'p.b.mtx' },
    ...(draw.chance(0.7) && { separating: { text: part(texts.separating), where: 'p.separating.mtx' } }),
  })
  measure(problem, new Float64Array(problem.rows))
})
const record = { iteration: 1, residual: Number.NaN, pinned: 3, work: 1.5, seconds: 0.1 }
const history = JSON.parse(
  formatHistories([{ solver: 'psor', status: 'converged', records: [record, { ...record, residual: 1e-5 }] }]),
)
fuzz('history', 8000, draw => {
  parseHistories(mutateJsonText(draw, [history]), 'h.json')
})
