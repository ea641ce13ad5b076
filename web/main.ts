/** The page: the same liquid twice, in step. */
import './style.css'
import { isolate } from './isolation.js'
import { createPage } from './page.js'
import { FLAGSHIP, loadShippedScene } from './scenes.js'
import { presetFor } from './settings.js'
import { applyTheme } from './theme.js'

const find = (id: string) => document.getElementById(id)!
const THREADS = {
  headers: 'threads allowed by the headers of this host',
  'service worker': 'threads allowed by a service worker',
  none: 'one thread, because this page is not cross-origin isolated',
}

const isolation = await isolate()
const cores = navigator.hardwareConcurrency || 1
const preset = presetFor({ shorterSide: Math.min(screen.width, screen.height), cores })
const page = createPage(find, await loadShippedScene(FLAGSHIP), preset)
find('footer').textContent = `WebAssembly · ${THREADS[isolation]} · ${cores} cores`
applyTheme(find('theme'), () => page.instruments.recolour())
await page.startOver()
if (!matchMedia('(prefers-reduced-motion: reduce)').matches) page.playback.play()
