/** The page of a validation: Markdown with tables and figures. It has no date and no times, so that runs of the same code give the same page. */
import { counted } from '../counted.js'
import { formatTable } from '../io/documents/markdown-table.js'
import { type BoundCheck, FIGURE_FOLDER, type Fidelity, hasPassed } from './case.js'
import { formatFigure } from './plot.js'
import { countMissed, type ValidationResult } from './validate.js'

export interface ValidationPage {
  readonly markdown: string
  /** By their names in the folder of figures. */
  readonly figures: readonly { readonly file: string; readonly svg: string }[]
}

export function formatPage(results: readonly ValidationResult[], fidelity: Fidelity, command: string): ValidationPage {
  const figures = results.flatMap(({ name, figures: own }) =>
    own.map(figure => ({ file: `${name}-${figure.name}.svg`, svg: formatFigure(figure) })),
  )
  const parts = [
    '# Validation',
    wrap(`Scenes whose answer is known, simulated with default settings unless the text names others, and compared with theory or published
measurements. Written by \`${command}\`; the same code gives the same page on any number of threads. A check passes if its error is not above its
bound; relative errors and their bounds are in per cent. ${fidelity === 'quick' ? 'This is the quick version, on coarse grids with wider bounds.' : '`peel validate --quick` runs the same scenes on coarse grids with wider bounds.'}`),
    summarySentence(results),
    summaryTable(results),
    ...results.flatMap(section),
  ]
  return { markdown: `${parts.join('\n\n')}\n`, figures }
}

/** One sentence for the whole run. */
export function summarySentence(results: readonly ValidationResult[]): string {
  const all = results.reduce((sum, { checks }) => sum + checks.length, 0)
  const missed = countMissed(results)
  if (missed === 0) return `All ${counted(all, 'check')} pass.`
  return `${missed} of ${counted(all, 'check')} ${missed === 1 ? 'misses its bound' : 'miss their bounds'}.`
}

function summaryTable(results: readonly ValidationResult[]): string {
  const rows = results.map(({ title, checks }) => {
    const passed = checks.filter(hasPassed).length
    return [`[${title}](#${anchor(title)})`, `${passed} of ${checks.length}`, share(closest(checks))]
  })
  return formatTable(['case', 'passed', 'largest error over its bound'], rows)
}

/** Characters of a line of the page. */
const PAGE_LINE = 150

/** One paragraph in lines of the page. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const line = lines[lines.length - 1]
    if (line !== undefined && line.length + word.length < PAGE_LINE) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

const anchor = (title: string) => title.toLowerCase().replaceAll(' ', '-')

/** Error over bound of the check that is nearest to its bound, or farthest beyond. */
function closest(checks: readonly BoundCheck[]): number {
  return checks.reduce((most, { error, bound }) => Math.max(most, bound > 0 ? error / bound : error > 0 ? Infinity : 0), 0)
}

const share = (value: number) => (Number.isFinite(value) ? String(Number(value.toPrecision(2))) : '–')

function section({ name, title, about, checks, figures }: ValidationResult): string[] {
  return [
    `## ${title}`,
    wrap(about),
    checkTable(checks),
    ...figures.map(figure => `![${figure.title}](${FIGURE_FOLDER}/${name}-${figure.name}.svg)`),
  ]
}

export function checkTable(checks: readonly BoundCheck[]): string {
  const rows = checks.map(check => {
    const { quantity, measured, theory, unit, error, bound } = check
    const value = (number: number) => [digits(number, 4), unit].filter(Boolean).join(' ')
    return [
      quantity,
      value(measured),
      value(theory),
      errorText(check, error),
      errorText(check, bound),
      hasPassed(check) ? 'yes' : '**no**',
    ]
  })
  return formatTable(['quantity', 'measured', 'theory', 'error', 'bound', 'pass'], rows)
}

function errorText({ isRelative, unit }: BoundCheck, value: number): string {
  return isRelative ? `${digits(100 * value, 2)} %` : [digits(value, 2), unit].filter(Boolean).join(' ')
}

/** Without an exponent where one can read it. */
function digits(value: number, count: number): string {
  if (!Number.isFinite(value)) return 'not a number'
  const rounded = Number(value.toPrecision(count))
  return rounded !== 0 && Math.abs(rounded) < 1e-4 ? rounded.toExponential() : String(rounded)
}
