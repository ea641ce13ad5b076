/** 2D frames on the canvas: a picture of all cells, and particles over that. */
import { type Camera, Color, type OrthographicCamera, RGFormat, Scene, Vector3, type WebGLRenderer } from 'three'
import type { Grid } from '../../../grid/grid.js'
import { continuedLiquid } from '../../../paint/continued-liquid.js'
import { edgeWidth, wallShade } from '../../../paint/flat-style.js'
import { liquidDepth } from '../../../paint/liquid-depth.js'
import { createFieldPainter } from '../fields/field-painter.js'
import { scaleLegend } from '../fields/legend.js'
import { createLevelSetTextures, createVolume, setVolume } from '../fields/level-set-textures.js'
import { createParticleObject } from '../objects/particle-object.js'
import { isField, partsFor, type Scenery, type StageView } from '../scenery.js'
import { toScreen } from '../three-colours.js'
import { createFlatPicture } from './picture.js'

const COLOURS = ['stoneEdge', 'shallow', 'deep', 'outline', 'gleam', 'edge'] as const

export function createFlatScenery(renderer: WebGLRenderer): Scenery {
  const levelSets = createLevelSetTextures()
  const painter = createFieldPainter()
  const particles = createParticleObject()
  const own = {
    levels: { value: createVolume(RGFormat) },
    edgeWidth: { value: 1 },
    wallShade: { value: 1 },
    air: { value: [new Color(), new Color()] },
    stone: { value: [new Color(), new Color()] },
    margin: { value: new Color() },
    ball: { value: new Vector3() },
    ballRadius: { value: 1 },
  }
  const colours = Object.fromEntries(COLOURS.map(name => [name, { value: new Color() }]))
  const uniforms = { ...levelSets.uniforms, ...painter.uniforms, ...own, ...colours }
  const picture = createFlatPicture(uniforms)
  const scene = new Scene().add(picture.object, particles.object)
  let rows = 1
  let shown: StageView = 'water'
  let continued: Float32Array | undefined
  let levels = new Float32Array(0)

  function setLevels({ shape, cells }: Grid, liquid: Float32Array, depth: Float32Array | undefined): void {
    if (levels.length !== 2 * cells) levels = new Float32Array(2 * cells)
    for (let cell = 0; cell < cells; cell++) {
      levels[2 * cell] = liquid[cell]
      if (depth) levels[2 * cell + 1] = depth[cell]
    }
    setVolume(own.levels.value, levels, shape)
  }

  return {
    get legend() {
      return shown === 'particles' ? scaleLegend('speed', 0, particles.fastest) : painter.legend
    },
    needs: view => partsFor(view, 2),
    show(frame, view) {
      shown = view
      continued = continuedLiquid(frame, continued)
      levelSets.update(frame)
      own.edgeWidth.value = edgeWidth(frame.grid)
      own.wallShade.value = wallShade(frame.grid)
      const depth = view === 'water' || view === 'surface' ? liquidDepth(frame.grid, continued) : undefined
      setLevels(frame.grid, continued, depth)
      const hasField = isField(view) && painter.update(frame, view) !== undefined
      if (!hasField) painter.clear()
      particles.object.visible = view === 'particles'
      if (view === 'particles') particles.update(frame)
      const style = hasField ? 'field' : view === 'particles' ? 'faint' : view === 'surface' ? 'contours' : 'water'
      picture.update({ grid: frame.grid, liquid: continued, solid: frame.solid, depth }, style)
    },
    render(camera: Camera) {
      picture.prepare(camera as OrthographicCamera, rows)
      renderer.setRenderTarget(null)
      renderer.render(scene, camera)
    },
    resize(_width, height) {
      rows = height
    },
    setColours(palette) {
      own.air.value = palette.air.map(toScreen)
      own.stone.value = palette.stone.map(toScreen)
      own.margin.value = toScreen(palette.air[0])
      for (const name of COLOURS) colours[name].value = toScreen(palette[name])
    },
    setBall(ball) {
      picture.setBall(ball !== null)
      if (!ball) return
      own.ballRadius.value = ball.radius
      own.ball.value.set(...ball.centre)
    },
    setQuality() {},
    dispose() {
      picture.dispose()
      own.levels.value.dispose()
      levelSets.dispose()
      painter.dispose()
      particles.dispose()
    },
  }
}
