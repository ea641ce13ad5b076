/** Damaged links, and links of a page state that is damaged before it is packed. */

import { parseSceneFile } from '../../page/editor/open-files.js'
import { formatLink, type PackedMesh, packMesh, parseLink, unpackMesh } from '../../page/link/link.js'
import { linkOf, stateOf } from '../../page/link/page-state.js'
import { liveOf, settingsFor } from '../../page/settings.js'
import type { SceneInput } from '../../src/scene/schema.js'
import { boxMesh, toMesh } from '../scene/mesh/meshes.js'
import { fuzz } from './fuzz.js'
import { mutateJson, mutateJsonText, mutateText } from './mutate.js'

const scene: SceneInput = {
  version: 1,
  domain: { size: [1, 1, 1], resolution: 16 },
  liquid: [{ shape: 'box', min: [0, 0, 0], max: [0.5, 0.5, 1] }],
  solids: [{ mesh: 'cube.obj' }],
}
const settings = settingsFor(scene, 'phone')
const live = liveOf(settings)
const meshes = new Map([['cube.obj', toMesh(boxMesh([0, 0, 0], [1, 1, 1]))]])
const events = [
  { at: 1, live },
  {
    at: 3,
    influence: { gravity: [0, -9, 0] as const, stir: { place: [0, 0, 0] as const, velocity: [1, 0, 0] as const, radius: 0.1 } },
  },
]
const own = { name: 'own', scene, meshes }
const states = [
  { scene: { shipped: 'splash' }, settings, recording: { frame: 0, start: live, events: [] } },
  {
    scene: own,
    settings,
    recording: { frame: 5, start: live, events },
    playing: true,
    tool: 'stir',
    look: { zoom: 2 },
    dark: true,
    unfolded: ['a'],
    past: [own, { shipped: 'splash' }],
  },
]
const links = states.map(state => linkOf(state).link)
const contents = links.map(parseLink)

fuzz('link', 9000, draw => {
  stateOf(mutateText(draw, links), settings)
})
fuzz('page state', 6000, draw => {
  const state = stateOf(formatLink(mutateJson(draw, contents, [[0, 0, 0], 'splash', 'separating', 'water', 0.5])), settings)
  // What was accepted can be given on.
  if (state && draw.chance(0.2)) linkOf(state)
})
const packed = packMesh(meshes.get('cube.obj')!)
fuzz('mesh of a link', 5000, draw => {
  const given = draw.chance(0.5)
    ? (mutateJson(draw, [packed]) as PackedMesh)
    : { ...packed, [draw.pick(['positions', 'triangles'])]: mutateText(draw, [packed.positions, packed.triangles]) }
  unpackMesh(given, 'cube.obj')
})
fuzz('scene file of a page', 5000, draw => {
  parseSceneFile(mutateJsonText(draw, [scene]), 'a.json')
})
