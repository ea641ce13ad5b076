/** peel check: what is in a scene, what it will cost, and what is wrong with it, before it is run. */
import { totalmem } from 'node:os'
import { Command } from 'commander'
import type { LoadedScene } from '../io/index.js'
import { estimateScene, type SceneEstimate } from '../scene/estimate.js'
import { inspectMesh, type MeshReport } from '../scene/mesh-report.js'
import { meshesOf, prepareScene } from '../scene/prepare.js'
import { addSceneFlags, loadSceneArgument, type SceneFlags } from './scene-argument.js'

interface CheckFlags extends SceneFlags {
  readonly json?: boolean
}

interface Report extends SceneEstimate {
  readonly scene: string
  readonly title: string
  readonly dims: 2 | 3
  /** Metres: what was asked for, and what whole cells make of it. */
  readonly size: { readonly asked: readonly number[]; readonly actual: readonly number[] }
  readonly solids: number
  readonly sources: number
  readonly drains: number
  readonly frames: number
  readonly meshes: readonly MeshReport[]
  /** Things that will surprise; the scene runs all the same. */
  readonly warnings: readonly string[]
  /** Why the scene cannot run here; empty if it can. */
  readonly reasons: readonly string[]
}

/** Threads share one memory, and it ends here. */
const MOST_BYTES = 2 ** 32

export function checkCommand(finish: (exitCode: number) => void): Command {
  return addSceneFlags(new Command('check'))
    .description('Validate a scene and tell what is in it: cells, liquid, particles, memory, time, meshes.')
    .argument('<SCENE>', 'a JSON file, or a name from peel scenes')
    .option('--json', 'as one JSON object')
    .addHelpText('after', '\nExample:\n  peel check splash --resolution 128 --set walls=sticking')
    .action(async (argument: string, flags: CheckFlags) => {
      const report = await check(await loadSceneArgument(argument, flags))
      console.log(flags.json ? JSON.stringify(report) : formatReport(report))
      for (const reason of report.reasons) console.error(`peel: ${argument}: ${reason}`)
      finish(report.reasons.length > 0 ? 1 : 0)
    })
}

async function check({ name, scene, meshes }: LoadedScene): Promise<Report> {
  const setting = prepareScene(scene, meshes)
  const estimate = estimateScene(scene, setting)
  const reports: MeshReport[] = []
  for (const [mesh, spacings] of meshesOf(scene)) reports.push(await inspectMesh(meshes.get(mesh)!, Math.max(...spacings), mesh))
  const asked = scene.domain.size
  const warnings: string[] = []
  if (estimate.liquidCells === 0 && scene.sources.length === 0)
    warnings.push('There is no liquid, at the start or later: no cell has its centre in liquid, and there is no source.')
  const reasons: string[] = []
  const most = Math.min(MOST_BYTES, totalmem())
  if (estimate.bytes > most)
    reasons.push(`It needs about ${gibibytes(estimate.bytes)} and there is room for ${gibibytes(most)}; lower the resolution.`)
  return {
    scene: name,
    title: scene.title,
    dims: setting.grid.dims,
    ...estimate,
    size: { asked, actual: estimate.shape.map(cells => cells * estimate.spacing) },
    solids: scene.solids.length,
    sources: scene.sources.length,
    drains: scene.drains.length,
    frames: scene.time.frames,
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
    ['scene', report.title === '' ? report.scene : `${report.scene}: ${report.title}`],
    [
      'domain',
      `${size.actual.map(metres).join(' × ')} m${rounded ? `, rounded to whole cells from ${size.asked.join(' × ')} m` : ''}`,
    ],
    ['cells', `${shape.join(' × ')} = ${cells}, ${metres(spacing)} m each`],
    ['liquid', `${liquidCells} cells (${(100 * (liquidCells / cells)).toFixed(1)} %), ${particles} particles`],
    [
      'overlap',
      removed === 0
        ? 'no liquid lies in solids'
        : `${(100 * removed).toFixed(1)} % of the liquid lies in solids and is taken away`,
    ],
    ['solids', `${report.solids}; sources ${report.sources}, drains ${report.drains}`],
    ['memory', `about ${gibibytes(report.bytes)}`],
    [
      'time',
      `${frames} frames of about ${metres(secondsPerFrame)} s, with ${substeps} substeps each (a rule of thumb for one core)`,
    ],
    ...report.meshes.flatMap(formatMesh),
    ...report.warnings.map(warning => ['warning', warning]),
  ]
  return lines.map(([label, text]) => `${label.padEnd(10)}${text}`).join('\n')
}

function formatMesh({ name, triangles, isClosed, warnings }: MeshReport): string[][] {
  return [
    ['mesh', `${name}: ${triangles} triangles, ${isClosed ? 'closed' : 'open'}${warnings.length === 0 ? ', no faults' : ''}`],
    ...warnings.map(warning => ['', warning]),
  ]
}

function gibibytes(bytes: number): string {
  return bytes < 2 ** 30 ? `${Math.ceil(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toPrecision(3)} GiB`
}
