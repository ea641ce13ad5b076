/** What the host calls on the grid of a liquid. */
import { Liquid } from './liquid'

/** First word of the fields of a liquid, in the order of the class; for the host, which knows their names. */
export function liquidFields(liquid: Liquid): usize {
  return changetype<usize>(liquid)
}
