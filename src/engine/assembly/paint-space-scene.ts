/** All of a picture but liquid, line by line: backdrop and ground, the shadow on it, a ball moved by hand, and solids before them. */
import { NOWHERE, Space, WALL } from './paint-space'
import { backdrop, groundAt, mix4, sky, softWhite, SUN_X, SUN_Y, SUN_Z, toPixel } from './paint-space-light'
import { shadowAt } from './paint-space-shadow'
import { fading } from './ray-surroundings'

/** The ball's shadow is not seen farther from its middle than this, in its own widths. */
const SHADOW_REACH: f32 = 2

/** What stays while the camera does. */
export function paintBackdrop(space: Space): void {
  const wide = sqrt<f32>(space.rightX * space.rightX + space.rightY * space.rightY + space.rightZ * space.rightZ)
  const pixelWidth: f32 = <f32>2 * wide / <f32>space.width
  let to = space.backdrop
  for (let j = 0; j < space.height; j++) {
    const up: f32 = <f32>1 - (<f32>2 * <f32>j + <f32>1) / <f32>space.height
    for (let i = 0; i < space.width; i++, to += 16) {
      const right: f32 = (<f32>2 * <f32>i + <f32>1) / <f32>space.width - <f32>1
      const dx = space.forwardX + right * space.rightX + up * space.upX
      const dy = space.forwardY + right * space.rightY + up * space.upY
      const dz = space.forwardZ + right * space.rightZ + up * space.upZ
      const length = sqrt<f32>(dx * dx + dy * dy + dz * dz)
      let light: v128
      let way: f32 = 0
      if (dy < <f32>-1e-4 * length && space.eyeY > 0) {
        way = -space.eyeY / dy
        light = groundAt(space, space.eyeX + way * dx, space.eyeZ + way * dz, way * length * pixelWidth)
      } else light = backdrop(space, dy / length)
      v128.store(to, f32x4.replace_lane(light, 3, way))
    }
  }
}

export function paintScene(space: Space): void {
  const hasSolid = space.hasSolid
  const hasBall = space.ballRadius > 0
  const hasShadow = space.hasLiquid || hasBall
  const taken = f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(0.26), 0, 0.58), 1, 0.40)
  let pixel: usize = 0
  for (let j = 0; j < space.height; j++) {
    const up: f32 = <f32>1 - (<f32>2 * <f32>j + <f32>1) / <f32>space.height
    const lineX = space.forwardX + up * space.upX
    const lineY = space.forwardY + up * space.upY
    const lineZ = space.forwardZ + up * space.upZ
    for (let i = 0; i < space.width; i++, pixel++) {
      let light = v128.load(space.backdrop + (pixel << 4))
      const way = f32x4.extract_lane(light, 3)
      const right: f32 = (<f32>2 * <f32>i + <f32>1) / <f32>space.width - <f32>1
      const dx = lineX + right * space.rightX
      const dz = lineZ + right * space.rightZ
      if (hasShadow && way > 0) {
        const x = space.eyeX + way * dx
        const z = space.eyeZ + way * dz
        const shadow = shadowAt(space, x, z)
        if (shadow > 0) light = f32x4.sub(light, f32x4.mul(light, f32x4.mul(taken, f32x4.splat(shadow))))
        if (hasBall) light = f32x4.mul(light, f32x4.splat(besideBall(space, x, z)))
      }
      let away: f32 = NOWHERE
      if (hasBall) {
        const dy = lineY + right * space.rightY
        away = meetBall(space, dx, dy, dz)
        if (away < NOWHERE) light = addWalls(space, shadeBall(space, dx, dy, dz, away), pixel, away)
      }
      if (hasSolid && away == NOWHERE) {
        const glass = v128.load(space.glass + (pixel << 4))
        light = f32x4.add(f32x4.mul(light, f32x4.splat(f32x4.extract_lane(glass, 3))), glass)
      }
      v128.store(space.scene + (pixel << 4), f32x4.replace_lane(light, 3, away))
      store<u32>(space.picture + (pixel << 2), toPixel(space, light))
    }
  }
}

/** Share of light that the shadow of the ball leaves. */
@inline
function besideBall(space: Space, x: f32, z: f32): f32 {
  const offX = x - space.ballX
  const offZ = z - space.ballZ
  const wide = space.ballRadius * (<f32>1.2 + space.ballY / <f32>space.ny)
  const squared = (offX * offX + offZ * offZ) / (wide * wide)
  return squared < SHADOW_REACH * SHADOW_REACH ? <f32>1 - <f32>0.35 * fading(<f32>2 * squared) : 1
}

/** The way to the ball, NOWHERE if the ray passes by or begins in it. */
@inline
function meetBall(space: Space, dx: f32, dy: f32, dz: f32): f32 {
  const x = space.ballX - space.eyeX
  const y = space.ballY - space.eyeY
  const z = space.ballZ - space.eyeZ
  const squared = dx * dx + dy * dy + dz * dz
  const middle = (x * dx + y * dy + z * dz) / squared
  const offX = x - middle * dx
  const offY = y - middle * dy
  const offZ = z - middle * dz
  const half = (space.ballRadius * space.ballRadius - offX * offX - offY * offY - offZ * offZ) / squared
  if (!(half > 0)) return NOWHERE
  const way = middle - sqrt<f32>(half)
  return way > 0 ? way : NOWHERE
}

function shadeBall(space: Space, dx: f32, dy: f32, dz: f32, way: f32): v128 {
  const scale = <f32>1 / space.ballRadius
  const nx = (space.eyeX + way * dx - space.ballX) * scale
  const ny = (space.eyeY + way * dy - space.ballY) * scale
  const nz = (space.eyeZ + way * dz - space.ballZ) * scale
  const short = <f32>1 / sqrt<f32>(dx * dx + dy * dy + dz * dz)
  const facing = -(nx * dx + ny * dy + nz * dz) * short
  const lit = <f32>0.35 + <f32>0.65 * max<f32>(nx * SUN_X + ny * SUN_Y + nz * SUN_Z, 0) + <f32>0.1 * ny
  const miss = <f32>1 - max<f32>(facing, 0)
  const mirrors = <f32>0.04 + <f32>0.5 * miss * miss * miss * miss * miss
  const twice = <f32>2 * facing
  const above = sky(space, dx * short + twice * nx, dy * short + twice * ny, dz * short + twice * nz)
  const orange = f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(0.07), 0, 0.95), 1, 0.25)
  return softWhite(mix4(f32x4.mul(orange, f32x4.splat(lit)), above, mirrors))
}

/** Walls of a pixel that are nearer than the ball. */
function addWalls(space: Space, light: v128, pixel: usize, away: f32): v128 {
  if (!space.hasSolid) return light
  const first = load<u32>(space.firstWall + (pixel << 2)) >> 1
  for (let at = load<u32>(space.firstWall + (pixel << 2), 4) >> 1; at > first; at--) {
    const wall = space.walls + <usize>(at - 1) * WALL
    if (load<f32>(wall, 28) < away) light = mix4(light, v128.load(wall), load<f32>(wall, 12))
  }
  return light
}
