/** A solve by a driver as an asynchronous iteration: every outer step is yielded, the pressure arrives at the end or when it
 *  is cancelled. */

import { DEFAULT_MAX_ITERATIONS, type SolveOptions } from '../solvers/contract/solver.js'
import type { Ending, Progress, Step, Verdict } from '../solvers/running/subject.js'
import type { DriverName } from './build-driver.js'
import { clean, DriverFailure } from './driver-failure.js'
import { decodeSolution, FRAME, type Statistics, solutionBytes, type WireFrame } from './frames.js'
import type { DriverLink } from './link.js'
import type { ClusterSession } from './session.js'

/** One problem as the payload of a SOLVE, and where its answer is stored. */
export interface Exchange {
  readonly driver: DriverName
  readonly nonZeros: number
  /** `warm`: starts from the pressure as it is now. `values` is the number of pressures that the answer holds. */
  encode(limits: Limits, ranks: number, warm: boolean): { length: number; parts: Iterable<Uint8Array>; values: number }
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

/** Ends after the step that has converged, after its pressure was received. A caller that leaves early gets the pressure so
 *  far. */
async function* converse(
  session: ClusterSession,
  exchange: Exchange,
  limits: Limits,
  warm: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<News | Ending, void, void> {
  lastId = (lastId % 0xffffffff) + 1
  const id = lastId
  const { length, parts, values: count } = exchange.encode(limits, session.hello.ranks, warm)
  const check = createProgressCheck(limits)
  const cancel = () => void session.send(FRAME.cancel, id, 0, [])
  /** A pressure that is not finite is no answer; what an unfinished solve leaves behind may be one. */
  const take = (frame: WireFrame, converged: boolean) => {
    const { statistics, values } = decodeSolution(frame)
    if (values.every(Number.isFinite)) exchange.takePressure(values)
    else if (converged) throw broken('reported convergence with a pressure that is not finite')
    exchange.onStatistics?.(statistics)
    return statistics
  }
  let underWay = true
  session.hold(true)
  try {
    await session.send(FRAME.solve, id, length, parts, solutionBytes(count))
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
    for (let innerBefore = 0; ; ) {
      const frame = await session.receive()
      if (frame.type === FRAME.error) {
        underWay = false
        yield refusal(frame)
        return
      }
      if (frame.type === FRAME.solution) {
        underWay = false
        const { cancelled, outer, residual } = take(frame, false)
        const message = `Not converged after ${outer} outer steps: the residual is ${residual.toExponential(1)} 1/s.`
        yield cancelled ? { status: 'cancelled', message: 'Cancelled by the caller.' } : { status: 'stagnated', message }
        return
      }
      const { outer, residual, pinned, inner } = check(frame)
      const converged = residual <= limits.tolerance
      if (converged) {
        underWay = false
        const answer = await session.receive()
        if (answer.type !== FRAME.solution) throw broken('reported convergence without sending a pressure')
        take(answer, true)
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
    if (underWay) await cancelAndReceive(session, frame => take(frame, false), check, cancel)
    session.hold(false)
  }
}

/** The caller has stopped: cancels the solve of the driver and reads its pressure so far. */
async function cancelAndReceive(
  session: ClusterSession,
  take: (frame: WireFrame) => void,
  check: (frame: WireFrame) => void,
  cancel: () => void,
): Promise<void> {
  cancel()
  for (;;) {
    const frame = await session.receive()
    if (frame.type === FRAME.error) return
    if (frame.type === FRAME.solution) return take(frame)
    check(frame)
  }
}

/** Steps count upwards, to the limit and no further: a driver cannot continue for ever by giving signs of life. */
function createProgressCheck({ maxOuter }: Limits) {
  let last = { outer: -1, inner: 0 }
  return ({ payload }: WireFrame) => {
    const [outer, residual, pinned, inner] = new Float64Array(payload.buffer, payload.byteOffset, 4)
    const isSound =
      Number.isInteger(outer) && outer > last.outer && outer <= maxOuter && Number.isFinite(residual) && residual >= 0
    const isCounted = Number.isFinite(pinned) && pinned >= 0 && Number.isFinite(inner) && inner >= last.inner
    if (!isSound || !isCounted) throw broken('reported an impossible step')
    last = { outer, inner }
    return { outer, residual, pinned, inner }
  }
}

function broken(what: string): DriverFailure {
  return new DriverFailure('mismatch', `The driver ${what}; delete it from the cache to rebuild it.`)
}

function refusal({ payload }: WireFrame): Ending {
  const { code, message } = parseRefusal(payload.toString())
  const status = Object.hasOwn(CODES, code) ? CODES[code] : 'failed'
  return { status, message: `The driver failed: ${clean(message)}.` }
}

function parseRefusal(text: string): { code: string; message: string } {
  try {
    const { code, message } = JSON.parse(text)
    if (typeof code === 'string' && typeof message === 'string') return { code, message }
  } catch {
    // Not JSON: no valid reason either.
  }
  throw broken('failed with an invalid reason')
}
