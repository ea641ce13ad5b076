/** `peel/web`: a liquid in a page of one's own. */
export { createDrawing, type Drawing } from './drawing.js'
export { createLiquidView, type LiquidView, type LiquidViewOptions } from './liquid-view.js'
export { createPlayback, type Playback, type PlaybackOptions } from './playback.js'
export type { Moment } from './protocol.js'
export { Interrupted, type Session, type SessionOptions, type SessionScene, startSession, type WorkerLike } from './session.js'
