/** The light of the large lamp on the ground: followed down through liquid, which absorbs it and bends it at every surface, as one ray for
 *  every place of a map. Lengths are in cells. */
import { nodeShape } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { MAX_LEVEL, REFRACTIVE_INDEX } from '../rendering-constants.js'
import { TO_SUN } from '../space-colours.js'
import { dot, length, reflect, refract, scale, type Vector } from '../vector.js'

/** A map of the ground. */
export interface GroundMap {
  /** Places along its sides, margins included. */
  readonly width: number
  readonly height: number
  /** Places per cell and side. */
  readonly perCell: number
  /** Cells by which it is larger than the grid, on every side. */
  readonly margin: number
}

/** Cells with liquid in them and beside them, the upper ones excluded. */
export interface WetBox {
  readonly from: readonly [number, number, number]
  readonly to: readonly [number, number, number]
}

/** The level set of liquid where there is no solid. Undefined without liquid. */
export function takeBody({ grid, liquid, solid }: Frame, body: Float32Array): WetBox | undefined {
  const [nx, ny, nz] = grid.shape
  const [mx, my] = nodeShape(grid)
  const perSpacing = 1 / grid.spacing
  const from: [number, number, number] = [nx, ny, nz]
  const to: [number, number, number] = [0, 0, 0]
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, cell++) {
        const phi = liquid[cell] * perSpacing
        // What is not a number is air.
        body[cell] = phi < AIR_LEVEL ? Math.max(phi, -AIR_LEVEL) : AIR_LEVEL
        if (!(phi < 0)) continue
        const node = i + mx * (j + my * k)
        let sum = 0
        for (let corner = 0; corner < 8; corner++) {
          const wall = solid[node + (corner & 1) + mx * (((corner >> 1) & 1) + my * (corner >> 2))] * perSpacing
          sum += wall < MAX_LEVEL ? Math.max(wall, -MAX_LEVEL) : MAX_LEVEL
        }
        const inside = Math.max(body[cell], -0.125 * sum)
        body[cell] = inside
        if (!(inside < 0)) continue
        from[0] = Math.min(from[0], i)
        from[1] = Math.min(from[1], j)
        from[2] = Math.min(from[2], k)
        to[0] = Math.max(to[0], i + 1)
        to[1] = Math.max(to[1], j + 1)
        to[2] = Math.max(to[2], k + 1)
      }
    }
  }
  return to[0] > 0 ? { from, to } : undefined
}

/** Cells: beyond the grid there is air. Values within it need not be larger, since light is bent at surfaces only. */
const AIR_LEVEL = 8

/** Level sets are not quite distances: within this share of them there is no surface for sure. */
const SURE_SHARE = 0.8

/** Cells that light moves aside for each cell that it falls, before it is bent. */
const LAMP_ASIDE = [-TO_SUN[0] / TO_SUN[1], -TO_SUN[2] / TO_SUN[1]] as const

/** Cells below a surface where light goes on. */
const BEYOND_SURFACE = 0.05

/** Light that has met as many surfaces as this is weak. */
const MOST_SURFACES = 12

/** Light that is bent farther from the vertical than this is lost for the ground nearby. */
const LEAST_FALL = 0.3

/** What each place of the map gets, relative to ground without liquid, as three planes of red, green and blue light. `absorbed`: by a cell
 *  of liquid, as powers of e. Rays start from where they would light the middle of their place without liquid. */
export function followLamp(
  body: Float32Array,
  shape: Vector,
  box: WetBox,
  absorbed: Vector,
  { width, height, perCell, margin }: GroundMap,
  flux: Float32Array,
): void {
  const places = width * height
  flux.fill(0)
  const top = box.to[1] + 1
  const [nx, ny, nz] = shape
  // Where straight light can meet the box: its shadow, one cell larger.
  const [leastX, mostX] = shadowOfBox(box, 0, LAMP_ASIDE[0])
  const [leastZ, mostZ] = shadowOfBox(box, 2, LAMP_ASIDE[1])
  for (let row = 0, place = 0; row < height; row++) {
    const z = (row + 0.5) / perCell - margin
    for (let column = 0; column < width; column++, place++) {
      const x = (column + 0.5) / perCell - margin
      if (x < leastX || x > mostX || z < leastZ || z > mostZ)
        for (let colour = 0; colour < 3; colour++) flux[colour * places + place] += 1
      else follow(x, z)
    }
  }

  /** Light that would fall on x, z: layer by layer of cells, or as far as no surface is, bent where it comes into liquid or out of it. Plain
   *  numbers: this is most of the time that the map takes. */
  function follow(groundX: number, groundZ: number): void {
    let x = groundX - top * LAMP_ASIDE[0]
    let y = top
    let z = groundZ - top * LAMP_ASIDE[1]
    let dx = -TO_SUN[0]
    let dy = -TO_SUN[1]
    let dz = -TO_SUN[2]
    let isIn = x >= 0 && y <= ny && z >= 0 && x <= nx && z <= nz
    let level = isIn ? levelAt(body, nx, ny, nz, x, y, z) : AIR_LEVEL
    let wet = 0
    let met = 0
    while (y > 0) {
      const free = isIn ? SURE_SHARE * Math.abs(level) * -dy : 1
      let fall = Math.min(y, free > 1 ? free : 1)
      let along = -fall / dy
      let isNextIn = isIn && x + along * dx >= 0 && z + along * dz >= 0 && x + along * dx <= nx && z + along * dz <= nz
      if (!isNextIn) {
        fall = Math.min(y, 1)
        along = -fall / dy
        const nextX = x + along * dx
        const nextZ = z + along * dz
        isNextIn = nextX >= 0 && y - fall <= ny && nextZ >= 0 && nextX <= nx && nextZ <= nz
      }
      const next = isNextIn ? levelAt(body, nx, ny, nz, x + along * dx, y - fall, z + along * dz) : AIR_LEVEL
      if (next < 0 === level < 0 || isNextIn !== isIn) {
        // The sides of the domain only end what is seen of liquid; they do not bend light. Half of the step is on either side of them.
        wet += 0.5 * along * ((level < 0 ? 1 : 0) + (next < 0 ? 1 : 0))
        x += along * dx
        y -= fall
        z += along * dz
        level = next
        isIn = isNextIn
        continue
      }
      const share = level / (level - next)
      if (level < 0) wet += share * along
      x += share * along * dx
      y -= share * fall
      z += share * along * dz
      const turned = turnedAt(body, shape, [x, y, z], [dx, dy, dz], next < 0)
      const isWet = turned.isMirrored ? level < 0 : next < 0
      dx = turned.direction[0]
      dy = turned.direction[1]
      dz = turned.direction[2]
      if (dy > -LEAST_FALL || ++met === MOST_SURFACES) return
      // A little beyond the surface, so that it is not met again.
      const beyond = -BEYOND_SURFACE / dy
      if (isWet) wet += beyond
      x += beyond * dx
      y -= BEYOND_SURFACE
      z += beyond * dz
      level = isWet ? -1e-3 : 1e-3
    }
    give(x, z, wet)
  }

  /** To the four places around. */
  function give(x: number, z: number, wet: number): void {
    const px = (x + margin) * perCell - 0.5
    const pz = (z + margin) * perCell - 0.5
    if (!(px >= 0 && pz >= 0 && px < width - 1 && pz < height - 1)) return
    const column = Math.floor(px)
    const row = Math.floor(pz)
    const fx = px - column
    const fz = pz - row
    const at = column + width * row
    for (let colour = 0; colour < 3; colour++) {
      const left = wet > 0 ? Math.exp(-absorbed[colour] * wet) : 1
      const plane = colour * places + at
      flux[plane] += left * (1 - fx) * (1 - fz)
      flux[plane + 1] += left * fx * (1 - fz)
      flux[plane + width] += left * (1 - fx) * fz
      flux[plane + width + 1] += left * fx * fz
    }
  }
}

function shadowOfBox({ from, to }: WetBox, axis: 0 | 2, aside: number): [number, number] {
  const ends = [from[axis] - 1 + aside * (from[1] - 1), from[axis] - 1 + aside * (to[1] + 1)]
  const others = [to[axis] + 1 + aside * (from[1] - 1), to[axis] + 1 + aside * (to[1] + 1)]
  return [Math.min(...ends, ...others), Math.max(...ends, ...others)]
}

/** What cannot leave liquid is mirrored; where there is no normal light goes on. */
function turnedAt(body: Float32Array, shape: Vector, place: Vector, direction: Vector, isEntering: boolean) {
  const against = normalAgainst(body, shape, place, direction)
  if (!against) return { direction, isMirrored: false }
  const bent = refract(direction, against, isEntering ? 1 / REFRACTIVE_INDEX : REFRACTIVE_INDEX)
  return bent ? { direction: bent, isMirrored: false } : { direction: reflect(direction, against), isMirrored: true }
}

/** Of the surface, against a direction, of length 1. Undefined where the level set is flat. */
function normalAgainst(body: Float32Array, [nx, ny, nz]: Vector, [x, y, z]: Vector, direction: Vector): Vector | undefined {
  const slope: Vector = [
    levelAt(body, nx, ny, nz, x + 1, y, z) - levelAt(body, nx, ny, nz, x - 1, y, z),
    levelAt(body, nx, ny, nz, x, y + 1, z) - levelAt(body, nx, ny, nz, x, y - 1, z),
    levelAt(body, nx, ny, nz, x, y, z + 1) - levelAt(body, nx, ny, nz, x, y, z - 1),
  ]
  const steep = length(slope)
  return steep > 1e-3 ? scale(slope, (dot(slope, direction) < 0 ? 1 : -1) / steep) : undefined
}

/** Linear between the centres of cells; beyond those at the border as on it. */
function levelAt(values: Float32Array, nx: number, ny: number, nz: number, x: number, y: number, z: number): number {
  const px = Math.min(Math.max(x - 0.5, 0), nx - 1)
  const py = Math.min(Math.max(y - 0.5, 0), ny - 1)
  const pz = Math.min(Math.max(z - 0.5, 0), nz - 1)
  const i = Math.floor(px)
  const j = Math.floor(py)
  const k = Math.floor(pz)
  const right = i < nx - 1 ? 1 : 0
  const up = j < ny - 1 ? nx : 0
  const back = k < nz - 1 ? nx * ny : 0
  const fx = px - i
  const fy = py - j
  const at = i + nx * (j + ny * k)
  const a = values[at] + fx * (values[at + right] - values[at])
  const b = values[at + up] + fx * (values[at + up + right] - values[at + up])
  const c = values[at + back] + fx * (values[at + back + right] - values[at + back])
  const d = values[at + back + up] + fx * (values[at + back + up + right] - values[at + back + up])
  const near = a + fy * (b - a)
  return near + (pz - k) * (c + fy * (d - c) - near)
}

/** Weights 1, 2, 1 along both sides; light keeps its sum but for the border of the map, where it is even. */
export function smoothOnce(values: Float32Array, scratch: Float32Array, width: number, height: number): void {
  for (let row = 0, at = 0; row < height; row++)
    for (let column = 0; column < width; column++, at++)
      scratch[at] = 0.25 * (values[column > 0 ? at - 1 : at] + 2 * values[at] + values[column < width - 1 ? at + 1 : at])
  for (let row = 0, at = 0; row < height; row++)
    for (let column = 0; column < width; column++, at++)
      values[at] = 0.25 * (scratch[row > 0 ? at - width : at] + 2 * scratch[at] + scratch[row < height - 1 ? at + width : at])
}
