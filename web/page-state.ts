/** All that a link restores: scene, settings, view and camera, as JSON, and back with everything checked. */
import { InputError } from '../src/input-error.js'
import type { TriangleMesh } from '../src/scene/mesh.js'
import type { SceneInput } from '../src/scene/schema.js'
import { validateScene } from '../src/scene/validate.js'
import { findSolver } from '../src/solvers/registry.js'
import { STAGE_VIEWS } from '../src/web/stage/scenery.js'
import { formatLink, LONGEST_LINK, type PackedMesh, packMesh, parseLink, unpackMesh } from './link.js'
import { type Settings, SIDES } from './settings.js'

export interface PageState {
  /** A shipped scene by its name, or any other with its meshes. */
  readonly scene: ShippedScene | OwnScene
  readonly settings: Settings
  /** View and camera, as drawings give and take them. */
  readonly look?: unknown
  /** m/s², where gravity is tilted by hand. */
  readonly gravity?: readonly [number, number, number]
}

export interface ShippedScene {
  readonly shipped: string
}

export interface OwnScene {
  readonly name: string
  readonly scene: SceneInput
  readonly meshes?: ReadonlyMap<string, TriangleMesh>
}

interface Content {
  readonly scene:
    | ShippedScene
    | { readonly name: string; readonly scene: SceneInput; readonly meshes?: Record<string, PackedMesh> }
  readonly settings: Settings
  readonly look?: unknown
  readonly gravity?: readonly number[]
}

/** Refuses what does not fit into a link, and says what to do instead. */
export function linkOf(state: PageState): string {
  const { scene } = state
  const meshes = 'shipped' in scene ? new Map<string, TriangleMesh>() : (scene.meshes ?? new Map<string, TriangleMesh>())
  const packed = Object.fromEntries([...meshes].map(([name, mesh]) => [name, packMesh(mesh)]))
  const content = { ...state, scene: 'shipped' in scene ? scene : { ...scene, meshes: packed } }
  const link = formatLink(content)
  if (link.length <= LONGEST_LINK) return link
  const reason = meshes.size > 0 ? `with the mesh ${[...meshes.keys()].join(', ')} it` : 'the scene'
  throw new InputError(
    `The link would have ${link.length} letters, more than the ${LONGEST_LINK} that browsers take: ${reason} is too large; copy the scene as JSON instead${meshes.size > 0 ? ' and keep the mesh beside it' : ''}.`,
  )
}

/** Undefined where there is no link. `defaults`: settings as they are without one; those of the link must be of the same kind. */
export function stateOf(hash: string, defaults: Settings): PageState | undefined {
  const content = parseLink(hash)
  if (content === undefined) return undefined
  if (!isObject(content)) throw foreign('is no object')
  const { scene, settings, look, gravity } = content as Partial<Record<keyof Content, unknown>>
  return {
    scene: sceneOf(scene),
    settings: checkSettings(sameKind(defaults, settings, 'settings') as Settings),
    ...(look !== undefined && { look }),
    ...(isVector(gravity) && { gravity }),
  }
}

function sceneOf(given: unknown): ShippedScene | OwnScene {
  if (!isObject(given)) throw foreign('has no scene')
  if (typeof given.shipped === 'string') return { shipped: given.shipped }
  const name = typeof given.name === 'string' ? given.name : 'own'
  validateScene(given.scene, 'The scene of the link')
  const packed = isObject(given.meshes) ? Object.entries(given.meshes) : []
  const meshes = new Map(packed.map(([key, mesh]) => [key, unpackMesh(mesh, key)]))
  return { name, scene: given.scene as SceneInput, meshes }
}

/** Words that are put into the page as they are. */
function checkSettings(settings: Settings): Settings {
  const { layout, view, sliceAxis, slicePosition } = settings
  const isKnown = (word: unknown, known: readonly unknown[], path: string) => {
    if (!known.includes(word)) throw foreign(`has no proper settings.${path}`)
  }
  isKnown(layout, ['both', 'one'], 'layout')
  isKnown(view, STAGE_VIEWS, 'view')
  isKnown(sliceAxis, [0, 1, 2], 'sliceAxis')
  isKnown(slicePosition >= 0 && slicePosition <= 1, [true], 'slicePosition')
  for (const side of SIDES) {
    isKnown(settings[side].walls, ['separating', 'sticking'], `${side}.walls`)
    findSolver(settings[side].solver)
  }
  return settings
}

/** A copy of `given` with exactly the keys of `model`, each of the same type. */
function sameKind(model: unknown, given: unknown, path: string): unknown {
  if (isObject(model)) {
    if (!isObject(given)) throw foreign(`has no ${path}`)
    return Object.fromEntries(Object.entries(model).map(([key, value]) => [key, sameKind(value, given[key], `${path}.${key}`)]))
  }
  const isSame = typeof model === typeof given && (typeof given !== 'number' || Number.isFinite(given))
  if (!isSame) throw foreign(`has no proper ${path}`)
  return given
}

function foreign(what: string): InputError {
  return new InputError(`The link was not made by this page: it ${what}; copy the link again from the page it came from.`)
}

function isVector(value: unknown): value is readonly [number, number, number] {
  return Array.isArray(value) && value.length === 3 && value.every(Number.isFinite)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
