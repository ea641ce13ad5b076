/** Saves some arrays of a liquid, to restore them later. */
import type { LiquidArray, LiquidArrays } from '../arrays.js'
import type { LiquidLoops } from '../loops.js'

/** Arrays of the last substep that callers can read. */
export const VISIBLE_ARRAYS = [
  'ux',
  'uy',
  'uz',
  'layerX',
  'layerY',
  'layerZ',
  'kind',
  'pressure',
] as const satisfies LiquidArray[]

export interface ArrayBackup {
  save(): void
  restore(): void
}

export function createArrayBackup({ arrays }: LiquidLoops, names: readonly LiquidArray[]): ArrayBackup {
  let kept: LiquidArrays[LiquidArray][] | undefined
  return {
    save() {
      kept ??= names.map(name => arrays[name].slice())
      for (const [n, name] of names.entries()) kept[n].set(arrays[name])
    },
    restore() {
      for (const [n, name] of names.entries()) if (kept) arrays[name].set(kept[n])
    },
  }
}
