/** `peel/web`: a liquid in a page of one's own. */
export { createFlatStage } from './flat-stage.js'
export { createPlayback, type Playback, type PlaybackOptions } from './playback.js'
export type { Moment } from './protocol.js'
export { Interrupted, type Session, type SessionOptions, type SessionScene, startSession, type WorkerLike } from './session.js'
