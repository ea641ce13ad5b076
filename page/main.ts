/** The page: the same liquid twice, in step. */
import { suggestion } from 'peel'
import './style.css'
import { createPage } from './create-page.js'
import { isolate } from './isolation.js'
import type { Page } from './page.js'
import { drawnBy } from './renderer-name.js'
import { FLAGSHIP, loadShippedScene, sceneNames } from './scenes.js'
import { presetFor } from './settings.js'
import { applyTheme } from './theme.js'
import { createTools } from './tools/tools.js'

declare global {
  interface Window {
    /** The page, for the console and for tests. */
    peel?: Page
  }
}

const find = (id: string) => document.getElementById(id)!
const THREADS = {
  headers: 'threads enabled by the headers of this host',
  'service worker': 'threads enabled by a service worker',
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
if (!isKnown) page.say(`Unknown scene "${wanted}"${suggestion(wanted, sceneNames)}; showing ${FLAGSHIP}.`)
const painter = page.sides.all.b.drawing?.drawnBy
if (painter) find('footer').append(painter === 'webgl' ? ' · drawn by WebGL2' : ' · drawn by the CPU')
const renderer = asked.get('drawing')
if (renderer && !drawnBy(asked)) page.say(`Unknown renderer "${renderer}"; use drawing=webgl or drawing=processor, or remove it.`)
window.peel = page
