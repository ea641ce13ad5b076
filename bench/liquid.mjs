// Where the time of a simulation goes: a scene at a resolution, milliseconds a substep by stage, and how the stages besides the pressure
// solve compare with it. Arguments: scene (cm-dam-break-box if absent), resolution (128), frames to measure (4) after frames to skip (4),
// threads (1).
import { simulateScene } from 'peel'
import { loadScene } from 'peel/io'

const [name = 'cm-dam-break-box', resolution = '128', frames = '4', skip = '4', threads = '1'] = process.argv.slice(2)
const loaded = await loadScene(name, [['domain.resolution', Number(resolution)]])
const simulation = await simulateScene(loaded, { threads: Number(threads) })
for (let n = 0; n < Number(skip); n++) await simulation.advance()
const sums = {}
let substeps = 0
let unknowns = 0
let iterations = 0
for (let n = 0; n < Number(frames); n++) {
  for (const { seconds, solve } of (await simulation.advance()).substeps) {
    for (const [stage, value] of Object.entries(seconds)) sums[stage] = (sums[stage] ?? 0) + value
    substeps++
    unknowns += solve.unknowns
    iterations += solve.iterations
  }
}
const { solve, ...others } = sums
const ms = seconds => ((1000 * seconds) / substeps).toFixed(1).padStart(9)
const rest = Object.values(others).reduce((sum, value) => sum + value, 0)
console.log(
  `${name} ${resolution}: ${simulation.particles} particles, ${Math.round(unknowns / substeps)} unknowns, ${threads} threads, ` +
    `${substeps} substeps in ${frames} frames, ${(iterations / substeps).toFixed(1)} iterations a solve`,
)
for (const [stage, value] of Object.entries({ solve, ...others })) console.log(`${stage.padEnd(12)}${ms(value)} ms a substep`)
console.log(
  `besides the solve ${ms(rest)} ms: ${(rest / solve).toFixed(2)} of it; ${((solve + rest) / Number(frames)).toFixed(2)} s a frame`,
)
simulation.dispose()
