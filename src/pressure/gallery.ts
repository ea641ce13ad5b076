/** Named pressure problems for docs, tests, benchmarks and the web page. Every one is a pure function of its options, defined
 *  for any size from its smallest up, and has the known properties of its answer. */
import { checkFlag, checkOptions } from '../checks.js'
import type { FaceField } from '../grid/staggered.js'
import { InputError, suggestion } from '../input-error.js'
import { show } from '../printable.js'
import type { AssembledProblem } from './assemble.js'
import type { AssembleInput } from './assemble-input.js'
import { atRest } from './gallery/at-rest.js'
import { chambers } from './gallery/chambers.js'
import { falling } from './gallery/falling.js'
import { mazes } from './gallery/mazes.js'
import { planted } from './gallery/planted.js'
import { scattered } from './gallery/scattered.js'
import { thrown } from './gallery/thrown.js'
import { warren } from './gallery/warren.js'
import type { Problem } from './problem.js'
import type { Walls } from './walls.js'

export interface GalleryOptions {
  /** Cells along each side; the entry's `defaultSize` if absent. */
  readonly size?: number
  /** The first of the entry's `dims` if absent. */
  readonly dims?: 2 | 3
  /** Seconds, 0.01 if absent. */
  readonly dt?: number
  /** kg/m³, 1000 if absent. */
  readonly density?: number
  /** Side of the domain in metres, 1 if absent. */
  readonly scale?: number
  /** Whole number, 1 if absent; only seeded problems depend on it. */
  readonly seed?: number
  /** Reflects the problem in x; problems without geometry number their rows backwards. */
  readonly mirror?: boolean
  /** `separating` if absent. With `sticking` walls no row is a contact. */
  readonly walls?: Walls
}

/** Options with every default filled in. */
export type Resolved = Required<GalleryOptions>

/** What is known of the answer, to rounding. */
export interface Known {
  /** Pa; NaN in unknowns whose pressure is not known, 0 in DRY cells. */
  readonly pressure?: Float64Array
  /** 1 in cells of sealed pockets. A pocket's pressure may be shifted as long as its contacts stay ≥ 0; in `pressure` the
   *  smallest of them is 0. */
  readonly upToShift?: Uint8Array
  /** 1 in pinned contacts: p = 0 and A p + b > 0 by more than rounding. A contact with p = 0 = A p + b is
   *  0 here, although a solver may count it either way. Absent unless all of them are known. */
  readonly pinned?: Uint8Array
  readonly status: 'converged' | 'infeasible'
  /** Why, as a message. */
  readonly about: string
}

export interface GalleryProblem {
  readonly name: string
  readonly problem: AssembledProblem | Problem
  readonly known?: Known
  /** Field before projection, m/s; absent where the matrix was not assembled from a geometry. */
  readonly velocity?: FaceField
  /** Input of the assembly: liquid and solids to draw, velocity to project. */
  readonly input?: AssembleInput
}

export interface GalleryEntry {
  readonly name: string
  /** One sentence. */
  readonly about: string
  readonly dims: readonly (2 | 3)[]
  readonly defaultSize: number
  readonly minSize: number
  /** Throws an InputError if an option is out of range. */
  build(options?: GalleryOptions): GalleryProblem
}

/** An entry as its family writes it: options are already checked, the name is added afterwards. */
export interface Draft extends Omit<GalleryEntry, 'build'> {
  readonly create: (options: Resolved) => Omit<GalleryProblem, 'name'>
}

export const gallery: readonly GalleryEntry[] = [
  ...atRest,
  ...chambers,
  ...falling,
  ...thrown,
  ...mazes,
  ...warren,
  ...scattered,
  ...planted,
].map(entryOf)

export function galleryProblem(name: string, options: GalleryOptions = {}): GalleryProblem {
  checkOptions(options, 'galleryProblem: the options')
  const entry = gallery.find(candidate => candidate.name === name)
  if (entry) return entry.build(options)
  const names = gallery.map(candidate => candidate.name)
  throw new InputError(`Unknown gallery problem "${String(name)}"${suggestion(name, names)}; use one of ${names.join(', ')}.`)
}

function entryOf({ name, about, dims, defaultSize, minSize, create }: Draft): GalleryEntry {
  const entry = { name, about, dims, defaultSize, minSize }
  return { ...entry, build: (options = {}) => ({ name, ...create(resolve(entry, options)) }) }
}

function resolve({ name, dims: allowed, defaultSize, minSize }: Omit<GalleryEntry, 'build'>, options: GalleryOptions): Resolved {
  const { size = defaultSize, dims = allowed[0], dt = 0.01, density = 1000, scale = 1 } = options
  const { seed = 1, mirror = false, walls = 'separating' } = options
  if (!allowed.includes(dims)) throw new InputError(`"${name}" exists in ${allowed.join('D and ')}D, not in ${show(dims)}D.`)
  if (!Number.isSafeInteger(size) || size < minSize)
    throw new InputError(
      `The size of "${name}" must be a whole number of cells per side, at least ${minSize}, not ${show(size)}.`,
    )
  for (const [what, value] of Object.entries({ dt, density, scale })) {
    if (!(typeof value === 'number' && value > 0 && Number.isFinite(value)))
      throw new InputError(`The ${what} of "${name}" must be a positive number, not ${show(value)}.`)
  }
  if (!Number.isSafeInteger(seed)) throw new InputError(`The seed of "${name}" must be a whole number, not ${show(seed)}.`)
  checkFlag(mirror, `mirror of "${name}"`)
  if (walls !== 'separating' && walls !== 'sticking')
    throw new InputError(`The walls of "${name}" can be separating or sticking, not ${show(walls)}.`)
  return { size, dims, dt, density, scale, seed, mirror, walls }
}
