/** The light of liquid: what is behind it is bent, absorbed (Beer and Lambert) and mixed with scattered light, and its surface mirrors the
 *  studio (Schlick's approximation of Fresnel's law). src/paint/plain/space-water.ts is the definition. */
import * as shared from '../../rendering-constants'
import { behindGlass } from './glass'
import { groundLightAt } from './ground-light'
import { backdrop, colour, fading4, groundAt, mix4, sky, smooth, softWhite, SUN_X, SUN_Y, SUN_Z, vector } from './light'
import { EYE, lengthOf, liquidAt, placeAt, SIDE, SURFACE, WALL_OF_SOLID } from './rays'
import { ABSORPTION, LAMP, MIRRORED_BACK, PASSED_SURFACE, SCATTERED, Space } from './space'

/** Refractive index of water. */
const INDEX: f32 = <f32>shared.REFRACTIVE_INDEX
/** Of light that a surface mirrors back into thin liquid: how bright it is, by that which deep liquid scatters, and the share of it that
 *  comes from the studio. */
const MIRRORED_INSIDE: f32 = <f32>shared.MIRRORED_INSIDE
const MIRRORED_STUDIO: f32 = <f32>shared.MIRRORED_STUDIO
/** How bright the line is along which liquid ends on a wall, and cells over which it fades. */
const CONTACT_LINE: f32 = <f32>shared.CONTACT_LINE
const CONTACT_WIDTH: f32 = <f32>shared.CONTACT_WIDTH
/** Less is left of it, here, than a step of the screen. */
const LINE_END: f32 = -0.55
/** A slope of 1, as liquid.ts has it. */
const SLOPE: f32 = <f32>shared.UNIT_SLOPE
/** Cells of liquid that hide what is behind as a surface does. Thinner spray is partly air. */
const COVER: f32 = <f32>shared.COVERING_DEPTH

/** The liquid that the ray has met, at a wall if it did there. */
export function shade(space: Space, pixel: usize, column: i32, row: i32, direction: v128, wall: usize): v128 {
  const way = space.hit
  const thick = space.thick
  const place = placeAt(space, direction, way)
  const x = f32x4.extract_lane(place, 0),
    y = f32x4.extract_lane(place, 1),
    z = f32x4.extract_lane(place, 2)
  const look = f32x4.mul(direction, f32x4.splat(<f32>1 / lengthOf(direction)))
  const dx = f32x4.extract_lane(look, 0),
    dy = f32x4.extract_lane(look, 1),
    dz = f32x4.extract_lane(look, 2)
  let normal = normalAt(space, x, y, z, dx, dy, dz, wall)
  let nx = f32x4.extract_lane(normal, 0)
  let ny = f32x4.extract_lane(normal, 1)
  let nz = f32x4.extract_lane(normal, 2)
  let along = dx * nx + dy * ny + dz * nz
  if (along > <f32>-0.02) {
    // What is seen faces the eye, if only just.
    nx -= dx * (along + <f32>0.02)
    ny -= dy * (along + <f32>0.02)
    nz -= dz * (along + <f32>0.02)
    const scale = <f32>1 / sqrt<f32>(nx * nx + ny * ny + nz * nz)
    nx *= scale
    ny *= scale
    nz *= scale
    along = dx * nx + dy * ny + dz * nz
  }
  const thin = space.thinness
  let behind = f32x4.splat(0)
  if (thin < 1) behind = bentAt(space, pixel, column, row, way, nx, ny, nz)
  if (thin > 0) behind = mix4(behind, throughThin(space, pixel, direction, look, vector(nx, ny, nz)), thin)
  const through = fading4(f32x4.mul(colour(space, ABSORPTION), f32x4.splat(thick)))
  const surface = colour(space, PASSED_SURFACE)
  const murk = <f32>1 - <f32>0.94 * f32x4.extract_lane(through, 3)
  const lit = <f32>0.42 + <f32>0.85 * min<f32>(max<f32>(<f32>0.5 + <f32>0.5 * (nx * SUN_X + ny * SUN_Y + nz * SUN_Z), 0), 1)
  const scattered = f32x4.mul(colour(space, SCATTERED), f32x4.splat(lit * murk))
  const body = f32x4.add(f32x4.mul(f32x4.mul(behind, through), surface), scattered)
  const twice = <f32>-2 * along
  const above = mirrored(space, x, y, z, dx + twice * nx, dy + twice * ny, dz + twice * nz)
  const miss = <f32>1 - min<f32>(-along, 1)
  const mirrors = <f32>0.025 + <f32>0.975 * miss * miss * miss * miss * sqrt<f32>(miss)
  const glint = f32x4.mul(colour(space, LAMP), f32x4.splat(<f32>0.6 * glintOf(dx, dy, dz, nx, ny, nz)))
  let water = softWhite(f32x4.add(mix4(body, above, mirrors), glint))
  if (space.met == SIDE || space.met == WALL_OF_SOLID) water = mix4(water, f32x4.splat(1), contactLine(space, place, x, y, z))
  const cover = smooth(0, COVER, thick)
  return cover < 1 ? mix4(v128.load(space.scene + (pixel << 4)), water, cover) : water
}

/** Out of the liquid where the ray has met it, of length 1. */
function normalAt(space: Space, x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32, wall: usize): v128 {
  if (space.met == SURFACE) return slopeAt(space, x, y, z)
  if (space.met == WALL_OF_SOLID) return f32x4.neg(v128.load(wall, 16))
  if (space.met == EYE) return vector(-dx, -dy, -dz)
  if (space.side == 0) return vector(dx > 0 ? -1 : 1, 0, 0)
  if (space.side == 1) return vector(0, dy > 0 ? -1 : 1, 0)
  return vector(0, 0, dz > 0 ? -1 : 1)
}

/** SLOPE times the gradient of the liquid, between the middles of cells. */
function gradientAt(space: Space, x: f32, y: f32, z: f32): v128 {
  const px = within(x, space.nx),
    py = within(y, space.ny),
    pz = within(z, space.nz)
  const i = min(<i32>px, max(space.nx - 2, 0)),
    j = min(<i32>py, max(space.ny - 2, 0)),
    k = min(<i32>pz, max(space.nz - 2, 0))
  // A grid of one cell along an axis has no next one.
  const next: usize = space.nx > 1 ? 16 : 0
  const row: usize = space.ny > 1 ? (<usize>space.nx) << 4 : 0
  const plane: usize = space.nz > 1 ? (<usize>(space.nx * space.ny)) << 4 : 0
  const at = space.slopes + ((<usize>(i + space.nx * (j + space.ny * k))) << 4)
  const fx = px - <f32>i,
    fy = py - <f32>j,
    fz = pz - <f32>k
  const near = mix4(mix4(v128.load(at), v128.load(at + next), fx), mix4(v128.load(at + row), v128.load(at + row + next), fx), fy)
  const back = at + plane
  const far = mix4(
    mix4(v128.load(back), v128.load(back + next), fx),
    mix4(v128.load(back + row), v128.load(back + row + next), fx),
    fy,
  )
  return mix4(near, far, fz)
}

/** The direction in which liquid ends, of length 1. */
function slopeAt(space: Space, x: f32, y: f32, z: f32): v128 {
  const slope = gradientAt(space, x, y, z)
  const a = f32x4.extract_lane(slope, 0),
    b = f32x4.extract_lane(slope, 1),
    c = f32x4.extract_lane(slope, 2)
  const steep = sqrt<f32>(a * a + b * b + c * c)
  // Where a level set is flat any direction will do, but not none.
  if (!(steep > <f32>1e-9)) return vector(0, 1, 0)
  return f32x4.mul(slope, f32x4.splat(<f32>1 / steep))
}

@inline
function within(value: f32, size: i32): f32 {
  return min<f32>(max<f32>(value - <f32>0.5, 0), <f32>(size - 1))
}

/** The scene where a ray that is bent by the surface comes from, or straight behind it if that is before the liquid. */
function bentAt(space: Space, pixel: usize, column: i32, row: i32, way: f32, nx: f32, ny: f32, nz: f32): v128 {
  const shift = (min<f32>(space.thick, <f32>0.35 * <f32>space.nx) * <f32>0.175) / way
  const right = (nx * space.rightX + ny * space.rightY + nz * space.rightZ) * space.perRight
  const up = (nx * space.upX + ny * space.upY + nz * space.upZ) * space.perUp
  const x = min<f32>(max<f32>(<f32>column - right * shift * space.wholeWidth, 0), <f32>(space.width - 1))
  const y = min<f32>(max<f32>(<f32>row + up * shift * space.wholeHeight, 0), <f32>(space.height - 1))
  const i = min(<i32>x, max(space.width - 2, 0))
  const j = min(<i32>y, max(space.height - 2, 0))
  const next: usize = space.width > 1 ? 16 : 0
  const line: usize = space.height > 1 ? (<usize>space.width) << 4 : 0
  const at = space.scene + ((<usize>i + <usize>space.width * <usize>j) << 4)
  if (load<f32>(at, 12) < way) return v128.load(space.scene + (pixel << 4))
  const fx = x - <f32>i
  return mix4(
    mix4(v128.load(at), v128.load(at + next), fx),
    mix4(v128.load(at + line), v128.load(at + line + next), fx),
    y - <f32>j,
  )
}

/** What is seen through thin liquid, which bends light on both sides. */
function throughThin(space: Space, pixel: usize, direction: v128, look: v128, normal: v128): v128 {
  const within = bend(look, normal, <f32>1 / INDEX)
  const exit = placeAt(space, direction, space.exit)
  const x = f32x4.extract_lane(exit, 0),
    y = f32x4.extract_lane(exit, 1),
    z = f32x4.extract_lane(exit, 2)
  const back = slopeAt(space, x, y, z)
  const inward = dot(within, back) > 0 ? f32x4.neg(back) : back
  const along = dot(within, inward)
  if (!(<f32>1 - INDEX * INDEX * (<f32>1 - along * along) > 0)) {
    // All light is mirrored, and its way through the liquid is a long one.
    const turned = f32x4.sub(within, f32x4.mul(inward, f32x4.splat(<f32>2 * along)))
    const murky = f32x4.mul(colour(space, SCATTERED), f32x4.splat(MIRRORED_INSIDE))
    const left = f32x4.mul(colour(space, MIRRORED_BACK), studioFrom(space, pixel, direction, exit, turned))
    return mix4(murky, left, MIRRORED_STUDIO)
  }
  if (space.hasNext) return v128.load(changetype<usize>(space), offsetof<Space>('next0'))
  return studioFrom(space, pixel, direction, exit, bend(within, inward, INDEX))
}

/** Backdrop or ground behind thin liquid, which the ray of a pixel leaves at a place; seen through the walls of the pixel. */
function studioFrom(space: Space, pixel: usize, direction: v128, place: v128, towards: v128): v128 {
  const x = f32x4.extract_lane(place, 0),
    y = f32x4.extract_lane(place, 1),
    z = f32x4.extract_lane(place, 2)
  const dx = f32x4.extract_lane(towards, 0),
    dy = f32x4.extract_lane(towards, 1),
    dz = f32x4.extract_lane(towards, 2)
  if (dy >= <f32>-1e-4) return behindGlass(space, pixel, backdrop(space, dy))
  const way = -max<f32>(y, 0) / dy
  const blur = ((space.exit * lengthOf(direction) + way) * <f32>2 * space.perColumn) / sqrt<f32>(space.perRight)
  const groundX = x + way * dx
  const groundZ = z + way * dz
  const ground = f32x4.mul(groundAt(space, groundX, groundZ, blur), groundLightAt(space, groundX, groundZ))
  return behindGlass(space, pixel, ground)
}

@inline
function dot(a: v128, b: v128): f32 {
  const each = f32x4.mul(a, b)
  return f32x4.extract_lane(each, 0) + f32x4.extract_lane(each, 1) + f32x4.extract_lane(each, 2)
}

/** The direction of light behind a surface whose normal is against it, if not all of it is mirrored. */
@inline
function bend(direction: v128, normal: v128, ratio: f32): v128 {
  const along = dot(direction, normal)
  const rest = <f32>1 - ratio * ratio * (<f32>1 - along * along)
  return f32x4.add(f32x4.mul(direction, f32x4.splat(ratio)), f32x4.mul(normal, f32x4.splat(-ratio * along - sqrt<f32>(rest))))
}

/** Where the surface of liquid ends on a wall, or on a side of the grid, there is a bright line. */
@inline
function contactLine(space: Space, place: v128, x: f32, y: f32, z: f32): f32 {
  const value = liquidAt(space, place)
  if (value < LINE_END) return 0
  // Between walls and particles level sets are flat: they are no distance there, and less than it looks.
  const steep = lengthOf(gradientAt(space, x, y, z)) / SLOPE
  const off = value / (min<f32>(max<f32>(steep, 0.05), 1) * CONTACT_WIDTH)
  return CONTACT_LINE * f32x4.extract_lane(fading4(f32x4.splat(off * off)), 0)
}

/** What a surface at a place mirrors: the sky, or the ground if it looks down. */
function mirrored(space: Space, x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32): v128 {
  const above = sky(space, dx, dy, dz)
  if (dy >= <f32>-0.02) return above
  const way = -y / dy
  const tint = vector(0.62, 0.78, 0.88)
  const ground = groundAt(space, x + way * dx, z + way * dz, <f32>0.02 * <f32>space.nx)
  return mix4(above, f32x4.mul(tint, ground), smooth(0.02, 0.2, -dy))
}

/** The lamp in the surface: a power of how directly it is mirrored to the eye. */
@inline
function glintOf(dx: f32, dy: f32, dz: f32, nx: f32, ny: f32, nz: f32): f32 {
  const hx = SUN_X - dx
  const hy = SUN_Y - dy
  const hz = SUN_Z - dz
  const well = nx * hx + ny * hy + nz * hz
  const squared = (well * well) / (hx * hx + hy * hy + hz * hz)
  // Less would be no step of the screen.
  if (!(well > 0 && squared > <f32>0.9)) return 0
  const p4 = squared * squared
  const p8 = p4 * p4
  const p16 = p8 * p8
  const p32 = p16 * p16
  const p64 = p32 * p32
  return p64 * p64 * p64 * p32 * p16
}
