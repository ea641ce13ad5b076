/** The soft shadow of liquid on the ground: how much of it is above each place, smoothed, as in src/paint/shadow.ts. */
import * as shared from '../../rendering-constants'
import { fading, vector } from './light'
import { Space } from './space'

/** Of what is above, in lengths of the ground, as a power of e. */
const STRENGTH: f32 = <f32>shared.SHADOW_STRENGTH

export function castShadow(space: Space): void {
  const places = <usize>space.shadowWidth * <usize>space.shadowHeight
  memory.fill(space.shadow, 0, places << 2)
  if (!space.hasLiquid) return
  addColumns(space)
  const width = space.shadowWidth
  const height = space.shadowHeight
  // Three means over a window are close to a Gaussian.
  for (let pass = 0; pass < 3; pass++) {
    smoothLines(space.shadow, space.smoothed, height, width, (<usize>width) << 2, 4, space.shadowRadius)
    smoothLines(space.smoothed, space.shadow, width, height, 4, (<usize>width) << 2, space.shadowRadius)
  }
  const scale = STRENGTH / <f32>max(space.nx, space.nz)
  const end = space.shadow + (places << 2)
  for (let at = space.shadow; at < end; at += 4) store<f32>(at, <f32>1 - fading(scale * max<f32>(load<f32>(at), 0)))
}

/** Cells of liquid above each place. */
function addColumns(space: Space): void {
  const row = (<usize>(space.nx + 2)) << 2
  const plane = row * <usize>(space.ny + 2)
  const margin = <usize>(3 * space.shadowRadius)
  const one = f32x4.splat(1)
  const zero = f32x4.splat(0)
  const whole = space.nx & ~3
  for (let k = space.fromZ; k < space.toZ; k++) {
    const to = space.shadow + ((margin + <usize>space.shadowWidth * (<usize>k + margin)) << 2)
    for (let j = space.fromY; j < space.toY; j++) {
      const from = space.liquid + plane * <usize>(k + 1) + row * <usize>(j + 1) + 4
      for (let i = 0; i < whole; i += 4) {
        const offset = (<usize>i) << 2
        const wet = v128.and(f32x4.lt(v128.load(from + offset), zero), one)
        v128.store(to + offset, f32x4.add(v128.load(to + offset), wet))
      }
      for (let i = whole; i < space.nx; i++) {
        const offset = (<usize>i) << 2
        if (load<f32>(from + offset) < 0) store<f32>(to + offset, load<f32>(to + offset) + <f32>1)
      }
    }
  }
}

/** Mean over 2 radius + 1 values along lines; values beyond their ends are 0. */
function smoothLines(from: usize, to: usize, lines: i32, length: i32, lineStep: usize, step: usize, radius: i32): void {
  const share: f32 = <f32>1 / <f32>(radius * 2 + 1)
  const ahead = step * <usize>radius
  const behind = step * <usize>(radius + 1)
  for (let line = 0; line < lines; line++, from += lineStep, to += lineStep) {
    let sum: f32 = 0
    for (let at = 0; at < min(radius, length); at++) sum += load<f32>(from + step * <usize>at)
    let p = from
    let q = to
    for (let at = 0; at < length; at++, p += step, q += step) {
      if (at + radius < length) sum += load<f32>(p + ahead)
      if (at > radius) sum -= load<f32>(p - behind)
      store<f32>(q, sum * share)
    }
  }
}

/** Share of light that liquid absorbs above a point of the ground. */
export function shadowAt(space: Space, x: f32, z: f32): f32 {
  const margin = <f32>(space.shadowRadius * 3) - <f32>0.5
  const px = x + margin
  const pz = z + margin
  // Shadows end within the map.
  if (!(px >= 0 && pz >= 0 && px < <f32>(space.shadowWidth - 1) && pz < <f32>(space.shadowHeight - 1))) return 0
  const i = <i32>px
  const k = <i32>pz
  const row = (<usize>space.shadowWidth) << 2
  const at = space.shadow + ((<usize>i) << 2) + row * <usize>k
  const fx = px - <f32>i
  const near = load<f32>(at) + fx * (load<f32>(at, 4) - load<f32>(at))
  const far = load<f32>(at + row) + fx * (load<f32>(at + row, 4) - load<f32>(at + row))
  return near + (pz - <f32>k) * (far - near)
}

/** What a shadow leaves of red, green and blue light. */
@inline
export function leftByShadow(shadow: f32): v128 {
  return f32x4.sub(f32x4.splat(1), f32x4.mul(vector(0.58, 0.4, 0.26), f32x4.splat(shadow)))
}
