/** The settings of the page's controls, and how they change a scene. Pure data. */
import { type Axis, type SceneInput, validateScene } from 'peel'
import type { LiquidColours, StageView } from 'peel/web'

export const SIDES = ['a', 'b'] as const
export type SideName = (typeof SIDES)[number]
export type Walls = 'separating' | 'sticking'

export interface SideSettings {
  walls: Walls
  solver: string
}

/** What can change while the liquid runs. */
export interface LiveSettings {
  readonly a: Readonly<SideSettings>
  readonly b: Readonly<SideSettings>
  readonly tolerance: number
  readonly flipRatio: number
  readonly gravity: number
  readonly adhesion: number
}

export interface Settings {
  /** Both sides in step, or the second alone. */
  layout: 'both' | 'one'
  a: SideSettings
  b: SideSettings
  /** 1/s. */
  tolerance: number
  /** Cells along the longest side. */
  resolution: number
  perCell: number
  flipRatio: number
  /** m/s², the largest of the scene. */
  gravity: number
  /** Pa, the largest of the scene. */
  adhesion: number
  /** Frames in a second of simulated time; 0: as in the scene. */
  frameRate: number
  /** Simulated seconds per second of the clock; 0: as fast as possible. */
  speed: number
  /** Starts over when the scene is at its end. */
  loop: boolean
  view: StageView
  /** Of the liquid. */
  colours: LiquidColours
  /** Where fields are cut in 3D: the axis across the slice, and the share of its side. */
  sliceAxis: Axis
  slicePosition: number
}

export const PRESETS = { phone: { 2: 64, 3: 24 }, laptop: { 2: 128, 3: 40 }, desktop: { 2: 192, 3: 64 } } as const
export type Preset = keyof typeof PRESETS

/** Chosen from what the browser reveals about the device. */
export function presetFor({ shorterSide, cores }: { readonly shorterSide: number; readonly cores: number }): Preset {
  if (shorterSide < 600) return 'phone'
  return cores >= 8 ? 'desktop' : 'laptop'
}

/** Refresh rate of most screens: with fewer frames motion is less smooth than the machine could show. */
export const SCREEN_RATE = 60

/** Minimal scenes, which have the defaults of all other keys. */
const DEFAULTS = {
  2: validateScene({ version: 1, domain: { size: [1, 1], resolution: 8 } }),
  3: validateScene({ version: 1, domain: { size: [1, 1, 1], resolution: 8 } }),
}

/** m/s². */
export const DEFAULT_GRAVITY = Math.hypot(...(DEFAULTS[3].gravity as readonly number[]))

export const dimsOf = (scene: SceneInput): 2 | 3 => (scene.domain.size.length === 2 ? 2 : 3)

/** As in the scene, except for its size, which the preset sets. */
export function settingsFor(scene: SceneInput, preset: Preset): Settings {
  const dims = dimsOf(scene)
  const defaults = DEFAULTS[dims]
  const solver = solverOf(scene)
  return {
    layout: 'both',
    a: { walls: 'sticking', solver },
    b: { walls: 'separating', solver },
    tolerance: scene.solver?.tolerance ?? defaults.solver.tolerance,
    resolution: PRESETS[preset][dims],
    perCell: scene.particles?.perCell ?? defaults.particles.perCell,
    flipRatio: scene.particles?.flipRatio ?? defaults.particles.flipRatio,
    gravity: largestGravity(scene),
    adhesion: largestAdhesion(scene),
    frameRate: rateOf(scene) > SCREEN_RATE ? 0 : SCREEN_RATE,
    speed: 1,
    loop: true,
    view: 'water',
    colours: scene.output?.pictures?.colours ?? 'water',
    sliceAxis: 2,
    slicePosition: 0.5,
  }
}

export const liveOf = ({ a, b, tolerance, flipRatio, gravity, adhesion }: Settings): LiveSettings => ({
  a: { ...a },
  b: { ...b },
  tolerance,
  flipRatio,
  gravity,
  adhesion,
})

const rateOf = (scene: SceneInput) => scene.time?.fps ?? DEFAULTS[dimsOf(scene)].time.fps
const solverOf = (scene: SceneInput) => scene.solver?.name ?? DEFAULTS[dimsOf(scene)].solver.name

/** Frames in a second of simulated time, and how many there are: the same time in others than the scene has. */
export function timesOf(scene: SceneInput, frameRate: number): { readonly fps: number; readonly frames: number } {
  const own = { fps: rateOf(scene), frames: scene.time?.frames ?? DEFAULTS[dimsOf(scene)].time.frames }
  if (frameRate === 0) return own
  return { fps: frameRate, frames: Math.max(1, Math.round((own.frames / own.fps) * frameRate)) }
}

/** The scene of one side. */
export function sceneFor(
  scene: SceneInput,
  settings: LiveSettings & Pick<Settings, 'resolution' | 'perCell' | 'frameRate'>,
  side: SideName,
): SceneInput {
  const { walls, solver } = settings[side]
  const { resolution, perCell, frameRate, flipRatio, tolerance, gravity, adhesion } = settings
  const isOther = solver !== solverOf(scene)
  const strong = scaledAdhesion(scene, adhesion)
  return {
    ...strong,
    walls,
    domain: { ...strong.domain, resolution },
    particles: { ...scene.particles, perCell, flipRatio },
    // Options belong to the solver that the scene names.
    solver: { ...scene.solver, name: solver, tolerance, ...(isOther && { options: {} }) },
    gravity: scaledGravity(scene, gravity),
    ...(frameRate > 0 && { time: { ...scene.time, ...timesOf(scene, frameRate) } }),
  }
}

const solidsOf = ({ solids = [] }: SceneInput) => solids as readonly { readonly adhesion?: number }[]

/** Pa, of any wall. */
function largestAdhesion(scene: SceneInput): number {
  const { adhesion = 0, domain } = scene
  const ofSides = Object.values(domain.adhesion ?? {}).map(value => value ?? 0)
  return Math.max(adhesion, ...ofSides, ...solidsOf(scene).map(solid => solid.adhesion ?? 0))
}

/** The same walls, all stronger or weaker by one factor. Where no wall has strength all get it. */
function scaledAdhesion(scene: SceneInput, wanted: number): SceneInput {
  const present = largestAdhesion(scene)
  if (present === wanted) return scene
  if (present === 0) return { ...scene, adhesion: wanted }
  const { adhesion = 0, domain } = scene
  const scaled = (value: number | undefined) => (value === undefined ? undefined : (value * wanted) / present)
  const ofSides = Object.fromEntries(Object.entries(domain.adhesion ?? {}).map(([side, value]) => [side, scaled(value)]))
  const ofSolids = solidsOf(scene).map(solid =>
    solid.adhesion === undefined ? solid : { ...solid, adhesion: scaled(solid.adhesion) },
  )
  return { ...scene, adhesion: scaled(adhesion), domain: { ...domain, adhesion: ofSides }, solids: ofSolids } as SceneInput
}

type Gravity = NonNullable<SceneInput['gravity']>
type Keyframe = { readonly time: number; readonly value: readonly number[] }

const gravityOf = (scene: SceneInput): Gravity => scene.gravity ?? (DEFAULTS[dimsOf(scene)].gravity as Gravity)
const isKeyframes = (gravity: Gravity): gravity is Extract<Gravity, readonly Keyframe[]> => typeof gravity[0] === 'object'

function largestGravity(scene: SceneInput): number {
  const gravity = gravityOf(scene)
  const vectors = isKeyframes(gravity) ? gravity.map(({ value }) => value) : [gravity as readonly number[]]
  return Number(Math.max(...vectors.map(vector => Math.hypot(...vector))).toPrecision(6))
}

/** The same directions, with another strength. A scene without gravity gets one that points down. */
function scaledGravity(scene: SceneInput, wanted: number): Gravity {
  const gravity = gravityOf(scene)
  const present = largestGravity(scene)
  if (present === wanted) return gravity
  if (present === 0) return dimsOf(scene) === 2 ? [0, -wanted] : [0, -wanted, 0]
  const scaled = (vector: readonly number[]) => vector.map(value => (value * wanted) / present)
  if (isKeyframes(gravity)) return gravity.map(({ time, value }) => ({ time, value: scaled(value) })) as unknown as Gravity
  return scaled(gravity as readonly number[]) as unknown as Gravity
}
