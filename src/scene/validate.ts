/** From any value to a scene, or to an InputError with one line per error, each beginning with its JSON path. */
import type { z } from 'zod'
import { checkObject, checkText } from '../checks.js'
import { createGrid, type Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { checkSetting } from '../machine/engine-choice.js'
import { findOverreach, type HostSolver } from '../solvers/contract/data-limits.js'
import { parseOptions } from '../solvers/contract/options.js'
import { findSolver } from '../solvers/registry.js'
import { checkMotion } from './motion.js'
import type { Dims } from './schema/parts.js'
import { type Shape, shapeGrammar } from './schema/shape.js'
import { dimsOf, ENTRY_KEYS, type Scene, sceneSchema } from './schema.js'

export type KeyPath = readonly (string | number)[]

interface Problem {
  readonly path: KeyPath
  /** Continues after the path. */
  readonly text: string
}

/** Levels of objects and lists within each other: far more than any scene needs, far less than the stack holds. */
const MAX_SCENE_DEPTH = 60
const MAX_LINES = 20

const schemas = new Map<Dims, ReturnType<typeof sceneSchema>>()

/** `where` names the file in messages; `host` is the solver that the command line or code has chosen, if any. */
export function validateScene(value: unknown, where = 'The scene', host?: HostSolver): Scene {
  checkText(where, 'validateScene: the name of the scene')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError(`${where} must be an object with the keys version, domain, liquid and others.`)
  if (isTooDeep(value))
    throw new InputError(`${where} has more than ${MAX_SCENE_DEPTH} levels of objects and lists; make it flatter.`)
  // Of a copy: the schema freezes lists that are read-only in its types, also those of the caller.
  const scene = parseWith(schemaFor(value), copyOf(value), where) as Scene
  const problems = [...crossCheck(scene, host)]
  if (problems.length > 0) throw refusal(where, problems)
  return scene
}

/** A shape in 2D or 3D, also an entry of a scene, whose other keys are left out. */
export function validateShape(value: unknown, where: string): Shape {
  checkObject(value, where, 'a shape')
  if (isTooDeep(value))
    throw new InputError(`${where} has more than ${MAX_SCENE_DEPTH} levels of objects and lists; make it flatter.`)
  const plain = Object.fromEntries(Object.entries(value).filter(([key]) => !ENTRY_KEYS.includes(key)))
  shapeSchema ??= shapeGrammar(undefined).inner
  const shape = parseWith(shapeSchema, copyOf(plain), where)
  const problems = [...checkShape(shape, [], 3)]
  if (problems.length > 0) throw refusal(where, problems)
  return shape
}

let shapeSchema: z.ZodType<Shape> | undefined

/** A value with the defaults of a schema, or an InputError with one line per error. */
export function parseWith<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw refusal(
    where,
    parsed.error.issues.flatMap(issue => explain(issue as Issue, [], value)),
  )
}

/** The cells of a scene: `resolution` along its longest side, whole numbers along the others. */
export function gridOf({ domain: { size, resolution } }: Scene): Grid {
  const spacing = Math.max(...size) / resolution
  return createGrid(
    size.map(side => Math.max(1, Math.round(side / spacing))),
    spacing,
  )
}

/** "solids[1].radius". */
export function formatPath(path: KeyPath): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === 'number') return `${before}[${part}]`
    if (!/^[$\w]+$/.test(part)) return `${before}[${JSON.stringify(part.length > 60 ? `${part.slice(0, 58)}…` : part)}]`
    return before === '' ? part : `${before}.${part}`
  }, '')
}

function refusal(where: string, problems: readonly Problem[]): InputError {
  const lines = [...new Set(problems.map(({ path, text }) => `${formatPath(path)} ${text}.`.trimStart()))]
  const shown = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more.`] : lines
  return new InputError(shown.length === 1 ? `${where}: ${shown[0]}` : `${where}:\n${shown.map(line => `  ${line}`).join('\n')}`)
}

function schemaFor(value: object) {
  const size = (value as { readonly domain?: { readonly size?: unknown } }).domain?.size
  const dims = Array.isArray(size) && (size.length === 2 || size.length === 3) ? size.length : undefined
  let schema = schemas.get(dims)
  if (!schema) {
    schema = sceneSchema(dims)
    schemas.set(dims, schema)
  }
  return schema
}

function isTooDeep(value: object): boolean {
  let level: object[] = [value]
  for (let depth = 0; depth < MAX_SCENE_DEPTH; depth++) {
    level = level.flatMap(entry => Object.values(entry).filter(inner => typeof inner === 'object' && inner !== null))
    if (level.length === 0) return false
  }
  return true
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, copyOf)
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  return Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, copyOf(inner)]))
}

interface Issue {
  readonly code: string
  readonly path: KeyPath
  readonly message: string
  readonly keys?: readonly string[]
  readonly errors?: readonly (readonly Issue[])[]
}

function explain(issue: Issue, above: KeyPath, root: unknown): Problem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors && issue.errors.length > 0) {
    const branch = issue.errors[chosenBranch(valueAt(root, path))] ?? issue.errors[0]
    return branch.flatMap(inner => explain(inner, path, root))
  }
  if (issue.code !== 'unrecognized_keys') return [{ path, text: issue.message }]
  // The message has one line for each key, which it begins with.
  return (issue.keys ?? []).map((key, at) => ({
    path: [...path, key],
    text: (issue.message.split('\n')[at] ?? 'is not known here').slice(key.length).trimStart(),
  }))
}

/** Which of two ways to write something was meant: meshes and keyframes are the second. */
function chosenBranch(value: unknown): 0 | 1 {
  if (Array.isArray(value)) return value.some(entry => typeof entry === 'object') ? 1 : 0
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'mesh') ? 1 : 0
}

function valueAt(root: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], root)
}

/** Checks beyond the schema: relations between values. */
function* crossCheck(scene: Scene, host?: HostSolver): Generator<Problem> {
  yield* attempt(['domain'], () => gridOf(scene))
  const { minSubsteps, maxSubsteps } = scene.time
  if (minSubsteps > maxSubsteps) yield { path: ['time', 'minSubsteps'], text: `must not be above maxSubsteps, ${maxSubsteps}` }
  for (const [key, entries] of [
    ['liquid', scene.liquid],
    ['solids', scene.solids],
    ['sources', scene.sources],
    ['drains', scene.drains],
  ] as const)
    for (const [at, entry] of entries.entries()) yield* checkShape(entry, [key, at], dimsOf(scene))
  for (const key of ['sources', 'drains'] as const)
    for (const [at, { after, until = Infinity }] of scene[key].entries())
      if (until <= after) yield { path: [key, at, 'until'], text: `must be later than after, ${after} s` }
  for (const key of ['solids', 'sources', 'drains'] as const)
    for (const [at, { motion }] of scene[key].entries())
      if (motion) for (const { path, text } of checkMotion(motion)) yield { path: [key, at, 'motion', ...path], text }
  for (const [at, source] of scene.sources.entries()) yield* checkFlow(source, ['sources', at])
  yield* checkGravity(scene.gravity)
  if (new Set(scene.output.keep).size < scene.output.keep.length)
    yield { path: ['output', 'keep'], text: 'must not repeat an entry' }
  yield* checkSolver(scene.solver, host)
}

function* checkShape(shape: Shape, path: KeyPath, dims: 2 | 3): Generator<Problem> {
  if (shape.shape === undefined) {
    if (dims === 2) yield { path: [...path, 'mesh'], text: 'needs a 3D scene; in 2D use a polygon' }
    else if (shape.mesh === '') yield { path: [...path, 'mesh'], text: 'must be the path of an OBJ, PLY or STL file' }
    return
  }
  if (shape.shape === 'box')
    for (const [axis, low] of shape.min.entries())
      if (!(low < shape.max[axis])) yield { path: [...path, 'max', axis], text: `must be above min, ${low}` }
  if (shape.shape === 'cylinder' && shape.from.every((value, axis) => value === shape.to[axis]))
    yield { path: [...path, 'to'], text: 'must not be the same point as from' }
  if (shape.shape === 'union' || shape.shape === 'intersection' || shape.shape === 'difference')
    for (const [at, part] of shape.of.entries()) yield* checkShape(part, [...path, 'of', at], dims)
  if (shape.shape === 'complement' || shape.shape === 'shell') yield* checkShape(shape.of, [...path, 'of'], dims)
}

/** A source has a velocity, or a direction and a flow rate. */
function* checkFlow({ velocity, direction, flowRate }: Scene['sources'][number], path: KeyPath): Generator<Problem> {
  if (velocity !== undefined && flowRate !== undefined)
    yield { path: [...path, 'flowRate'], text: 'must not be given together with velocity; give direction instead of velocity' }
  else if (velocity !== undefined && direction !== undefined)
    yield { path: [...path, 'direction'], text: 'must not be given together with velocity; give flowRate instead of velocity' }
  else if (velocity === undefined && flowRate === undefined)
    yield { path: [...path, direction ? 'flowRate' : 'velocity'], text: 'is missing; give velocity, or direction and flowRate' }
  else if (velocity === undefined && direction === undefined)
    yield { path: [...path, 'direction'], text: 'is missing: flowRate needs a direction of the flow' }
}

function* checkGravity(gravity: Scene['gravity']): Generator<Problem> {
  for (const [at, key] of gravity.entries()) {
    const before = gravity[at - 1]
    if (typeof key === 'number' || typeof before !== 'object') continue
    if (key.time <= before.time)
      yield { path: ['gravity', at, 'time'], text: `must be later than the one before, ${before.time} s` }
  }
}

function* checkSolver(solver: Scene['solver'], host?: HostSolver): Generator<Problem> {
  const { name, options, engine, threads } = solver
  const unknown = [...attempt(['solver', 'name'], () => findSolver(name))]
  yield* unknown
  if (unknown.length === 0) yield* attempt(['solver', 'options'], () => parseOptions(name, findSolver(name).options, options))
  for (const { key, text } of findOverreach(solver, host)) yield { path: ['solver', ...key], text }
  yield* attempt(['solver', 'engine'], () => checkSetting({ engine, threads }))
}

/** The message of an InputError from another room, as a problem at `path`. */
function* attempt(path: KeyPath, action: () => unknown): Generator<Problem> {
  try {
    action()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    yield { path, text: `is refused: ${error.message.replace(/\.$/, '')}` }
  }
}
