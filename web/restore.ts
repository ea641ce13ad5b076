/** The page as a link, and a link as the page. */
import { InputError, suggestion } from '../src/input-error.js'
import { validateScene } from '../src/scene/validate.js'
import type { Held } from './journal.js'
import type { Page } from './page.js'
import { type Link, linkOf, type PageState, stateOf } from './page-state.js'
import { loadShippedScene, type NamedScene, sceneNames } from './scenes.js'
import { SIDES } from './settings.js'

/** What the page does not know of itself, because it came with its tools. */
export interface Tooling {
  readonly page: Page
  /** Unknown ones change nothing. The liquid stays as it is. */
  takeUp(tool: string): void
  /** What the page already does by hand. */
  adopt(held: Held): void
  /** A sentence that is no complaint. */
  note(sentence: string): void
}

/** Refuses what does not fit. */
export function linkTo(page: Page, tool: string): Link {
  const { name, scene, meshes } = page.scene
  return linkOf({
    scene: sceneNames.includes(name) ? { shipped: name } : { name, scene, meshes },
    settings: page.settings,
    course: page.course,
    playing: page.playback.isPlaying,
    tool,
    look: page.sides.all.b.drawing?.look,
  })
}

/** Undefined where the address holds no link. */
export async function readLink(hash: string, page: Page): Promise<(PageState & { readonly named: NamedScene }) | undefined> {
  const state = stateOf(hash, page.settings)
  if (!state) return undefined
  const { scene, course } = state
  if ('shipped' in scene && !sceneNames.includes(scene.shipped))
    throw new InputError(
      `The link names the scene «${scene.shipped}»${suggestion(scene.shipped, sceneNames)}, which does not come with this page.`,
    )
  const named = 'shipped' in scene ? await loadShippedScene(scene.shipped) : scene
  const last = validateScene(named.scene).time.frames
  if (course.frame > last)
    throw new InputError(
      `The link leads to frame ${course.frame}, and its scene ends with frame ${last}; copy the link again from the page it came from.`,
    )
  return { ...state, named }
}

/** Brings the page to where a link says, and tells whether it is to be played from there. Undefined without a link. */
export async function restoreFrom(hash: string, tooling: Tooling): Promise<{ readonly plays: boolean } | undefined> {
  const { page, adopt, takeUp, note } = tooling
  const state = await readLink(hash, page)
  if (!state) return undefined
  const { settings, course, look, tool, playing = true } = state
  const { a, b, ...rest } = settings
  Object.assign(page.settings, rest)
  Object.assign(page.settings.a, a)
  Object.assign(page.settings.b, b)
  adopt({})
  if (tool !== undefined) takeUp(tool)
  note(course.frame > 0 ? `The link leads to frame ${course.frame}, which is simulated now.` : '')
  const reached = await page.travel(state.named, course, () => {
    for (const name of SIDES) {
      const { drawing } = page.sides.all[name]
      if (drawing && look !== undefined) drawing.look = look
    }
  })
  if (reached === undefined) {
    if (!page.isTravelling) note('')
    return { plays: false }
  }
  adopt(page.held)
  if (course.frame > 0)
    note(reached === course.frame ? `This is frame ${reached}, as the link says.` : stopped(reached, course.frame))
  return { plays: playing && reached === course.frame }
}

const stopped = (reached: number, goal: number) => `Stopped at frame ${reached}; the link leads to frame ${goal}.`
