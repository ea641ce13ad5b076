/** The compiled loops: an instance of the module with memory of its own, and threads that help it. */
import { InputError } from '../input-error.js'
import { canShare, createPark, DONE, startWorkers, type Workers } from './host.js'
import { alone, shared } from './kernels-bytes.js'
import type { LiquidKernels } from './liquid-kernels.js'
import type { PaintFlatKernels } from './paint-flat-kernels.js'
import type { PaintSpaceKernels } from './paint-space-kernels.js'
import type { RayKernels } from './ray-kernels.js'
import type { SparseKernels } from './sparse-kernels.js'

/** What src/engine/assembly/index.ts exports. Pointers, levels and vectors are addresses. */
export interface Kernels extends SparseKernels, LiquidKernels, PaintFlatKernels, PaintSpaceKernels, RayKernels {
  releaseAll(): void
  keepAll(): void
  allocate(bytes: number): number
  isExhausted(): number
  mark(): number
  release(to: number): void
  listRuns(kind: number, nx: number, lines: number, into: number): number
  createInput(nx: number, ny: number, nz: number, unknowns: number, runs: number): number
  takeProblem(input: number, kind: number, diagonal: number, east: number, north: number, up: number, b: number): void
  takePressure(input: number, pressure: number): number
  spreadPressure(input: number, values: number, factor: number, into: number): void
  inspect(input: number): number
  scan(input: number): void
  labelPockets(input: number): void
  createFinest(wide: number, input: number, valueScale: number): number
  rowsOf(input: number): number
  giveBack(input: number): void
  createCoarser(wide: number, fine: number): number
  createVectors(wide: number, level: number, finest: number): void
  createCoarsest(level: number): void
  levelField(level: number, field: number): number
  levelFields(level: number, into: number): void
  clear(wide: number, level: number, x: number): void
  smooth(wide: number, level: number, black: number, f: number, x: number, floor: number): void
  smoothFromZero(wide: number, level: number, f: number, x: number): void
  goDown(wide: number, level: number, sweeps: number, f: number, x: number, next: number, coarse: number): void
  goUp(wide: number, level: number, sweeps: number, coarse: number, f: number, x: number, q: number, Ax: number): number
  precondition(
    wide: number,
    level: number,
    sweeps: number,
    r: number,
    z: number,
    q: number,
    Az: number,
    coarseSweeps: number,
    twice: number,
  ): number
  lastTouched(): number
  restrictResidual(wide: number, level: number, f: number, x: number, next: number, coarse: number): void
  prolong(wide: number, level: number, coarse: number, x: number): void
  carryUp(wide: number, level: number, coarse: number, x: number): void
  multiply(wide: number, level: number, x: number, y: number): void
  dot(wide: number, level: number, x: number, y: number): number
  largest(wide: number, level: number, x: number): number
  finishProduct(wide: number, level: number, z: number, r: number, q: number, Az: number): number
  lastCurvature(): number
  lastOverlap(): number
  update(
    wide: number,
    level: number,
    alpha: number,
    beta: number,
    z: number,
    Az: number,
    d: number,
    q: number,
    x: number,
    r: number,
  ): number
  exactResidual(wide: number, level: number): number
  lastAtContacts(): number
  measureContacts(wide: number, level: number): number
  lastGap(): number
  lastLetGo(): number
  countNegative(level: number): number
  clampContacts(level: number, kept: number): void
  putBackContacts(level: number, kept: number): void
  takeRightSide(wide: number, level: number, f: number): void
  sumRightSide(wide: number, level: number, fine: number, f: number): void
  residualOfZero(wide: number, level: number, f: number): number
  coarseResidual(wide: number, level: number): number
  smoothProjected(wide: number, level: number, sweeps: number): void
  lookOver(wide: number, level: number, largest: number): number
  lastPinned(): number
  changeSet(wide: number, level: number, release: number, pin: number, rows: number, room: number): number
  beginSet(wide: number, level: number, cold: number, rows: number, room: number): void
  lastFollowed(): number
  setGuards(level: number, guards: number, pockets: number): void
  restoreLevels(wide: number, level: number, finest: number): void
  factorCoarsest(wide: number, level: number): void
  solveCoarsest(wide: number, f: number, x: number): void
  packTiles(
    input: number,
    size: number,
    table: number,
    first: number,
    count: number,
    marks: number,
    warm: number,
    places: number,
    out: number,
  ): void
  setThreads(count: number): void
  stopThreads(): void
}

export interface Machine {
  readonly kernels: Kernels
  readonly memory: WebAssembly.Memory
  /** Threads that were asked for, and those of them that are not known to have failed to start. */
  readonly threads: number
  /** Whether its memory grows without taking arrays away from their owners. */
  readonly shared: boolean
  present(): number
  /** Pieces of loops that further threads have done so far. */
  helped(): number
  /** Why the kernels have failed, where more is known than the error they threw. */
  failure(): Promise<Error | undefined>
  /** Ends the threads and lets go of the memory. */
  dispose(): void
}

/** 4 GiB, all that addresses of 32 bits reach. Some hosts give less, and shared memory has to say how much it may become. */
const MAX_PAGES = [65536, 32768, 16384, 8192, 4096]

/** Word with the pieces that further threads have done, as in assembly/pool.ts. */
const HELPED = 448

const modules = new Map<string, Promise<WebAssembly.Module>>()

function moduleOf(bytes: string): Promise<WebAssembly.Module> {
  let found = modules.get(bytes)
  if (!found) {
    found = WebAssembly.compile(decode(bytes))
    modules.set(bytes, found)
  }
  return found
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), char => char.charCodeAt(0))
}

/** The smallest module with vector instructions: () => i8x16.popcnt(i8x16.splat(0)). */
const VECTORS = 'AGFzbQEAAAABBQFgAAF7AwIBAAoKAQgAQQD9D/1iCw=='

let compiles: boolean | undefined

/** Can this host run the loops at all? Compiled in earnest, because a page may forbid it by its content security policy; once, because
 *  every solve asks and the answer stays. */
export function canCompile(): boolean {
  compiles ??= tryToCompile()
  return compiles
}

function tryToCompile(): boolean {
  try {
    return new WebAssembly.Module(decode(VECTORS)) !== undefined
  } catch {
    return false
  }
}

/** The first page is the machine's own, and so is a little behind the last array. */
function pagesFor(bytes: number): number {
  return Math.max(2, 1 + Math.ceil((bytes + 1024) / 65536))
}

/** `threads` > 1 needs a host that can share memory. Threads join when they have started; nothing waits for them. Allocating up to `bytes`
 *  does not make the memory grow. Memory is shared where the host can, also for a single thread: memory that is not takes its arrays away
 *  from their owners when it grows, and engines then slow down every typed array of the program for good. */
export async function startMachine(threads: number, bytes = 0, share = canShare()): Promise<Machine> {
  const module = await moduleOf(share ? shared : alone)
  const { memory, pages } = createMemory(share, pagesFor(bytes))
  const instance = await WebAssembly.instantiate(module, { env: { memory, park: createPark(memory) } })
  const kernels = instance.exports as unknown as Kernels
  let workers: Workers | undefined
  if (threads > 1) {
    workers = await startWorkers(threads - 1, module, memory)
    kernels.setThreads(threads)
  }
  const word = (at: number) => new Int32Array(memory.buffer)[at >>> 2]
  return {
    kernels,
    memory,
    threads,
    shared: share,
    present: () => threads - (workers?.missing ?? 0),
    helped: () => (workers ? word(HELPED) : 0),
    async failure() {
      if (kernels.isExhausted()) {
        const size = `${pages / 16384} GiB`
        return new InputError(
          `The problem does not fit into the ${size} that compiled loops can have; take the engine «portable».`,
        )
      }
      if (!workers || word(DONE) >= 0) return undefined
      const cause = await workers.failure()
      return new Error(`A thread of the solver has failed: ${cause.message}`, { cause })
    },
    dispose() {
      if (!workers) return
      kernels.stopThreads()
      workers.end()
    },
  }
}

function createMemory(isShared: boolean, initial: number): { memory: WebAssembly.Memory; pages: number } {
  for (const pages of MAX_PAGES) {
    try {
      return { memory: new WebAssembly.Memory({ initial, maximum: pages, shared: isShared }), pages }
    } catch (error) {
      if (pages === MAX_PAGES.at(-1)) throw error
    }
  }
  throw new Error('unreachable')
}
