/** Geometries that are hard for one method or another. Each returns cells and what joins them; air and divergence come afterwards. */
import { createDraft, type Draft, drawShape, joinWet, positionOf, upper } from './draft.js'
import type { Draw } from './draw.js'

export type Geometry = (draw: Draw, large: boolean) => Draft

export const block: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  draft.wet.fill(1)
  joinWet(draft)
  return draft
}

/** A ball cut by the grid: conductances as the open fractions of cut cells, smooth apart from few small ones. */
export const cutBall: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  const radius = draw.between(0.3, 0.55)
  const inside = (cell: number, shift: readonly number[]) => {
    const at = positionOf(draft, cell).map((index, axis) =>
      axis < draft.dims ? (index + shift[axis]) / draft.shape[axis] - 0.5 : 0,
    )
    return radius - Math.hypot(...at)
  }
  for (let cell = 0; cell < draft.cells; cell++) draft.wet[cell] = inside(cell, [0.5, 0.5, 0.5]) > -0.05 ? 1 : 0
  joinWet(draft, (cell, axis) => {
    const depth =
      inside(
        cell,
        [0.5, 0.5, 0.5].map((half, other) => (other === axis ? 1 : half)),
      ) *
        draft.shape[axis] +
      0.5
    return depth < 1e-4 ? 0 : Math.min(1, depth)
  })
  return draft
}

/** Single solid cells anywhere. */
export const noise: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  const solid = draw.between(0.05, 0.5)
  for (let cell = 0; cell < draft.cells; cell++) draft.wet[cell] = draw.chance(solid) ? 0 : 1
  joinWet(draft)
  return draft
}

/** As many solid cells as just let liquid through, or not. */
export const percolation: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  const byFaces = draw.chance(0.5)
  const open = byFaces ? (draft.dims === 2 ? 0.5 : 0.25) : draft.dims === 2 ? 0.593 : 0.312
  const share = open + draw.between(-0.02, 0.15)
  for (let cell = 0; cell < draft.cells; cell++) draft.wet[cell] = byFaces || draw.chance(share) ? 1 : 0
  joinWet(draft, () => (byFaces && !draw.chance(share) ? 0 : 1))
  return draft
}

/** Walls without thickness between cells. */
export const plates: Geometry = (draw, large) => {
  const draft = block(draw, large)
  for (let plate = draw.whole(1, 6); plate > 0; plate--) {
    const axis = draw.whole(0, draft.dims - 1)
    const at = draw.whole(0, Math.max(0, draft.shape[axis] - 2))
    const leak = draw.pick([0, 0, 1e-4, 1e-6])
    const gap = draw.between(0, 0.4)
    for (let cell = 0; cell < draft.cells; cell++)
      if (positionOf(draft, cell)[axis] === at && upper(draft, cell, axis) >= 0 && !draw.chance(gap))
        draft.faces[axis][cell] = leak
  }
  return draft
}

/** Conductances of nearly closed faces among open ones. */
export const slivers: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  const smallest = draw.pick([-2, -4, -6])
  const some = draw.chance(0.3) ? draw.between(0.02, 0.5) : 1
  draft.wet.fill(1)
  joinWet(draft, () => (draw.chance(some) ? draw.power(smallest, 0) : 1))
  return draft
}

/** Conductances over many orders of magnitude, face by face or cell by cell, or in layers. */
export const hugeRatios: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  const reach = draw.pick([3, 4, 6])
  const pattern = draw.pick(['faces', 'cells', 'layers', 'axes', 'two'])
  const axis = draw.whole(0, draft.dims - 1)
  const layer = Array.from({ length: draft.shape[axis] }, () => draw.power(-reach, reach))
  const byCell = Float64Array.from({ length: draft.cells }, () => draw.power(-reach, reach))
  draft.wet.fill(1)
  joinWet(draft, (cell, along) => {
    if (pattern === 'faces') return draw.power(-reach, reach)
    if (pattern === 'layers') return layer[positionOf(draft, cell)[axis]]
    if (pattern === 'axes') return along === axis ? 10 ** reach : 10 ** -reach
    if (pattern === 'two') return draw.chance(0.3) ? 10 ** reach : 10 ** -reach
    return 2 / (1 / byCell[cell] + 1 / byCell[upper(draft, cell, along)])
  })
  return draft
}

/** Teeth on a spine; the slits between them are walls without thickness, or solid cells. */
export const comb: Geometry = (draw, large) => {
  const draft = block(draw, large)
  const [across, along] = draft.dims === 3 && draw.chance(0.5) ? [0, 2] : [0, 1]
  const tooth = draw.whole(1, 2)
  const spine = draw.chance(0.5) ? 0 : draft.shape[along] - 1
  for (let cell = 0; cell < draft.cells; cell++) {
    const position = positionOf(draft, cell)
    if (position[along] !== spine && position[across] % tooth === tooth - 1) draft.faces[across][cell] = 0
  }
  return draft
}

/** One long channel with walls without thickness: blocks of `width` cells are visited in an order, and joined with the next one only. */
function channel(draft: Draft, width: number, placeOf: (block: readonly number[], blocks: readonly number[]) => number): Draft {
  const blocks = draft.shape.map(side => Math.ceil(side / width))
  const place = (cell: number) =>
    placeOf(
      positionOf(draft, cell).map(index => Math.floor(index / width)),
      blocks,
    )
  for (let cell = 0; cell < draft.cells; cell++) {
    for (let axis = 0; axis < draft.dims; axis++) {
      const other = upper(draft, cell, axis)
      if (other >= 0 && Math.abs(place(cell) - place(other)) > 1) draft.faces[axis][cell] = 0
    }
  }
  return draft
}

/** Line by line, layer by layer, to and fro. */
export const serpentine: Geometry = (draw, large) =>
  channel(block(draw, large), draw.whole(1, 3), ([i, j, k], [nx, ny]) => {
    const line = k % 2 === 0 ? j : ny - 1 - j
    const lines = line + ny * k
    return (lines % 2 === 0 ? i : nx - 1 - i) + nx * lines
  })

/** Winds inwards; in 3D the layers are joined everywhere. */
export const spiral: Geometry = (draw, large) => {
  const side = large ? draw.whole(30, 48) : draw.whole(5, 18)
  const depth = draw.chance(0.3) ? draw.whole(2, large ? 6 : 3) : 1
  const draft = createDraft(depth > 1 ? [side, side, depth] : [side, side])
  draft.wet.fill(1)
  joinWet(draft)
  return channel(draft, draw.whole(1, 3), ([i, j], [nx, ny]) => {
    const turn = Math.min(i, j, nx - 1 - i, ny - 1 - j)
    const [width, height] = [nx - 2 * turn, ny - 2 * turn]
    const before = nx * ny - width * height
    const [x, y] = [i - turn, j - turn]
    if (y === 0) return before + x
    if (x === width - 1) return before + width - 1 + y
    if (y === height - 1) return before + width + height - 2 + (width - 1 - x)
    return before + 2 * width + height - 3 + (height - 1 - y)
  })
}

/** A spanning tree of the cells: walls without thickness everywhere else. */
export const maze: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  draft.wet.fill(1)
  const visited = new Uint8Array(draft.cells)
  const stack = [draw.whole(0, draft.cells - 1)]
  visited[stack[0]] = 1
  const straight = draw.chance(0.5)
  while (stack.length > 0) {
    const at = straight ? stack.length - 1 : draw.whole(0, stack.length - 1)
    const cell = stack[at]
    const ways: [number, number, number][] = []
    for (let axis = 0; axis < draft.dims; axis++) {
      const above = upper(draft, cell, axis)
      const below = positionOf(draft, cell)[axis] > 0 ? cell - draft.strides[axis] : -1
      if (above >= 0 && !visited[above]) ways.push([axis, cell, above])
      if (below >= 0 && !visited[below]) ways.push([axis, below, below])
    }
    if (ways.length === 0) {
      stack.splice(at, 1)
      continue
    }
    const [axis, face, next] = draw.pick(ways)
    draft.faces[axis][face] = 1
    visited[next] = 1
    stack.push(next)
  }
  return draft
}

/** Rooms with doors of one cell, open or nearly closed. */
export const rooms: Geometry = (draw, large) => {
  const draft = block(draw, large)
  const side = draw.whole(2, 5)
  const door = draw.pick([1, 1, 1e-2, 1e-4, 1e-6])
  for (let cell = 0; cell < draft.cells; cell++) {
    const position = positionOf(draft, cell)
    for (let axis = 0; axis < draft.dims; axis++) {
      if (position[axis] % side !== side - 1 || upper(draft, cell, axis) < 0) continue
      const isDoor = position.every((index, other) => other === axis || other >= draft.dims || index % side === 1 % side)
      draft.faces[axis][cell] = isDoor ? door : 0
    }
  }
  return draft
}

/** Lone cells, pairs and strings, each with or without air of its own. */
export const crumbs: Geometry = (draw, large) => {
  const draft = createDraft(drawShape(draw, large))
  const wet = draw.between(0.1, 0.35)
  for (let cell = 0; cell < draft.cells; cell++) draft.wet[cell] = draw.chance(wet) ? 1 : 0
  joinWet(draft, () => (draw.chance(0.5) ? 0 : draw.power(-2, 2)))
  for (let cell = 0; cell < draft.cells; cell++) if (draft.wet[cell] && draw.chance(0.5)) draft.air[cell] = draw.power(-3, 3)
  return draft
}

export const ANY: readonly Geometry[] = [block, cutBall, noise, plates, slivers, comb, serpentine, spiral, maze, rooms]
