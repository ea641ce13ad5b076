/** The two loops of a picture: light that falls on the floor, and rays through pixels. */
import { pointer } from './jobs'
import { fading } from './ray-surroundings'
import { shine, trace } from './ray-trace'
import { LIGHT, Ray, rayOf, ROWS, View } from './ray-view'

/** One row of light: every ray would, if nothing were in its way, come down on a point of the map. */
export function lightChunk(row: i32): void {
  const view = changetype<View>(pointer(0))
  const ray = rayOf(view, row)
  const far = <f32>4 * <f32>(view.nx + view.ny + view.nz)
  let at = view.landed + (<usize>(row * LIGHT * 5) << 2)
  for (let column = 0; column < LIGHT; column++, at += 20) {
    const x = view.lightX + <f32>column * view.lightStep
    const z = view.lightZ + <f32>row * view.lightStep
    begin(ray, x + far * view.sunX, far * view.sunY, z + far * view.sunZ, -view.sunX, -view.sunY, -view.sunZ)
    const arrives = shine(view, ray) && ray.dy < <f32>-0.02
    const way = arrives ? -ray.y / ray.dy : 0
    store<f32>(at, ray.x + way * ray.dx)
    store<f32>(at, ray.z + way * ray.dz, 4)
    store<f32>(at, arrives ? ray.throughR : 0, 8)
    store<f32>(at, arrives ? ray.throughG : 0, 12)
    store<f32>(at, arrives ? ray.throughB : 0, 16)
  }
}

/** Adds up what has landed, in the order of the rays, and smooths it: where rays come together there is more light than without liquid. */
export function gatherLight(view: View): void {
  const bytes = <usize>(LIGHT * LIGHT * 3) << 2
  memory.fill(view.light, 0, bytes)
  const end = view.landed + (<usize>(LIGHT * LIGHT * 5) << 2)
  for (let at = view.landed; at < end; at += 20) {
    const px = (load<f32>(at) - view.lightX) / view.lightStep
    const pz = (load<f32>(at, 4) - view.lightZ) / view.lightStep
    if (!(px >= 0 && pz >= 0 && px < <f32>(LIGHT - 1) && pz < <f32>(LIGHT - 1))) continue
    const i = <i32>px
    const k = <i32>pz
    const fx = px - <f32>i
    const fz = pz - <f32>k
    const to = view.light + (<usize>((k * LIGHT + i) * 3) << 2)
    const row: usize = <usize>(LIGHT * 3) << 2
    for (let colour: usize = 0; colour < 12; colour += 4) {
      const light = load<f32>(at + colour, 8)
      gain(to + colour, light * (<f32>1 - fx) * (<f32>1 - fz))
      gain(to + colour + 12, light * fx * (<f32>1 - fz))
      gain(to + colour + row, light * (<f32>1 - fx) * fz)
      gain(to + colour + row + 12, light * fx * fz)
    }
  }
  smoothLight(view.light, view.blurred)
  smoothLight(view.blurred, view.light)
}

@inline
function gain(at: usize, light: f32): void {
  store<f32>(at, load<f32>(at) + light)
}

/** Weights 1, 2, 1 in both directions; the border of the map is lit fully. */
function smoothLight(from: usize, to: usize): void {
  const row: usize = <usize>(LIGHT * 3) << 2
  for (let k = 0; k < LIGHT; k++) {
    for (let i = 0; i < LIGHT; i++) {
      const offset = <usize>((k * LIGHT + i) * 3) << 2
      const isBorder = i < 2 || k < 2 || i >= LIGHT - 2 || k >= LIGHT - 2
      for (let colour: usize = 0; colour < 12; colour += 4) {
        const at = from + offset + colour
        const light: f32 = isBorder ? 1 : <f32>0.25 * (<f32>0.5 * threeAt(at) + <f32>0.25 * (threeAt(at - row) + threeAt(at + row)))
        store<f32>(to + offset + colour, min<f32>(light, <f32>2.6))
      }
    }
  }
}

@inline
function threeAt(at: usize): f32 {
  return load<f32>(at - 12) + <f32>2 * load<f32>(at) + load<f32>(at, 12)
}

/** A few rows of pixels. */
export function pixelChunk(piece: i32): void {
  const view = changetype<View>(pointer(0))
  const ray = rayOf(view, piece)
  const end = min((piece + 1) * ROWS, view.height)
  for (let row = piece * ROWS; row < end; row++) {
    for (let column = 0; column < view.width; column++) drawPixel(view, ray, column, row)
  }
}

function drawPixel(view: View, ray: Ray, column: i32, row: i32): void {
  const samples = view.samples
  const share = <f32>1 / <f32>(samples * samples)
  const pixel = <usize>row * <usize>view.width + <usize>column
  let r: f32 = 0
  let g: f32 = 0
  let b: f32 = 0
  for (let sample = 0; sample < samples * samples; sample++) {
    const u = <f32>column + (<f32>(sample % samples) + <f32>0.5) / <f32>samples
    const v = <f32>row + (<f32>(sample / samples) + <f32>0.5) / <f32>samples
    const right = <f32>2 * u / <f32>view.width - <f32>1
    const up = <f32>1 - <f32>2 * v / <f32>view.height
    const dx = view.forwardX + right * view.rightX + up * view.upX
    const dy = view.forwardY + right * view.rightY + up * view.upY
    const dz = view.forwardZ + right * view.rightZ + up * view.upZ
    const length = sqrt<f32>(dx * dx + dy * dy + dz * dz)
    begin(ray, view.eyeX, view.eyeY, view.eyeZ, dx / length, dy / length, dz / length)
    trace(view, ray)
    r += share * tone(ray.r)
    g += share * tone(ray.g)
    b += share * tone(ray.b)
    if (sample == 0 && view.keepSurface) keepSurface(view.surface + (pixel << 4), ray)
  }
  store<u32>(view.pixels + (pixel << 2), byteOf(r) | (byteOf(g) << 8) | (byteOf(b) << 16) | 0xff000000)
}

function begin(ray: Ray, x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32): void {
  memory.fill(changetype<usize>(ray), 0, offsetof<Ray>())
  ray.x = x
  ray.y = y
  ray.z = z
  ray.dx = dx
  ray.dy = dy
  ray.dz = dz
  ray.throughR = 1
  ray.throughG = 1
  ray.throughB = 1
}

/** From linear light to what a screen is given: highlights roll off softly, and a square root stands for the curve of the screen. */
@inline
function tone(light: f32): f32 {
  const soft: f32 = light > <f32>0.75 ? <f32>1 - <f32>0.25 * fading((light - <f32>0.75) * <f32>4) : max<f32>(light, 0)
  return sqrt<f32>(soft)
}

@inline
function byteOf(value: f32): u32 {
  return <u32>nearest<f32>(min<f32>(value, 1) * <f32>255)
}

function keepSurface(at: usize, ray: Ray): void {
  store<f32>(at, ray.first)
  store<f32>(at, ray.firstX, 4)
  store<f32>(at, ray.firstY, 8)
  store<f32>(at, ray.firstZ, 12)
}
