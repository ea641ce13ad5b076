/** peel export: frames of a run as files for other programs. */
import { join } from 'node:path'
import { Command } from 'commander'
import { InputError } from '../input-error.js'
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
} from '../io/index.js'
import { createFramePainter, type FramePainter } from '../render/frame-painter.js'
import { createExporters, type Exporter, type ExportProviders, findExporter } from './export-formats.js'
import { type ProblemChoice, problemOfFrame } from './frame-problem.js'
import { parseFrameRange, selectFrames } from './frame-range.js'
import { wholeNumber } from './problem-argument.js'
import { clearProgress, showProgress } from './progress.js'
import { formatTable } from './table.js'

interface ExportFlags {
  readonly format: string
  readonly what?: string
  readonly frames?: string
  readonly output: string
  readonly width: number
}

export function exportCommand(finish: (exitCode: number) => void): Command {
  const exporters = createExporters(providersFor({ width: PICTURE_WIDTH }))
  const formats = [...new Set(exporters.map(({ format }) => format))]
  const contents = [...new Set(exporters.map(({ what }) => what))]
  const table = formatTable<Exporter>(
    [
      { title: '  format', text: ({ format }) => `  ${format}` },
      { title: 'what', text: ({ what }) => what },
      { title: 'content', text: ({ about }) => about },
    ],
    exporters,
  )
  return new Command('export')
    .description('Write frames of a run as files for other programs, one per frame.')
    .argument('<RUN>', 'a run directory; it may still be growing')
    .requiredOption('--format <NAME>', formats.join(', '))
    .option('--what <WHAT>', `${contents.join(', ')} (default: the first that the format has)`)
    .option('--frames <RANGE>', '12, 1-120, 1-120:2 or 60- (default: all)')
    .requiredOption('-o, --output <FOLDER>', 'where the files go')
    .option('--substep <N>', 'of the frame, for problems (default: the last)', value => wholeNumber(value, 1))
    .option('--scene <SCENE>', 'where the scene is, for problems of scenes with meshes')
    .option('--width <PIXELS>', 'of pictures', value => wholeNumber(value, 16), PICTURE_WIDTH)
    .addHelpText('after', `\n${table}\n\nExample:\n  peel export run/ --format ply --frames 1-120:2 -o out/`)
    .action(async (path: string, flags: ExportFlags & ProblemChoice) => {
      finish(await exportRun(path, flags, createExporters(providersFor(flags))))
    })
}

const PICTURE_WIDTH = 640

function providersFor({ width, ...choice }: Pick<ExportFlags, 'width'> & ProblemChoice): ExportProviders {
  let painter: Promise<FramePainter> | undefined
  return {
    problem: (run, frame) => problemOfFrame(run, frame.index, choice),
    async picture(_, frame) {
      painter ??= createFramePainter(frame.grid.dims, 1)
      return (await painter).draw(frame, { size: width, time: true, samples: 2 })
    },
  }
}

async function exportRun(path: string, flags: ExportFlags, exporters: readonly Exporter[]): Promise<number> {
  const exporter = findExporter(exporters, flags.format, flags.what)
  const range = flags.frames === undefined ? undefined : parseFrameRange(flags.frames)
  const run = await readRun(path)
  const frames = chooseFrames(run, flags.frames, range)
  const endings = exporter.endings ?? [`.${exporter.format}`]
  const names = frames.map(frame => endings.map(ending => `${exporter.what}_${numbered(frame)}${ending}`))
  const seriesName = exporter.series && `${exporter.what}.${exporter.series[0]}`
  const { sceneHash, seed, started } = run.manifest
  const record: ExportRecord = { run: { sceneHash, seed, started }, what: exporter.what, format: exporter.format }
  // Before anything is written: a run that did not keep what is asked for should leave no folder behind.
  const first = await exporter.encode(await readFrame(run, frames[0]), run)
  await checkTarget(flags.output, record, seriesName ? [...names.flat(), seriesName] : names.flat())
  const written = await writeFrames(run, frames, names, exporter, flags.output, first)
  if (exporter.series) await writeFileWhole(join(flags.output, seriesName!), exporter.series[1](written.series))
  const which = frames.length === 1 ? `frame ${frames[0]}` : `frames ${frames[0]} to ${frames.at(-1)}`
  console.error(
    `peel: ${exporter.what} of ${which}: ${names.flat().length} files, ${(written.bytes / 1e6).toFixed(1)} MB in ${flags.output}`,
  )
  return 0
}

function chooseFrames(run: StoredRun, text: string | undefined, range: ReturnType<typeof parseFrameRange> | undefined): number[] {
  const there = run.manifest.frames.map(({ frame }) => frame)
  if (there.length === 0) throw new InputError(`${run.path}: ${describeFrames(run.manifest)}.`)
  if (range === undefined) return there
  const chosen = selectFrames(range, there)
  const isBeyond = range.first < there[0] || (range.last !== Number.POSITIVE_INFINITY && range.last > there.at(-1)!)
  if (chosen.length === 0 || isBeyond)
    throw new InputError(`--frames ${text} is not all in ${run.path}: ${describeFrames(run.manifest)}.`)
  return chosen
}

async function writeFrames(
  run: StoredRun,
  frames: readonly number[],
  names: readonly (readonly string[])[],
  exporter: Exporter,
  output: string,
  first: Awaited<ReturnType<Exporter['encode']>>,
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
    }
  } finally {
    clearProgress()
  }
  return { series, bytes }
}
