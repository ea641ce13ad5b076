/** The page as its parts see it: what is simulated and shown, and what can be done to it. */
import type { Influence } from 'peel'
import type { Moment, Playback } from 'peel/web'
import type { Controls } from './controls.js'
import type { Held, Recording } from './link/recording.js'
import type { NamedScene } from './scenes.js'
import type { Settings, SideName } from './settings.js'
import type { Sides } from './sides.js'

export type Moments = Partial<Record<SideName, Moment>>

export interface Page {
  readonly settings: Settings
  readonly sides: Sides
  readonly playback: Playback
  readonly controls: Controls
  /** As it was opened; sides simulate it with the settings of the page. */
  readonly scene: NamedScene
  /** From its start, with the size, particles, gravity and frames that suit it; all other settings stay. */
  openScene(scene: NamedScene): Promise<void>
  /** From its start, with all settings as they are: for edits of the scene that is there. */
  replaceScene(scene: NamedScene): Promise<void>
  /** From the start, with the settings as they are. */
  startOver(): Promise<void>
  /** With the settings as they are, from here on. */
  changeLive(): Promise<void>
  /** Interaction from the next frame on, on both sides; ignored while a frame is replayed. */
  influence(change: Influence): void
  /** The current interaction. */
  readonly held: Held
  /** The recording of the liquid so far. */
  readonly recording: Recording
  /** Replays a scene from its start to a frame and pauses there; settings stay as they are from there on. `onStart` is called
   *  before the first frame. Returns the frame that was reached, an earlier one if the user stops there; undefined if another
   *  scene was started meanwhile. */
  replayFrom(scene: NamedScene, recording: Recording, onStart: () => void): Promise<number | undefined>
  readonly isReplaying: boolean
  /** Colours of pictures and plots. */
  setDark(isDark: boolean): void
  /** A message for the user, until the next one; an empty one for none. */
  say(sentence: string): void
  /** Called with every frame that is shown. */
  onMoment(listener: (moments: Moments) => void): void
}
