/** The surface of a liquid from its particles: mean positions as Zhu and Bridson (2005) define them, turned into distances by a profile.
 *  Sides of the grid and solids mirror the particles in front of them, so that the surface meets walls without bending away from them and
 *  continues in a solid as it is in front of it, as long as liquid touches the wall. Particles must be sorted by cell. */
import { nodeShape } from '../../../grid/grid.js'
import { MIN_DEEP, REACH } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { centreDistance, centreSlopes } from '../grid/nodal-solids.js'
import { forCells, lowestNode } from '../grid/walk.js'
import type { PlainState } from '../state.js'
import { fillHoles } from './holes.js'
import { isDeep, isInReach, markCells } from './marks.js'
import {
  addImagesOfRow,
  addRow,
  addSums,
  clearSums,
  createSums,
  type Mirror,
  type SumPoint,
  type Sums,
  totalOf,
} from './particle-sums.js'
import { distanceFor } from './profile.js'

/** Particles do not resolve larger depths, in cells. */
const DEEPEST = -1
/** Distance at centres of crowded cells. */
const CROWDED = -0.25
/** Liquid this far from a wall, in cells, does not touch it. */
const GAP = 0.5
/** The mean of few particles is off by chance, which always increases its distance. For independent random positions, the squared distance
 *  would be too large by their spread; this share of the spread is subtracted, because particles of a liquid keep apart. */
const CHANCE = 0.25
/** Less weight than this does not define a surface. */
const MIN_SURFACE_WEIGHT = f32(1e-12)

/** Sums that are reused for every centre. */
interface Scratch {
  readonly sums: Sums
  readonly images: Sums
  readonly seen: Sums
}

/** Writes `phi`; about `particlesPerCell` particles fill a cell. */
export function findSurface(state: PlainState, profile: Float32Array, particlesPerCell: number): void {
  const { grid, arrays } = state
  const { phi } = arrays
  const marks = markCells(state, particlesPerCell)
  const scratch = { sums: createSums(), images: createSums(), seen: createSums() }
  forCells(grid, (cell, i, j, k) => {
    const place = [i, j, k]
    phi[cell] = REACH
    if (!isInReach(state, marks, place)) return
    if (isDeep(state, marks, cell, place)) {
      phi[cell] = Math.max(DEEPEST, continuedInto(wallDistance(state, place)))
      return
    }
    phi[cell] = Math.max(DEEPEST, surfaceDistance(state, profile, scratch, cell, place))
    phi[cell] = Math.min(phi[cell], crowdedDistance(state, cell, particlesPerCell))
  })
  fillHoles(state, particlesPerCell)
}

/** Largest distance at the centre of a cell by the number of its particles: a cell that holds more than it has room for is liquid wherever they
 *  are; as air it would collect ever more. Where no wall is in the cell, the bound falls with their number, from that of an empty cell at a
 *  full one: half full cells of a surface at rest hold four of four particles by chance, and a jump would make them flicker. Particles in
 *  front of a wall do not tell by their mean position whether a cut cell is full, so there it is liquid as soon as it is full. */
function crowdedDistance({ arrays: { cellStart, openCell } }: PlainState, cell: number, particlesPerCell: number): number {
  const count = cellStart[cell + 1] - cellStart[cell]
  const room = f32(f32(particlesPerCell) * openCell[cell])
  if (count === 0 || count < room) return REACH
  return openCell[cell] < 1 ? CROWDED : Math.max(CROWDED, f32(1.5 - f32(count / room)))
}

/** Signed distance to the surface at a centre, from the particles in reach and, where they touch walls, their images. */
function surfaceDistance(
  state: PlainState,
  profile: Float32Array,
  scratch: Scratch,
  cell: number,
  place: readonly number[],
): number {
  const { grid, arrays } = state
  const node = lowestNode(grid, place[0], place[1], place[2])
  const wall = wallDistance(state, place)
  // In a solid beside liquid without particles.
  if (arrays.carried[cell] >= MIN_DEEP) return continuedInto(wall)
  const centre = { x: place[0] + 0.5, y: place[1] + 0.5, z: place[2] + 0.5 }
  const { sums, images } = scratch
  clearSums(sums)
  forRowsAround(state, place, (first, end) => addRow(state, sums, centre, first, end))
  const alone = distanceOf(profile, sums)
  const isAtSide = place.some((n, axis) => axis < grid.dims && (n === 0 || n === grid.shape[axis] - 1))
  const away = isAtSide ? Math.min(wall, 0.5) : wall
  if (f32(alone + away) >= GAP) return alone
  clearSums(images)
  if (isAtSide) addSideImages(state, scratch, place)
  const mirror = wall < REACH ? nearestWall(state, node, wall) : undefined
  if (mirror) forRowsAround(state, place, (first, end) => addImagesOfRow(state, images, centre, mirror, first, end))
  addSums(sums, images)
  // In a solid the liquid continues as far as REACH, and ends there.
  const together = distanceOf(profile, sums)
  return wall < 0 ? Math.max(together, f32(-wall - REACH)) : together
}

/** From a centre, in cells. */
function wallDistance({ grid, arrays }: PlainState, [i, j, k]: readonly number[]): number {
  return centreDistance(arrays.solid, nodeShape(grid), lowestNode(grid, i, j, k))
}

/** Distance at a centre that is this far in front of a wall, if liquid fills all of the space there: it continues into the solid as far as
 *  REACH. */
function continuedInto(wall: number): number {
  return wall < -REACH ? REACH : f32(-wall - REACH)
}

/** |Σ w d / Σ w|² minus its bias by chance, as a distance. */
function distanceOf(profile: Float32Array, { weight, x, y, z, spread }: Sums): number {
  const total = totalOf(weight)
  if (!(total > MIN_SURFACE_WEIGHT)) return REACH
  const mean = (parts: Float32Array) => f32(totalOf(parts) / total)
  const [mx, my, mz] = [mean(x), mean(y), mean(z)]
  const square = f32(f32(f32(mx * mx) + f32(my * my)) + f32(mz * mz))
  const byChance = f32(f32(CHANCE * totalOf(spread)) / f32(total * total))
  return distanceFor(profile, f32(Math.sqrt(Math.max(f32(square - byChance), 0))))
}

/** The particles of the cells around a cell, row by row along x. */
function forRowsAround(
  { grid: { shape }, arrays: { cellStart } }: PlainState,
  [i, j, k]: readonly number[],
  visit: (first: number, end: number) => void,
): void {
  const [nx, ny, nz] = shape
  for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++) {
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++) {
      const row = nx * (b + ny * c)
      visit(cellStart[row + Math.max(0, i - 1)], cellStart[row + Math.min(nx, i + 2)])
    }
  }
}

/** Adds the images of particles in the cells along sides. Instead of the particles the centre is mirrored, and the mirrored components of the
 *  sums are negated. */
function addSideImages(state: PlainState, { images, seen }: Scratch, place: readonly number[]): void {
  const { dims, shape } = state.grid
  const { cellStart } = state.arrays
  const [alongX, alongY, alongZ] = place.map((n, axis) =>
    (axis < dims ? [-1, 0, 1] : [0]).map(step => mirrored(n, step, shape[axis])),
  )
  for (const z of alongZ) {
    for (const y of alongY) {
      for (const x of alongX) {
        if (x.turn === 1 && y.turn === 1 && z.turn === 1) continue
        const cell = x.cell + shape[0] * (y.cell + shape[1] * z.cell)
        clearSums(seen)
        addRow(state, seen, { x: x.centre, y: y.centre, z: z.centre }, cellStart[cell], cellStart[cell + 1])
        addSums(images, seen, { x: x.turn, y: y.turn, z: z.turn })
      }
    }
  }
}

/** Along an axis: the cell a step from cell n or, beyond a side, its mirror image, which is n; the centre of n, mirrored in that case; and −1
 *  if it is mirrored. */
function mirrored(n: number, step: number, size: number): { cell: number; centre: number; turn: 1 | -1 } {
  const centre = n + 0.5
  if (n + step < 0) return { cell: n, centre: -centre, turn: -1 }
  if (n + step >= size) return { cell: n, centre: 2 * size - centre, turn: -1 }
  return { cell: n + step, centre, turn: 1 }
}

/** The surface of the nearest solid as a plane; undefined where it has no direction. */
function nearestWall({ grid, arrays: { solid } }: PlainState, node: number, away: number): Mirror | undefined {
  const [x, y, z] = centreSlopes(solid, nodeShape(grid), node)
  const length = f32(Math.sqrt(f32(f32(f32(x * x) + f32(y * y)) + f32(z * z))))
  if (!(length > 0)) return undefined
  const normal: SumPoint = { x: f32(x / length), y: f32(y / length), z: f32(z / length) }
  return { normal, away }
}
