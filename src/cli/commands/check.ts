/** peel check: reports the contents, the cost and the problems of a scene before it is run. */

import { totalmem } from 'node:os'
import { Command } from 'commander'
import { counted } from '../../counted.js'
import type { LoadedScene } from '../../io/index.js'
import { estimateDisk } from '../../io/run/disk-estimate.js'
import { sceneWarnings } from '../../liquid/warnings/scene-warnings.js'
import { sizeOf } from '../../machine/memory-limits.js'
import { printableLine } from '../../printable.js'
import { estimateScene, type SceneEstimate } from '../../scene/estimate.js'
import { inspectMeshes, type MeshReport } from '../../scene/mesh/report.js'
import { prepareScene } from '../../scene/prepare.js'
import { addSceneFlags, loadSceneArgument, type SceneFlags } from '../arguments/scene-argument.js'
import { printData, printMessage } from '../terminal.js'

interface CheckFlags extends SceneFlags {
  readonly json?: boolean
}

interface Report extends SceneEstimate {
  /** Of all files of the run. */
  readonly diskBytes: number
  readonly scene: string
  readonly title: string
  readonly dims: 2 | 3
  /** Metres: what was requested, and what whole cells make of it. */
  readonly size: { readonly asked: readonly number[]; readonly actual: readonly number[] }
  readonly solids: number
  readonly sources: number
  readonly drains: number
  readonly frames: number
  /** What is kept of every frame. */
  readonly kept: readonly string[]
  readonly meshes: readonly MeshReport[]
  /** Warnings; the scene can run nevertheless. */
  readonly warnings: readonly string[]
  /** Why the scene cannot run here; empty if it can. */
  readonly reasons: readonly string[]
}

/** Limit of the memory that threads share. */
const MAX_MEMORY_BYTES = 2 ** 32

export function checkCommand(finish: (exitCode: number) => void): Command {
  return addSceneFlags(new Command('check'))
    .description('Validate a scene and report its cells, liquid, particles, memory, time and meshes.')
    .argument('<SCENE>', 'a scene file, or a name from peel scenes')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  peel check splash --resolution 128 --set walls=sticking')
    .action(async (argument: string, flags: CheckFlags) => {
      const report = await check(await loadSceneArgument(argument, flags))
      printData(flags.json ? JSON.stringify(report) : formatReport(report))
      for (const reason of report.reasons) printMessage(`peel: ${argument}: ${reason}`)
      finish(report.reasons.length > 0 ? 1 : 0)
    })
}

async function check({ name, scene, meshes }: LoadedScene): Promise<Report> {
  const setting = prepareScene(scene, meshes)
  const estimate = estimateScene(scene, setting)
  const reports = await inspectMeshes(scene, meshes)
  const asked = scene.domain.size
  const warnings: string[] = []
  if (estimate.liquidCells === 0 && scene.sources.length === 0)
    warnings.push(
      'There is never any liquid: no cell has its centre in liquid, and there is no source. Add liquid or a source, or raise the resolution.',
    )
  warnings.push(...sceneWarnings(scene, setting, estimate))
  const reasons: string[] = []
  if (estimate.compiledBytes > MAX_MEMORY_BYTES)
    reasons.push(
      `Compiled loops need about ${sizeOf(estimate.compiledBytes)} of memory and can use ${sizeOf(MAX_MEMORY_BYTES)}; lower the resolution.`,
    )
  else if (estimate.bytes > totalmem())
    reasons.push(
      `The simulation needs about ${sizeOf(estimate.bytes)} of memory and this machine has ${sizeOf(totalmem())}; lower the resolution.`,
    )
  return {
    scene: name,
    title: scene.title,
    dims: setting.grid.dims,
    ...estimate,
    diskBytes: estimateDisk(scene, setting, estimate),
    size: { asked, actual: estimate.shape.map(cells => cells * estimate.spacing) },
    solids: scene.solids.length,
    sources: scene.sources.length,
    drains: scene.drains.length,
    frames: scene.time.frames,
    kept: scene.output.keep,
    meshes: reports,
    warnings,
    reasons,
  }
}

function formatReport(report: Report): string {
  const { shape, size, spacing, liquidCells, cells, particles, removed, substeps, secondsPerFrame, frames } = report
  const metres = (value: number) => Number(value.toPrecision(4))
  const rounded = size.actual.some((side, axis) => Math.abs(side - size.asked[axis]) > 1e-9 * side)
  const lines = [
    ['scene', report.title === '' ? report.scene : `${report.scene}: ${printableLine(report.title)}`],
    [
      'domain',
      `${size.actual.map(metres).join(' × ')} m${rounded ? `, rounded to whole cells from ${size.asked.join(' × ')} m` : ''}`,
    ],
    ['cells', `${shape.join(' × ')} = ${cells}, ${metres(spacing)} m each`],
    [
      'liquid',
      `${counted(liquidCells, 'cell')} (${(100 * (liquidCells / cells)).toFixed(1)} %), ${counted(particles, 'particle')}`,
    ],
    [
      'overlap',
      removed === 0 ? 'no liquid is inside solids' : `${(100 * removed).toFixed(1)} % of the liquid is inside solids and removed`,
    ],
    ['solids', `${report.solids}; sources ${report.sources}, drains ${report.drains}`],
    ['memory', `about ${sizeOf(report.bytes)}`],
    ['disk', `about ${sizeOf(report.diskBytes)} for ${counted(frames, 'frame')} (${report.kept.join(', ')}) and checkpoints`],
    [
      'time',
      `${counted(frames, 'frame')} of about ${metres(secondsPerFrame)} s, with ${counted(substeps, 'substep')} each (estimate for one core)`,
    ],
    ...report.meshes.flatMap(formatMesh),
    ...report.warnings.map(warning => ['warning', warning]),
  ]
  return lines.map(([label, text]) => `${label.padEnd(10)}${text}`).join('\n')
}

function formatMesh({ name, triangles, isClosed, warnings }: MeshReport): string[][] {
  return [
    [
      'mesh',
      `${name}: ${counted(triangles, 'triangle')}, ${isClosed ? 'closed' : 'open'}${warnings.length === 0 ? ', no faults' : ''}`,
    ],
    ...warnings.map(warning => ['', warning]),
  ]
}
