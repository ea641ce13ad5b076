// Peel as a contender: loads a system file, then answers "solve" and "sweep" as the native drivers do.
// Arguments: system file, tolerance in 1/s, options of the solver and engine setting as JSON.
import fs from 'node:fs'
import readline from 'node:readline'
import { createSolver, InputError, measure, measureFineSweep } from 'peel'
import { readSystem } from './system-file.mjs'

const SOLVER = 'nas-mgpcg'

const [path, tolerance, { set, setting }] = [process.argv[2], Number(process.argv[3]), JSON.parse(process.argv[4])]
const solver = createOrExplain()
const problem = readSystem(path)
const pressure = new Float64Array(problem.grid.cells)
const unknowns = problem.kind.reduce((count, kind) => count + (kind > 0 ? 1 : 0), 0)
say({ ready: true, unknowns, loadedMb: memoryMb('VmRSS') })

for await (const line of readline.createInterface({ input: process.stdin })) {
  if (line === 'quit') break
  if (line === 'sweep') say({ sweep: await measureFineSweep(problem, setting) })
  else say(await solve())
}
solver.dispose()
// Worker threads of an engine must not keep a contender alive when its input has ended.
process.exit(0)

/** An option that the solver does not have is the caller's mistake: one sentence, no stack. */
function createOrExplain() {
  try {
    return createSolver(SOLVER, set, setting)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(1)
  }
}

async function solve() {
  pressure.fill(0)
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const result = await solver.solve(problem, pressure, { tolerance })
  const wall = (performance.now() - start) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  const { residual } = measure(problem, pressure, set.walls === 'sticking')
  return {
    fill: 0,
    setup: result.seconds.setup,
    // What the call takes beyond what the result knows of (gathering and scattering) is the solve's.
    solve: wall - result.seconds.setup,
    wall,
    cpu: (cpu.user + cpu.system) / 1e6,
    outer: result.outer,
    iterations: result.iterations,
    residual,
    peakMb: memoryMb('VmHWM'),
    note: result.status === 'converged' ? '' : `${result.status}: ${result.message}`,
  }
}

/** VmRSS is the resident memory now, VmHWM its largest so far; in MB of 1e6 bytes. Elsewhere than on Linux, as near as Node gets. */
function memoryMb(what) {
  try {
    const kilobytes = new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(fs.readFileSync('/proc/self/status', 'utf8'))
    return (Number(kilobytes[1]) * 1024) / 1e6
  } catch {
    return what === 'VmRSS' ? process.memoryUsage.rss() / 1e6 : (process.resourceUsage().maxRSS * 1024) / 1e6
  }
}

/** A number that is not finite becomes null. */
function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
