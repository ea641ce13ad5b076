/** Rigid motion through keyframes: position and rotation vector are interpolated number by number, and the velocity is the exact
 *  derivative of that. */
import { angularVelocity, cross, moveAbout, rotationMatrix, rotationVector } from './rotation.js'
import type { Numbers } from './schema/parts.js'
import type { SceneMotion } from './schema.js'
import type { Pose, RigidMotion, Vector } from './setting.js'

export interface Motion {
  /** The position of the shape at a time, relative to the scene's. */
  readonly poseAt: (time: number) => Pose
  /** At a keyframe of linear motion, the velocity after it. */
  readonly velocityAt: (time: number) => RigidMotion
}

/** A share of the period: rounding in how users write times. */
const CLOSES_WITHIN = 1e-9

export function createMotion(motion: SceneMotion): Motion {
  const pivot = toVector(motion.pivot)
  const track = createTrack(motion)
  return {
    poseAt: time => {
      const { value } = track(time)
      return moveAbout(rotationMatrix(rotationPart(value)), pivot, positionPart(value))
    },
    velocityAt: time => {
      const { value, rate } = track(time)
      const angular = angularVelocity(rotationPart(value), rotationPart(rate))
      const position = positionPart(value)
      const linear = positionPart(rate)
      const turned = cross(angular, [pivot[0] + position[0], pivot[1] + position[1], pivot[2] + position[2]])
      return { linear: [linear[0] - turned[0], linear[1] - turned[1], linear[2] - turned[2]], angular }
    },
  }
}

/** Checks of a motion beyond its schema; paths are relative to it. */
export function* checkMotion({
  keyframes,
  pivot,
  repeat,
}: SceneMotion): Generator<{ readonly path: readonly (string | number)[]; readonly text: string }> {
  for (let at = 1; at < keyframes.length; at++) {
    const before = keyframes[at - 1].time
    if (keyframes[at].time <= before)
      yield { path: ['keyframes', at, 'time'], text: `must be later than the one before, ${before} s` }
  }
  if (pivot === undefined && keyframes.some(({ rotation }) => rotation !== undefined))
    yield { path: ['pivot'], text: 'is missing: keyframes that rotate need a centre of rotation' }
  if (repeat === undefined) return
  const first = keyframes[0]
  const last = keyframes[keyframes.length - 1]
  const rest = repeat - (last.time - first.time)
  if (rest < -CLOSES_WITHIN * repeat)
    yield { path: ['repeat'], text: `must be at least the time from the first to the last keyframe, ${last.time - first.time} s` }
  else if (rest <= CLOSES_WITHIN * repeat && keyframes.length > 1 && !samePlace(first, last))
    yield {
      path: ['repeat'],
      text: 'would make the shape jump: make the last keyframe equal to the first, or place it before the end of the period',
    }
}

type Keyframe = SceneMotion['keyframes'][number]

function samePlace(a: Keyframe, b: Keyframe): boolean {
  const pose = ({ position, rotation }: Keyframe) => [...toVector(position), ...rotationMatrix(rotationVector(rotation))]
  const other = pose(b)
  return pose(a).every((value, at) => Math.abs(value - other[at]) <= 1e-6)
}

/** Position, then rotation vector. */
function channels({ position, rotation }: Keyframe): Numbers {
  return [...toVector(position), ...rotationVector(rotation)]
}

interface Sample {
  readonly value: Numbers
  /** Per second. */
  readonly rate: Numbers
}

function createTrack({ keyframes, interpolation, repeat }: SceneMotion): (time: number) => Sample {
  const times = keyframes.map(({ time }) => time)
  const values = keyframes.map(channels)
  const start = times[0]
  if (repeat !== undefined && times[times.length - 1] - start < repeat * (1 - CLOSES_WITHIN)) {
    times.push(start + repeat)
    values.push(values[0])
  }
  const slopes = times.slice(1).map((time, at) => values[at].map((value, c) => (values[at + 1][c] - value) / (time - times[at])))
  const tangents = interpolation === 'smooth' ? smoothTangents(times, slopes, repeat !== undefined) : undefined
  const end = times[times.length - 1]
  return time => {
    const wrapped = repeat === undefined || time < start ? time : start + ((time - start) % repeat)
    if (slopes.length === 0 || wrapped < start || wrapped >= end) {
      const value = wrapped < start ? values[0] : values[values.length - 1]
      return { value, rate: value.map(() => 0) }
    }
    let at = 0
    while (times[at + 1] <= wrapped) at++
    const h = times[at + 1] - times[at]
    const s = (wrapped - times[at]) / h
    if (!tangents) return { value: values[at].map((value, c) => value + s * h * slopes[at][c]), rate: slopes[at] }
    return hermite(values[at], values[at + 1], tangents[at], tangents[at + 1], h, s)
  }
}

/** Slopes at keyframes as in monotone cubic interpolation (Fritsch, Butland 1984): nothing overshoots a keyframe. */
function smoothTangents(times: Numbers, slopes: readonly Numbers[], isPeriodic: boolean): readonly Numbers[] {
  const last = slopes.length
  return times.map((_, at) => {
    const before = slopes[at > 0 ? at - 1 : last - 1]
    const after = slopes[at < last ? at : 0]
    if ((at === 0 || at === last) && !isPeriodic) return (before ?? after ?? []).map(() => 0)
    if (!before || !after) return []
    const h = (k: number) => times[k + 1] - times[k]
    const [hb, ha] = [h(at > 0 ? at - 1 : last - 1), h(at < last ? at : 0)]
    return before.map((b, c) => {
      const a = after[c]
      if (a * b <= 0) return 0
      return (3 * (ha + hb)) / ((2 * ha + hb) / b + (ha + 2 * hb) / a)
    })
  })
}

function hermite(a: Numbers, b: Numbers, ma: Numbers, mb: Numbers, h: number, s: number): Sample {
  const value = a.map((from, c) => {
    const rise = b[c] - from
    return from + s * (h * ma[c] + s * (3 * rise - h * (2 * ma[c] + mb[c]) + s * (h * (ma[c] + mb[c]) - 2 * rise)))
  })
  const rate = a.map((from, c) => {
    const slope = (b[c] - from) / h
    return ma[c] + s * (2 * (3 * slope - 2 * ma[c] - mb[c]) + 3 * s * (ma[c] + mb[c] - 2 * slope))
  })
  return { value, rate }
}

export function toVector([x, y, z = 0]: Numbers = [0, 0, 0]): Vector {
  return [x, y, z]
}

const positionPart = (channels: Numbers): Vector => [channels[0], channels[1], channels[2]]
const rotationPart = (channels: Numbers): Vector => [channels[3], channels[4], channels[5]]
