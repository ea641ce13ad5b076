/** The strength of walls at the contacts of a liquid. */
import { cellPosition, nodeShape } from '../../grid/grid.js'
import { CONTACT } from '../../pressure/problem.js'
import { completeAdhesion, completeSides } from '../../pressure/walls.js'
import type { SceneSetting, SceneSolid } from '../../scene/setting.js'
import type { LiquidLoops } from '../loops.js'

export interface ContactAdhesion {
  /** Whether any wall of the scene has strength; without any, `adhesion` stays 0. */
  readonly isAny: boolean
  /** Sets `adhesion` of contacts, after the problem of a substep was assembled. */
  write(solids: readonly SceneSolid[]): void
}

export function createContactAdhesion({ grid, arrays }: LiquidLoops, setting: SceneSetting): ContactAdhesion {
  const ofSides = completeAdhesion(setting.sideAdhesion)
  const kinds = completeSides(grid, setting.sides).flat()
  const isAny = setting.solids.some(({ adhesion = 0 }) => adhesion > 0) || ofSides.some(value => value > 0)
  const [mx, my] = nodeShape(grid)
  const corners = [0, 1, mx, mx + 1, mx * my, mx * my + 1, mx * my + mx, mx * my + mx + 1]

  /** Of the closed side that a cell is at; the first of several decides, as for its kind. */
  function ofSide(place: readonly number[]): number {
    for (let axis = 0; axis < grid.dims; axis++) {
      const [lower, upper] = [2 * axis, 2 * axis + 1]
      if (place[axis] === 0 && kinds[lower] !== 'open') return ofSides[lower]
      if (place[axis] === grid.shape[axis] - 1 && kinds[upper] !== 'open') return ofSides[upper]
    }
    return 0
  }

  return {
    isAny,
    write(solids) {
      if (!isAny) return
      const { kind, adhesion, solid, owner } = arrays
      for (let cell = 0; cell < kind.length; cell++) {
        adhesion[cell] = 0
        if (kind[cell] !== CONTACT) continue
        const place = cellPosition(grid, cell)
        const first = place[0] + mx * (place[1] + my * place[2])
        // The solid that reaches deepest into the cell, as for its kind.
        let deepest = first
        for (const step of corners) {
          const node = first + step
          const isAsDeep = solid[node] === solid[deepest]
          if (solid[node] < solid[deepest] || (isAsDeep && owner[node] < owner[deepest])) deepest = node
        }
        adhesion[cell] = solid[deepest] <= 0 ? (solids[owner[deepest] - 1]?.adhesion ?? 0) : ofSide(place)
      }
    },
  }
}
