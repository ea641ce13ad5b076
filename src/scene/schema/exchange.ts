/** Keys of sources and drains beside those of their shapes. */
import type { z } from 'zod'
import { type Dims, direction, FAST, MAX_COORDINATE, number, seconds, vector } from './parts.js'

/** m³/s. */
const SMALLEST_FLOW = 1e-12

/** `motion`: the schema of the motion of solids. */
export function sourceKeys<M extends z.ZodType>(dims: Dims, motion: M) {
  return {
    velocity: vector(dims, FAST)
      .optional()
      .describe(
        'Velocity of the liquid that flows in, m/s, relative to the moving source; 0: the shape is kept full. Or give direction and flowRate.',
      ),
    direction: direction(dims).optional().describe('Direction of the flow, of any length; with flowRate.'),
    flowRate: flowRate().describe(
      'Volume that flows in, m³/s (m²/s in 2D); with direction. The speed is the flow rate over the cross-section: the area of the shadow that the shape casts in that direction.',
    ),
    motion: motion.describe('Keyframes of the motion, as of solids. Its velocity is added to that of the liquid.'),
    ...timeSpan(),
  }
}

export function drainKeys<M extends z.ZodType>(motion: M) {
  return {
    flowRate: flowRate().describe(
      'Volume that flows out, m³/s (m²/s in 2D), while there is as much; absent: all liquid in the shape.',
    ),
    motion: motion.describe('Keyframes of the motion, as of solids.'),
    ...timeSpan(),
  }
}

function flowRate() {
  return number(SMALLEST_FLOW, MAX_COORDINATE).optional()
}

function timeSpan() {
  return {
    after: seconds().default(0).describe('When it begins, s.'),
    until: seconds().optional().describe('When it ends, s; absent: never.'),
  }
}
