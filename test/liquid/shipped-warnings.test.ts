/** The scenes included with Peel resolve what they contain. */
import { expect, it } from 'vitest'
import { loadScene, shippedScenes } from '../../src/io/scene-file.js'
import { sceneWarnings } from '../../src/liquid/warnings/scene-warnings.js'
import { estimateScene } from '../../src/scene/estimate.js'
import { prepareScene } from '../../src/scene/prepare.js'

it.each(await shippedScenes())('%s has nothing to warn of as it is included', async name => {
  const { scene, meshes } = await loadScene(name)
  const setting = prepareScene(scene, meshes)
  expect(sceneWarnings(scene, setting, estimateScene(scene, setting))).toEqual([])
})
