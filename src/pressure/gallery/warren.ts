/** Rooms of four cells a side whose walls have no thickness: every second coarse cell of any hierarchy straddles one. Many rooms
 *  are sealed, the open ones form long chains. What one unknown per coarse cell cannot distinguish decides the convergence here. */
import { AXES, cellPosition, cellStrides, createGrid, type Grid } from '../../grid/grid.js'
import { random } from '../../random.js'
import type { Draft, GalleryProblem, Resolved } from '../gallery.js'
import { CONTACT, DRY, LIQUID } from '../problem.js'

export const warren: readonly Draft[] = [
  {
    name: 'warren',
    about: 'Rooms of 4 cells a side, walls without thickness, a third of them open (half in 2D), many rooms sealed; seeded.',
    dims: [3, 2],
    defaultSize: 32,
    minSize: 8,
    create: build,
  },
]

const ROOM_CELLS = 4
/** Above this share of the height there is air. */
const FILL_HEIGHT = 0.8
/** Streams of random numbers. */
const WALL_STREAM = 0
const SPEED_STREAM = 1

function build(options: Resolved): Omit<GalleryProblem, 'name'> {
  const { size, dims, dt, density, scale, walls } = options
  const grid = createGrid(new Array<number>(dims).fill(size), scale / size)
  const unit = dt / (density * grid.spacing ** 2)
  const strides = cellStrides(grid)
  const kind = new Uint8Array(grid.cells).map((_, cell) => (cellPosition(grid, cell)[1] < FILL_HEIGHT * size ? LIQUID : DRY))
  const diagonal = new Float64Array(grid.cells)
  const b = new Float64Array(grid.cells)
  const links = [diagonal.slice(), diagonal.slice(), diagonal.slice()] as const
  const touch = (cell: number) => {
    if (kind[cell] !== DRY && walls === 'separating') kind[cell] = CONTACT
  }
  for (const axis of AXES.slice(0, dims)) {
    for (let cell = 0; cell < grid.cells; cell++) {
      const place = cellPosition(grid, cell)
      const other = cell + strides[axis]
      if (place[axis] === 0) touch(cell)
      if (place[axis] === size - 1) touch(cell)
      else if (kind[cell] === DRY && kind[other] === DRY) continue
      else if (!isOpen(options, grid, axis, place)) {
        touch(cell)
        touch(other)
      } else {
        // Flow through open faces only, so a sealed room has as much coming in as going out.
        const flow = speed(options, axis, place) / grid.spacing
        connect(cell, other, axis, flow)
      }
    }
  }

  /** A face between two cells of liquid, or between one and air at p = 0 half a cell away. */
  function connect(cell: number, other: number, axis: number, flow: number): void {
    if (kind[cell] !== DRY) b[cell] += flow
    if (kind[other] !== DRY) b[other] -= flow
    if (kind[cell] !== DRY && kind[other] !== DRY) {
      links[axis][cell] = -unit
      diagonal[cell] += unit
      diagonal[other] += unit
    } else diagonal[kind[cell] !== DRY ? cell : other] += 2 * unit
  }

  return { problem: { grid, kind, diagonal, links, b } }
}

/** The same face before mirroring: its lower cell. */
function original({ mirror, size }: Resolved, axis: number, [x, y, z]: readonly number[]): [number, number, number] {
  return [mirror ? size - 1 - x - (axis === 0 ? 1 : 0) : x, y, z]
}

function isOpen(options: Resolved, grid: Grid, axis: number, place: readonly number[]): boolean {
  const from = original(options, axis, place)
  if (from[axis] % ROOM_CELLS !== ROOM_CELLS - 1) return true
  const room = from.map(position => Math.floor(position / ROOM_CELLS))
  return random(options.seed, WALL_STREAM, axis, ...room) < (grid.dims === 3 ? 1 / 3 : 1 / 2)
}

/** Up to 1 m/s either way. */
function speed(options: Resolved, axis: number, place: readonly number[]): number {
  const value = 2 * random(options.seed, SPEED_STREAM, axis, ...original(options, axis, place)) - 1
  return options.mirror && axis === 0 ? -value : value
}
