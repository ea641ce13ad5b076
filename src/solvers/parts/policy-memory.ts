/** The pinned set at the end of the last solve, kept by cell: unknowns are numbered again in every step, cells are not. */
import { pressureLength } from '../../pressure/problem.js'
import type { Run } from '../running/on-rows.js'
import type { System } from '../running/system.js'

export function createPolicyMemory() {
  let pinnedCells = new Uint8Array(0)
  return {
    keep({ cells, source }: Run, free: Uint8Array): void {
      const length = pressureLength(source)
      if (pinnedCells.length !== length) pinnedCells = new Uint8Array(length)
      pinnedCells.fill(0)
      for (let row = 0; row < free.length; row++) if (!free[row]) pinnedCells[cells ? cells[row] : row] = 1
    },

    /** false, and `free` untouched, if there is nothing to remember for a problem of this shape. */
    recall(system: System, { cells, source }: Run, free: Uint8Array): boolean {
      if (pinnedCells.length !== pressureLength(source)) return false
      // Only contacts can be pinned; what was one may have become a liquid row.
      free.fill(1)
      for (const row of system.contacts) if (pinnedCells[cells ? cells[row] : row]) free[row] = 0
      return true
    },
  }
}
