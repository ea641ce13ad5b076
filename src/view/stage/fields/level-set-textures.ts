/** The level sets of a frame as textures, and the functions of shaders that read them. Uploaded unchanged: 32-bit textures
 *  need not be filtered by the hardware, which not every phone can, because shaders interpolate themselves. */
import { Data3DTexture, FloatType, type IUniform, type PixelFormat, RedFormat, Vector3 } from 'three'
import { nodeShape } from '../../../grid/grid.js'
import type { Frame } from '../../../liquid/frame.js'

export type Uniforms = Record<string, IUniform>

export interface LevelSetTextures {
  readonly uniforms: Uniforms
  /** `liquid` replaces that of the frame, if given. */
  update(frame: Frame, liquid?: Float32Array): void
  dispose(): void
}

/** Metres in, metres out. `cells` is the shape of the grid, `spacing` the edge of a cell. */
export const LEVEL_SETS = /* glsl */ `
uniform highp sampler3D liquid;
uniform highp sampler3D solid;
uniform vec3 cells;
uniform float spacing;

float between(highp sampler3D values, vec3 place) {
  ivec3 last = textureSize(values, 0) - 1;
  vec3 p = clamp(place, vec3(0.0), vec3(last));
  ivec3 a = ivec3(p);
  ivec3 b = min(a + 1, last);
  vec3 f = p - vec3(a);
  vec4 lower = vec4(texelFetch(values, a, 0).r, texelFetch(values, ivec3(b.x, a.yz), 0).r,
    texelFetch(values, ivec3(a.x, b.y, a.z), 0).r, texelFetch(values, ivec3(b.xy, a.z), 0).r);
  if (f.z == 0.0) {
    vec2 row = mix(lower.xz, lower.yw, f.x);
    return mix(row.x, row.y, f.y);
  }
  vec4 upper = vec4(texelFetch(values, ivec3(a.xy, b.z), 0).r, texelFetch(values, ivec3(b.x, a.y, b.z), 0).r,
    texelFetch(values, ivec3(a.x, b.yz), 0).r, texelFetch(values, b, 0).r);
  vec4 four = mix(lower, upper, f.z);
  vec2 row = mix(four.xz, four.yw, f.x);
  return mix(row.x, row.y, f.y);
}

float liquidAt(vec3 x) {
  return between(liquid, x / spacing - 0.5);
}

float solidAt(vec3 x) {
  return between(solid, x / spacing);
}
`

export function createLevelSetTextures(): LevelSetTextures {
  const uniforms = {
    liquid: { value: createVolume() },
    solid: { value: createVolume() },
    cells: { value: new Vector3(1, 1, 1) },
    spacing: { value: 1 },
  }
  return {
    uniforms,
    update(frame, liquid = frame.liquid) {
      const { grid } = frame
      setVolume(uniforms.liquid.value, liquid, grid.shape)
      setVolume(uniforms.solid.value, frame.solid, nodeShape(grid))
      uniforms.cells.value.set(...grid.shape)
      uniforms.spacing.value = grid.spacing
    },
    dispose() {
      uniforms.liquid.value.dispose()
      uniforms.solid.value.dispose()
    },
  }
}

/** One number per point of a lattice, or more by the format; to begin with a single point of 1, outside of everything. */
export function createVolume(format: PixelFormat = RedFormat): Data3DTexture {
  const texture = new Data3DTexture(Float32Array.of(1, 1, 1, 1), 1, 1, 1)
  texture.format = format
  texture.type = FloatType
  texture.needsUpdate = true
  return texture
}

/** The array is read when the next picture is drawn. */
export function setVolume(
  texture: Data3DTexture,
  values: Float32Array,
  [width, height, depth]: readonly [number, number, number],
): void {
  const { image } = texture
  // Memory on the GPU has a fixed shape.
  if (image.width !== width || image.height !== height || image.depth !== depth) texture.dispose()
  Object.assign(image, { data: values, width, height, depth })
  texture.needsUpdate = true
}
