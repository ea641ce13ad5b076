/** The pressure problem of liquid at rest that shall grow by a share of its volume. */
import { Liquid } from '../liquid'
import { CONTACT, DRY, LIQUID } from './cell-kinds'
import { liquidAssemble } from './calls'
import { byteAt, f64At } from './rows'
import { liquidSealed } from './sealed'
import { facesOf } from '../particles/to-grid'

/** By so much within a second, `divergence`, 1/s. Takes `kind` and `pressure` of the last substep and leaves velocities 0; spoils pairs. */
export function liquidAssembleGrowth(liquid: Liquid, density: f64, divergence: f64): void {
  // In the pairs of y: they are at least as many as cells, and finding sealed liquid takes those of x.
  const letGo = liquid.pairY
  markLetGo(liquid, letGo)
  memory.fill(liquid.ux, 0, <usize>facesOf(liquid, 0) << 3)
  memory.fill(liquid.uy, 0, <usize>facesOf(liquid, 1) << 3)
  memory.fill(liquid.uz, 0, <usize>facesOf(liquid, 2) << 3)
  liquidAssemble(liquid, 1, density, 0, divergence)
  const sealed = liquidSealed(liquid)
  if (sealed) spare(liquid, sealed, divergence)
  holdContacts(liquid, letGo)
}

/** 1 in contacts without pressure. */
function markLetGo(liquid: Liquid, letGo: usize): void {
  for (let cell = 0; cell < liquid.cells; cell++) {
    const isLetGo = byteAt(liquid.kind, cell) == CONTACT && f64At(liquid.pressure, cell) == 0
    store<u8>(letGo + <usize>cell, u8(isLetGo))
  }
}

/** Takes the divergence back where there is no room for it. */
function spare(liquid: Liquid, sealed: usize, divergence: f64): void {
  for (let cell = 0; cell < liquid.cells; cell++) {
    if (!byteAt(sealed, cell) || byteAt(liquid.kind, cell) == DRY) continue
    const b = liquid.b + (<usize>cell << 3)
    store<f64>(b, load<f64>(b) + divergence)
  }
}

/** Liquid that shrinks would come off all walls, so they hold it, but for those that it has let go of in the last substep. */
function holdContacts(liquid: Liquid, letGo: usize): void {
  for (let cell = 0; cell < liquid.cells; cell++)
    if (byteAt(liquid.kind, cell) == CONTACT && !byteAt(letGo, cell)) store<u8>(liquid.kind + <usize>cell, LIQUID)
}
