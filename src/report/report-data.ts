/** What a report of two runs shows, and how it names and colours them. */
import type { WallForces } from '../liquid/boundary/force-record.js'
import type { Picture } from '../liquid/picture.js'
import type { Curve } from './convergence.js'

export interface ReportFrame {
  /** s, m³ (m² in 2D), m² (m in 2D). */
  readonly time: number
  readonly volume: number
  /** J (J/m in 2D). */
  readonly energy: { readonly kinetic: number; readonly potential: number }
  readonly wettedCeiling: number
  readonly substeps: number
  /** Of all solves of the frame together. */
  readonly iterations: number
  /** Largest of them, 1/s. */
  readonly residual: number
  /** Contacts held at pressure 0 in the last solve. */
  readonly pinned: number
  /** By name of the stage. */
  readonly seconds: Readonly<Record<string, number>>
  /** Mean of the frame. */
  readonly forces: WallForces
}

export interface ReportData {
  readonly title: string
  readonly dims: 2 | 3
  readonly separating: readonly ReportFrame[]
  readonly sticking: readonly ReportFrame[]
  /** Where the difference is plain. */
  readonly pair: { readonly time: number; readonly separating: Picture; readonly sticking: Picture }
  /** MP4. */
  readonly video?: Uint8Array
  /** Residuals of one solve. */
  readonly solve?: { readonly curves: readonly Curve[]; readonly tolerance: number; readonly title: string }
  /** Sentences about steps that were too long, or a grid that was too coarse. */
  readonly warnings: readonly string[]
  readonly parameters: readonly (readonly [name: string, value: string])[]
  readonly command: string
}

export const WALL_COLOURS = { separating: '#1f86d1', sticking: '#d9731a' } as const
export type WallKind = keyof typeof WALL_COLOURS
export const WALLS_IN_ORDER: readonly WallKind[] = ['sticking', 'separating']

/** Three digits. */
export function short(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : 'not a number'
}
