/** The picture below a 2D frame, part by part: air over all of the canvas, then rectangles of cells, each with a shader that
 *  evaluates only what is visible there. */
import {
  type BufferAttribute,
  BufferGeometry,
  Group,
  Mesh,
  type OrthographicCamera,
  PlaneGeometry,
  type RawShaderMaterial,
  Vector2,
} from 'three'
import type { Uniforms } from '../fields/level-set-textures.js'
import { createAttribute, send } from '../objects/gpu-attribute.js'
import { flatCamera } from '../screen/plain-camera.js'
import { createMaterial } from '../space/surroundings-shaders.js'
import { createMarker, EDGE_REACH, EVERYTHING, type FlatFields, listRectangles, MARKS } from './marks.js'
import { CELLS_VERTEX, FLAT, FLAT_STYLE, FLAT_VERTEX } from './shaders.js'

export interface FlatPicture {
  readonly object: Group
  update(fields: FlatFields, style: keyof typeof FLAT_STYLE): void
  /** Whether there is a ball. */
  setBall(isThere: boolean): void
  /** Before it is drawn: with which camera, and on how many rows of pixels. */
  prepare(camera: OrthographicCamera, rows: number): void
  dispose(): void
}

export function createFlatPicture(shared: Uniforms): FlatPicture {
  const view = { origin: { value: new Vector2() }, pixelSide: { value: 1 } }
  const uniforms = { ...shared, ...view }
  const canvas = new PlaneGeometry(2, 2)
  const materials: RawShaderMaterial[] = []
  const constants = { STYLE: FLAT_STYLE.water as number, HAS_BALL: 0 }
  const air = addMesh(canvas, FLAT_VERTEX, MARKS.air)
  const everything = addMesh(canvas, FLAT_VERTEX, EVERYTHING)
  const parts = new Map<number, Mesh>()
  const cells = new Group()
  const object = new Group().add(air, everything, cells)
  const markCells = createMarker()
  let spacing = 1

  function addMesh(geometry: BufferGeometry, vertexShader: string, marked: number): Mesh {
    const defines = { ...constants, MARKED: marked }
    const material = createMaterial(uniforms, vertexShader, FLAT, { depthTest: false, depthWrite: false, defines })
    materials.push(material)
    const mesh = new Mesh(geometry, material)
    mesh.frustumCulled = false
    // Drawn before everything else, the canvas first.
    mesh.renderOrder = vertexShader === FLAT_VERTEX ? -2 : -1
    return mesh
  }

  function partOf(mark: number): Mesh {
    const known = parts.get(mark)
    if (known) return known
    const part = addMesh(new BufferGeometry(), CELLS_VERTEX, mark)
    parts.set(mark, part)
    cells.add(part)
    return part
  }

  /** Two triangles each. Memory of the GPU has a fixed size; it grows where it must. */
  function setRectangles(geometry: BufferGeometry, sides: readonly number[]): void {
    const room = geometry.hasAttribute('corner') ? geometry.getAttribute('corner').array.length : 0
    if (2 * sides.length > room) {
      geometry.dispose()
      const most = Math.ceil((1.5 * sides.length) / 4)
      geometry.setAttribute('corner', createAttribute(new Float32Array(8 * most), 2))
      geometry.setIndex(createAttribute(indicesOf(most), 1))
    }
    const corners = geometry.getAttribute('corner') as BufferAttribute
    const values = corners.array
    for (let at = 0; at < sides.length; at += 4) {
      const [left, bottom, right, top] = [sides[at], sides[at + 1], sides[at + 2], sides[at + 3]]
      values[2 * at] = values[2 * at + 4] = left
      values[2 * at + 1] = values[2 * at + 3] = bottom
      values[2 * at + 2] = values[2 * at + 6] = right
      values[2 * at + 5] = values[2 * at + 7] = top
    }
    send(corners, 2 * sides.length)
    geometry.setDrawRange(0, 1.5 * sides.length)
  }

  function setConstant(name: keyof typeof constants, value: number): void {
    if (constants[name] === value) return
    constants[name] = value
    for (const material of materials) {
      material.defines[name] = value
      material.needsUpdate = true
    }
  }

  return {
    object,
    update(fields, style) {
      spacing = fields.grid.spacing
      setConstant('STYLE', FLAT_STYLE[style])
      const rectangles = listRectangles(fields.grid, markCells(fields))
      for (const part of parts.values()) part.visible = false
      for (const [mark, corners] of rectangles) {
        const part = partOf(mark)
        setRectangles(part.geometry, corners)
        part.visible = true
      }
    },
    setBall: isThere => setConstant('HAS_BALL', isThere ? 1 : 0),
    prepare(camera, rows) {
      const { origin, pixel: side } = flatCamera(camera, rows)
      view.pixelSide.value = side
      view.origin.value.set(...origin)
      // Edges reach as far as two pixels, which may be farther than marks do.
      const isWhole = 2 * side > EDGE_REACH.surface * spacing
      everything.visible = isWhole
      air.visible = cells.visible = !isWhole
    },
    dispose() {
      for (const { geometry } of parts.values()) geometry.dispose()
      for (const part of [canvas, ...materials]) part.dispose()
    },
  }
}

function indicesOf(rectangles: number): Uint32Array {
  const indices = new Uint32Array(6 * rectangles)
  for (let n = 0; n < rectangles; n++)
    indices.set(
      [0, 1, 2, 2, 1, 3].map(corner => 4 * n + corner),
      6 * n,
    )
  return indices
}
