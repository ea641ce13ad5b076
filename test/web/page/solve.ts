import { createGrid, createSolver, type PressureProblem } from 'peel'

export interface Order {
  readonly setting: Parameters<typeof createSolver>[2]
  /** Solve so often at most, until further threads have taken part. */
  readonly solves: number
  readonly dispose: boolean
  /** How long a worker of the page stays after its report, ms. */
  readonly linger: number
}

export interface Report {
  readonly isolated: boolean
  readonly maySleep: boolean
  /** Why there was no solve. */
  readonly refusal?: string
  readonly engine: string
  readonly status: string
  /** SHA-256 of each pressure that came out. */
  readonly digests: readonly string[]
  /** Pieces that further threads have done. */
  readonly helped: number
}

/** As in src/machine/kernels/pool.ts. */
const HELPED = 448

const memories: WebAssembly.Memory[] = []
WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
  construct(target, [limits]) {
    memories.push(new target(limits))
    return memories[memories.length - 1]
  },
})

export async function solve({ setting, solves, dispose }: Order): Promise<Report> {
  const problem = await fetchProblem()
  const report = { isolated: globalThis.crossOriginIsolated, maySleep: maySleep(), engine: '', status: '', helped: 0 }
  const digests = new Set<string>()
  try {
    const solver = createSolver('nas-mgpcg', {}, setting)
    for (let n = 0; n < solves && report.helped === 0; n++) {
      const pressure = new Float64Array(problem.grid.cells)
      const { engine, status } = await solver.solve(problem, pressure)
      digests.add(await digest(pressure))
      Object.assign(report, { engine, status, helped: countHelp() })
    }
    if (dispose) solver.dispose()
  } catch (error) {
    return { ...report, digests: [...digests], refusal: String(error) }
  }
  return { ...report, digests: [...digests] }
}

function countHelp(): number {
  const memory = memories.at(-1)
  return memory ? new Int32Array(memory.buffer)[HELPED >>> 2] : 0
}

/** The problem comes from the test, because functions like the sine may differ from host to host in the last bit. */
async function fetchProblem(): Promise<PressureProblem> {
  const bytes = await (await fetch('/problem')).arrayBuffer()
  const [nx, ny, nz] = new Float64Array(bytes, 0, 3)
  const grid = createGrid([nx, ny, nz], 1 / nx)
  const array = (n: number) => new Float64Array(bytes, 24 + 8 * n * grid.cells, grid.cells)
  return { grid, diagonal: array(0), links: [array(1), array(2), array(3)], b: array(4), kind: Uint8Array.from(array(5)) }
}

async function digest(pressure: Float64Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', pressure))
  return Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('')
}

function maySleep(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0)
    return true
  } catch {
    return false
  }
}
