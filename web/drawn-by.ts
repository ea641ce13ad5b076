/** `?drawing=webgl` or `?drawing=processor` after the address: who draws, for those who want to compare. */
import type { Draughtsman } from '../src/web/index.js'

export function drawnBy(asked: URLSearchParams): Draughtsman | undefined {
  const name = asked.get('drawing')
  return name === 'webgl' || name === 'processor' ? name : undefined
}
