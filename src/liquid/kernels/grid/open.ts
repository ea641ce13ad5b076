/** Fraction of a face or cell that solids leave open, from the distances at its nodes: the formulas of src/grid/levelset.ts. */
import { MIN_OPEN_FRACTION } from '../../../grid/small-openings'
import { Liquid } from '../liquid'
import { f32At, nodeIndex, nodeStep } from './rows'

/** Corners in order around the face. */
export function openFace(a: f64, b: f64, c: f64, d: f64): f32 {
  if (a > 0 && b > 0 && c > 0 && d > 0) return 1
  if (a <= 0 && b <= 0 && c <= 0 && d <= 0) return 0
  const open = 0.25 * (openTriangle(a, b, c) + openTriangle(a, c, d) + openTriangle(a, b, d) + openTriangle(b, c, d))
  return open < MIN_OPEN_FRACTION ? 0 : <f32>open
}

/** Open fraction of a face by solids alone, without sides. */
export function openOfSolids(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f32 {
  const node = nodeIndex(liquid, i, j, k)
  const s = nodeStep(liquid, axis == 2 ? 0 : axis + 1)
  const t = nodeStep(liquid, axis == 0 ? 2 : axis - 1)
  const phi = liquid.solid
  return openFace(f32At(phi, node), f32At(phi, node + s), f32At(phi, node + s + t), f32At(phi, node + t))
}

function openTriangle(a: f64, b: f64, c: f64): f64 {
  const positive = i32(a > 0) + i32(b > 0) + i32(c > 0)
  if (positive == 3) return 1
  if (positive == 0) return 0
  const lonePositive = positive == 1
  // The corner whose sign differs from the other two cuts off a small triangle.
  const share = a > 0 == lonePositive ? corner2(a, b, c) : b > 0 == lonePositive ? corner2(b, c, a) : corner2(c, a, b)
  return lonePositive ? share : 1 - share
}

@inline
function corner2(u: f64, s: f64, t: f64): f64 {
  return (u / (u - s)) * (u / (u - t))
}

/** Open fraction of a cell; the bits of a corner's number are x, y, z. Mean of both ways to cut the cube into five tetrahedra; the inner one
 *  comes first. */
export function openCell(c0: f64, c1: f64, c2: f64, c3: f64, c4: f64, c5: f64, c6: f64, c7: f64): f64 {
  let open = 0.0
  open += 0.5 * (1.0 / 3.0) * openTetrahedron(c0, c3, c5, c6)
  open += 0.5 * (1.0 / 3.0) * openTetrahedron(c1, c2, c4, c7)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c1, c0, c3, c5)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c0, c1, c2, c4)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c2, c0, c3, c6)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c3, c1, c2, c7)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c4, c0, c5, c6)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c5, c1, c4, c7)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c7, c3, c5, c6)
  open += 0.5 * (1.0 / 6.0) * openTetrahedron(c6, c2, c4, c7)
  return open
}

function openTetrahedron(a: f64, b: f64, c: f64, d: f64): f64 {
  const positive = i32(a > 0) + i32(b > 0) + i32(c > 0) + i32(d > 0)
  if (positive == 4) return 1
  if (positive == 0) return 0
  if (positive == 2) {
    if (a > 0 == b > 0) return a > 0 ? wedge(a, b, c, d) : wedge(c, d, a, b)
    if (a > 0 == c > 0) return a > 0 ? wedge(a, c, b, d) : wedge(b, d, a, c)
    return a > 0 ? wedge(a, d, b, c) : wedge(b, c, a, d)
  }
  const lonePositive = positive == 1
  const share =
    a > 0 == lonePositive
      ? corner3(a, b, c, d)
      : b > 0 == lonePositive
        ? corner3(b, a, c, d)
        : c > 0 == lonePositive
          ? corner3(c, a, b, d)
          : corner3(d, a, b, c)
  return lonePositive ? share : 1 - share
}

@inline
function corner3(u: f64, r: f64, s: f64, t: f64): f64 {
  return ((((u / (u - r)) * u) / (u - s)) * u) / (u - t)
}

/** Open fraction where a and b are open and c and d are not. */
function wedge(a: f64, b: f64, c: f64, d: f64): f64 {
  const ac = a / (a - c)
  const ad = a / (a - d)
  const bc = b / (b - c)
  const bd = b / (b - d)
  return ac * ad + ac * bd * (1 - ad) + bc * bd * (1 - ac)
}
