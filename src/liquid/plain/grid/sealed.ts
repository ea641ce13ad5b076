/** Liquid that touches no air, directly or through other liquid: it fills its container, so its volume cannot be corrected. */
import type { PlainState } from '../state.js'
import { OUTSIDE, openNeighbours } from './walk.js'

/** 1 in cells of sealed liquid; undefined if there is none. */
export function sealedCells(state: PlainState): Uint8Array | undefined {
  const { phi } = state.arrays
  const sealed = new Uint8Array(phi.length)
  const isSeen = new Uint8Array(phi.length)
  for (let seed = 0; seed < phi.length; seed++) {
    if (isSeen[seed] || !(phi[seed] < 0)) continue
    const { cells, touchesAir } = connectedLiquid(state, seed, isSeen)
    if (!touchesAir) for (const cell of cells) sealed[cell] = 1
  }
  return sealed.includes(1) ? sealed : undefined
}

/** All liquid connected to a cell through open faces; marks it in `isSeen`. Beyond open sides there is air. */
function connectedLiquid(state: PlainState, seed: number, isSeen: Uint8Array): { cells: number[]; touchesAir: boolean } {
  const { phi } = state.arrays
  const cells = [seed]
  let touchesAir = false
  isSeen[seed] = 1
  for (const cell of cells) {
    for (const next of openNeighbours(state, cell)) {
      if (next === OUTSIDE || !(phi[next] < 0)) touchesAir = true
      else if (!isSeen[next]) {
        isSeen[next] = 1
        cells.push(next)
      }
    }
  }
  return { cells, touchesAir }
}
