/** Liquid that sources let in and drains let out, as a part of a run: when this is done, and how it is counted. */
import { countAll, findSurface, type LiquidRun } from '../liquid-run.js'

/** Lets in and out what has flowed through sources and drains since the last exchange: at the start of a simulation and at the end of every
 *  substep, so that all liquid of a frame is of the same time, without a gap behind the liquid of a source. */
export function exchangeLiquid(run: LiquidRun): void {
  const { setting, state, emitter } = run
  if (setting.sources.length + setting.drains.length === 0) return
  findSurface(run)
  findSealed(run, state.sealed)
  const { added, removed, exchange } = emitter.emit(state)
  state.exchange = exchange
  if (added + removed === 0) return
  recordExchange(run, added, removed)
  run.isSorted = false
  findSurface(run)
  // What was added may have filled a container.
  if (added > 0) findSealed(run, state.sealed)
}

/** Finds cells to which sources can add nothing, and adds those that were found `before`: until particles are moved apart at the end of a frame,
 *  liquid that fills a container can seem to have gaps. */
export function findSealed({ setting, state, liquid }: LiquidRun, before?: Uint8Array): void {
  if (setting.sources.length === 0) return
  const now = liquid.sealedCells()
  state.sealed = now && before ? now.map((isSealed, cell) => isSealed | before[cell]) : (now ?? before)
}

/** Share by which the expected volume may differ from that of as many particles where drains remove some. Liquid is a few per cent larger or
 *  smaller inside its surface than by its particles; beyond that the difference would be left over from liquid that is gone. */
const MAX_DIFFERENCE = 0.1

/** Counts particles from sources and into drains, with the volume of each. */
function recordExchange(run: LiquidRun, added: number, removed: number): void {
  const { state, setting, options } = run
  const volume = setting.grid.spacing ** setting.grid.dims / options.particles.perCell
  state.added += added
  state.removed += removed
  state.expectedVolume += (added - removed) * volume
  if (removed === 0) return
  // Removed particles are in the list until it is sorted.
  const left = (countAll(run) - removed) * volume
  state.expectedVolume = Math.min(Math.max(state.expectedVolume, (1 - MAX_DIFFERENCE) * left), (1 + MAX_DIFFERENCE) * left)
}
