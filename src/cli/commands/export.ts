/** peel export: frames of a run as files for other programs. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { counted } from '../../counted.js'
import { InputError } from '../../input-error.js'
import {
  checkTarget,
  describeFrames,
  type ExportRecord,
  numbered,
  readFrame,
  readRun,
  type StoredRun,
  writeFilesWhole,
  writeFileWhole,
} from '../../io/index.js'
import { hardwareThreads } from '../../machine/host.js'
import { createPainter, type Painter } from '../../paint/painter.js'
import { drawPicture } from '../../paint/picture.js'
import type { LiquidColours } from '../../scene/liquid-colours.js'
import { addClusterFlags, type ClusterFlags, hostSolver } from '../arguments/cluster-flags.js'
import { coloursOption } from '../arguments/colours-option.js'
import { parseFrameRange, selectFrames } from '../arguments/frame-range.js'
import { pathArgument } from '../arguments/path-argument.js'
import { wholeNumber } from '../arguments/problem-argument.js'
import {
  createExporters,
  type Exporter,
  type ExportProviders,
  findExporter,
  TABLES,
  type TableExporter,
} from '../export-formats.js'
import { type ProblemChoice, problemOfFrame } from '../frame-problem.js'
import { INTERRUPTED, type Interruption, watchInterruption } from '../interruption.js'
import { clearProgress, showProgress } from '../output/progress.js'
import { formatTable } from '../output/table.js'
import { printMessage } from '../terminal.js'

interface ExportFlags extends ClusterFlags, Omit<ProblemChoice, 'host'> {
  readonly format: string
  readonly what?: string
  readonly frames?: string
  readonly output: string
  readonly width: number
  readonly refine: number
  readonly colours: LiquidColours
  readonly solver?: string
}

export function exportCommand(finish: (exitCode: number) => void): Command {
  const exporters = [...createExporters(providersFor({ width: PICTURE_WIDTH, colours: 'water', refine: 1 })), ...TABLES]
  const formats = [...new Set(exporters.map(({ format }) => format))]
  const contents = [...new Set(exporters.map(({ what }) => what))]
  const table = formatTable<Exporter | TableExporter>(
    [
      { title: '  format', text: ({ format }) => `  ${format}` },
      { title: 'what', text: ({ what }) => what },
      { title: 'content', text: ({ about }) => about },
    ],
    exporters,
  )
  return addClusterFlags(new Command('export'))
    .description('Export frames of a run to files for other programs, one per frame or a table of all.')
    .argument('<RUN>', 'a run directory, possibly still growing', pathArgument)
    .requiredOption('--format <NAME>', formats.join(', '))
    .option('--what <WHAT>', `${contents.join(', ')} (default: the first of the format)`)
    .option('--frames <RANGE>', '12, 1-120, 1-120:2 or 60- (default: all)')
    .requiredOption('-o, --output <FOLDER>', 'folder for the files', pathArgument)
    .option('--substep <N>', 'substep of the frame, for problems (default: the last)', value => wholeNumber(value, 1))
    .option('--scene <SCENE>', 'path of the scene, for problems of scenes with meshes')
    .option('--solver <NAME>', 'solver of the run, for problems of runs with the solver cluster')
    .option('--width <PIXELS>', 'width of pictures', value => wholeNumber(value, 16), PICTURE_WIDTH)
    .addOption(coloursOption().default('water'))
    .option('--refine <N>', 'finer cells per cell and axis that surfaces are meshed on: 1, 2 or 4', refinement, 1)
    .addHelpText('after', `\n${table}\n\nExample:\n  peel export run/ --format ply --frames 1-120:2 -o out/`)
    .action(async (path: string, flags: ExportFlags) => {
      const { width, colours, refine, substep, scene } = flags
      const providers = providersFor({ width, colours, refine, substep, scene, host: hostSolver(flags).host })
      finish(await exportRun(path, flags, createExporters(providers)))
    })
}

const PICTURE_WIDTH = 640

function refinement(value: string): number {
  if (!['1', '2', '4'].includes(value)) throw new InvalidArgumentError('Expected 1, 2 or 4.')
  return Number(value)
}

function providersFor({
  width,
  colours,
  refine,
  ...choice
}: Pick<ExportFlags, 'width' | 'colours' | 'refine'> & ProblemChoice): ExportProviders {
  let painter: Promise<Painter> | undefined
  return {
    refine,
    problem: (run, frame) => problemOfFrame(run, frame.index, choice),
    async picture(_, frame) {
      painter ??= createPainter({ threads: frame.grid.dims === 3 ? hardwareThreads() : 1 })
      return drawPicture(await painter, frame, { size: width, colours, time: true, samples: 2 })
    },
  }
}

async function exportRun(path: string, flags: ExportFlags & ProblemChoice, exporters: readonly Exporter[]): Promise<number> {
  const exporter = findExporter([...exporters, ...TABLES], flags.format, flags.what)
  for (const flag of ['substep', 'scene'] as const)
    if (flags[flag] !== undefined && exporter.what !== 'problem')
      throw new InputError(`--${flag} needs --what problem; add it or remove --${flag}.`)
  if (flags.refine > 1 && (exporter.what !== 'surface' || exporter.format === 'png'))
    throw new InputError('--refine needs a mesh of the surface; use --format ply, obj or glb, or remove --refine.')
  const range = flags.frames === undefined ? undefined : parseFrameRange(flags.frames)
  const run = await readRun(path)
  const frames = chooseFrames(run, flags.frames, range)
  return 'table' in exporter ? exportTable(run, frames, exporter, flags.output) : exportFrames(run, frames, exporter, flags)
}

/** What `checkTarget` compares. */
function recordOf(
  { manifest: { sceneHash, seed, started } }: StoredRun,
  { what, format }: Exporter | TableExporter,
): ExportRecord {
  return { run: { sceneHash, seed, started }, what, format }
}

async function exportTable(run: StoredRun, frames: readonly number[], exporter: TableExporter, output: string): Promise<number> {
  const bytes = exporter.table(run, frames)
  const name = `${exporter.what}.${exporter.format}`
  await checkTarget(output, recordOf(run, exporter), [name])
  await writeFileWhole(join(output, name), bytes)
  printMessage(`peel: ${exporter.what} of ${describeChosen(frames)}: 1 file, ${(bytes.length / 1e6).toFixed(1)} MB in ${output}`)
  return 0
}

const describeChosen = (frames: readonly number[]) =>
  frames.length === 1 ? `frame ${frames[0]}` : `frames ${frames[0]} to ${frames.at(-1)}`

async function exportFrames(
  run: StoredRun,
  frames: readonly number[],
  exporter: Exporter,
  { output, refine }: ExportFlags,
): Promise<number> {
  const endings = exporter.endings ?? [`.${exporter.format}`]
  const names = frames.map(frame => endings.map(ending => `${exporter.what}_${numbered(frame)}${ending}`))
  const seriesName = exporter.series && `${exporter.what}.${exporter.series[0]}`
  const record: ExportRecord = { ...recordOf(run, exporter), ...(refine > 1 && { refine }) }
  // Before anything is written: a run that did not keep what is requested should leave no folder behind.
  const interruption = watchInterruption('finishing the current frame')
  try {
    const first = await exporter.encode(await readFrame(run, frames[0]), run)
    await setImmediate()
    if (interruption.happened()) return endInterrupted(0, output)
    await checkTarget(output, record, seriesName ? [...names.flat(), seriesName] : names.flat())
    const written = await writeFrames(run, frames, names, exporter, output, first, interruption)
    if (written.frames < frames.length) return endInterrupted(written.frames, output)
    if (exporter.series) await writeFileWhole(join(output, seriesName!), exporter.series[1](written.series))
    const files = counted(names.flat().length, 'file')
    printMessage(
      `peel: ${exporter.what} of ${describeChosen(frames)}: ${files}, ${(written.bytes / 1e6).toFixed(1)} MB in ${output}`,
    )
    return 0
  } finally {
    interruption.end()
  }
}

function endInterrupted(frames: number, output: string): number {
  const what = frames === 0 ? 'nothing is written' : `${counted(frames, 'frame is', 'frames are')} complete in ${output}`
  printMessage(`peel: interrupted; ${what}; run the same command to start again.`)
  return INTERRUPTED
}

function chooseFrames(run: StoredRun, text: string | undefined, range: ReturnType<typeof parseFrameRange> | undefined): number[] {
  const there = run.manifest.frames.map(({ frame }) => frame)
  if (there.length === 0) throw new InputError(`${run.path}: ${describeFrames(run.manifest)}.`)
  if (range === undefined) return there
  const chosen = selectFrames(range, there)
  const isBeyond = range.first < there[0] || (range.last !== Number.POSITIVE_INFINITY && range.last > there.at(-1)!)
  if (chosen.length === 0 || isBeyond)
    throw new InputError(`--frames ${text} is not completely in ${run.path}: ${describeFrames(run.manifest)}.`)
  return chosen
}

async function writeFrames(
  run: StoredRun,
  frames: readonly number[],
  names: readonly (readonly string[])[],
  exporter: Exporter,
  output: string,
  first: Awaited<ReturnType<Exporter['encode']>>,
  interruption: Interruption,
) {
  const series: { time: number; file: string }[] = []
  let bytes = 0
  try {
    for (const [at, index] of frames.entries()) {
      showProgress(`frame ${index}, ${at + 1} of ${frames.length}`)
      const frame = await readFrame(run, index)
      const content = at === 0 ? first : await exporter.encode(frame, run)
      const files = content instanceof Uint8Array ? [content] : content
      await writeFilesWhole(files.map((file, n) => [join(output, names[at][n]), file]))
      series.push({ time: frame.time, file: names[at][0] })
      for (const file of files) bytes += file.length
      // Signals are delivered only when the event loop runs.
      await setImmediate()
      if (interruption.happened()) break
    }
  } finally {
    clearProgress()
  }
  return { frames: series.length, series, bytes }
}
