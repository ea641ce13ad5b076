/** What assembly/paint-flat-calls.ts exports, and how what a picture of a 2D frame is painted from lies in memory. */

export interface PaintFlatKernels {
  createFlat(nx: number, ny: number, width: number, height: number): number
  takeFlat(flat: number): void
  paintFlat(flat: number): void
}

/** Words in the order of assembly/paint-flat.ts. */
const FIELDS = [
  ...['nx', 'ny', 'width', 'height', 'perMetre', 'originX', 'originY', 'pixel', 'edgeWidth', 'wallShade'],
  ...['ballX', 'ballY', 'ballRadius', 'givenLiquid', 'givenSolid', 'colours', 'pixels'],
] as const
export type FlatField = (typeof FIELDS)[number]

/** Where in the words of a picture a field stands. */
export const FLAT_FIELD = Object.fromEntries(FIELDS.map((name, at) => [name, at])) as Readonly<Record<FlatField, number>>
