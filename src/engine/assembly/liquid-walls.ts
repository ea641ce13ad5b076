/** Solids as the centre of a cell sees them, by the nodes around it, and the liquid that they leave room for. */
import { setSum } from './jobs'
import { Liquid } from './liquid'
import { CELLS, current, endRow, f32At, firstRow, nodeIndex, nodeStep } from './liquid-rows'

/** Signed distance of a centre to the nearest solid. */
export function wallDistance(liquid: Liquid, i: i32, j: i32, k: i32): f32 {
  const node = nodeIndex(liquid, i, j, k)
  const up = node + nodeStep(liquid, 2)
  return 0.125 * (quad(liquid, node, 1, nodeStep(liquid, 1)) + quad(liquid, up, 1, nodeStep(liquid, 1)))
}

/** Four times its slope along an axis. */
export function wallSlope(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f32 {
  const node = nodeIndex(liquid, i, j, k)
  const s = nodeStep(liquid, axis == 2 ? 0 : axis + 1)
  const t = nodeStep(liquid, axis == 0 ? 2 : axis - 1)
  return quad(liquid, node + nodeStep(liquid, axis), s, t) - quad(liquid, node, s, t)
}

@inline
function quad(liquid: Liquid, node: i32, s: i32, t: i32): f32 {
  const phi = liquid.solid
  return f32At(phi, node) + f32At(phi, node + s) + (f32At(phi, node + t) + f32At(phi, node + s + t))
}

/** Σ of what is liquid of what is open, in cells. */
export function volumeChunk(chunk: i32): void {
  const liquid = current()
  let cell = firstRow(liquid, CELLS, chunk) * liquid.nx
  const end = endRow(liquid, CELLS, chunk) * liquid.nx
  let sum = 0.0
  while (cell < end) {
    if (cell + 16 <= end && areBeyond(liquid.phi + (<usize>cell << 2))) {
      cell += 16
      continue
    }
    const stop = min(end, cell + 16)
    for (; cell < stop; cell++) {
      const phi = f32At(liquid.phi, cell)
      if (phi < 0.5) sum += <f64>f32At(liquid.openCell, cell) * (phi > -0.5 ? 0.5 - <f64>phi : 1)
    }
  }
  setSum(chunk, 0, sum)
}

/** Are sixteen centres so far outside that their cells hold nothing? */
@inline
function areBeyond(at: usize): bool {
  const half = v128.splat<f32>(0.5)
  const first = v128.and(v128.ge<f32>(v128.load(at), half), v128.ge<f32>(v128.load(at, 16), half))
  return v128.all_true<i32>(v128.and(first, v128.and(v128.ge<f32>(v128.load(at, 32), half), v128.ge<f32>(v128.load(at, 48), half))))
}
