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
  writeFileWhole,
} from '../io/index.js'
import { createExporters, type Exporter, type ExportProviders, findExporter } from './export-formats.js'
import { parseFrameRange, selectFrames } from './frame-range.js'
import { clearProgress, showProgress } from './progress.js'
import { formatTable } from './table.js'

interface ExportFlags {
  readonly format: string
  readonly what?: string
  readonly frames?: string
  readonly output: string
}

export function exportCommand(finish: (exitCode: number) => void, providers: ExportProviders = {}): Command {
  const exporters = createExporters(providers)
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
    .addHelpText('after', `\n${table}\n\nExample:\n  peel export run/ --format ply --frames 1-120:2 -o out/`)
    .action(async (path: string, flags: ExportFlags) => finish(await exportRun(path, flags, exporters)))
}

async function exportRun(path: string, flags: ExportFlags, exporters: readonly Exporter[]): Promise<number> {
  const exporter = findExporter(exporters, flags.format, flags.what)
  const range = flags.frames === undefined ? undefined : parseFrameRange(flags.frames)
  const run = await readRun(path)
  const frames = chooseFrames(run, flags.frames, range)
  const names = frames.map(frame => `${exporter.what}_${numbered(frame)}.${exporter.format}`)
  const seriesName = exporter.series && `${exporter.what}.${exporter.series[0]}`
  const { sceneHash, seed, started } = run.manifest
  const record: ExportRecord = { run: { sceneHash, seed, started }, what: exporter.what, format: exporter.format }
  // Before anything is written: a run that did not keep what is asked for should leave no folder behind.
  const first = await exporter.encode(await readFrame(run, frames[0]), run)
  await checkTarget(flags.output, record, seriesName ? [...names, seriesName] : names)
  const written = await writeFrames(run, frames, names, exporter, flags.output, first)
  if (exporter.series) await writeFileWhole(join(flags.output, seriesName!), exporter.series[1](written.series))
  const which = frames.length === 1 ? `frame ${frames[0]}` : `frames ${frames[0]} to ${frames.at(-1)}`
  console.error(
    `peel: ${exporter.what} of ${which}: ${frames.length} files, ${(written.bytes / 1e6).toFixed(1)} MB in ${flags.output}`,
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
  names: readonly string[],
  exporter: Exporter,
  output: string,
  first: Uint8Array,
) {
  const series: { time: number; file: string }[] = []
  let bytes = 0
  try {
    for (const [at, index] of frames.entries()) {
      showProgress(`frame ${index}, ${at + 1} of ${frames.length}`)
      const frame = await readFrame(run, index)
      const content = at === 0 ? first : await exporter.encode(frame, run)
      await writeFileWhole(join(output, names[at]), content)
      series.push({ time: frame.time, file: names[at] })
      bytes += content.length
    }
  } finally {
    clearProgress()
  }
  return { series, bytes }
}
