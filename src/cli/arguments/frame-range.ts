/** FRAMES on the command line: `12`, `1-120`, `1-120:2`, `60-`. */
import { InputError } from '../../input-error.js'

export interface FrameRange {
  readonly first: number
  readonly last: number
  readonly step: number
}

export function parseFrameRange(text: string): FrameRange {
  const match = /^(\d+)(?:(-)(\d+)?)?(?::(\d+))?$/.exec(text.trim())
  if (!match) throw new InputError(`--frames: expected a frame or a range such as 1-120 or 1-120:2, not "${text}".`)
  const first = Number(match[1])
  const last = match[3] === undefined ? (match[2] ? Number.POSITIVE_INFINITY : first) : Number(match[3])
  const step = match[4] === undefined ? 1 : Number(match[4])
  if (last < first) throw new InputError(`--frames: the range ${text} ends before it begins.`)
  if (step < 1) throw new InputError(`--frames: the step of ${text} must be at least 1.`)
  return { first, last, step }
}

/** "frame 3", "frames 1, 4 to 6 and 9", for ascending numbers. */
export function describeFrameList(frames: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const frame of frames) {
    const newest = ranges.at(-1)
    if (newest?.[1] === frame - 1) newest[1] = frame
    else ranges.push([frame, frame])
  }
  const words = ranges.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`))
  const list = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
  return `${frames.length === 1 ? 'frame' : 'frames'} ${list}`
}

/** The frames of a range among those there are. */
export function selectFrames({ first, last, step }: FrameRange, frames: readonly number[]): number[] {
  return frames.filter(frame => frame >= first && frame <= last && (frame - first) % step === 0)
}
