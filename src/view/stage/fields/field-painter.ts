/** Values, colours and bounds of the field that is shown, for shaders of 2D and 3D alike. */
import type { DataTexture } from 'three'
import type { Frame } from '../../../liquid/frame.js'
import { mapColour, twoSidedColour } from '../../../paint/colour.js'
import { createColourMap } from './colour-map.js'
import { createFieldReader, type FieldName, largestValue, NOTHING, steadyBound } from './field-values.js'
import { type Legend, PINNED_COLOURS, PINNED_LEGEND, scaleLegend } from './legend.js'
import { createVolume, setVolume, type Uniforms } from './level-set-textures.js'

/** `field` holds one number per cell. */
export const FIELD = /* glsl */ `
uniform highp sampler3D field;
bool isThere(float value) {
  return value > ${(NOTHING / 2).toExponential()};
}
`

export interface FieldPainter {
  readonly uniforms: Uniforms
  /** The values that are shown, until the next call; undefined if the frame holds no fields: then all stays as it was. */
  update(frame: Frame, field: FieldName): Float32Array | undefined
  /** There is nothing to explain. */
  clear(): void
  readonly legend: Legend | undefined
  dispose(): void
}

export function createFieldPainter(): FieldPainter {
  const maps = {
    oneSided: createColourMap(mapColour),
    twoSided: createColourMap(twoSidedColour, true),
    words: createColourMap(share => Object.values(PINNED_COLOURS)[Math.round(2 * share)].colour),
  }
  const uniforms = {
    field: { value: createVolume() },
    colourMap: { value: maps.oneSided as DataTexture },
    low: { value: 0 },
    high: { value: 1 },
  }
  const bounds: Record<string, number> = {}
  const reader = createFieldReader()
  let legend: Legend | undefined

  function setColours(values: Float32Array, field: FieldName): void {
    if (field === 'pinned') {
      legend = PINNED_LEGEND
      uniforms.colourMap.value = maps.words
      uniforms.low.value = 0
      uniforms.high.value = 2
      return
    }
    bounds[field] = steadyBound(largestValue(values), bounds[field] ?? 0)
    uniforms.high.value = bounds[field]
    uniforms.low.value = field === 'divergence' ? -bounds[field] : 0
    uniforms.colourMap.value = field === 'divergence' ? maps.twoSided : maps.oneSided
    legend = scaleLegend(field, uniforms.low.value, uniforms.high.value)
  }

  return {
    uniforms,
    get legend() {
      return legend
    },
    update(frame, field) {
      const values = reader.read(frame, field)
      if (!values) return undefined
      setVolume(uniforms.field.value, values, frame.grid.shape)
      setColours(values, field)
      return values
    },
    clear() {
      legend = undefined
    },
    dispose() {
      uniforms.field.value.dispose()
      for (const map of Object.values(maps)) map.dispose()
    },
  }
}
