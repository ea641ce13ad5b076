/** From the scene in 3D to the canvas: liquid as screen-space water over it, if wanted, then edges are smoothed. */
import type { BufferGeometry } from 'three'
import {
  AdditiveBlending,
  DepthTexture,
  FloatType,
  HalfFloatType,
  LinearFilter,
  Mesh,
  NearestFilter,
  type PerspectiveCamera,
  PlaneGeometry,
  Points,
  type RawShaderMaterial,
  RedFormat,
  Scene,
  type Texture,
  UnsignedByteType,
  UnsignedIntType,
  Vector2,
  Vector4,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three'
import type { LevelSetTextures, Uniforms } from '../fields/level-set-textures.js'
import type { WaterQuality } from '../quality.js'
import { SCREEN_VERTEX } from '../shading.js'
import type { ViewUniforms } from '../view-uniforms.js'
import type { WaterPoints } from '../water/points.js'
import { farthestIn, screenBounds } from '../water/screen-bounds.js'
import { BALL_DEPTH, BALL_VERTEX, COMPOSE, NARROW_RANGE, THICKNESS, THICKNESS_VERTEX } from '../water/shaders.js'
import { COPY, SMOOTH_EDGES } from './picture-shaders.js'
import { createMaterial } from './surroundings-shaders.js'

/** Along the axes, then along the diagonals, so that what one pass leaves as a streak the next one crosses. */
const DIRECTIONS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
] as const

export interface ScreenPasses {
  /** What the scene is drawn into first. */
  readonly scene: WebGLRenderTarget
  /** Of the liquid that was drawn last, after smoothing. */
  readonly waterDepth: Texture
  /** Draws the depth of liquid, and smooths it. */
  drawWater(renderer: WebGLRenderer, camera: PerspectiveCamera): void
  /** The scene, behind liquid if it was drawn, in colours of the screen, into `picture`. */
  readonly picture: WebGLRenderTarget
  compose(renderer: WebGLRenderer, camera: PerspectiveCamera, hasLiquid: boolean): void
  present(renderer: WebGLRenderer, camera: PerspectiveCamera): void
  resize(width: number, height: number): void
  quality: WaterQuality
  dispose(): void
}

export function createScreenPasses(
  view: ViewUniforms,
  levelSets: LevelSetTextures,
  water: WaterPoints,
  quality: WaterQuality,
): ScreenPasses {
  const targets = createTargets()
  const { scene, depths, thickness, picture } = targets
  const materials = createMaterials(view, levelSets, targets)
  const { ballDepth, addThickness, filter, compose, copy, smoothEdges } = materials.all
  const { screenHeight, thicknessHeight, smoothed } = materials.uniforms
  /** The part of the screen with liquid. */
  const wet = new Vector4()

  const points = new Points(water.balls, ballDepth)
  points.frustumCulled = false
  const pointScene = new Scene().add(points)
  const square = new Mesh(new PlaneGeometry(2, 2), compose)
  square.frustumCulled = false
  const squareScene = new Scene().add(square)

  function run(
    renderer: WebGLRenderer,
    camera: PerspectiveCamera,
    material: RawShaderMaterial,
    target: WebGLRenderTarget | null,
  ) {
    square.material = material
    renderer.setRenderTarget(target)
    renderer.render(squareScene, camera)
  }

  function runWhereWet(
    renderer: WebGLRenderer,
    camera: PerspectiveCamera,
    material: RawShaderMaterial,
    target: WebGLRenderTarget,
  ) {
    target.scissor.copy(wet)
    target.scissorTest = true
    run(renderer, camera, material, target)
    target.scissorTest = false
  }

  function clear(renderer: WebGLRenderer, target: WebGLRenderTarget): void {
    renderer.setRenderTarget(target)
    renderer.clear()
  }

  function drawPoints(renderer: WebGLRenderer, camera: PerspectiveCamera, geometry: BufferGeometry, material: RawShaderMaterial) {
    points.geometry = geometry
    points.material = material
    renderer.render(pointScene, camera)
  }

  const passes: ScreenPasses = {
    scene,
    picture,
    quality,
    get waterDepth() {
      return smoothed.value!
    },
    drawWater(renderer, camera) {
      screenBounds(water.bounds, camera, scene.width, scene.height, wet)
      clear(renderer, depths[1])
      clear(renderer, depths[0])
      drawPoints(renderer, camera, water.balls, ballDepth)
      const { thicknessPixels } = passes.quality
      thickness.setSize(Math.ceil(scene.width / thicknessPixels), Math.ceil(scene.height / thicknessPixels))
      thicknessHeight.value = screenHeight.value / thicknessPixels
      clear(renderer, thickness)
      drawPoints(renderer, camera, water.volumes, addThickness)
      filter.uniforms.pixelsPerMetre.value = 0.5 * screenHeight.value * camera.projectionMatrix.elements[5]
      filter.uniforms.farthest.value = farthestIn(water.bounds, camera)
      filter.uniforms.longest.value = passes.quality.filterPixels
      for (let round = 0; round < 2 * passes.quality.rounds; round++) {
        const [from, to] = [depths[round % 2], depths[(round + 1) % 2]]
        filter.uniforms.closesHoles.value = round < 2
        filter.uniforms.depths.value = from.texture
        filter.uniforms.along.value.set(...DIRECTIONS[round % DIRECTIONS.length])
        runWhereWet(renderer, camera, filter, to)
      }
      smoothed.value = depths[0].texture
    },
    compose(renderer, camera, hasLiquid) {
      run(renderer, camera, copy, picture)
      if (hasLiquid) runWhereWet(renderer, camera, compose, picture)
    },
    present(renderer, camera) {
      run(renderer, camera, smoothEdges, null)
    },
    resize(width, height) {
      for (const target of [scene, picture, ...depths]) target.setSize(width, height)
      screenHeight.value = height
      view.screen.value.set(width, height)
    },
    dispose() {
      for (const target of [scene, picture, thickness, ...depths]) target.dispose()
      for (const material of Object.values(materials.all)) material.dispose()
      square.geometry.dispose()
    },
  }
  return passes
}

interface Targets {
  readonly scene: WebGLRenderTarget
  /** Depth of the liquid before and after a pass of the filter, in turn. */
  readonly depths: readonly WebGLRenderTarget[]
  readonly thickness: WebGLRenderTarget
  readonly picture: WebGLRenderTarget
}

function createTargets(): Targets {
  const scene = createTarget({ type: HalfFloatType, filter: LinearFilter, depthBuffer: true })
  scene.depthTexture = new DepthTexture(1, 1, UnsignedIntType)
  return {
    scene,
    depths: [true, false].map(depthBuffer => createTarget({ format: RedFormat, type: FloatType, depthBuffer })),
    thickness: createTarget({ format: RedFormat, type: HalfFloatType, filter: LinearFilter }),
    picture: createTarget({ type: UnsignedByteType, filter: LinearFilter, depthBuffer: false }),
  }
}

/** One material for each pass, and the uniforms that change from picture to picture. */
function createMaterials(view: ViewUniforms, levelSets: LevelSetTextures, { scene, thickness, picture }: Targets) {
  const { spacing } = levelSets.uniforms
  const uniforms = {
    screenHeight: { value: 1 },
    thicknessHeight: { value: 1 },
    smoothed: { value: null as Texture | null },
  }
  const light = { value: scene.texture }
  const ballDepth = createMaterial({ spacing, screenHeight: uniforms.screenHeight }, BALL_VERTEX, BALL_DEPTH)
  const addThickness = createMaterial({ screenHeight: uniforms.thicknessHeight }, THICKNESS_VERTEX, THICKNESS, {
    blending: AdditiveBlending,
    transparent: true,
    premultipliedAlpha: true,
    depthTest: false,
    depthWrite: false,
  })
  const filter = createPass(NARROW_RANGE, {
    depths: { value: null },
    along: { value: new Vector2() },
    pixelsPerMetre: { value: 1 },
    longest: { value: 1 },
    closesHoles: { value: true },
    thickness: { value: thickness.texture },
    screen: view.screen,
    farthest: { value: 1 },
    spacing,
  })
  const compose = createPass(COMPOSE, {
    ...view,
    spacing,
    light,
    sceneDepth: { value: scene.depthTexture },
    depths: uniforms.smoothed,
    thickness: { value: thickness.texture },
  })
  const copy = createPass(COPY, { light })
  const smoothEdges = createPass(SMOOTH_EDGES, { picture: { value: picture.texture }, screen: view.screen })
  return { uniforms, all: { ballDepth, addThickness, filter, compose, copy, smoothEdges } }
}

function createPass(fragmentShader: string, uniforms: Uniforms): RawShaderMaterial {
  return createMaterial(uniforms, SCREEN_VERTEX, fragmentShader, { depthTest: false, depthWrite: false })
}

interface TargetOptions {
  readonly type: typeof FloatType | typeof HalfFloatType | typeof UnsignedByteType
  readonly format?: typeof RedFormat
  readonly filter?: typeof LinearFilter
  readonly depthBuffer?: boolean
}

function createTarget({ type, format, filter, depthBuffer = false }: TargetOptions): WebGLRenderTarget {
  const each = filter ?? NearestFilter
  return new WebGLRenderTarget(1, 1, { type, ...(format && { format }), minFilter: each, magFilter: each, depthBuffer })
}
