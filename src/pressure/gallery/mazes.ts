/** Thin walls everywhere: what is near on the grid is far for the liquid. */
import type { ScalarFunction } from '../../grid/field.js'
import { box, difference } from '../../grid/shapes.js'
import { random } from '../../random.js'
import type { Draft, Resolved } from '../gallery.js'
import { assembleScene, at } from './scene.js'

/** Velocity before gravity acts, m/s: the liquid is being poured. */
const POURED = [0, -2, 0] as const

export const mazes: readonly Draft[] = [
  {
    name: 'maze',
    about: 'A maze of 6 × 6 rooms with thin walls; the upper half is full of liquid that is poured down.',
    dims: [2],
    defaultSize: 48,
    minSize: 24,
    create: options => create(options, { rooms: 6, doors: 1 }),
  },
  {
    name: 'rooms',
    about: 'A building of 4 × 4 × 4 rooms with thin walls and doors; the upper half is full of liquid that is poured down.',
    dims: [3],
    defaultSize: 32,
    minSize: 20,
    create: options => create(options, { rooms: 4, doors: 0.5 }),
  },
]

interface Plan {
  /** Per side. */
  readonly rooms: number
  /** Width of a door as a part of the wall; 1 removes the whole wall. */
  readonly doors: number
}

function create(options: Resolved, plan: Plan) {
  return assembleScene(options, { liquid: (_, y) => 0.45 - y, solids: [{ phi: buildWalls(options, plan) }], velocity: POURED })
}

/** Union of the walls between rooms. At a point only the walls of its own room count, since others are about a room's
 *  width away at least; the distance is cut off there. */
function buildWalls(options: Resolved, { rooms, doors }: Plan): ScalarFunction {
  const { dims, size } = options
  const width = 1 / rooms
  // More than half the diagonal of a cell, so no cell sees both sides of a wall; between one and two cells on coarse grids.
  const halfThickness = Math.max(0.012, (dims === 2 ? 0.75 : 0.9) / size)
  const depth = dims === 2 ? 1 : rooms
  const doorways = chooseDoorways(options.seed, [rooms, rooms, depth])
  const touching: ScalarFunction[][] = Array.from({ length: rooms * rooms * depth }, () => [])
  forWalls([rooms, rooms, depth], (axis, room, position) => {
    const centre = position.map(index => (index + 0.5) * width) as [number, number, number]
    centre[axis] += 0.5 * width
    const half = (inPlane: number, across: number) => {
      const sides: [number, number, number] = [inPlane, inPlane, inPlane]
      sides[axis] = across
      return at(options, ...sides)
    }
    const middle = at(options, ...centre)
    const doorway = doorways.has(3 * room + axis)
    if (doorway && doors === 1) return
    // Walls reach into the crossing walls by half their thickness, which closes the corners.
    const slab = box(middle, half(0.5 * width + halfThickness, halfThickness))
    const wall = doorway ? difference(slab, box(middle, half(0.5 * doors * width, 3 * halfThickness))) : slab
    const near = (index: number, along: number) => [index - 1, index, index + 1].filter(i => i >= 0 && i < along)
    const [ni, nj, nk] = position.map((index, a) => (a === axis ? [index, index + 1] : near(index, a === 2 ? depth : rooms)))
    for (const k of nk) for (const j of nj) for (const i of ni) touching[i + rooms * (j + rooms * k)].push(wall)
  })
  const clamp = (value: number) => Math.min(rooms - 1, Math.max(0, Math.floor(value * rooms)))
  return (x, y, z) => {
    let phi = width
    const room = clamp(x) + rooms * (clamp(y) + rooms * (dims === 2 ? 0 : clamp(z)))
    for (const wall of touching[room]) phi = Math.min(phi, wall(x, y, z))
    return phi
  }
}

/** Calls `visit` for the upper wall of every room along every axis, except at the sides of the domain. */
function forWalls(
  shape: readonly [number, number, number],
  visit: (axis: number, room: number, position: readonly [number, number, number]) => void,
): void {
  const [nx, ny, nz] = shape
  for (let k = 0, room = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, room++)
        for (let axis = 0; axis < 3; axis++) if ([i, j, k][axis] < shape[axis] - 1) visit(axis, room, [i, j, k])
}

/** Numbers 3·room + axis of the walls that have a doorway: a random spanning tree, so each room is reached in one way. */
function chooseDoorways(seed: number, shape: readonly [number, number, number]): Set<number> {
  const strides = [1, shape[0], shape[0] * shape[1]]
  const walls: { id: number; from: number; to: number; order: number }[] = []
  forWalls(shape, (axis, room) => {
    const id = 3 * room + axis
    walls.push({ id, from: room, to: room + strides[axis], order: random(seed, id) })
  })
  walls.sort((a, b) => a.order - b.order)
  // Kruskal: a doorway wherever it joins two parts that were apart.
  const part = Array.from({ length: shape[0] * shape[1] * shape[2] }, (_, room) => room)
  const find = (room: number): number => (part[room] === room ? room : find(part[room]))
  const doorways = new Set<number>()
  for (const { id, from, to } of walls) {
    if (find(from) === find(to)) continue
    part[find(from)] = find(to)
    doorways.add(id)
  }
  return doorways
}
