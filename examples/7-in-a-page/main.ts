// A liquid in a page: plays at once, can be stirred, paused and shown in several ways. A worker simulates it, so the page stays responsive.
import { createLiquidView, STAGE_VIEWS, type StageView } from 'peel/web'

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E
const [play, reset, views, status] = [find('play'), find('reset'), find<HTMLSelectElement>('view'), find('status')]
const element = find('liquid')

const view = await createLiquidView(element, {
  scene: {
    version: 1,
    domain: { size: [2, 1], resolution: 96 },
    liquid: [{ shape: 'box', min: [0, 0], max: [0.5, 0.8] }],
    solids: [{ shape: 'sphere', centre: [1.3, 0.1], radius: 0.15 }],
    time: { fps: 60, frames: 600 },
  },
  // Some views show the pressure of frames.
  parts: { fields: true },
  onFrame({ frame, record }) {
    const volume = record && (100 * record.volume) / record.expectedVolume
    status.textContent = `${frame.time.toFixed(2)} s${volume ? `, volume ${volume.toFixed(1)} %` : ''}`
  },
}).catch(error => {
  // A sentence for the user: what the scene or the browser lacks.
  status.textContent = error.message
  throw error
})

play.addEventListener('click', () => {
  if (view.isPlaying) view.pause()
  else view.play()
  play.textContent = view.isPlaying ? 'Pause' : 'Play'
})
reset.addEventListener('click', () => view.reset())

const drawing = view.drawing!
for (const name of STAGE_VIEWS) views.add(new Option(name))
views.addEventListener('change', () => {
  drawing.stage.view = views.value as StageView
  drawing.render()
})

// Stirring: where the pointer is, liquid takes over its velocity.
drawing.controls = false
let last: { readonly place: readonly number[]; readonly time: number } | undefined
element.addEventListener('pointermove', event => {
  if (event.buttons === 0) return
  const { left, top } = element.getBoundingClientRect()
  const place = drawing.toScene(event.clientX - left, event.clientY - top)
  if (last) {
    const seconds = Math.max(event.timeStamp - last.time, 1) / 1000
    const [u, v] = [0, 1].map(axis => (place[axis] - last!.place[axis]) / seconds)
    view.session.influence({ stir: { place, velocity: [u, v, 0], radius: 0.15 } })
  }
  last = { place, time: event.timeStamp }
})
for (const end of ['pointerup', 'pointerleave'])
  element.addEventListener(end, () => {
    last = undefined
    view.session.influence({ stir: null })
  })
