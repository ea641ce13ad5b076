/** Pointers on the stages, for whichever tool is chosen: one finger, a pen or the left button. */
import type { Drawing } from 'peel/web'
import { SIDES } from '../settings.js'
import type { Side, Sides } from '../sides.js'

/** Where a pointer is: pixels of the page, from the upper left corner of a canvas. */
export interface Pointed {
  readonly side: Side
  readonly drawing: Drawing
  readonly x: number
  readonly y: number
}

export interface PointerTool {
  start(at: Pointed): void
  move(at: Pointed): void
  /** `isLost`: the system cancelled the pointer. */
  end(at: Pointed, isLost: boolean): void
}

/** `chosen`: undefined leaves pointers to the camera. */
export function followPointers({ all }: Sides, chosen: () => PointerTool | undefined): void {
  for (const name of SIDES) {
    const side = all[name]
    let held: { readonly tool: PointerTool; readonly pointer: number } | undefined
    const pointed = (event: PointerEvent): Pointed | undefined => {
      const { left, top } = side.stage.getBoundingClientRect()
      return side.drawing && { side, drawing: side.drawing, x: event.clientX - left, y: event.clientY - top }
    }
    side.stage.addEventListener('pointerdown', event => {
      const tool = chosen()
      const at = pointed(event)
      if (!tool || !at || !event.isPrimary || event.button !== 0) return
      event.preventDefault()
      // Keys belong to the liquid from here on, not to the button pressed last.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      side.stage.setPointerCapture(event.pointerId)
      held = { tool, pointer: event.pointerId }
      tool.start(at)
    })
    side.stage.addEventListener('pointermove', event => {
      const at = pointed(event)
      if (held?.pointer === event.pointerId && at) held.tool.move(at)
    })
    const end = (isLost: boolean) => (event: PointerEvent) => {
      const at = pointed(event)
      if (held?.pointer !== event.pointerId || !at) return
      const { tool } = held
      held = undefined
      tool.end(at, isLost)
    }
    side.stage.addEventListener('pointerup', end(false))
    side.stage.addEventListener('pointercancel', end(true))
  }
}
