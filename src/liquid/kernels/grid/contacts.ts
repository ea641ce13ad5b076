/** Where liquid has let go of a wall, as plain/grid/contacts.ts. */
import { CONTACT } from '../../../pressure/cell-kinds'
import { Liquid } from '../liquid'
import { byteAt, f64At } from './rows'

@inline
export function hasLetGo(liquid: Liquid, cell: i32): bool {
  return byteAt(liquid.kind, cell) == CONTACT && f64At(liquid.pressure, cell) + f64At(liquid.adhesion, cell) == 0
}
