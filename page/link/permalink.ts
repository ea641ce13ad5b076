/** The page as a link, and a link as the page. */
import { InputError, suggestion, validateScene } from 'peel'
import type { Editor } from '../editor/editor.js'
import type { Page } from '../page.js'
import type { Panels } from '../panels.js'
import { loadShippedScene, type NamedScene, sceneNames } from '../scenes.js'
import { SIDES, timesOf } from '../settings.js'
import type { Theme } from '../theme.js'
import { type Link, linkOf, type OwnScene, type PageState, type ShippedScene, stateOf } from './page-state.js'
import type { Held } from './recording.js'

/** State of the tools, which the page itself does not hold. */
export interface Tooling {
  readonly page: Page
  readonly theme: Theme
  readonly panels: Panels
  readonly editor: Pick<Editor, 'past'>
  /** What the pointer does. */
  readonly tool: string
  /** Unknown ones change nothing. The liquid stays as it is. */
  takeUp(tool: string): void
  /** The current interaction of the page. */
  adopt(held: Held): void
  /** A message that is not an error. */
  note(sentence: string): void
}

/** Throws if the state does not fit. */
export function linkTo({ page, theme, panels, editor, tool }: Tooling): Link {
  return linkOf({
    scene: described(page.scene),
    settings: page.settings,
    recording: page.recording,
    playing: page.playback.isPlaying,
    tool,
    look: page.sides.all.b.drawing?.look,
    dark: theme.chosen,
    unfolded: panels.unfolded,
    past: editor.past.map(described),
  })
}

function described({ name, scene, meshes }: NamedScene): ShippedScene | OwnScene {
  return sceneNames.includes(name) ? { shipped: name } : { name, scene, meshes }
}

async function loadDescribed(scene: ShippedScene | OwnScene): Promise<NamedScene> {
  if (!('shipped' in scene)) return scene
  if (!sceneNames.includes(scene.shipped))
    throw new InputError(
      `The link names the scene "${scene.shipped}"${suggestion(scene.shipped, sceneNames)}, which is not included with this page.`,
    )
  return loadShippedScene(scene.shipped)
}

export interface ReadLink extends Omit<PageState, 'scene' | 'past'> {
  readonly named: NamedScene
  readonly past: readonly NamedScene[]
}

/** Undefined where the address holds no link. */
export async function readLink(hash: string, page: Page): Promise<ReadLink | undefined> {
  const state = stateOf(hash, page.settings)
  if (!state) return undefined
  const { recording, past = [] } = state
  const named = await loadDescribed(state.scene)
  validateScene(named.scene)
  const last = timesOf(named.scene, state.settings.frameRate).frames
  if (recording.frame > last)
    throw new InputError(
      `The link is to frame ${recording.frame}, but its scene ends with frame ${last}; copy the link again from the page it came from.`,
    )
  return { ...state, named, past: await Promise.all(past.map(loadDescribed)) }
}

/** Restores the page from a link and returns whether to play from there. Undefined without a link. */
export async function restoreFrom(hash: string, tooling: Tooling): Promise<{ readonly plays: boolean } | undefined> {
  const { page, theme, panels, editor, adopt, takeUp, note } = tooling
  const state = await readLink(hash, page)
  if (!state) return undefined
  const { settings, recording, look, tool, dark, unfolded, past, playing = true } = state
  const { a, b, ...rest } = settings
  Object.assign(page.settings, rest)
  Object.assign(page.settings.a, a)
  Object.assign(page.settings.b, b)
  adopt({})
  if (tool !== undefined) takeUp(tool)
  if (dark !== undefined) theme.chosen = dark
  if (unfolded) panels.unfolded = unfolded
  note(recording.frame > 0 ? `The link is to frame ${recording.frame}, which is being simulated.` : '')
  const reached = await page.replayFrom(state.named, recording, () => {
    editor.past = past
    for (const name of SIDES) {
      const { drawing } = page.sides.all[name]
      if (drawing && look !== undefined) drawing.look = look
    }
  })
  if (reached === undefined) {
    if (!page.isReplaying) note('')
    return { plays: false }
  }
  adopt(page.held)
  if (recording.frame > 0)
    note(reached === recording.frame ? `This is frame ${reached}, as in the link.` : stopped(reached, recording.frame))
  return { plays: playing && reached === recording.frame }
}

const stopped = (reached: number, goal: number) => `Stopped at frame ${reached}; the link is to frame ${goal}.`
