/** 3D frames: what is around the liquid, the liquid in one of its views, and what is translucent before it. */
import { type Camera, DirectionalLight, HemisphereLight, type PerspectiveCamera, type WebGLRenderer } from 'three'
import { LIGHT } from '../../../paint/palette.js'
import { createFieldPainter } from '../fields/field-painter.js'
import { scaleLegend } from '../fields/legend.js'
import { createLevelSetTextures } from '../fields/level-set-textures.js'
import { createParticleObject } from '../objects/particle-object.js'
import { createPinnedObject } from '../objects/pinned-object.js'
import { createSliceObject } from '../objects/slice-object.js'
import { createSurfaceObject } from '../objects/surface-object.js'
import { WATER_QUALITY } from '../quality.js'
import { isField, partsFor, type Scenery, type StageView } from '../scenery.js'
import { createViewUniforms, setViewCamera, setViewColours } from '../view-uniforms.js'
import { createWaterPoints } from '../water/points.js'
import { createScreenPasses } from './screen-passes.js'
import { createSurroundings } from './surroundings.js'

export function createSpaceScenery(renderer: WebGLRenderer): Scenery {
  const view = createViewUniforms()
  const levelSets = createLevelSetTextures()
  const painter = createFieldPainter()
  const surroundings = createSurroundings(view)
  const water = createWaterPoints()
  const passes = createScreenPasses(view, levelSets, water, WATER_QUALITY.medium)
  const particles = createParticleObject()
  const surface = createSurfaceObject()
  const slice = createSliceObject(view, levelSets, painter)
  const pinned = createPinnedObject()
  const sun = new DirectionalLight(0xffffff, 2)
  sun.position.set(-0.5, 1, 0.42)
  const around = new HemisphereLight(0xffffff, 0xb8ccdd, 2.4)
  surroundings.opaque.add(particles.object, surface.object, slice.object, pinned.object, sun, around)
  let shown: StageView = 'water'
  let palette = LIGHT

  return {
    get legend() {
      return shown === 'particles' ? scaleLegend('speed', 0, particles.fastest) : painter.legend
    },
    needs: view => partsFor(view, 3),
    show(frame, wanted, place) {
      view.size.value.set(...frame.grid.shape).multiplyScalar(frame.grid.spacing)
      setViewColours(view, palette)
      surroundings.update(frame)
      levelSets.update(frame)
      const values = isField(wanted) ? painter.update(frame, wanted) : undefined
      const hasField = values !== undefined
      if (!hasField) painter.clear()
      pinned.object.visible = hasField && wanted === 'pinned'
      if (hasField && wanted === 'pinned') pinned.update(frame, values)
      // Frames that lack what a view needs show their surface, which all have.
      const hasParticles = frame.particles !== undefined && (wanted === 'water' || wanted === 'particles')
      shown = hasField || hasParticles ? wanted : 'surface'
      slice.object.visible = hasField
      surface.object.visible = shown === 'surface'
      particles.object.visible = shown === 'particles'
      if (shown === 'surface') surface.update(frame)
      if (shown === 'particles') particles.update(frame)
      if (shown === 'water') water.update(frame)
      if (hasField) slice.place(frame.grid, place)
    },
    render(camera: Camera) {
      const perspective = camera as PerspectiveCamera
      setViewCamera(view, camera)
      renderer.setRenderTarget(passes.scene)
      renderer.clear()
      const hasWater = shown === 'water'
      surroundings.drawAll(hasWater)
      for (const scene of [surroundings.backdrop, surroundings.opaque, surroundings.translucent]) renderer.render(scene, camera)
      if (hasWater) passes.drawWater(renderer, perspective)
      passes.compose(renderer, perspective, hasWater)
      if (hasWater) {
        surroundings.drawBefore(passes.waterDepth)
        renderer.setRenderTarget(passes.picture)
        renderer.render(surroundings.translucent, camera)
      }
      passes.present(renderer, perspective)
    },
    resize: passes.resize,
    setColours(chosen) {
      palette = chosen
      setViewColours(view, palette)
    },
    setBall: surroundings.setBall,
    setQuality(quality) {
      passes.quality = WATER_QUALITY[quality]
    },
    dispose() {
      for (const part of [levelSets, painter, surroundings, passes, water, particles, surface, slice, pinned]) part.dispose()
    },
  }
}
