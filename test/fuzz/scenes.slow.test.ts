/** Damaged scenes: checked, prepared, estimated, and some of those that are valid simulated; values set from outside, ranges of frames. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseFrameRange, selectFrames } from '../../src/cli/arguments/frame-range.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { estimateScene } from '../../src/scene/estimate.js'
import { parseOverride, setScenePath } from '../../src/scene/overrides.js'
import { prepareScene } from '../../src/scene/prepare.js'
import type { Scene } from '../../src/scene/schema.js'
import { gridOf, validateScene } from '../../src/scene/validate.js'
import { boxMesh, toMesh } from '../scene/mesh/meshes.js'
import { fuzz } from './fuzz.js'
import { mutateJson, mutateText, STRINGS, WORDS } from './mutate.js'

const folder = fileURLToPath(new URL('../../scenes', import.meta.url))
const scenes = readdirSync(folder)
  .filter(name => name.endsWith('.json') && name !== 'scene.schema.json')
  .map(name => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')))
const cube = toMesh(boxMesh([0, 0, 0], [1, 1, 1]))
const meshesFor = (scene: Scene) =>
  new Map([...JSON.stringify(scene).matchAll(/"mesh":"([^"]*)"/g)].map(([, name]) => [name, cube]))
const likely = [
  'separating',
  'sticking',
  'open',
  'closed',
  'sphere',
  'box',
  'everything',
  'apic',
  'flip',
  'nas-mgpcg',
  'psor',
  'portable',
  [0, 0],
  [1, 1, 1],
]
const MAX_CELLS = 40_000

fuzz('scene', 12_000, draw => {
  const scene = validateScene(mutateJson(draw, scenes, likely), 'a.json')
  if (gridOf(scene).cells > MAX_CELLS || !draw.chance(0.3)) return 'read'
  const estimate = estimateScene(scene, prepareScene(scene, meshesFor(scene)))
  for (const [name, value] of Object.entries(estimate))
    if (typeof value === 'number' && !(value >= 0 && value < Infinity)) throw new Error(`the estimate of ${name} is ${value}`)
  return 'estimated'
})

fuzz('scene, simulated', 500, async draw => {
  const plain = mutateJson(draw, scenes, likely) as Record<string, unknown>
  // Small, so that many can be tried.
  if (typeof plain === 'object' && plain !== null && typeof plain.domain === 'object' && plain.domain !== null)
    plain.domain = { ...plain.domain, resolution: 4 + draw.below(5) }
  const scene = validateScene(plain, 'a.json')
  if (gridOf(scene).cells > 800 || !['nas-mgpcg', 'psor', 'mic-pcg'].includes(scene.solver.name)) return 'too large'
  const { time, particles } = scene
  const calm = {
    ...scene,
    time: { ...time, maxSubsteps: Math.min(4, time.maxSubsteps), minSubsteps: Math.min(2, time.minSubsteps) },
  }
  if (particles.perCell > 64) return 'too many particles'
  const simulation = await simulateScene({ scene: calm, meshes: meshesFor(scene) }, { threads: 1 })
  try {
    const record = await simulation.advance()
    if (!Number.isFinite(record.volume)) throw new Error(`the volume is ${record.volume}`)
    const { liquid } = simulation.capture()
    if (liquid.some(Number.isNaN)) throw new Error('a level set is not a number')
  } finally {
    simulation.dispose()
  }
  return 'simulated'
})

const paths = [
  'time.frames',
  'solids[1].friction',
  'solids.0.radius',
  'liquid[0].min[1]',
  'solver.options.sweeps',
  'output.keep',
  'domain.sides.top',
  'walls',
]
fuzz('override', 8000, draw => {
  const path = draw.chance(0.5) ? draw.pick(paths) : mutateText(draw, paths)
  const [key, value] = parseOverride(
    draw.chance(0.9) ? `${path}=${draw.pick([...WORDS, ...STRINGS, '[1,2]', '{"__proto__":{"a":1}}'])}` : path,
  )
  const scene = structuredClone(draw.pick(scenes))
  setScenePath(scene, key, value)
  if (({} as Record<string, unknown>).a !== undefined) throw new Error('all objects were changed')
  if (draw.chance(0.3)) validateScene(scene, 'a.json')
})

fuzz('frame range', 6000, draw => {
  const range = parseFrameRange(mutateText(draw, ['12', '1-120', '1-120:2', '60-', '0-0:1']))
  selectFrames(range, [0, 1, 2, 60, 120])
})
