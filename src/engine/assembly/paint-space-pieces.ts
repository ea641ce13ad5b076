/** Pieces of the loops that paint liquid in space, by number: 140 and above. */
import { shadowPiece } from './paint-space-scene'
import { thicknessPiece, waterPiece } from './paint-space-water'

export const PAINT_SHADOWS = 140
export const MEASURE_THICKNESS = 141
export const PAINT_WATER = 142

export function runPaintPiece(operation: i32, piece: i32): void {
  switch (operation) {
    case PAINT_SHADOWS: return shadowPiece(piece)
    case MEASURE_THICKNESS: return thicknessPiece(piece)
    case PAINT_WATER: return waterPiece(piece)
    default: unreachable()
  }
}
