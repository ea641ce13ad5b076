/** What a validation is: scenes whose answer is known, checks of measured quantities against it, and plots of both. Everything here depends on
 *  the scenes alone, so a page of results is the same for any number of threads. */
import type { Frame } from '../liquid/frame.js'
import type { FrameRecord } from '../liquid/records.js'
import type { SceneInput } from '../scene/schema.js'

/** Name of the page, and of the folder of figures beside it. */
export const PAGE_FILE = 'validation.md'
export const FIGURE_FOLDER = 'validation'

/** quick: coarse grids for a test; full: the grids of the page. */
export type Fidelity = 'quick' | 'full'

export interface ValidationCase {
  /** As the command line names it. */
  readonly name: string
  readonly title: string
  /** Markdown: the scene, its theory, and why the bounds are what they are. */
  readonly about: string
  run(bench: Bench): Promise<CaseFindings>
}

/** What a case runs its scenes with. */
export interface Bench {
  /** One of the two, by fidelity. */
  choose<Value>(quick: Value, full: Value): Value
  /** Runs all frames of a scene; `visit` gets the start, without a record, and every frame, with particles and fields. */
  simulate(scene: SceneInput, visit: (frame: Frame, record?: FrameRecord) => void): Promise<void>
}

export interface CaseFindings {
  readonly checks: readonly BoundCheck[]
  readonly figures: readonly Figure[]
}

/** A measured quantity beside its theory. */
export interface BoundCheck {
  /** What is measured, and in which variant of the scene. */
  readonly quantity: string
  readonly measured: number
  readonly theory: number
  readonly unit: string
  /** Distance of the two: a fraction of the theory if relative, otherwise in the unit. */
  readonly error: number
  readonly isRelative: boolean
  /** Largest error that passes. */
  readonly bound: number
}

export interface Figure {
  /** Name of its file, without the name of the case. */
  readonly name: string
  /** Description for screen readers. */
  readonly title: string
  /** What the axes show, with units. */
  readonly x: string
  readonly y: string
  readonly curves: readonly PlottedCurve[]
}

export interface PlottedCurve {
  readonly name: string
  /** Theory is a dashed line, published data are rings, what was measured is a coloured line. */
  readonly kind: 'theory' | 'data' | 'measured'
  readonly points: readonly PlotPoint[]
}

export type PlotPoint = readonly [x: number, y: number]

export interface Variant {
  readonly dims: 2 | 3
  readonly method: 'flip' | 'apic'
}

export const FLIP_2D: Variant = { dims: 2, method: 'flip' }
export const APIC_2D: Variant = { dims: 2, method: 'apic' }
export const FLIP_3D: Variant = { dims: 3, method: 'flip' }
export const VARIANTS: readonly Variant[] = [FLIP_2D, APIC_2D, FLIP_3D]

export const nameOf = ({ dims, method }: Variant) => `${dims}D ${method.toUpperCase()}`

/** Compares as a share of the theory. */
export function relativeCheck(quantity: string, unit: string, measured: number, theory: number, bound: number): BoundCheck {
  return { quantity, unit, measured, theory, bound, isRelative: true, error: Math.abs(measured / theory - 1) }
}

/** Compares in the unit of the quantity. */
export function absoluteCheck(quantity: string, unit: string, measured: number, theory: number, bound: number): BoundCheck {
  return { quantity, unit, measured, theory, bound, isRelative: false, error: Math.abs(measured - theory) }
}

/** NaN never passes. */
export const hasPassed = ({ error, bound }: BoundCheck) => error <= bound
