/** Tables that the painter of 3D frames reads from memory. */

/** Colours in the order of kernels/space/space.ts, four numbers each. */
export const SPACE_COLOURS = [
  'horizon',
  'zenith',
  'mirrored',
  'lamp',
  'scattered',
  'ground',
  'groundLine',
  'solid',
  'solidRim',
  'edge',
  'absorbed',
  'surface',
  'mirroredBack',
] as const

/** Steps of light in the table of bytes for the screen. */
export const SPACE_CODES = 4096
