/** The 256 ways in which a surface can pass through a cube whose corners are inside or outside, derived once from two rules:
 *  on a face with two opposite corners inside, these are cut off apart from each other, so neighbours agree on every shared face; and no
 *  triangle has an edge across a face that is not an edge of the surface there, so every edge belongs to exactly two triangles.
 *  After Lorensen and Cline, Marching Cubes, 1987, whose table leaves holes where neighbours disagree.
 *
 *  Corner c is at x = bit 0, y = bit 1, z = bit 2 of c; bit c of a case is set if it is inside. */

export interface CubeEdge {
  readonly axis: number
  /** The corner at its lower end; the other is `from | 1 << axis`. */
  readonly from: number
}

/** Edge 4·axis + q starts at the corner whose two other coordinates are the bits of q. */
export const CUBE_EDGES: readonly CubeEdge[] = [0, 1, 2].flatMap(axis =>
  [0, 1, 2, 3].map(q => ({ axis, from: ((q & 1) << ((axis + 1) % 3)) | ((q >> 1) << ((axis + 2) % 3)) })),
)

type Loop = readonly number[]

/** Corners of the six faces, anticlockwise as seen from outside of the cube. */
const CUBE_FACES: readonly (readonly number[])[] = [0, 1, 2].flatMap(axis => {
  const corner = (side: number, q: number) => (side << axis) | ((q & 1) << ((axis + 1) % 3)) | ((q >> 1) << ((axis + 2) % 3))
  return [[2, 3, 1, 0].map(q => corner(0, q)), [0, 1, 3, 2].map(q => corner(1, q))]
})

function edgeBetween(one: number, other: number): number {
  return CUBE_EDGES.findIndex(({ axis, from }) => from === Math.min(one, other) && (one ^ other) === 1 << axis)
}

/** Bit f is set if the edge bounds face f. */
const FACES_OF_EDGE = CUBE_EDGES.map((_, edge) =>
  CUBE_FACES.reduce((bits, corners, face) => {
    const bounds = corners.some((corner, at) => edgeBetween(corner, corners[(at + 1) % 4]) === edge)
    return bounds ? bits | (1 << face) : bits
  }, 0),
)

/** Where the surface continues from each edge it crosses: on every face, from where the border walks in to where it walks out again. */
function followingEdges(inside: number): Map<number, number> {
  const isInside = (corner: number) => ((inside >> corner) & 1) === 1
  const next = new Map<number, number>()
  for (const corners of CUBE_FACES) {
    for (let at = 0; at < 4; at++) {
      if (isInside(corners[at]) || !isInside(corners[(at + 1) % 4])) continue
      let out = at + 1
      while (isInside(corners[(out + 1) % 4])) out++
      next.set(edgeBetween(corners[at], corners[(at + 1) % 4]), edgeBetween(corners[out % 4], corners[(out + 1) % 4]))
    }
  }
  return next
}

/** The polygons of a case, anticlockwise as seen from outside of what is inside. */
function loopsOf(inside: number): Loop[] {
  const next = followingEdges(inside)
  const loops: number[][] = []
  while (next.size > 0) {
    const loop: number[] = []
    for (let edge = next.keys().next().value; edge !== undefined && next.has(edge); ) {
      loop.push(edge)
      const following = next.get(edge)!
      next.delete(edge)
      edge = following
    }
    loops.push(loop)
  }
  return loops
}

/** Cuts a polygon into triangles without diagonals in a face; undefined if that is impossible. */
function triangulate(loop: Loop): Loop[] | undefined {
  if (loop.length < 3) return []
  const last = loop.length - 1
  const isAllowed = (from: number, to: number) => to - from === 1 || (FACES_OF_EDGE[loop[from]] & FACES_OF_EDGE[loop[to]]) === 0
  for (let top = 1; top < last; top++) {
    if (!isAllowed(0, top) || !isAllowed(top, last)) continue
    const before = triangulate(loop.slice(0, top + 1))
    const after = triangulate(loop.slice(top))
    if (before && after) return [...before, [loop[0], loop[top], loop[last]], ...after]
  }
  return undefined
}

function createTable() {
  const starts = new Uint16Array(257)
  const edges: number[] = []
  let most = 0
  for (let inside = 0; inside < 256; inside++) {
    for (const loop of loopsOf(inside)) edges.push(...triangulate(loop)!.flat())
    starts[inside + 1] = edges.length
    most = Math.max(most, starts[inside + 1] - starts[inside])
  }
  return { starts, edges: Uint8Array.from(edges), most }
}

/** The triangles of case c are three edges each, from `edges[starts[c]]` to before `edges[starts[c + 1]]`; `most` edges at most. */
export const CUBE_TRIANGLES = createTable()
