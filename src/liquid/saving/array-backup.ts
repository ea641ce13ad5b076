/** Copies of some arrays of a liquid, to be put back later. */
import type { LiquidArray, LiquidArrays } from '../arrays.js'
import type { LiquidLoops } from '../loops.js'

/** Arrays of the last substep that callers see. */
export const SEEN = ['ux', 'uy', 'uz', 'layerX', 'layerY', 'layerZ', 'kind', 'pressure'] as const satisfies LiquidArray[]

export interface ArraysAside {
  take(): void
  putBack(): void
}

export function createAside({ arrays }: LiquidLoops, names: readonly LiquidArray[]): ArraysAside {
  let kept: LiquidArrays[LiquidArray][] | undefined
  return {
    take() {
      kept ??= names.map(name => arrays[name].slice())
      for (const [n, name] of names.entries()) kept[n].set(arrays[name])
    },
    putBack() {
      for (const [n, name] of names.entries()) if (kept) arrays[name].set(kept[n])
    },
  }
}
