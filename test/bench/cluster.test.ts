/** The model of larger machines, the partitions, and the report about the cluster. */
import { describe, expect, it } from 'vitest'
import { FILL, modelSolve, modelSteps, TILE_EFFICIENCY } from '../../bench/cluster/model.js'
import { LIQUIDS, measurePartitions } from '../../bench/cluster/partition.js'
import { type ClusterSolve, calibrate, formatClusterReport, scalingPoints } from '../../bench/cluster/report.js'

const solve: ClusterSolve = {
  problem: 'half-ball',
  size: 64,
  ranks: 1,
  status: 'converged',
  outer: 10,
  inner: 20,
  unknowns: 40_000,
  cells: 50_000,
  boxes: 1,
  slowestCpu: 0.05,
  cpu: 0.05,
  peakMb: 40,
  residual: 1e-7,
}

describe('the model', () => {
  const assumptions = { nanoseconds: 50 }

  it('is pure computation on one rank', () => {
    const { seconds, communication } = modelSolve(128, 1, assumptions)
    expect(communication).toBe(0)
    expect(seconds).toBeCloseTo(((FILL * 128 ** 3) / TILE_EFFICIENCY) * modelSteps(128).inner * 50e-9, 10)
  })

  it('talks more and gains less with every doubling of ranks', () => {
    const ranks = [64, 128, 256, 512, 1024, 2048, 4096]
    const points = ranks.map(count => modelSolve(512, count, assumptions))
    points.slice(1).forEach((point, at) => {
      expect(point.communication).toBeGreaterThan(points[at].communication)
      expect(point.seconds).toBeLessThan(points[at].seconds)
      expect(point.seconds).toBeGreaterThan(points[at].seconds / 2)
    })
  })

  it('is calibrated by the largest solve on one rank', () => {
    const larger = { ...solve, size: 128, cells: 400_000, slowestCpu: 0.8 }
    expect(calibrate([larger, solve, { ...larger, size: 256, ranks: 2 }])!.nanoseconds).toBeCloseTo(100, 6)
    expect(calibrate([{ ...solve, ranks: 2 }])).toBeUndefined()
  })

  it('draws no point that does not fit into memory', () => {
    const points = scalingPoints(assumptions)
    expect(points.some(({ contender, size }) => contender === '2048³' && size === 64)).toBe(false)
    expect(points.some(({ contender, size }) => contender === '2048³' && size === 4096)).toBe(true)
  })
})

it('partitions are never better than perfect, and small tiles balance many ranks better', () => {
  const results = measurePartitions(64, [8, 32], [1, 64])
  expect(new Set(results.map(({ liquid }) => liquid)).size).toBe(LIQUIDS.length)
  for (const { liquid, fill, ranks, tile, efficiency } of results) {
    expect(efficiency).toBeGreaterThan(0)
    expect(efficiency).toBeLessThanOrEqual(1)
    expect(fill).toBeLessThan(0.2)
    if (ranks !== 64 || tile !== 8) continue
    const coarse = results.find(other => other.liquid === liquid && other.ranks === 64 && other.tile === 32)!
    expect(efficiency).toBeGreaterThanOrEqual(coarse.efficiency)
  }
})

it('the report shows what failed instead of its counts', () => {
  const run = { date: '2026-01-01', machine: 'one', load: 0, library: 'hypre 2', tolerance: 1e-6, partitionSize: 64 }
  const partitions = measurePartitions(32, [8], [4])
  const text = formatClusterReport({ ...run, solves: [solve, { ...solve, ranks: 2, status: 'stagnated' }], partitions })
  expect(text).toMatch(/\| half-ball \| +64 \| +1 \| +10 \/ 20 \|/)
  expect(text).toMatch(/\| half-ball \| +64 \| +2 \| +stagnated \|/)
  expect(text).toMatch(/50 ns of CPU per swept cell/)
})
