/** Sentences about frames whose steps were too long or whose grid was too coarse, with what to do. They say what would otherwise only be seen
 *  as liquid that disappears, jumps or gains energy. */
import { checkList, checkNumber, checkObject, listOf, objectWith } from '../../checks.js'
import { counted } from '../../counted.js'
import type { FrameRecord } from '../records.js'
import type { TimeOptions } from '../time-step.js'

/** Cells that walls and liquid may cross in a substep before it is worth a warning, whatever `cfl` allows. Accuracy falls gradually: with steps
 *  of first order, a dam break has 0.89 of its energy left after a second with half a cell in a substep, 0.82 with 3, 0.76 with 5; with 50 it
 *  gains some. */
export const MAX_TRUSTED_CELLS = 5

/** Share of the liquid in drops and sheets thinner than a cell that is worth a warning: as much may be missing from the surface. */
const MAX_THIN_SHARE = 0.1

function isThinIn({ thinVolume, particleVolume }: FrameRecord): boolean {
  return thinVolume > MAX_THIN_SHARE * particleVolume
}

export interface RunWarning {
  readonly kind: 'overlong' | 'fast liquid' | 'fast walls' | 'thin'
  /** What was found, and what to do. */
  readonly text: string
}

/** At most one of each kind; none if all is well. `time`: as the frames were simulated. */
export function runWarnings(records: readonly FrameRecord[], time: TimeOptions): RunWarning[] {
  listOf(objectWith({ travel: checkObject, substeps: checkList }))(records, 'runWarnings: its records')
  objectWith({ cfl: checkNumber, maxSubsteps: checkNumber })(time, 'runWarnings: its time options')
  const found: readonly (readonly [RunWarning['kind'], string | undefined])[] = [
    ['overlong', overlong(records, time)],
    ['fast liquid', fastLiquid(records)],
    ['fast walls', fastWalls(records)],
    ['thin', thin(records)],
  ]
  return found.flatMap(([kind, text]) => (text === undefined ? [] : [{ kind, text }]))
}

function overlong(records: readonly FrameRecord[], { cfl, maxSubsteps }: TimeOptions): string | undefined {
  const found = records.filter(({ limitedSubsteps }) => limitedSubsteps > 0)
  if (found.length === 0) return undefined
  const crossed = largest(found, ({ travel }) => Math.max(travel.liquid, travel.walls))
  const needed = largest(found, ({ travel, substeps }) => (substeps.length * Math.max(travel.liquid, travel.walls)) / cfl)
  return (
    `Substeps were too long in ${framesOf(found, records)}: up to ${cells(crossed)} were crossed in one, and time.cfl asks for at most ` +
    `${cfl}, but time.maxSubsteps allows only ${counted(maxSubsteps, 'substep')} a frame. ${found.length === 1 ? 'This frame is' : 'These frames are'} wrong; ` +
    `raise time.maxSubsteps to about ${roundUp(needed)}, or raise time.fps.`
  )
}

/** Frames whose substeps are as long as `cfl` allows, which is too long. */
function fastLiquid(records: readonly FrameRecord[]): string | undefined {
  const found = records.filter(({ travel, limitedSubsteps }) => limitedSubsteps === 0 && travel.liquid > MAX_TRUSTED_CELLS)
  if (found.length === 0) return undefined
  const crossed = largest(found, ({ travel }) => travel.liquid)
  return (
    `Liquid was too fast for its substeps in ${framesOf(found, records)}: it crossed up to ${cells(crossed)} in one. Beyond ` +
    `${MAX_TRUSTED_CELLS}, motion is inaccurate and may gain energy; lower time.cfl.`
  )
}

function fastWalls(records: readonly FrameRecord[]): string | undefined {
  const found = records.filter(({ travel }) => travel.walls > MAX_TRUSTED_CELLS)
  if (found.length === 0) return undefined
  const crossed = largest(found, ({ travel }) => travel.walls)
  return (
    `Walls were too fast in ${framesOf(found, records)}: they moved by up to ${cells(crossed)} in a substep, so liquid may have been run ` +
    `over. Lower time.cfl, raise time.minSubsteps (and time.maxSubsteps), or slow the solids down.`
  )
}

function thin(records: readonly FrameRecord[]): string | undefined {
  const found = records.filter(isThinIn)
  if (found.length === 0) return undefined
  const share = largest(found, ({ thinVolume, particleVolume }) => thinVolume / particleVolume)
  return (
    `The resolution was too low for thin liquid in ${framesOf(found, records)}: up to ${Math.round(100 * share)} % of it was in drops and ` +
    `sheets thinner than a cell, which the surface shows badly or not at all; raise domain.resolution.`
  )
}

function framesOf(found: readonly FrameRecord[], { length }: readonly FrameRecord[]): string {
  return length === 1 ? `frame ${found[0].index}` : `${found.length} of ${counted(length, 'frame')}`
}

function largest(records: readonly FrameRecord[], value: (record: FrameRecord) => number): number {
  return records.reduce((most, record) => Math.max(most, value(record)), 0)
}

/** "3.2 cells", "410 cells". */
export function cells(count: number): string {
  return `${Number(count.toPrecision(2))} cells`
}

/** To two digits. */
export function roundUp(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1)
  return unit * Math.ceil(value / unit)
}
