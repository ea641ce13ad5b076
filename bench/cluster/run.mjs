// npm run bench:cluster: counts and CPU of the cluster's solves, how evenly tiles deal liquids out, and a model of larger machines.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { galleryProblem, InputError } from 'peel'
import { checkCluster, createClusterSolver } from 'peel/cluster'
import { formatChart, openSection, writeFileWhole } from 'peel/io'
import { describeMachine, positive, positiveNumber, wholeNumbers, words } from '../arguments.mjs'
import { loadTypeScript } from '../load-typescript.mjs'
import { clearProgress, showProgress } from '../progress.mjs'

const { measurePartitions } = await loadTypeScript('bench/cluster/partition.ts')
const { calibrate, formatClusterReport, scalingPoints } = await loadTypeScript('bench/cluster/report.ts')

const here = path.dirname(fileURLToPath(import.meta.url))
const MARK = 'bench cluster'
const TITLE = 'A model, never checked on a cluster: seconds of one cold solve, 20 % of the grid liquid'
const PARTITION = { size: 256, tiles: [8, 16, 32], ranks: [64, 512] }

const program = new Command('bench:cluster')
  .description('Measure counts and CPU time of solves over MPI and the balance of tiles, and model larger machines.')
  .option('--sizes <N,N,…>', 'cells per side', wholeNumbers, [64, 128, 256])
  .option('--problems <NAME,…>', '3D problems of the gallery', words, ['half-ball'])
  .option('--ranks <N,N,…>', 'numbers of ranks', wholeNumbers, [1, 2, 4])
  .option('--rounds <N>', 'solves of each; the one with least CPU time counts', positive, 3)
  .option('--tolerance <1/s>', 'largest natural residual', positiveNumber, 1e-6)
  .option('--out <FOLDER>', 'folder for cluster.json, cluster.md and cluster.svg', path.join(here, 'results'))
  .option('--into <FILE.md>', 'also insert the report between the marks of this document, and the chart beside it')
  .addHelpText('after', '\nExample:\n  npm run bench:cluster -- --sizes 64 --rounds 1')

try {
  process.exitCode = await main(program.parse().opts())
} catch (error) {
  if (!(error instanceof InputError)) throw error
  process.stderr.write(`bench:cluster: ${error.message}\n`)
  process.exitCode = 1
}

async function main(flags) {
  const section = flags.into && (await openSection(flags.into, MARK))
  const run = { date: new Date().toISOString().slice(0, 10), machine: describeMachine(), load: os.loadavg()[0] }
  const { works, findings } = await checkCluster({ oversubscribe: true })
  if (!works)
    throw new InputError(
      findings
        .filter(({ good }) => !good)
        .map(({ found }) => found)
        .join(' '),
    )
  const library = findings.find(({ what }) => what === 'driver for grids').found.split(',')[0]
  const solves = []
  for (const problem of flags.problems) for (const size of flags.sizes) solves.push(...(await solveAll(problem, size, flags)))
  showProgress('partitions')
  const partitions = measurePartitions(PARTITION.size, PARTITION.tiles, PARTITION.ranks)
  clearProgress()
  const { tolerance } = flags
  await publish({ ...run, library, tolerance, solves, partitions, partitionSize: PARTITION.size }, flags, section)
  return solves.every(({ status }) => status === 'converged') ? 0 : 2
}

async function solveAll(name, size, { ranks, rounds, tolerance }) {
  const { problem } = galleryProblem(name, { size, dims: 3 })
  const solves = []
  for (const count of ranks) {
    let told
    const solver = createClusterSolver(
      { ranks: count, oversubscribe: true },
      {},
      {
        onStatistics: statistics => {
          told = statistics
        },
      },
    )
    let best
    for (let round = 0; round < rounds; round++) {
      showProgress(`${name} ${size}³ on ${count} ranks, round ${round + 1} of ${rounds}`)
      const result = await solver.solve(problem, new Float64Array(problem.grid.cells), { tolerance })
      if (result.status === 'failed') throw new InputError(result.message)
      const { outer, inner, unknowns, cells, boxes, slowestCpu, cpu, peakMb } = told
      const solve = { problem: name, size, ranks: count, status: result.status, residual: result.residual }
      if (!best || slowestCpu < best.slowestCpu)
        best = { ...solve, outer, inner, unknowns, cells, boxes, slowestCpu, cpu, peakMb }
    }
    await solver.close()
    solves.push(best)
  }
  clearProgress()
  return solves
}

async function publish(run, { out, into }, section) {
  const report = formatClusterReport(run)
  const assumptions = calibrate(run.solves)
  const chart =
    assumptions && (await formatChart(scalingPoints(assumptions), { title: TITLE, label: 'seconds', xLabel: 'ranks' }))
  fs.mkdirSync(out, { recursive: true })
  await writeFileWhole(path.join(out, 'cluster.json'), `${JSON.stringify(run, null, 2)}\n`)
  await writeFileWhole(path.join(out, 'cluster.md'), `${report}\n`)
  if (chart) await writeFileWhole(path.join(out, 'cluster.svg'), chart)
  console.log(report)
  if (!section) return
  const image = chart ? '\n\n![Seconds of one solve by the number of ranks, by the model](cluster.svg)' : ''
  await section.write(report + image)
  if (chart) await writeFileWhole(path.join(path.dirname(into), 'cluster.svg'), chart)
}
