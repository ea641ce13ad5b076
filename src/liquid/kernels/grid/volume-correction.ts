/** The pressure problem of liquid at rest that is to grow where particles are too many, and everywhere by a share of its volume. */
import { CONTACT, DRY, LIQUID } from '../../../pressure/cell-kinds'
import { Liquid } from '../liquid'
import { liquidAssemble } from './calls'
import { byteAt, f32At, hasLetGo } from './rows'
import { liquidSealed } from './sealed'
import { facesOf } from '../particles/to-grid'

/** `share` by which all liquid grows, share of the `excess`, and shares of too many and too few particles in `doubtful`, within a second. Reads
 *  `kind` and `pressure` of the last substep, sets velocities to 0 and overwrites the pairs. */
export function liquidAssembleGrowth(
  liquid: Liquid,
  density: f64,
  share: f64,
  beyond: f64,
  maybeCrowded: f64,
  maybeSparse: f64,
): void {
  // In the pairs of y, which have room for all cells; finding sealed liquid uses those of x.
  const separated = liquid.pairY
  markSeparated(liquid, separated)
  memory.fill(liquid.ux, 0, (<usize>facesOf(liquid, 0)) << 3)
  memory.fill(liquid.uy, 0, (<usize>facesOf(liquid, 1)) << 3)
  memory.fill(liquid.uz, 0, (<usize>facesOf(liquid, 2)) << 3)
  liquidAssemble(liquid, 1, density, 0, 0)
  addGrowth(liquid, liquidSealed(liquid), share, beyond, maybeCrowded, maybeSparse)
  holdContacts(liquid, separated)
}

/** 1 in contacts that have let go. */
function markSeparated(liquid: Liquid, separated: usize): void {
  for (let cell = 0; cell < liquid.cells; cell++) {
    store<u8>(separated + <usize>cell, u8(hasLetGo(liquid, cell)))
  }
}

/** Sealed liquid has no room to grow. */
function addGrowth(liquid: Liquid, sealed: usize, share: f64, beyond: f64, maybeCrowded: f64, maybeSparse: f64): void {
  for (let cell = 0; cell < liquid.cells; cell++) {
    if (byteAt(liquid.kind, cell) == DRY || (sealed && byteAt(sealed, cell))) continue
    const doubtful = <f64>f32At(liquid.doubtful, cell)
    const maybe = (doubtful > 0 ? maybeCrowded : maybeSparse) * doubtful
    const b = liquid.b + ((<usize>cell) << 3)
    const excess = beyond * <f64>f32At(liquid.excess, cell)
    store<f64>(b, load<f64>(b) - (share * <f64>f32At(liquid.openCell, cell) + excess + maybe))
  }
}

/** Shrinking liquid would separate from all walls, so contacts become ordinary unknowns, except those separated in the last substep. */
function holdContacts(liquid: Liquid, separated: usize): void {
  for (let cell = 0; cell < liquid.cells; cell++)
    if (byteAt(liquid.kind, cell) == CONTACT && !byteAt(separated, cell)) store<u8>(liquid.kind + <usize>cell, LIQUID)
}
