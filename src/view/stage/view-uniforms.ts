/** Uniforms of all shaders of a stage: camera, screen, colours. One set, shared by reference. */
import { type Camera, Color, Matrix4, Vector2, Vector3, Vector4 } from 'three'
import type { Palette } from '../../paint/palette.js'
import { toLight } from './three-colours.js'

export interface ViewUniforms {
  readonly cameraWorld: { readonly value: Matrix4 }
  readonly projectionInverse: { readonly value: Matrix4 }
  /** Pixels that are drawn. */
  readonly screen: { readonly value: Vector2 }
  /** Of the domain, m. */
  readonly size: { readonly value: Vector3 }
  readonly horizon: { readonly value: Color }
  readonly zenith: { readonly value: Color }
  readonly mirrored: { readonly value: Color }
  readonly scattered: { readonly value: Color }
  /** Per metre of liquid, as powers of e: of red, green and blue, and of the light that hides what is behind. */
  readonly absorbed: { readonly value: Vector4 }
  readonly lamp: { readonly value: Color }
  readonly ground: { readonly value: Color }
  readonly groundLine: { readonly value: Color }
  readonly edge: { readonly value: Color }
  readonly solidColour: { readonly value: Color }
  readonly solidRim: { readonly value: Color }
  [name: string]: { value: unknown }
}

export function createViewUniforms(): ViewUniforms {
  return {
    cameraWorld: { value: new Matrix4() },
    projectionInverse: { value: new Matrix4() },
    screen: { value: new Vector2(1, 1) },
    size: { value: new Vector3(1, 1, 1) },
    horizon: { value: new Color() },
    zenith: { value: new Color() },
    mirrored: { value: new Color() },
    scattered: { value: new Color() },
    absorbed: { value: new Vector4() },
    lamp: { value: new Color() },
    ground: { value: new Color() },
    groundLine: { value: new Color() },
    edge: { value: new Color() },
    solidColour: { value: new Color() },
    solidRim: { value: new Color() },
  }
}

export function setViewCamera(view: ViewUniforms, camera: Camera): void {
  camera.updateMatrixWorld()
  view.cameraWorld.value.copy(camera.matrixWorld)
  view.projectionInverse.value.copy(camera.projectionMatrixInverse)
}

/** Of a domain of the size that the view has by now. */
export function setViewColours(view: ViewUniforms, palette: Palette): void {
  const { x, y, z } = view.size.value
  view.absorbed.value.set(...palette.absorbed, palette.murk).divideScalar(Math.cbrt(x * y * z))
  for (const name of ['horizon', 'zenith', 'ground', 'groundLine', 'edge', 'solidRim', 'mirrored', 'scattered'] as const)
    view[name].value.copy(toLight(palette[name]))
  view.solidColour.value.copy(toLight(palette.solid))
  view.lamp.value.setScalar(palette.lamp)
}
