/** The state of the page that a link restores (scene, settings, recording, view, camera, tool, panels) as JSON, and back, with every value
 *  checked. */
import { findSolver, type Influence, InputError, type SceneInput, type TriangleMesh, validateScene } from 'peel'
import { LIQUID_COLOURS, STAGE_VIEWS } from 'peel/web'
import { type LiveSettings, liveOf, type Settings, SIDES } from '../settings.js'
import { formatLink, MAX_LINK_LENGTH, type PackedMesh, packMesh, parseLink, unpackMesh } from './link.js'
import { type RecordedEvent, type Recording, withoutEvents } from './recording.js'

export interface PageState {
  /** A shipped scene by its name, or any other with its meshes. */
  readonly scene: ShippedScene | OwnScene
  readonly settings: Settings
  readonly recording: Recording
  /** Whether it continues from there; absent in links from before recordings. */
  readonly playing?: boolean
  /** What the pointer does. */
  readonly tool?: string
  /** View and camera, as `drawing.look` returns and accepts them. */
  readonly look?: unknown
  /** Absent where the system decides. */
  readonly dark?: boolean
  /** Names of what is unfolded. */
  readonly unfolded?: readonly string[]
  /** What the editor can undo, the nearest step last; those of its own have the meshes of the scene. */
  readonly past?: readonly (ShippedScene | OwnScene)[]
}

export interface ShippedScene {
  readonly shipped: string
}

export interface OwnScene {
  readonly name: string
  readonly scene: SceneInput
  readonly meshes?: ReadonlyMap<string, TriangleMesh>
}

/** What a link holds, as JSON. Its keys stay: links are kept for years. */
interface Content extends Omit<PageState, 'scene' | 'recording' | 'past'> {
  readonly scene: ShippedScene | PackedScene
  /** The recording. */
  readonly course?: { readonly frame: number; readonly start: LiveSettings; readonly deeds: Recording['events'] }
  readonly past?: readonly (ShippedScene | PackedScene)[]
  /** m/s², if the user tilted gravity; only in links without a recording. */
  readonly gravity?: readonly number[]
}

interface PackedScene extends Omit<OwnScene, 'meshes'> {
  readonly meshes?: Record<string, PackedMesh>
}

export interface Link {
  readonly link: string
  /** Whether the interactions fitted into the link. */
  readonly hasEvents: boolean
}

/** Steps of the editor that a link holds at most. */
const MAX_UNDO_STEPS = 24

/** Refuses a state that does not fit into a link, and says what to do instead. Editor steps are dropped first, oldest first. */
export function linkOf(given: PageState): Link {
  let state = withSteps(given, MAX_UNDO_STEPS)
  let link = formatState(state)
  while (link.length > MAX_LINK_LENGTH && state.past) {
    state = withSteps(state, state.past.length >> 1)
    link = formatState(state)
  }
  if (link.length <= MAX_LINK_LENGTH || state.recording.events.length === 0)
    return { link: shortEnough(link, state), hasEvents: true }
  const shorter = { ...state, recording: withoutEvents(state.recording, liveOf(state.settings)) }
  return { link: shortEnough(formatState(shorter), state), hasEvents: false }
}

function withSteps({ past = [], ...state }: PageState, most: number): PageState {
  const kept = most === 0 ? [] : past.slice(-most)
  return kept.length === 0 ? state : { ...state, past: kept }
}

const meshesIn = ({ scene }: PageState) => ('shipped' in scene ? undefined : scene.meshes) ?? new Map<string, TriangleMesh>()

function formatState(state: PageState): string {
  const { scene } = state
  const packed = Object.fromEntries([...meshesIn(state)].map(([name, mesh]) => [name, packMesh(mesh)]))
  const { past, recording, ...others } = state
  const { frame, start, events } = recording
  const content: Content = {
    ...others,
    course: { frame, start, deeds: events },
    scene: 'shipped' in scene ? scene : { ...scene, meshes: packed },
    ...(past && { past: past.map(step => ('shipped' in step ? step : { name: step.name, scene: step.scene })) }),
  }
  return formatLink(content)
}

function shortEnough(link: string, state: PageState): string {
  const meshes = meshesIn(state)
  if (link.length <= MAX_LINK_LENGTH) return link
  const reason = meshes.size > 0 ? `with the mesh ${[...meshes.keys()].join(', ')} it` : 'the scene'
  throw new InputError(
    `The link would have ${link.length} characters, more than the ${MAX_LINK_LENGTH} that browsers accept: ${reason} is too large; copy the scene as JSON instead${meshes.size > 0 ? ' and keep the mesh beside it' : ''}.`,
  )
}

/** Undefined where there is no link. `defaults`: settings as they are without one; those of the link must be of the same kind. */
export function stateOf(hash: string, defaults: Settings): PageState | undefined {
  const content = parseLink(hash)
  if (content === undefined) return undefined
  if (!isObject(content)) throw foreign('is not an object')
  const { scene, settings, course, playing, tool, look, gravity, dark, unfolded, past } = content as Partial<
    Record<keyof Content, unknown>
  >
  const checked = checkSettings(sameKind(defaults, withLaterKeys(settings), 'settings') as Settings)
  const named = sceneOf(scene)
  return {
    scene: named,
    settings: checked,
    recording: course === undefined ? recordingOfOld(checked, gravity) : recordingOf(course, checked),
    ...(typeof playing === 'boolean' && { playing }),
    ...(typeof tool === 'string' && { tool }),
    ...(look !== undefined && { look }),
    ...(typeof dark === 'boolean' && { dark }),
    ...(Array.isArray(unfolded) && { unfolded: unfoldedOf(unfolded) }),
    ...(past !== undefined && { past: stepsOf(past, named) }),
  }
}

/** Older links have the frames of their scenes, and walls without strength. */
const withLaterKeys = (settings: unknown) =>
  isObject(settings) ? { frameRate: 0, adhesion: 0, colours: 'water', ...settings } : settings

/** Older links have the former name of the export panel. */
const unfoldedOf = (names: readonly unknown[]) =>
  names.filter(name => typeof name === 'string').map(name => (name === 'take-away' ? 'export' : name))

function stepsOf(given: unknown, scene: ShippedScene | OwnScene): PageState['past'] {
  if (!Array.isArray(given) || given.length > MAX_UNDO_STEPS) throw foreign('has no valid past')
  const meshes = 'shipped' in scene ? undefined : scene.meshes
  return given.map(sceneOf).map(step => ('shipped' in step ? step : { ...step, meshes }))
}

function recordingOfOld(settings: Settings, gravity: unknown): Recording {
  return { frame: 0, start: liveOf(settings), events: isVector(gravity) ? [{ at: 0, influence: { gravity } }] : [] }
}

function recordingOf(given: unknown, settings: Settings): Recording {
  if (!isObject(given)) throw foreign('has no valid course')
  const { frame, start, deeds } = given
  if (!isWhole(frame)) throw foreign('has no valid frame')
  if (!Array.isArray(deeds)) throw foreign('has no valid course.deeds')
  const live = (value: unknown, path: string): LiveSettings => {
    const found = sameKind(liveOf(settings), isObject(value) ? { adhesion: 0, ...value } : value, path) as LiveSettings
    checkSettings({ ...settings, ...found } as Settings)
    return found
  }
  let before = -1
  const checked = deeds.map((event: unknown, number): RecordedEvent => {
    const path = `course.deeds[${number}]`
    if (!isObject(event) || !isWhole(event.at) || event.at <= before || event.at > frame) throw foreign(`has no valid ${path}`)
    before = event.at
    return {
      at: event.at,
      ...(event.live !== undefined && { live: live(event.live, `${path}.live`) }),
      ...(event.influence !== undefined && { influence: influenceOf(event.influence, path) }),
    }
  })
  return { frame, start: live(start, 'course.start'), events: checked }
}

function influenceOf(given: unknown, path: string): Influence {
  const { gravity, stir, obstacle } = isObject(given) ? given : {}
  const isNone = (value: unknown) => value === undefined || value === null
  const isBrush = (value: unknown) =>
    isObject(value) && isVector(value.place) && isVector(value.velocity) && isLength(value.radius)
  const isBall = (value: unknown) => isObject(value) && isVector(value.centre) && isLength(value.radius)
  const isProper =
    isObject(given) &&
    (isNone(gravity) || isVector(gravity)) &&
    (isNone(stir) || isBrush(stir)) &&
    (isNone(obstacle) || isBall(obstacle))
  if (!isProper) throw foreign(`has no valid ${path}.influence`)
  return {
    ...(gravity !== undefined && { gravity }),
    ...(stir !== undefined && { stir }),
    ...(obstacle !== undefined && { obstacle }),
  } as Influence
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

/** Texts that are inserted into the page unchanged. */
function checkSettings(settings: Settings): Settings {
  const { layout, view, colours, sliceAxis, slicePosition, frameRate, adhesion } = settings
  const isKnown = (word: unknown, known: readonly unknown[], path: string) => {
    if (!known.includes(word)) throw foreign(`has no valid settings.${path}`)
  }
  isKnown(layout, ['both', 'one'], 'layout')
  isKnown(view, STAGE_VIEWS, 'view')
  isKnown(colours, LIQUID_COLOURS, 'colours')
  isKnown(sliceAxis, [0, 1, 2], 'sliceAxis')
  isKnown(slicePosition >= 0 && slicePosition <= 1, [true], 'slicePosition')
  isKnown(frameRate === 0 || (frameRate >= 1 && frameRate <= 1000), [true], 'frameRate')
  isKnown(adhesion >= 0 && adhesion <= 1e9, [true], 'adhesion')
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
  if (!isSame) throw foreign(`has no valid ${path}`)
  return given
}

function foreign(what: string): InputError {
  return new InputError(`The link was not made by this page: it ${what}; copy the link again from the page it came from.`)
}

function isVector(value: unknown): value is readonly [number, number, number] {
  return Array.isArray(value) && value.length === 3 && value.every(Number.isFinite)
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isLength(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) > 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
