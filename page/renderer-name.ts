/** `?drawing=webgl` or `?drawing=processor` in the address selects the renderer, for comparisons. */
import type { RendererName } from 'peel/web'

export function drawnBy(asked: URLSearchParams): RendererName | undefined {
  const name = asked.get('drawing')
  return name === 'webgl' || name === 'processor' ? name : undefined
}
