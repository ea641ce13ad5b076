/** peel validate: scenes with known answers, compared with theory, as a page with plots. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Command } from 'commander'
import { InputError } from '../../input-error.js'
import { isFolder, isThere, writeFilesWhole } from '../../io/files/atomic-file.js'
import { makeFolder, removeEmpty } from '../../io/files/folder.js'
import { FIGURE_FOLDER, hasPassed, PAGE_FILE } from '../../validation/case.js'
import { chooseCases, VALIDATION_CASES } from '../../validation/cases.js'
import { countMissed, runValidation, type ValidationResult } from '../../validation/validate.js'
import { pathArgument } from '../arguments/path-argument.js'
import { INTERRUPTED, watchInterruption } from '../interruption.js'
import { clearProgress, showProgress } from '../output/progress.js'
import { printData, printMessage } from '../terminal.js'

interface ValidateFlags {
  readonly quick?: boolean
  readonly output?: string
  readonly json?: boolean
}

/** Of the whole page; anything less goes elsewhere, so that it is not overwritten by a part. */
const PAGE_FOLDER = 'docs'
const PART_FOLDER = 'out/validation'

export function validateCommand(finish: (code: number) => void): Command {
  return new Command('validate')
    .description(
      'Simulate scenes with known answers and write a page with plots beside theory. Exits with 2 if a bound is missed.',
    )
    .argument('[NAME...]', `cases (default: all): ${VALIDATION_CASES.map(({ name }) => name).join(', ')}`)
    .option('--quick', 'coarse grids and wider bounds, in half a minute')
    .option(
      '-o, --output <folder>',
      `folder for validation.md and its plots (default: ${PAGE_FOLDER}, or ${PART_FOLDER} for named cases and --quick)`,
      pathArgument,
    )
    .option('--json', 'print all checks as JSON instead of tables')
    .addHelpText('after', '\nExample:\n  peel validate hydrostatics dam-break --quick -o out/validation')
    .action(async (names: string[], flags: ValidateFlags) => finish(await validate(names, flags)))
}

async function validate(names: readonly string[], flags: ValidateFlags): Promise<number> {
  const cases = chooseCases(names)
  const output = flags.output ?? (flags.quick || names.length > 0 ? PART_FOLDER : PAGE_FOLDER)
  if ((await isThere(output)) && !(await isFolder(output)))
    throw new InputError(`${output} is a file; --output must be a folder or a new name.`)
  // A folder that cannot be created must be reported before minutes of work, not after.
  const made = await makeFolder(join(output, FIGURE_FOLDER))
  const interruption = watchInterruption('nothing is written')
  try {
    const results: ValidationResult[] = []
    for (const [at, one] of cases.entries()) {
      const progress = `${at + 1} of ${cases.length}: ${one.title}`
      if (process.stderr.isTTY) showProgress(progress)
      else printMessage(progress)
      results.push(
        await runValidation(one, flags.quick ? 'quick' : 'full', {
          async betweenFrames() {
            // Signals are delivered only when the event loop runs.
            await setImmediate()
            interruption.signal.throwIfAborted()
          },
        }),
      )
    }
    clearProgress()
    return await writeResults(results, output, names, flags)
  } catch (error) {
    if (interruption.happened()) return INTERRUPTED
    throw error
  } finally {
    clearProgress()
    interruption.end()
    await removeEmpty(made)
  }
}

async function writeResults(
  results: readonly ValidationResult[],
  output: string,
  names: readonly string[],
  { quick, json }: ValidateFlags,
): Promise<number> {
  // Loaded only here: the plotting library takes longer to load than the rest of the command line.
  const { checkTable, formatPage, summarySentence } = await import('../../validation/report.js')
  const command = ['peel validate', ...names, ...(quick ? ['--quick'] : [])].join(' ')
  const { markdown, figures } = formatPage(results, quick ? 'quick' : 'full', command)
  const plots = figures.map(({ file, svg }) => [join(output, FIGURE_FOLDER, file), svg] as const)
  await writeFilesWhole([...plots, [join(output, PAGE_FILE), markdown]])
  const missed = countMissed(results)
  if (json) printData(JSON.stringify({ ...(quick && { quick }), missed, cases: results.map(plainResult) }, undefined, 2))
  else {
    for (const { title, checks } of results) printData(`${title}\n\n${checkTable(checks)}\n`)
    printData(`${summarySentence(results)} → ${join(output, PAGE_FILE)}`)
  }
  if (missed === 0) return 0
  printMessage(`peel: ${missedSentence(results)}`)
  return 2
}

function plainResult({ name, title, checks }: ValidationResult) {
  return { name, title, checks: checks.map(check => ({ ...check, passed: hasPassed(check) })) }
}

function missedSentence(results: readonly ValidationResult[]): string {
  const names = results.filter(({ checks }) => !checks.every(hasPassed)).map(({ name }) => name)
  return `bounds were missed in ${names.join(', ')}; the page shows by how much.`
}
