/** A field of a frame on one plane through the domain, cell by cell. */
import { DoubleSide, Mesh, PlaneGeometry, Vector3 } from 'three'
import type { Axis, Grid } from '../../../grid/grid.js'
import { COLOUR_MAP } from '../fields/colour-map.js'
import { FIELD, type FieldPainter } from '../fields/field-painter.js'
import { LEVEL_SETS, type LevelSetTextures } from '../fields/level-set-textures.js'
import { createMaterial } from '../space/surroundings-shaders.js'
import type { ViewUniforms } from '../view-uniforms.js'

export interface Slice {
  readonly axis: Axis
  /** Share of the side, from 0 to 1. */
  readonly position: number
}

export interface SliceObject {
  readonly object: Mesh
  place(grid: Grid, slice: Slice): void
  dispose(): void
}

export function createSliceObject(view: ViewUniforms, levelSets: LevelSetTextures, painter: FieldPainter): SliceObject {
  const material = createMaterial({ ...view, ...levelSets.uniforms, ...painter.uniforms }, SLICE_VERTEX, SLICE_FRAGMENT, {
    side: DoubleSide,
  })
  const object = new Mesh(new PlaneGeometry(1, 1), material)
  object.frustumCulled = false
  return {
    object,
    place({ shape, spacing }, { axis, position }) {
      const size = new Vector3(...shape).multiplyScalar(spacing)
      object.position.copy(size).multiplyScalar(0.5)
      // In the middle of a layer of cells, where their values are.
      const layer = Math.min(Math.floor(position * shape[axis]), shape[axis] - 1)
      object.position.setComponent(axis, (Math.max(layer, 0) + 0.5) * spacing)
      object.rotation.set(axis === 1 ? -Math.PI / 2 : 0, axis === 0 ? Math.PI / 2 : 0, 0)
      object.scale.set(axis === 0 ? size.z : size.x, axis === 1 ? size.z : size.y, 1)
    },
    dispose() {
      object.geometry.dispose()
      material.dispose()
    },
  }
}

const SLICE_VERTEX = /* glsl */ `
uniform mat4 modelMatrix;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;
out vec3 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xyz;
  gl_Position = projectionMatrix * (viewMatrix * world);
}
`

const SLICE_FRAGMENT = /* glsl */ `
${LEVEL_SETS}
${COLOUR_MAP}
${FIELD}
uniform vec3 edge;
in vec3 place;
out vec4 colour;
void main() {
  ivec3 cell = clamp(ivec3(floor(place / spacing)), ivec3(0), ivec3(cells) - 1);
  float value = texelFetch(field, cell, 0).r;
  float wall = solidAt(place);
  float line = clamp(1.5 - abs(wall) / max(fwidth(wall), 1e-12), 0.0, 1.0);
  bool isLiquid = isThere(value) && wall > -0.5 * spacing;
  if (!isLiquid && line < 0.5) discard;
  colour = vec4(isLiquid ? toLight(mappedColour(value)) : edge, 1.0);
}
`
