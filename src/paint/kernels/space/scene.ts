/** All of a picture but liquid: backdrop and ground, the light on it, a ball moved by the user, and solids before them. */
import { behindGlass } from './glass'
import { groundLightAt } from './ground-light'
import { backdrop, fading, groundAt, mix4, sky, softWhite, SUN_X, SUN_Y, SUN_Z, toPixel, vector } from './light'
import { lengthOf, through } from './rays'
import { atHand, NO_HIT, runPieces, Space, WALL_BYTES } from './space'

/** Light on the ground, and the shadow of the ball, are as without them farther from the grid than this, in its lengths. */
const SHADOWS: f32 = 0.6
/** Less is no step of the screen. */
const LEAST_CHANGE: f32 = 0.002
/** Places of a piece of work. */
const SOME_PLACES: i32 = 4096
/** The ball's shadow is not seen farther from its middle than this, in its own widths. */
const SHADOW_REACH: f32 = 2

/** What stays while the camera does. */
export function paintBackdrop(space: Space): void {
  const wide = sqrt<f32>(space.rightX * space.rightX + space.rightY * space.rightY + space.rightZ * space.rightZ)
  const pixelWidth: f32 = <f32>2 * wide * space.perColumn
  const reach = SHADOWS * <f32>max(space.nx, space.nz)
  let place = space.places
  let pixel: usize = 0
  for (let j = 0; j < space.height; j++) {
    for (let i = 0; i < space.width; i++, pixel++) {
      const direction = through(space, <f32>i, <f32>j)
      const dy = f32x4.extract_lane(direction, 1)
      const length = lengthOf(direction)
      let light: v128
      if (dy < <f32>-1e-4 * length && space.eyeY > 0) {
        const way = -space.eyeY / dy
        const x = space.eyeX + way * f32x4.extract_lane(direction, 0)
        const z = space.eyeZ + way * f32x4.extract_lane(direction, 2)
        light = groundAt(space, x, z, way * length * pixelWidth)
        if (x > -reach && z > -reach && x < <f32>space.nx + reach && z < <f32>space.nz + reach) {
          store<u32>(place, <u32>pixel)
          store<f32>(place, x, 4)
          store<f32>(place, z, 8)
          place += 16
        }
      } else light = backdrop(space, dy / length)
      v128.store(space.backdrop + (pixel << 4), light)
    }
  }
  space.placeCount = <i32>((place - space.places) >> 4)
}

/** What stays while camera and solids do. */
export function paintPlainScene(space: Space): void {
  const end = <usize>space.width * <usize>space.height
  for (let pixel: usize = 0; pixel < end; pixel++) {
    const light = behindGlass(space, pixel, v128.load(space.backdrop + (pixel << 4)))
    v128.store(space.plainScene + (pixel << 4), light)
    store<u32>(space.plainPicture + (pixel << 2), toPixel(space, light))
  }
}

export function paintScene(space: Space): void {
  const pixels = <usize>space.width * <usize>space.height
  memory.copy(space.scene, space.plainScene, pixels << 4)
  memory.copy(space.picture, space.plainPicture, pixels << 2)
  const hasBall = space.ballRadius > 0
  if (space.hasLiquid || hasBall) runPieces(space, groundPiece, (space.placeCount + SOME_PLACES - 1) / SOME_PLACES)
  if (hasBall) paintBall(space)
}

/** On some places of the ground. */
@piece
export function groundPiece(piece: i32): void {
  const space = atHand()
  const hasBall = space.ballRadius > 0
  const end = space.places + ((<usize>min(space.placeCount, (piece + 1) * SOME_PLACES)) << 4)
  for (let place = space.places + ((<usize>(piece * SOME_PLACES)) << 4); place < end; place += 16) {
    const x = load<f32>(place, 4)
    const z = load<f32>(place, 8)
    const left = hasBall ? besideBall(space, x, z) : <f32>1
    const light = groundLightAt(space, x, z)
    const off = f32x4.abs(f32x4.sub(light, f32x4.splat(1)))
    if (left == 1 && !v128.any_true(f32x4.gt(off, f32x4.splat(LEAST_CHANGE)))) continue
    const pixel = <usize>load<u32>(place)
    const ground = v128.load(space.backdrop + (pixel << 4))
    const share = f32x4.mul(light, f32x4.splat(left))
    setPixel(space, pixel, behindGlass(space, pixel, f32x4.mul(ground, share)))
  }
}

@inline
function setPixel(space: Space, pixel: usize, light: v128): void {
  v128.store(space.scene + (pixel << 4), light)
  store<u32>(space.picture + (pixel << 2), toPixel(space, light))
}

function paintBall(space: Space): void {
  let pixel: usize = 0
  for (let j = 0; j < space.height; j++) {
    for (let i = 0; i < space.width; i++, pixel++) {
      const direction = through(space, <f32>i, <f32>j)
      const dx = f32x4.extract_lane(direction, 0),
        dy = f32x4.extract_lane(direction, 1),
        dz = f32x4.extract_lane(direction, 2)
      const away = meetBall(space, dx, dy, dz)
      if (away == NO_HIT) continue
      const light = addWalls(space, shadeBall(space, dx, dy, dz, away), pixel, away)
      setPixel(space, pixel, f32x4.replace_lane(light, 3, away))
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

/** The way to the ball, NO_HIT if the ray passes by or begins in it. */
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
  if (!(half > 0)) return NO_HIT
  const way = middle - sqrt<f32>(half)
  return way > 0 ? way : NO_HIT
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
  const orange = vector(0.95, 0.25, 0.07)
  return softWhite(mix4(f32x4.mul(orange, f32x4.splat(lit)), above, mirrors))
}

/** Walls of a pixel that are nearer than the ball. */
function addWalls(space: Space, light: v128, pixel: usize, away: f32): v128 {
  if (!space.hasSolid) return light
  const first = load<u32>(space.firstWall + (pixel << 2)) >> 1
  for (let at = load<u32>(space.firstWall + (pixel << 2), 4) >> 1; at > first; at--) {
    const wall = space.walls + <usize>(at - 1) * WALL_BYTES
    if (load<f32>(wall, 28) < away) light = mix4(light, v128.load(wall), load<f32>(wall, 12))
  }
  return light
}
