/** PROBLEM on the command line: `gallery:NAME`, a `.npz` file, or a Matrix Market prefix. */
import { totalmem } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import { InputError, nearest } from '../../input-error.js'
import { isProblemThere, readProblem } from '../../io/index.js'
import { type GalleryProblem, gallery, galleryProblem } from '../../pressure/gallery.js'
import type { Problem } from '../../pressure/problem.js'

export interface ProblemFlags {
  readonly size?: number
  readonly dims?: 2 | 3
}

export interface NamedProblem {
  readonly name: string
  readonly problem: Problem
  readonly known?: GalleryProblem['known']
}

export function addProblemFlags(command: Command): Command {
  return command
    .option('--size <N>', 'gallery problems: cells along each side', value => wholeNumber(value, 1))
    .option('--dims <2|3>', 'gallery problems: dimensions', value => {
      if (value !== '2' && value !== '3') throw new InvalidArgumentError('Expected 2 or 3.')
      return Number(value)
    })
}

export async function loadProblem(argument: string, flags: ProblemFlags): Promise<NamedProblem> {
  const scheme = /^gallery:(.*)$/s.exec(argument)
  if (scheme) {
    checkMemory(scheme[1], flags)
    return { ...galleryProblem(scheme[1], flags), name: argument }
  }
  for (const flag of ['size', 'dims'] as const)
    if (flags[flag] !== undefined)
      throw new InputError(`--${flag} applies only to gallery problems, but "${argument}" is a file.`)
  const names = gallery.map(entry => entry.name)
  if (names.includes(argument)) throw new InputError(`"${argument}" is a gallery problem: write gallery:${argument}.`)
  try {
    return { name: argument, problem: await readProblem(argument) }
  } catch (error) {
    // A file that is there and wrong was meant, and no name is near a path.
    if (!(error instanceof InputError) || /[./\\]/.test(argument) || (await isProblemThere(argument))) throw error
    const meant = nearest(argument, names)
    throw meant === undefined ? error : new InputError(`${error.message.replace(/\.$/, '')} (did you mean gallery:${meant}?).`)
  }
}

export function wholeNumber(value: string, min: number): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isSafeInteger(number) || number < min)
    throw new InvalidArgumentError(`Expected a whole number, at least ${min}.`)
  return number
}

/** Bytes per cell while a problem is assembled, made compact and solved: about 40 arrays of doubles and indices. */
const BYTES_PER_CELL = 400

/** A size that cannot fit is refused before anything is allocated. */
function checkMemory(name: string, { size, dims }: ProblemFlags): void {
  const entry = gallery.find(({ name: known }) => known === name)
  if (!entry || size === undefined) return
  const power = dims ?? entry.dims[0]
  const needed = size ** power * BYTES_PER_CELL
  const available = totalmem()
  if (needed <= available) return
  const fits = Math.floor((available / BYTES_PER_CELL) ** (1 / power))
  throw new InputError(
    `--size ${size} needs about ${gibibytes(needed)} GiB in ${power}D and this machine has ${gibibytes(available)}; the largest size that fits is ${fits}.`,
  )
}

function gibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toPrecision(3)
}
