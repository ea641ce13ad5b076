/** Problem k of seed s: a class in turn, a tolerance, a start. */
import type { Problem } from '../../src/pressure/problem.js'
import { finishDraft } from './draft.js'
import { createDraw, type Draw } from './draw.js'
import { GRID_CLASSES } from './grid-classes.js'
import { SPARSE_CLASSES } from './sparse-classes.js'

export interface Adversary {
  readonly seed: number
  readonly number: number
  readonly className: string
  readonly problem: Problem
  readonly tolerance: number
  readonly startName: string
  readonly start: Float64Array
  readonly nullVector?: Float64Array
  /** Rows are empty on purpose, so an InputError is an answer. */
  readonly mayBeRefused: boolean
}

const TOLERANCES = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
const STARTS = ['zero', 'zero', 'zero', 'random', 'random', 'huge', 'negative', 'magnitudes'] as const

/** Every this many problems one is too large for small-problem paths. */
const LARGE_EVERY = 47

export const GRID_CLASS_NAMES = Object.keys(GRID_CLASSES)
export const SPARSE_CLASS_NAMES = Object.keys(SPARSE_CLASSES)

export function makeGridProblem(seed: number, number: number): Adversary {
  const draw = createDraw(seed, number)
  const className = GRID_CLASS_NAMES[number % GRID_CLASS_NAMES.length]
  const tolerance = draw.pick(TOLERANCES)
  const draft = GRID_CLASSES[className](draw, { tolerance, large: number % LARGE_EVERY === LARGE_EVERY - 1 })
  const problem = finishDraft(draft, draw.chance(0.3) ? 1 : draw.power(-3, 3))
  return { seed, number, className, problem, tolerance, ...drawStart(draw, problem), mayBeRefused: className === 'empty-rows' }
}

export function makeSparseProblem(seed: number, number: number): Adversary {
  const draw = createDraw(seed, 0x40000000 + number)
  const className = SPARSE_CLASS_NAMES[number % SPARSE_CLASS_NAMES.length]
  const tolerance = draw.pick(TOLERANCES)
  const { problem, nullVector } = SPARSE_CLASSES[className](draw, tolerance)
  return {
    seed,
    number,
    className,
    problem,
    tolerance,
    ...drawStart(draw, problem),
    ...(nullVector && { nullVector }),
    mayBeRefused: className === 'sparse-empty-rows',
  }
}

/** Also in dry cells, where a start may hold what was there before. */
function drawStart(draw: Draw, problem: Problem): { startName: string; start: Float64Array } {
  const length = problem.kind.length
  const startName = draw.pick(STARTS)
  const scale = draw.power(-3, 4)
  const value = {
    zero: () => 0,
    random: () => scale * draw.between(-1, 1),
    huge: () => 1e9 * draw.between(0.5, 1),
    negative: () => -1e9 * draw.unit(),
    magnitudes: () => Math.sign(draw.between(-1, 1)) * draw.power(-9, 9),
  }[startName]
  return { startName, start: Float64Array.from({ length }, value) }
}
