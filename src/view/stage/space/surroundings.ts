/** What is around liquid in 3D: backdrop, ground in the light that liquid lets through, edges of the domain, solids and a ball moved by the user. */
import {
  BoxGeometry,
  BufferGeometry,
  DoubleSide,
  EdgesGeometry,
  LineSegments,
  Mesh,
  PlaneGeometry,
  RGBAFormat,
  Scene,
  SphereGeometry,
  type Texture,
  Vector3,
} from 'three'
import { nodeShape } from '../../../grid/grid.js'
import { isosurface } from '../../../grid/isosurface.js'
import type { Frame } from '../../../liquid/frame.js'
import { createGroundLight } from '../../../paint/ground/ground-light.js'
import type { Ball } from '../../../paint/view.js'
import { createVolume, setVolume } from '../fields/level-set-textures.js'
import { setTriangles } from '../objects/mesh-geometry.js'
import type { ViewUniforms } from '../view-uniforms.js'
import { ballMaterial, edgeMaterial, groundMaterial, solidMaterial } from './surroundings-shaders.js'

export interface Surroundings {
  /** Drawn before liquid: backdrop and ground, then what is solid. */
  readonly backdrop: Scene
  readonly opaque: Scene
  readonly translucent: Scene
  update(frame: Frame): void
  setBall(ball: Ball | null): void
  /** Whether what is translucent is drawn before water of that depth, encoded for the screen, or all of it, as light. Edges
   *  are not drawn behind water at all: refracted they would look like objects. */
  drawBefore(waterDepth: Texture): void
  drawAll(hasWater: boolean): void
  dispose(): void
}

export function createSurroundings(view: ViewUniforms): Surroundings {
  const light = {
    groundLight: { value: createVolume(RGBAFormat) },
    lightMargin: { value: 0 },
    lightPerCell: { value: 1 },
    spacing: { value: 1 },
    ball: { value: new Vector3() },
    ballRadius: { value: 0 },
  }
  const order = { waterDepth: { value: null as Texture | null }, isBefore: { value: false }, slack: { value: 0 } }
  const backdrop = new Mesh(new PlaneGeometry(2, 2), groundMaterial({ ...view, ...light }))
  const solids = new Mesh(new BufferGeometry(), solidMaterial({ ...view, ...order }))
  solids.material.side = DoubleSide
  const edges = new LineSegments(new EdgesGeometry(new BoxGeometry(1, 1, 1)), edgeMaterial({ ...view, ...order }))
  const ballMesh = new Mesh(new SphereGeometry(1, 48, 32), ballMaterial(view))
  ballMesh.visible = false
  const scenes = [backdrop, ballMesh, solids].map(object => new Scene().add(object))
  scenes[2].add(edges)
  for (const object of [backdrop, solids, edges, ballMesh]) object.frustumCulled = false

  const lightGround = createGroundLight()
  let knownSolid = new Float32Array(0)

  function updateSolids(frame: Frame): void {
    const { grid, solid } = frame
    if (areSame(knownSolid, solid)) return
    knownSolid = solid.slice()
    const shape = nodeShape(grid)
    const places = shape.map(count => Float64Array.from({ length: count }, (_, at) => at * grid.spacing))
    // At the border of the grid the surface stays open: what is solid there continues beyond it.
    setTriangles(
      solids.geometry,
      isosurface({ shape, values: solid, places: places as unknown as [Float64Array, Float64Array, Float64Array] }),
    )
  }

  return {
    backdrop: scenes[0],
    opaque: scenes[1],
    translucent: scenes[2],
    update(frame) {
      const { spacing } = frame.grid
      light.spacing.value = spacing
      order.slack.value = 0.75 * spacing
      edges.scale.copy(view.size.value)
      edges.position.copy(view.size.value).multiplyScalar(0.5)
      const [red, green, blue] = view.absorbed.value
      const { width, height, margin, perCell, values } = lightGround(frame, [red * spacing, green * spacing, blue * spacing])
      setVolume(light.groundLight.value, values, [width, height, 1])
      light.lightMargin.value = margin
      light.lightPerCell.value = perCell
      updateSolids(frame)
    },
    setBall(ball) {
      ballMesh.visible = ball !== null
      light.ballRadius.value = ball?.radius ?? 0
      if (!ball) return
      ballMesh.position.set(...ball.centre)
      ballMesh.scale.setScalar(ball.radius)
      light.ball.value.set(...ball.centre)
    },
    drawBefore(waterDepth) {
      order.waterDepth.value = waterDepth
      order.isBefore.value = true
      edges.visible = true
    },
    drawAll(hasWater) {
      order.isBefore.value = false
      edges.visible = !hasWater
    },
    dispose() {
      for (const { geometry, material } of [backdrop, solids, edges, ballMesh]) {
        geometry.dispose()
        material.dispose()
      }
      light.groundLight.value.dispose()
    },
  }
}

/** A plain loop: most frames have the solids of the one before, and a call per number would cost a millisecond. */
function areSame(a: Float32Array, b: Float32Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}
