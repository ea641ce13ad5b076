/** Gaps between solids, and between solids and closed sides, that are narrower than some cells. */
import type { ScalarFunction } from '../../grid/field.js'
import { AXES, cellPosition } from '../../grid/grid.js'
import type { SceneSetting, Vector } from '../../scene/setting.js'

/** Cells looked at: all of smaller grids, every nth of larger ones. */
const MAX_GAP_SAMPLES = 100_000
/** Gaps narrower than this share of a cell are where solids touch. */
const TOUCHING = 0.25
/** Cosine of the angle between the walls of a gap: those of a wedge, and of a ball on a floor, are farther from parallel. */
const FACING = -0.97
/** Places at which a gap has to be found: a grid sees fewer only where solids graze each other. */
const MIN_PLACES = 3

export interface Gap {
  /** Metres. */
  readonly width: number
  readonly place: Vector
}

/** The narrowest one at the start, if it is narrower than `enough` metres. From centres of cells beside a wall, a ray goes straight away from it,
 *  to the wall opposite. */
export function narrowestGap(setting: SceneSetting, enough: number): Gap | undefined {
  const { grid, solids } = setting
  if (solids.length === 0) return undefined
  const h = grid.spacing
  const distance = openDistance(setting)
  const stride = Math.ceil(grid.cells / MAX_GAP_SAMPLES)
  let narrowest: Gap | undefined
  let places = 0
  for (let cell = 0; cell < grid.cells; cell += stride) {
    const [i, j, k] = cellPosition(grid, cell)
    const place: Vector = [(i + 0.5) * h, (j + 0.5) * h, grid.dims === 2 ? 0 : (k + 0.5) * h]
    const width = widthAt(distance, place, grid.dims, h, enough)
    if (width === undefined || width < TOUCHING * h) continue
    places++
    if (!narrowest || width < narrowest.width) narrowest = { width, place }
  }
  return places < MIN_PLACES ? undefined : narrowest
}

/** To the nearest solid or closed side, < 0 inside. */
function openDistance({ grid, sides, solids }: SceneSetting): ScalarFunction {
  const solidsAtStart = solids.map(({ phiAt }) => phiAt(0))
  const bySide = [sides.x, sides.y, sides.z]
  return (x, y, z) => {
    const at = [x, y, z]
    let nearest = solidsAtStart.reduce((least, phi) => Math.min(least, phi(x, y, z)), Infinity)
    for (const axis of AXES.slice(0, grid.dims)) {
      if (bySide[axis]?.[0] !== 'open') nearest = Math.min(nearest, at[axis])
      if (bySide[axis]?.[1] !== 'open') nearest = Math.min(nearest, grid.shape[axis] * grid.spacing - at[axis])
    }
    return nearest
  }
}

/** Width of the gap that a place is in; undefined if it is in none. */
function widthAt(distance: ScalarFunction, place: Vector, dims: number, h: number, enough: number): number | undefined {
  const near = distance(...place)
  if (!(near > 0 && near < enough)) return undefined
  const away = directionAt(distance, place, dims, h)
  if (!away) return undefined
  const along = (way: number): Vector => [place[0] + way * away[0], place[1] + way * away[1], place[2] + way * away[2]]
  let way = 0
  // As far as there is certainly no wall; the last step ends beyond it.
  for (let free = near; free > 0; free = distance(...along(way))) {
    if (near + way >= enough) return undefined
    way += Math.max(free, 0.01 * h)
  }
  // The last step goes a little too far.
  if (near + way >= enough) return undefined
  const opposite = directionAt(distance, along(way - 0.1 * h), dims, h)
  if (!opposite || away[0] * opposite[0] + away[1] * opposite[1] + away[2] * opposite[2] > FACING) return undefined
  return near + way
}

/** Direction in which a distance grows; undefined where it has none, as in the middle between walls. */
function directionAt(distance: ScalarFunction, [x, y, z]: Vector, dims: number, h: number): Vector | undefined {
  const step = 0.02 * h
  const u = (distance(x + step, y, z) - distance(x - step, y, z)) / (2 * step)
  const v = (distance(x, y + step, z) - distance(x, y - step, z)) / (2 * step)
  const w = dims === 2 ? 0 : (distance(x, y, z + step) - distance(x, y, z - step)) / (2 * step)
  const length = Math.hypot(u, v, w)
  return length > 0.8 ? [u / length, v / length, w / length] : undefined
}
