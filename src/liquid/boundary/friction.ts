/** Friction of solids: what their walls do to liquid that slides along them. For each half of a substep, by the pressure that acts in it, so that
 *  the number of substeps does not matter.
 *
 *  - Coulomb: a traction of μ (p + a) against the motion, until the liquid moves with the wall; p is the pressure at the wall, a its adhesion.
 *  - Slip (Navier 1823): a traction of β u.
 *  - A share of the velocity that is lost in 1/24 s.
 *
 *  Liquid has no viscosity here, so a traction would only ever stop the cells at the wall, and the less liquid the finer they are. So it acts on all
 *  liquid within a depth of the wall, a cell unless given, uniformly: τ / (ρ δ), with the thickness δ of the liquid instead where it is
 *  thinner, p over its gradient along the normal. A sheet thinner than the depth slides as a whole, with g (sin θ − μ cos θ) on a slope.
 *  Where liquid has let go, p + a = 0, there is no friction. */
import { type Axis, cellStrides, faceShape, type Grid, nodeShape } from '../../grid/grid.js'
import { CONTACT, DRY } from '../../pressure/problem.js'
import type { SceneSolid, SolidFriction } from '../../scene/setting.js'
import type { LiquidLoops } from '../loops.js'

export interface WallFriction {
  readonly isAny: boolean
  /** After solids have moved. `maxDepth`: cells from a wall up to which distances are known. */
  renew(maxDepth: number): void
  /** Changes known velocities, by a pressure in Pa that acts for some seconds, while walls move as at a time. */
  apply(solids: readonly SceneSolid[], at: number, acting: ActingPressure): void
}

export interface ActingPressure {
  readonly pressure: Float64Array
  readonly seconds: number
  /** kg/m³. */
  readonly density: number
}

/** A face within reach of a wall with friction. */
interface NearFace {
  readonly axis: Axis
  readonly face: number
  readonly place: readonly [number, number, number]
  /** Of its centre from the wall, cells. */
  readonly distance: number
  /** Away from the wall, by axis. */
  readonly normal: readonly [number, number, number]
  /** Index of the solid. */
  readonly solid: number
}

/** Seconds in which the given share of the velocity is lost. */
const SHARE_TIME = 1 / 24

interface Law {
  readonly coulomb: number
  readonly slip: number
  /** 1/s. */
  readonly rate: number
  /** Cells. */
  readonly depth: number
}

function lawOf(friction: SolidFriction, spacing: number): Law | undefined {
  if (typeof friction === 'number')
    return friction === 0 ? undefined : { coulomb: 0, slip: 0, rate: -Math.log1p(-friction) / SHARE_TIME, depth: 1 }
  const { coulomb = 0, slip = 0, depth = spacing } = friction
  if (coulomb === 0 && slip === 0) return undefined
  return { coulomb, slip, rate: 0, depth: depth / spacing }
}

export function createWallFriction(liquid: LiquidLoops, sceneSolids: readonly SceneSolid[]): WallFriction {
  const { grid } = liquid
  const given = sceneSolids.map(({ friction }) => lawOf(friction, grid.spacing))
  let laws: readonly (Law | undefined)[] = given
  let near: readonly NearFace[] | undefined
  return {
    isAny: given.some(law => law !== undefined),
    renew(maxDepth) {
      laws = given.map(law => law && { ...law, depth: Math.min(law.depth, maxDepth) })
      near = undefined
    },
    apply(solids, at, acting) {
      near ??= findNearFaces(liquid, laws)
      const changed = new Float64Array(near.length)
      const motions = solids.map(solid => solid.motionAt(at))
      const { ux, uy, uz, layerX, layerY, layerZ } = liquid.arrays
      const [u, layer] = [
        [ux, uy, uz],
        [layerX, layerY, layerZ],
      ]
      // No face may read the new velocity of another.
      near.forEach((face, n) => {
        changed[n] = u[face.axis][face.face]
        if (layer[face.axis][face.face] !== 0) return
        const { linear, angular } = motions[face.solid]
        const x = centreOf(grid, face)
        const wall = [0, 1, 2].map(a => {
          const [s, t] = [(a + 1) % 3, (a + 2) % 3]
          return linear[a] + angular[s] * x[t] - angular[t] * x[s]
        })
        const hold = holdOf(liquid, face, solids[face.solid], laws[face.solid]!, acting)
        if (hold) changed[n] = slowed(relativeVelocity(liquid, face, wall), face, hold) + wall[face.axis]
      })
      near.forEach(({ axis, face }, n) => {
        u[axis][face] = changed[n]
      })
    },
  }
}

function findNearFaces({ grid, arrays: { solid, owner } }: LiquidLoops, laws: readonly (Law | undefined)[]): NearFace[] {
  const found: NearFace[] = []
  const [mx, my] = nodeShape(grid)
  const steps = [1, mx, mx * my]
  for (let axis = 0 as Axis; axis < grid.dims; axis++) {
    const [fx, fy, fz] = faceShape(grid, axis)
    const [s, t] = [steps[(axis + 1) % 3], steps[(axis + 2) % 3]]
    for (let k = 0, face = 0; k < fz; k++) {
      for (let j = 0; j < fy; j++) {
        for (let i = 0; i < fx; i++, face++) {
          const node = i + mx * (j + my * k)
          const corners = [node, node + s, node + t, node + s + t]
          const distance = 0.25 * (solid[corners[0]] + solid[corners[1]] + solid[corners[2]] + solid[corners[3]])
          const nearest = corners.reduce((best, corner) => (solid[corner] < solid[best] ? corner : best))
          const index = owner[nearest] - 1
          const law = laws[index]
          if (!law || distance <= -0.5 || distance >= law.depth + 0.5) continue
          const place = [i, j, k] as const
          const normal = normalAt(grid, solid, axis, place)
          if (normal) found.push({ axis, face, place, distance, normal, solid: index })
        }
      }
    }
  }
  return found
}

/** Direction in which the distance from solids grows at a face; undefined if it is constant. */
function normalAt(grid: Grid, solid: Float32Array, axis: Axis, place: readonly number[]): NearFace['normal'] | undefined {
  const [mx, my] = nodeShape(grid)
  const steps = [1, mx, mx * my]
  const node = place[0] + mx * (place[1] + my * place[2])
  const [s, t] = [(axis + 1) % 3, (axis + 2) % 3]
  const sum = (at: number) => solid[at] + solid[at + steps[s]] + solid[at + steps[t]] + solid[at + steps[s] + steps[t]]
  const [below, above] = [place[axis] > 0 ? 1 : 0, place[axis] < grid.shape[axis] ? 1 : 0]
  const slopes = [0, 0, 0]
  slopes[axis] = (sum(node + above * steps[axis]) - sum(node - below * steps[axis])) / (2 * (above + below))
  slopes[s] = solid[node + steps[s]] + solid[node + steps[s] + steps[t]] - solid[node] - solid[node + steps[t]]
  slopes[t] = solid[node + steps[t]] + solid[node + steps[s] + steps[t]] - solid[node] - solid[node + steps[s]]
  if (grid.dims === 2) slopes[2] = 0
  const length = Math.hypot(slopes[0], slopes[1], slopes[2])
  return length > 0 ? [slopes[0] / length, slopes[1] / length, slopes[2] / length] : undefined
}

function centreOf({ dims, spacing }: Grid, { axis, place }: NearFace): number[] {
  return place.map((n, a) => (a === 2 && dims === 2 ? 0 : (n + (a === axis ? 0 : 0.5)) * spacing))
}

/** Velocity at a face less the wall's: of other axes the mean of the known faces around. */
function relativeVelocity({ grid, arrays }: LiquidLoops, { axis, face, place }: NearFace, wall: readonly number[]): number[] {
  const u = [arrays.ux, arrays.uy, arrays.uz]
  const layer = [arrays.layerX, arrays.layerY, arrays.layerZ]
  return wall.map((moving, other) => {
    if (other === axis) return u[axis][face] - moving
    if (other >= grid.dims) return 0
    const [fx, fy] = faceShape(grid, other as Axis)
    const steps = [1, fx, fx * fy]
    const first = place[0] + fx * (place[1] + fy * place[2])
    let sum = 0
    let count = 0
    for (const back of [0, 1]) {
      if (place[axis] - back < 0 || place[axis] - back >= grid.shape[axis]) continue
      for (const up of [0, 1]) {
        const at = first - back * steps[axis] + up * steps[other]
        if (layer[other][at] !== 0) continue
        sum += u[other][at]
        count++
      }
    }
    return count === 0 ? 0 : sum / count - moving
  })
}

/** What holds the liquid at a face for some time. */
interface Hold {
  /** Share of the tangential velocity that is left. */
  readonly kept: number
  /** m/s of it that is lost besides. */
  readonly lost: number
}

/** Undefined where the liquid does not touch the wall, or has let go of it. */
function holdOf(liquid: LiquidLoops, face: NearFace, solid: SceneSolid, law: Law, acting: ActingPressure): Hold | undefined {
  const { grid } = liquid
  const { seconds, density } = acting
  const found = pressureAt(liquid, face, acting.pressure)
  if (!found || found.hasLetGo) return undefined
  // Pa, and Pa per metre towards the wall.
  const rise = -found.slope / grid.spacing
  const atWall = found.pressure + face.distance * grid.spacing * rise
  const isSticking = solid.walls === 'sticking'
  const load = Math.max(0, isSticking ? atWall : atWall + (solid.adhesion ?? 0))
  if (load === 0 && !isSticking) return undefined
  const share = Math.min(1, law.depth - face.distance + 0.5)
  const depth = law.depth * grid.spacing
  const thickness = rise > 0 && atWall > 0 ? Math.max(0.5 * grid.spacing, Math.min(depth, atWall / rise)) : depth
  const rate = law.rate + law.slip / (density * thickness)
  return {
    kept: Math.exp(-rate * share * seconds),
    lost: (share * seconds * law.coulomb * load) / (density * thickness),
  }
}

/** Pressure at a face, Pa, from the cells on both sides of it, and its slope along the normal, Pa per cell. */
function pressureAt({ grid, arrays: { kind, pressure: solved, adhesion } }: LiquidLoops, face: NearFace, pressure: Float64Array) {
  const { axis, place, normal } = face
  const strides = cellStrides(grid)
  const above = place[0] + strides[1] * place[1] + strides[2] * place[2]
  let [sum, slope, count, letGo] = [0, 0, 0, 0]
  for (const back of [0, 1]) {
    const position = place[axis] - back
    const cell = above - back * strides[axis]
    if (position < 0 || position >= grid.shape[axis] || kind[cell] === DRY) continue
    if (kind[cell] === CONTACT && solved[cell] + adhesion[cell] === 0) letGo++
    sum += pressure[cell]
    count++
    for (let other = 0; other < grid.dims; other++) {
      const at = other === axis ? position : place[other]
      const up = at + 1 < grid.shape[other] && kind[cell + strides[other]] !== DRY ? 1 : 0
      const down = at > 0 && kind[cell - strides[other]] !== DRY ? 1 : 0
      if (up + down === 0) continue
      const change = pressure[cell + up * strides[other]] - pressure[cell - down * strides[other]]
      slope += (normal[other] * change) / (up + down)
    }
  }
  return count === 0 ? undefined : { pressure: sum / count, slope: slope / count, hasLetGo: letGo === count }
}

/** New velocity of a face along its axis, relative to the wall: what flows along the wall is slowed, what flows away or towards it stays. */
function slowed(relative: readonly number[], { axis, normal }: NearFace, { kept, lost }: Hold): number {
  const away = relative[0] * normal[0] + relative[1] * normal[1] + relative[2] * normal[2]
  const along = relative.map((value, a) => value - away * normal[a])
  const speed = Math.hypot(along[0], along[1], along[2])
  const left = Math.max(0, kept * speed - lost)
  return away * normal[axis] + (speed > 0 ? (along[axis] * left) / speed : 0)
}
