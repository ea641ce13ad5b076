/** A ray through the box: it meets surfaces of liquid, where it is bent and mirrored, and thin glass where solids begin and end. */
import { advance, addEdge, enterBox, findExit, sideNormal } from './ray-box'
import { liquidNormal, solidAt, solidNormal, surfaceAt } from './ray-fields'
import { addBackground, addMirrored, fading } from './ray-surroundings'
import { Ray, View } from './ray-view'

/** Refractive index of water. */
const INDEX: f32 = 1.333
/** What is mirrored of light that falls straight on a surface: ((n − 1) / (n + 1))². */
const STRAIGHT: f32 = 0.0204

/** Surfaces that a ray is followed through; what comes later is drowned in the colour of the liquid. */
const MAX_SURFACES: i32 = 7

// Steps in cells: distances are trusted a little less than fully and only so far; features thinner than the least step may be missed.
const TRUST: f32 = 0.95
const LEAST_STEP: f32 = 0.3
const LARGEST_STEP: f32 = 12

/** Distance to what is not there. */
const NOWHERE: f32 = 1e9

/** A ray goes on this far behind the surface it has met, so that it does not meet it again. */
const BEHIND: f32 = 0.04

// Light that liquid scatters back to the eye.
const DEEP_R: f32 = 0.006
const DEEP_G: f32 = 0.105
const DEEP_B: f32 = 0.26

/** Of the liquid that solids leave room for. */
@inline
function liquidAt(phi: f32, solid: f32): f32 {
  return max<f32>(phi, -solid)
}

function isWet(view: View, ray: Ray): bool {
  if (!view.hasLiquid || surfaceAt(view, ray.x, ray.y, ray.z) >= 0) return false
  return !view.hasSolid || solidAt(view, ray.x, ray.y, ray.z) > 0
}

/** Follows the ray from where it is until it leaves, and gathers the light that comes along it. */
export function trace(view: View, ray: Ray): void {
  if (!enterBox(view, ray)) {
    addBackground(view, ray, ray.x, ray.y, ray.z, ray.dx, ray.dy, ray.dz, 1)
    return
  }
  addEdge(view, ray, ray.entryAxis, 0.55)
  let wet = isWet(view, ray)
  if (wet && ray.entryAxis >= 0) {
    sideNormal(ray, ray.entryAxis, ray.entrySign)
    ray.phi = surfaceAt(view, ray.x, ray.y, ray.z)
    addContactLine(view, ray)
    meet(view, ray, false)
  }
  for (let count = 0; count < MAX_SURFACES; count++) {
    findExit(view, ray)
    const from = ray.travelled
    const met = march(view, ray, wet)
    if (wet) absorb(view, ray, ray.travelled - from)
    if (met) {
      if (!wet) addContactLine(view, ray)
    } else {
      addEdge(view, ray, ray.exitAxis, 0.35)
      const onFloor = ray.exitAxis == 1 && ray.exitSign < 0
      if (!wet || onFloor) return addBackground(view, ray, ray.x, ray.y, ray.z, ray.dx, ray.dy, ray.dz, 1)
      sideNormal(ray, ray.exitAxis, ray.exitSign)
    }
    const mirrored = meet(view, ray, wet)
    if (!met && !mirrored) return addBackground(view, ray, ray.x, ray.y, ray.z, ray.dx, ray.dy, ray.dz, 1)
    if (!mirrored) wet = !wet
  }
  ray.r += ray.throughR * DEEP_R
  ray.g += ray.throughG * DEEP_G
  ray.b += ray.throughB * DEEP_B
}

/** Follows light from the sun down to the floor; false if it gets lost. Gathers nothing. */
export function shine(view: View, ray: Ray): bool {
  if (!enterBox(view, ray)) return true
  let wet = isWet(view, ray)
  for (let count = 0; count < 6; count++) {
    findExit(view, ray)
    const from = ray.travelled
    const met = march(view, ray, wet)
    if (wet) absorb(view, ray, ray.travelled - from)
    if (!met) {
      const onFloor = ray.exitAxis == 1 && ray.exitSign < 0
      if (!wet || onFloor) return true
      sideNormal(ray, ray.exitAxis, ray.exitSign)
    }
    const share = turn(ray, wet)
    if (share > 0) wet = !wet
    if (!met && share > 0) return true
  }
  return false
}

/** Moves the ray to the next surface of the liquid and sets the normal there; false if it comes to the side of the box first. A level set
 *  is looked up again only when the ray may have come to where it is 0. */
function march(view: View, ray: Ray, wet: bool): bool {
  const far = ray.exit
  let t: f32 = 0
  let s: f32 = view.hasSolid ? solidAt(view, ray.x, ray.y, ray.z) : NOWHERE
  let phi: f32 = view.hasLiquid ? surfaceAt(view, ray.x, ray.y, ray.z) : NOWHERE
  // Where they were looked up last, and until where they keep their sign.
  let atS: f32 = 0
  let atPhi: f32 = 0
  let untilS = view.hasSolid ? safeStep(s) : NOWHERE
  let untilPhi = view.hasLiquid ? safeStep(phi) : NOWHERE
  while (t < far) {
    t = min<f32>(min<f32>(untilS, untilPhi), far)
    const x = ray.x + t * ray.dx
    const y = ray.y + t * ray.dy
    const z = ray.z + t * ray.dz
    let from: f32 = t
    if (untilS <= t) {
      const next = solidAt(view, x, y, z)
      if (s < 0 != next < 0) addGlass(view, ray, atS + (t - atS) * (s / (s - next)))
      from = atS
      s = next
      atS = t
      untilS = t + safeStep(s)
    }
    if (untilPhi <= t) {
      phi = surfaceAt(view, x, y, z)
      from = min<f32>(from, atPhi)
      atPhi = t
      untilPhi = t + safeStep(phi)
    }
    if ((phi < 0 && s > 0) != wet) {
      const a = liquidAlong(view, ray, from)
      // A ray that has been moved behind a surface may still be a little before it.
      if (a < 0 == wet) {
        advance(ray, crossing(view, ray, from, a, t, liquidAt(phi, s)))
        liquidNormal(view, ray, ray.x, ray.y, ray.z)
        return true
      }
    }
  }
  advance(ray, far)
  return false
}

@inline
function safeStep(distance: f32): f32 {
  return min<f32>(max<f32>(TRUST * abs<f32>(distance), LEAST_STEP), LARGEST_STEP)
}

@inline
function liquidAlong(view: View, ray: Ray, t: f32): f32 {
  const x = ray.x + t * ray.dx
  const y = ray.y + t * ray.dy
  const z = ray.z + t * ray.dz
  return liquidAt(surfaceAt(view, x, y, z), view.hasSolid ? solidAt(view, x, y, z) : NOWHERE)
}

/** Where the level set of the liquid is 0 between two ways of different sign: false position, with a bisection to end on. */
function crossing(view: View, ray: Ray, from: f32, a: f32, to: f32, b: f32): f32 {
  for (let turn = 0; turn < 4; turn++) {
    const t = turn == 3 ? <f32>0.5 * (from + to) : from + (to - from) * (a / (a - b))
    const c = liquidAlong(view, ray, t)
    if (c < 0 == a < 0) {
      from = t
      a = c
    } else {
      to = t
      b = c
    }
  }
  return from + (to - from) * (a / (a - b))
}

/** The ray meets a surface of liquid: part of the light is mirrored, the rest goes through. True if all of it is mirrored back. */
function meet(view: View, ray: Ray, wet: bool): bool {
  if (ray.first == 0) {
    ray.first = ray.travelled
    ray.firstX = ray.normalX
    ray.firstY = ray.normalY
    ray.firstZ = ray.normalZ
  }
  const dx = ray.dx
  const dy = ray.dy
  const dz = ray.dz
  const share = turn(ray, wet)
  if (share < 0) return true
  const mirrored = <f32>1 - share
  if (wet) {
    // What is mirrored inside ends somewhere in the liquid.
    ray.r += mirrored * ray.throughR * DEEP_R
    ray.g += mirrored * ray.throughG * DEEP_G
    ray.b += mirrored * ray.throughB * DEEP_B
  } else {
    const twice = <f32>-2 * (dx * ray.normalX + dy * ray.normalY + dz * ray.normalZ)
    addMirrored(view, ray, ray.x, ray.y, ray.z, dx + twice * ray.normalX, dy + twice * ray.normalY, dz + twice * ray.normalZ, mirrored)
  }
  dim(ray, share)
  return false
}

/** Bends the ray at a surface and moves it behind it. Returns the share of light that goes through, by Schlick's approximation of
 *  Fresnel's law; −1 if all is mirrored, and then the ray with it. */
function turn(ray: Ray, wet: bool): f32 {
  let nx = ray.normalX
  let ny = ray.normalY
  let nz = ray.normalZ
  let along = ray.dx * nx + ray.dy * ny + ray.dz * nz
  if (along > 0) {
    nx = -nx
    ny = -ny
    nz = -nz
    along = -along
  }
  const eta: f32 = wet ? INDEX : <f32>1 / INDEX
  const k = <f32>1 - eta * eta * (<f32>1 - along * along)
  const isMirrored = k <= 0
  const scale = isMirrored ? <f32>1 : eta
  const shift = isMirrored ? <f32>-2 * along : -eta * along - sqrt<f32>(max<f32>(k, 0))
  const off = isMirrored ? BEHIND : -BEHIND
  point(ray, scale * ray.dx + shift * nx, scale * ray.dy + shift * ny, scale * ray.dz + shift * nz)
  ray.x += off * nx
  ray.y += off * ny
  ray.z += off * nz
  if (isMirrored) return -1
  const miss = <f32>1 - (wet ? sqrt<f32>(k) : -along)
  const miss2 = miss * miss
  return <f32>1 - (STRAIGHT + (<f32>1 - STRAIGHT) * miss2 * miss2 * miss)
}

function point(ray: Ray, x: f32, y: f32, z: f32): void {
  const length = sqrt<f32>(x * x + y * y + z * z)
  ray.dx = x / length
  ray.dy = y / length
  ray.dz = z / length
}

@inline
function dim(ray: Ray, share: f32): void {
  ray.throughR *= share
  ray.throughG *= share
  ray.throughB *= share
}

/** Beer's law, and the light that is scattered on the way. */
function absorb(view: View, ray: Ray, way: f32): void {
  const r = fading(view.absorbR * way)
  const g = fading(view.absorbG * way)
  const b = fading(view.absorbB * way)
  // All colours are scattered alike, as far as the middle one reaches.
  const scattered = <f32>1 - g
  ray.r += ray.throughR * scattered * DEEP_R
  ray.g += ray.throughG * scattered * DEEP_G
  ray.b += ray.throughB * scattered * DEEP_B
  ray.throughR *= r
  ray.throughG *= g
  ray.throughB *= b
}

/** Where the surface of the liquid ends on a wall there is a bright line; on free surfaces, where phi is 0 all over, there is none. */
function addContactLine(view: View, ray: Ray): void {
  const off = ray.phi / <f32>0.45
  const bright = <f32>0.55 * fading(off * off)
  if (ray.phi > <f32>-0.02) return
  ray.r += bright * ray.throughR
  ray.g += bright * ray.throughG
  ray.b += bright * ray.throughB
  dim(ray, <f32>1 - bright)
}

/** A wall of a solid as thin glass: clear where one looks straight through, bright at its outline; those behind the first are fainter. */
function addGlass(view: View, ray: Ray, way: f32): void {
  const x = ray.x + way * ray.dx
  const y = ray.y + way * ray.dy
  const z = ray.z + way * ray.dz
  solidNormal(view, ray, x, y, z)
  const along = ray.dx * ray.normalX + ray.dy * ray.normalY + ray.dz * ray.normalZ
  const miss = <f32>1 - abs<f32>(along)
  const miss3 = miss * miss * miss
  const faint: f32 = ray.walls++ == 0 ? 1 : 0.45
  const body = faint * (<f32>0.11 + <f32>0.55 * miss3)
  ray.r += body * ray.throughR * <f32>0.36
  ray.g += body * ray.throughG * <f32>0.36
  ray.b += body * ray.throughB * <f32>0.38
  dim(ray, <f32>1 - body)
  const shine = faint * (<f32>0.04 + <f32>0.30 * miss3 * miss)
  const twice = <f32>-2 * along
  addMirrored(view, ray, x, y, z, ray.dx + twice * ray.normalX, ray.dy + twice * ray.normalY, ray.dz + twice * ray.normalZ, shine)
  dim(ray, <f32>1 - shine)
}
