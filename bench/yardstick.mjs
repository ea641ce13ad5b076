// What the yardstick costs: a solve of the default solver, and the measuring of its answer from the problem as it was handed in.
// `node bench/yardstick.mjs [threads]`

import { createSolver, galleryProblem, measureYardstick } from 'peel/solvers'

const threads = Number(process.argv[2] ?? 2)
const CASES = [
  ['half-ball', 64, 3],
  ['half-ball', 128, 3],
  ['rooms', 64, 3],
  ['square', 512, 2],
  ['half-ball', 1024, 2],
]
const ROUNDS = 9

const setting = { engine: threads > 1 ? 'threads' : 'wasm', threads }
const solver = createSolver('nas-mgpcg', {}, setting)
console.log('problem              unknowns   solve ms   yardstick ms   share   in plain TypeScript ms')
for (const [name, size, dims] of CASES) {
  const { problem } = galleryProblem(name, { size, dims })
  const pressure = new Float64Array(problem.grid.cells)
  let solve = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    pressure.fill(0)
    const start = performance.now()
    await solver.solve(problem, pressure)
    solve = Math.min(solve, performance.now() - start)
  }
  const compiled = 1000 * (await measureYardstick(problem, pressure, setting))
  const plain = 1000 * (await measureYardstick(problem, pressure, { engine: 'portable' }))
  const unknowns = problem.kind.reduce((count, kind) => count + (kind > 0 ? 1 : 0), 0)
  const share = `${((100 * compiled) / solve).toFixed(1)} %`
  console.log(
    `${`${name} ${size} ${dims}D`.padEnd(20)} ${String(unknowns).padStart(8)} ${solve.toFixed(2).padStart(10)} ` +
      `${compiled.toFixed(2).padStart(14)} ${share.padStart(7)} ${plain.toFixed(2).padStart(24)}`,
  )
}
solver.dispose()
