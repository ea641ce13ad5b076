/** The page as a link, and a link as the page. */
import { InputError, suggestion } from '../src/input-error.js'
import type { Hand } from './hand.js'
import type { Page } from './page.js'
import { linkOf, type PageState, stateOf } from './page-state.js'
import { loadShippedScene, type NamedScene, sceneNames } from './scenes.js'
import { SIDES } from './settings.js'

/** Refuses what does not fit. */
export function linkTo(page: Page, hand: Hand): string {
  const { name, scene, meshes } = page.scene
  return linkOf({
    scene: sceneNames.includes(name) ? { shipped: name } : { name, scene, meshes },
    settings: page.settings,
    look: page.sides.all.b.drawing?.look,
    ...(hand.gravity && { gravity: hand.gravity }),
  })
}

/** Undefined where the address holds no link. */
export async function readLink(hash: string, page: Page): Promise<(PageState & { readonly named: NamedScene }) | undefined> {
  const state = stateOf(hash, page.settings)
  if (!state) return undefined
  const { scene } = state
  if (!('shipped' in scene)) return { ...state, named: scene }
  if (!sceneNames.includes(scene.shipped))
    throw new InputError(
      `The link names the scene «${scene.shipped}»${suggestion(scene.shipped, sceneNames)}, which does not come with this page.`,
    )
  return { ...state, named: await loadShippedScene(scene.shipped) }
}

/** True when there was a link, and the page is as it says. */
export async function restoreFrom(hash: string, page: Page, hand: Hand): Promise<boolean> {
  const state = await readLink(hash, page)
  if (!state) return false
  const { a, b, ...rest } = state.settings
  Object.assign(page.settings, rest)
  Object.assign(page.settings.a, a)
  Object.assign(page.settings.b, b)
  hand.setGravity(state.gravity ?? null)
  await page.replaceScene(state.named)
  for (const name of SIDES) {
    const { drawing } = page.sides.all[name]
    if (drawing && state.look !== undefined) drawing.look = state.look
  }
  return true
}
