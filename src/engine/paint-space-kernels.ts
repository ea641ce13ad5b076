/** What assembly/paint-space-calls.ts exports, and how what a picture is painted from lies in memory. */

export interface PaintSpaceKernels {
  createSpace(nx: number, ny: number, nz: number, width: number, height: number): number
  takeSpaceFrame(space: number): number
  paintSpaceBackdrop(space: number): void
  findSpaceWalls(space: number): void
  paintSpace(space: number): void
}

/** Words of a space in the order of assembly/paint-space.ts. */
const FIELDS = [
  ...['nx', 'ny', 'nz', 'width', 'height', 'eyeX', 'eyeY', 'eyeZ', 'forwardX', 'forwardY', 'forwardZ'],
  ...['rightX', 'rightY', 'rightZ', 'upX', 'upY', 'upZ', 'ballX', 'ballY', 'ballZ', 'ballRadius', 'spacing', 'perRight', 'perUp'],
  ...['perColumn', 'perRow', 'givenLiquid', 'givenSolid', 'colours', 'codes', 'pixels'],
] as const
export type SpaceField = (typeof FIELDS)[number]

/** Where in the words of a space a field stands. */
export const SPACE_FIELD = Object.fromEntries(FIELDS.map((name, at) => [name, at])) as Readonly<Record<SpaceField, number>>

/** Colours in the order of assembly/paint-space.ts, four numbers each. */
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
] as const

/** Steps of light in the table of bytes for the screen. */
export const SPACE_CODES = 4096
