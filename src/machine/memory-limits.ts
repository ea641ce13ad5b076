/** Messages about refused memory: how much was requested, what limits it, and what to do. */
import { InputError } from '../input-error.js'
import { addressSpace } from './host.js'

/** The host refuses memory to compiled loops. Plain TypeScript may need less. */
export class MemoryRefused extends InputError {}

/** Address space that Node reserves for every compiled memory, however small, to avoid bounds checks. */
const SET_ASIDE = 10 * 2 ** 30

/** Compiled loops get less than `bytes`, or nothing at all. */
export function refusedMemory(bytes: number): MemoryRefused {
  const limit = addressSpace()
  const tight = limit !== undefined && limit < 2 * SET_ASIDE
  const cause = tight
    ? `this process may address ${sizeOf(limit)} (ulimit -v), of which Node reserves 10 GiB for each compiled memory; ` +
      'raise the limit, or set NODE_OPTIONS=--disable-wasm-trap-handler and use --threads 1'
    : 'the host has no more; use fewer cells, or close other programs'
  return new MemoryRefused(
    `Compiled loops cannot get ${sizeOf(bytes)} of memory: ${cause}. To solve without compiled loops, use --engine portable.`,
  )
}

/** Messages of JavaScript engines when an array or a thread gets no memory. */
const REFUSALS =
  /array buffer allocation failed|invalid (typed )?array( buffer)? length|could not allocate|out of memory|cannot allocate memory|ERR_WORKER_(INIT_FAILED|OUT_OF_MEMORY)/i

/** The message for an error that means that memory has run out; undefined for other errors. */
export function explainMemory(error: unknown): InputError | undefined {
  if (error instanceof InputError || !(error instanceof Error)) return undefined
  const { code = '' } = error as Error & { code?: string }
  if (!REFUSALS.test(`${error.message} ${code}`)) return undefined
  const limit = addressSpace()
  const where = limit === undefined ? 'this host has' : `this process may use (${sizeOf(limit)}, ulimit -v)`
  return new InputError(
    `There is not enough memory (${error.message}): more is needed than ${where}; use fewer cells (--resolution, --size) or fewer threads (--threads), or raise the limit.`,
  )
}

/** In MiB or GiB. */
export function sizeOf(bytes: number): string {
  return bytes < 2 ** 30 ? `${Math.ceil(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toPrecision(3)} GiB`
}
