/** The pinned set at the end of the last solve, kept by cell: unknowns are numbered anew in every step, cells are not. */
import type { Run } from './algebraic.js'
import type { System } from './system.js'

export function createPolicyMemory() {
  let pinnedCells = new Uint8Array(0)
  return {
    keep({ labels, labelCount }: Run, free: Uint8Array): void {
      if (pinnedCells.length !== labelCount) pinnedCells = new Uint8Array(labelCount)
      pinnedCells.fill(0)
      for (let row = 0; row < free.length; row++) if (!free[row]) pinnedCells[labels ? labels[row] : row] = 1
    },

    /** false, and `free` untouched, if there is nothing to remember for a problem of this shape. */
    recall(system: System, { labels, labelCount }: Run, free: Uint8Array): boolean {
      if (pinnedCells.length !== labelCount) return false
      // Only contacts can be pinned; what was one may have become a liquid row.
      free.fill(1)
      for (const row of system.contacts) if (pinnedCells[labels ? labels[row] : row]) free[row] = 0
      return true
    },
  }
}
