/** Where liquid has let go of a wall. */
import { CONTACT } from '../../../pressure/problem.js'
import type { PlainState } from '../state.js'

/** Whether the wall of a contact pulls with all its strength, by the last solve: then liquid may flow away from it. Solvers return exactly that
 *  pressure, 0 for walls without adhesion. */
export function hasLetGo({ kind, pressure, adhesion }: PlainState['arrays'], cell: number): boolean {
  return kind[cell] === CONTACT && pressure[cell] + adhesion[cell] === 0
}
