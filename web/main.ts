/** The page: the same liquid twice, in step. */
import './style.css'
import { suggestion } from '../src/input-error.js'
import { drawnBy } from './drawn-by.js'
import { isolate } from './isolation.js'
import { createPage, type Page } from './page.js'
import { FLAGSHIP, loadShippedScene, sceneNames } from './scenes.js'
import { presetFor } from './settings.js'
import { applyTheme } from './theme.js'
import { createTools } from './tools.js'

declare global {
  interface Window {
    /** The page, for the console and for tests. */
    peel?: Page
  }
}

const find = (id: string) => document.getElementById(id)!
const THREADS = {
  headers: 'threads allowed by the headers of this host',
  'service worker': 'threads allowed by a service worker',
  none: 'one thread, because this page is not cross-origin isolated',
}

const isolation = await isolate()
const asked = new URLSearchParams(location.search)
const wanted = asked.get('scene') ?? FLAGSHIP
const isKnown = sceneNames.includes(wanted)
const cores = navigator.hardwareConcurrency || 1
const preset = presetFor({ shorterSide: Math.min(screen.width, screen.height), cores })
const page = createPage(find, await loadShippedScene(isKnown ? wanted : FLAGSHIP), { preset, drawnBy: drawnBy(asked) })
const resolution = Number(asked.get('resolution'))
if (resolution > 0) page.settings.resolution = Math.round(resolution)
find('footer').textContent = `WebAssembly · ${THREADS[isolation]} · ${cores} cores`
const theme = applyTheme(find('theme'), page.setDark)
await createTools(page, find('tools'), theme).start(location.hash)
if (!isKnown) page.say(`There is no scene «${wanted}»${suggestion(wanted, sceneNames)}; this is ${FLAGSHIP}.`)
const painter = page.sides.all.b.drawing?.drawnBy
if (painter) find('footer').append(painter === 'webgl' ? ' · drawn by WebGL2' : ' · drawn by the processor')
const who = asked.get('drawing')
if (who && !drawnBy(asked)) page.say(`Nobody called «${who}» draws; take drawing=webgl or drawing=processor, or leave it out.`)
window.peel = page
