/** What is installed of a cluster, and whether it works: a small problem on one rank and on two. */
import { galleryProblem } from '../pressure/gallery.js'
import { pressureLength } from '../pressure/problem.js'
import { buildDriver, cacheFolder, type DriverName } from './build-driver.js'
import { type ClusterOptions, createClusterSolver } from './cluster-solver.js'
import { DriverFailure } from './driver-failure.js'
import { identifyLauncher } from './launchers.js'

export interface Finding {
  readonly what: string
  readonly found: string
  /** Whether it exists and works. */
  readonly good: boolean
  /** Peel's cluster works without. */
  readonly optional?: boolean
}

export interface ClusterReport {
  /** Everything that is not optional is good. */
  readonly works: boolean
  readonly findings: readonly Finding[]
}

const TRIAL_SIZE = 16

/** Builds what is not built yet. Never throws for something that is missing: that is what it reports. */
export async function checkCluster(options: ClusterOptions = {}, say?: (what: string) => void): Promise<ClusterReport> {
  const findings: Finding[] = []
  const look = async (what: string, find: () => Promise<string>, optional = false) => {
    try {
      findings.push({ what, found: await find(), good: true, optional })
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error
      findings.push({ what, found: error.message, good: false, optional })
    }
  }
  await look('launcher', async () => {
    const { flavour, version } = await identifyLauncher(options.launcher ?? 'mpiexec')
    return `${flavour}: ${version}`
  })
  findings.push({ what: 'cache', found: cacheFolder(), good: true })
  await look('driver for grids', () => describeDriver('grid', say))
  await look('driver for matrices', () => describeDriver('rows', say), true)
  if (findings.every(({ good, optional }) => good || optional))
    for (const ranks of [1, 2])
      await look(`${TRIAL_SIZE}³ on ${ranks === 1 ? '1 rank' : `${ranks} ranks`}`, () => trySolve({ ...options, ranks }))
  return { works: findings.every(({ good, optional }) => good || optional), findings }
}

async function describeDriver(name: DriverName, say?: (what: string) => void): Promise<string> {
  const { library, path, fresh } = await buildDriver(name, say)
  return `${library}, ${fresh ? 'compiled now' : 'compiled before'}: ${path}`
}

async function trySolve(options: ClusterOptions): Promise<string> {
  const { problem } = galleryProblem('half-ball', { size: TRIAL_SIZE, dims: 3 })
  const solver = createClusterSolver({ ...options, fallback: 'none' })
  try {
    const result = await solver.solve(problem, new Float64Array(pressureLength(problem)))
    if (result.status !== 'converged') throw new DriverFailure('ended', result.message)
    return `converged in ${result.outer} outer and ${result.iterations} inner steps, residual ${result.residual.toExponential(1)} 1/s`
  } finally {
    await solver.close()
  }
}
