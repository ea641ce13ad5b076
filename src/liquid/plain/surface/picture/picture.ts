/** The surface of a liquid for pictures and meshes. Particles are at random places, so the level set `phi` that is found from them is rough by
 *  tenths of a cell at wavelengths of a cell, at any resolution: no normal converges. Here one linear filter, 2G − G² with a Gaussian G, takes
 *  the roughness out. It leaves planes, spheres and sheets where they are, unlike G alone, which shrinks what is curved. Its width grows with the
 *  resolution in cells and falls in metres, so that normals converge.
 *
 *  Liquid that is thinner than two cells has no roughness that could be told from its shape, and stays as it is: drops, films, jets. Nothing is
 *  read through walls. */
import {
  CENTRE_SOLID,
  DEPTH_ROUNDS,
  MAX_SMOOTHED,
  PICTURE_LAYERS,
  SURELY_THICK,
  THICK,
  THICK_LOSS,
  THIN_DEPTH,
  THIN_LOSS,
  WIDEST,
} from '../../../shared-constants.js'
import { f32 } from '../../arithmetic.js'
import type { PlainState } from '../../state.js'
import { continueIntoSolids } from './continue.js'
import { widen } from './distances.js'
import { type Beside, createBeside, findLinks } from './links.js'
import { isNear, keepVolume } from './volume.js'

/** Signed distance at cell centres, in cells, at most WIDEST; continued into solids. `rounds` of (1, 2, 1)/4 along each axis are one G. */
export function pictureSurface(state: PlainState, rounds: number): Float32Array {
  const links = findLinks(state)
  const beside = createBeside(state, links)
  const wide = widen(state.arrays.phi, beside)
  const weight = findWeights(state, wide, beside)
  const once = smoothed(wide, beside, rounds)
  const twice = smoothed(once, beside, rounds)
  const surface = wide.map((own, cell) => {
    if (!isNear(own)) return own
    const target = f32(f32(2 * once[cell]) - twice[cell])
    return own + limited(f32(weight[cell] * f32(target - own)), own, weight[cell])
  })
  keepVolume(state.grid, surface, wide, weight)
  continueIntoSolids(state, surface, PICTURE_LAYERS)
  return surface
}

/** 0 for liquid that is left alone, 1 for liquid that is smoothed, by the largest depth around: the same on both sides of a surface, so that
 *  weights do not bend it. */
function findWeights({ arrays: { touch } }: PlainState, wide: Float32Array, beside: readonly Beside[]): Float32Array {
  let depth = wide.map((value, cell) => (touch[cell] & CENTRE_SOLID ? -WIDEST : -value))
  for (let round = 0; round < DEPTH_ROUNDS; round++)
    for (const values of beside) {
      const from = depth
      depth = from.map((own, cell) => Math.max(own, ...values(from, cell)))
    }
  return depth.map(value => {
    const share = Math.max(0, Math.min(1, f32(f32(value - f32(THIN_DEPTH)) / f32(THICK - THIN_DEPTH))))
    return f32(f32(share * share) * f32(3 - f32(2 * share)))
  })
}

function smoothed(values: Float32Array, beside: readonly Beside[], rounds: number): Float32Array {
  let result = values
  for (let round = 0; round < rounds; round++)
    for (const neighbours of beside) {
      const from = result
      result = from.map((own, cell) => {
        const [lower, upper] = neighbours(from, cell)
        return f32(0.5 * own) + f32(0.25 * f32(lower + upper))
      })
    }
  return result
}

/** A change of the level set `own` that neither moves a surface far nor makes thin liquid air. */
function limited(change: number, own: number, weight: number): number {
  const most = f32(MAX_SMOOTHED)
  let result = Math.min(change, most)
  if (!(own < 0)) return Math.max(result, -most)
  if (weight < f32(SURELY_THICK)) result = Math.min(result, f32(-own * f32(f32(THIN_LOSS) + f32(f32(THICK_LOSS) * weight))))
  return result
}
