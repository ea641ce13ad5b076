// Registers a solver from outside and uses it by its name: on a problem of the gallery, beside others, and in a simulation.
import { addSolver, galleryProblem, hasConverged, simulateScene, solvePressure } from 'peel'
import { acceleratedProjection } from './accelerated-projection.mjs'

addSolver(acceleratedProjection)

const { problem } = galleryProblem('half-ball', { size: Number(process.argv[2] ?? 64) })
let reference
for (const [solver, set] of [
  ['nas-mgpcg', {}],
  ['psor', { relaxation: 1 }],
  ['accelerated-projection', { momentum: false }],
  ['accelerated-projection', { momentum: true }],
]) {
  const { pressure, result } = await solvePressure(problem, { solver, set, tolerance: 1e-6 })
  reference ??= pressure
  const difference = pressure.reduce((largest, p, cell) => Math.max(largest, Math.abs(p - reference[cell])), 0)
  const name = `${solver} ${JSON.stringify(set)}`
  console.log(
    `${name.padEnd(42)} ${result.status} ${String(result.iterations).padStart(6)} iterations, off by ${difference.toFixed(4)} Pa`,
  )
}

// Scenes find it by its name, too.
const scene = {
  version: 1,
  domain: { size: [1, 1], resolution: 32 },
  liquid: [{ shape: 'box', min: [0, 0], max: [0.4, 0.8] }],
  solver: { name: 'accelerated-projection', tolerance: 1e-3 },
}
const simulation = await simulateScene({ scene })
for (let frame = 0; frame < 8; frame++) {
  const record = await simulation.advance()
  const iterations = record.substeps.reduce((sum, { solve }) => sum + solve.iterations, 0)
  console.log(`frame ${record.index}: ${iterations} iterations, ${hasConverged(record) ? 'converged' : 'not converged'}`)
}
simulation.dispose()
