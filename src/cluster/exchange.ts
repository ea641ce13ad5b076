/** A solve by a driver, as an iteration that waits: every outer step is told, the pressure comes at the end or when it is cancelled. */
import type { Ending, Progress, Step, Verdict } from '../solvers/driver.js'
import { DEFAULT_MAX_ITERATIONS, type SolveOptions } from '../solvers/solver.js'
import type { DriverName } from './build-driver.js'
import { DriverFailure } from './driver-failure.js'
import { decodeSolution, FRAME, type Frame, type Statistics } from './frames.js'
import type { DriverLink } from './link.js'
import type { Session } from './session.js'

/** One problem as the payload of a SOLVE, and where its answer goes. */
export interface Exchange {
  readonly driver: DriverName
  readonly nonZeros: number
  /** `warm`: starts from the pressure as it is now. */
  encode(limits: Limits, ranks: number, warm: boolean): { length: number; parts: Iterable<Uint8Array> }
  takePressure(values: Float64Array): void
  /** Is there a pressure to start from? */
  readonly started: boolean
  readonly onStatistics?: (statistics: Statistics) => void
}

export interface Limits {
  readonly tolerance: number
  /** By how much an inner solve reduces the residual. */
  readonly innerTolerance: number
  readonly maxOuter: number
  readonly maxInner: number
}

const INNER_TOLERANCE = 0.1
const MAX_OUTER = 100

/** Sweeps over the finest level: an inner step is a product, two sweeps and a residual there, and semi-coarsened levels are as dear again;
 *  an outer one is two residuals and a new hierarchy. */
const INNER_SWEEPS = 8
const OUTER_SWEEPS = 6

const CODES: Readonly<Record<string, Ending['status']>> = { diverged: 'diverged', 'bad-input': 'not-finite' }

export async function* solveByDriver(
  link: DriverLink,
  exchange: Exchange,
  target: number,
  options: SolveOptions,
  progress: Progress,
): AsyncGenerator<Step, Ending, Verdict> {
  const { maxIterations = DEFAULT_MAX_ITERATIONS } = options
  let last = { iteration: 0, outer: 0 }
  let tolerance = target
  let warm = exchange.started
  let restarted = false
  for (;;) {
    const done = last
    try {
      const session = await link.open(exchange.driver)
      if (options.signal?.aborted) return { status: 'cancelled', message: 'Cancelled by the caller.' }
      const limits = { tolerance, innerTolerance: INNER_TOLERANCE, maxOuter: MAX_OUTER, maxInner: maxIterations - done.iteration }
      for await (const news of converse(session, exchange, limits, warm, options.signal)) {
        if ('status' in news) return news
        progress.work.add(exchange.nonZeros * (INNER_SWEEPS * (news.inner - news.innerBefore) + OUTER_SWEEPS))
        const step = {
          residual: news.residual,
          pinned: news.pinned,
          iteration: done.iteration + news.inner,
          outer: done.outer + news.outer,
        }
        last = step
        const verdict = yield step
        if (verdict === 'continue') continue
        warm = true
        tolerance /= 2
      }
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error
      await link.close()
      if (error.kind !== 'killed' || restarted) return { status: 'failed', message: error.message }
      restarted = true
      warm = exchange.started
    }
  }
}

interface News {
  readonly residual: number
  readonly pinned: number
  readonly outer: number
  readonly inner: number
  readonly innerBefore: number
}

let lastId = 0

/** Ends after the step that has converged, with its pressure taken. Whoever leaves early gets the pressure so far. */
async function* converse(
  session: Session,
  exchange: Exchange,
  limits: Limits,
  warm: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<News | Ending, void, void> {
  lastId = (lastId % 0xffffffff) + 1
  const id = lastId
  const { length, parts } = exchange.encode(limits, session.hello.ranks, warm)
  const cancel = () => void session.send(FRAME.cancel, id, 0, [])
  const take = (frame: Frame) => {
    const { statistics, values } = decodeSolution(frame)
    exchange.takePressure(values)
    exchange.onStatistics?.(statistics)
    return statistics
  }
  let underWay = true
  session.hold(true)
  try {
    await session.send(FRAME.solve, id, length, parts)
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
    for (let innerBefore = 0; ; ) {
      const frame = await receiveOf(session, id)
      if (frame.type === FRAME.error) {
        underWay = false
        yield refusal(frame)
        return
      }
      if (frame.type === FRAME.solution) {
        underWay = false
        const { cancelled, outer, residual } = take(frame)
        const message = `Not converged after ${outer} outer steps: the residual stands at ${residual.toExponential(1)} 1/s.`
        yield cancelled ? { status: 'cancelled', message: 'Cancelled by the caller.' } : { status: 'stagnated', message }
        return
      }
      const [outer, residual, pinned, inner] = new Float64Array(frame.payload.buffer, 0, 4)
      const converged = residual <= limits.tolerance
      if (converged) {
        underWay = false
        take(await receiveOf(session, id))
      }
      if (outer > 0 || converged) yield { residual, pinned, outer, inner, innerBefore }
      if (converged) return
      innerBefore = inner
    }
  } catch (error) {
    underWay = false
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
    if (underWay) await settle(session, id, take, cancel)
    session.hold(false)
  }
}

/** The caller wants no more: the driver is told, and its pressure so far taken. */
async function settle(session: Session, id: number, take: (frame: Frame) => void, cancel: () => void): Promise<void> {
  cancel()
  for (;;) {
    const frame = await receiveOf(session, id)
    if (frame.type === FRAME.error) return
    if (frame.type === FRAME.solution) return take(frame)
  }
}

/** Skips what belongs to an earlier solve. */
async function receiveOf(session: Session, id: number): Promise<Frame> {
  for (;;) {
    const frame = await session.receive()
    if (frame.id === id) return frame
  }
}

function refusal({ payload }: Frame): Ending {
  const { code, message } = JSON.parse(payload.toString()) as { code: string; message: string }
  return { status: CODES[code] ?? 'failed', message: `The driver gave up: ${message}.` }
}
