/** What the bench of the cluster measured, and what follows from it by the model, as Markdown and as points of a chart. */

import { formatTable } from 'peel/formats'
import type { ChartPoint } from 'peel/io'
import { threeDigits } from '../three-digits.js'
import { describeAssumptions, modelSolve, NODE_MEMORY, type ScalingAssumptions } from './model.js'
import type { PartitionResult } from './partition.js'

export interface ClusterSolve {
  readonly problem: string
  readonly size: number
  readonly ranks: number
  readonly status: string
  readonly outer: number
  readonly inner: number
  readonly unknowns: number
  readonly cells: number
  readonly boxes: number
  /** Seconds of the busiest rank, the least of all rounds. */
  readonly slowestCpu: number
  /** Seconds of all ranks, of the same round. */
  readonly cpu: number
  readonly peakMb: number
  /** 1/s, measured by Peel. */
  readonly residual: number
}

export interface ClusterRun {
  readonly date: string
  readonly machine: string
  readonly load: number
  readonly library: string
  readonly tolerance: number
  readonly solves: readonly ClusterSolve[]
  readonly partitions: readonly PartitionResult[]
  readonly partitionSize: number
}

export const MODEL_SIZES = [512, 1024, 2048]
export const MODEL_RANKS = [64, 128, 256, 512, 1024, 2048, 4096]

const SOLVE_COLUMNS = [
  'problem',
  'N',
  'ranks',
  'outer / inner',
  'unknowns',
  'swept cells',
  'boxes',
  'CPU s, busiest rank',
  'CPU s, all',
  'peak MB',
  'residual 1/s',
]

/** From the largest solve on one rank. */
export function calibrate(solves: readonly ClusterSolve[]): ScalingAssumptions | undefined {
  const alone = solves.filter(({ ranks, inner }) => ranks === 1 && inner > 0).sort((a, b) => b.size - a.size)[0]
  return alone && { nanoseconds: (1e9 * alone.slowestCpu) / (alone.cells * alone.inner) }
}

export function formatClusterReport(run: ClusterRun): string {
  const assumptions = calibrate(run.solves)
  return [
    `${run.date}, ${run.machine}, load ${run.load.toFixed(1)} at the start, ${run.library}; tolerance ${run.tolerance} 1/s.`,
    formatSolves(run.solves),
    `Partition efficiency at ${run.partitionSize} cells per side: unknowns per rank over the cells that the busiest rank sweeps.`,
    formatPartitions(run.partitions),
    ...(assumptions
      ? [
          'By the model, with these assumptions:',
          describeAssumptions(assumptions)
            .map(line => `- ${line}`)
            .join('\n'),
          formatModel(assumptions),
        ]
      : []),
  ].join('\n\n')
}

function formatSolves(solves: readonly ClusterSolve[]): string {
  return formatTable(
    SOLVE_COLUMNS,
    solves.map(({ problem, size, ranks, status, outer, inner, unknowns, cells, boxes, slowestCpu, cpu, peakMb, residual }) => [
      problem,
      String(size),
      String(ranks),
      status === 'converged' ? `${outer} / ${inner}` : status,
      String(unknowns),
      String(cells),
      String(boxes),
      threeDigits(slowestCpu),
      threeDigits(cpu),
      peakMb.toFixed(0),
      residual.toExponential(1),
    ]),
  )
}

function formatPartitions(partitions: readonly PartitionResult[]): string {
  const tiles = [...new Set(partitions.map(({ tile }) => tile))]
  const ranks = [...new Set(partitions.map(({ ranks }) => ranks))]
  const names = [...new Set(partitions.map(({ liquid }) => liquid))]
  const heads = ranks.flatMap(count => tiles.map(tile => `${count} ranks, tiles ${tile}`))
  return formatTable(
    ['problem', 'liquid', ...heads],
    names.map(name => {
      const mine = partitions.filter(({ liquid }) => liquid === name)
      const cell = (count: number, tile: number) => mine.find(part => part.ranks === count && part.tile === tile)!
      return [name, percent(mine[0].fill), ...ranks.flatMap(count => tiles.map(tile => percent(cell(count, tile).efficiency)))]
    }),
  )
}

function formatModel(assumptions: ScalingAssumptions): string {
  return formatTable(
    ['cells', ...MODEL_RANKS.map(ranks => `${ranks} ranks`), `talking at ${MODEL_RANKS.at(-1)}`, 'one socket'],
    MODEL_SIZES.map(size => {
      const points = MODEL_RANKS.map(ranks => modelSolve(size, ranks, assumptions))
      const last = points[points.length - 1]
      const seconds = points.map(point => (point.gigabytes > NODE_MEMORY ? 'no memory' : `${threeDigits(point.seconds)} s`))
      return [`${size}³`, ...seconds, percent(last.communication), `${threeDigits(last.socketSeconds)} s`]
    }),
  )
}

/** The solve alone, and with everything through one process as it is now. */
export function scalingPoints(assumptions: ScalingAssumptions): ChartPoint[] {
  return MODEL_SIZES.flatMap(size =>
    MODEL_RANKS.map(ranks => modelSolve(size, ranks, assumptions))
      .filter(({ gigabytes }) => gigabytes <= NODE_MEMORY)
      .flatMap(({ ranks, seconds, socketSeconds }) => [
        { column: 'the solve', row: '', contender: `${size}³`, size: ranks, value: seconds },
        { column: 'and one socket', row: '', contender: `${size}³`, size: ranks, value: seconds + socketSeconds },
      ]),
  )
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}
