/** Manufactured solutions: a velocity and a pressure are chosen first, smooth and with all conditions satisfied at walls and surfaces; the
 *  velocity before projection is then u + dt/ρ ∇p, so that projecting it has to give both back. Lengths in m, dt = 1 s, density 1 kg/m³.
 *
 *  With F = 0 on a wall, curl(F a) is free of divergence and tangential to the wall for any a, because its normal part is ∇F · (∇F × a). */
import type { ScalarFunction, Walls } from 'peel'
import { curl, divergence, plus, times, type VectorFunction } from './calculus.js'

export interface Wall {
  /** Signed distance, < 0 inside the solid. */
  readonly distance: ScalarFunction
  /** At rest if absent. */
  readonly velocity?: VectorFunction
}

export interface Manufactured {
  readonly name: string
  readonly about: string
  readonly walls: readonly Wall[]
  readonly kind: Walls
  /** Signed distance to the surface; everywhere < 0 where there is no air. */
  readonly surface: ScalarFunction
  readonly velocity: VectorFunction
  readonly pressure: ScalarFunction
  /** 1/s. */
  readonly divergence?: ScalarFunction
  /** Where it is > 0 contacts separate, where it is < 0 they press. */
  readonly leaves?: ScalarFunction
}

const zero: ScalarFunction = () => 0

/** Off every symmetry of the grid, so that walls and surfaces cut cells at all fractions. */
const CENTRE = [0.5123, 0.4871, 0.5049] as const
const RADIUS = 0.3947
const INNER_RADIUS = 0.1533

const radiusIn = (dims: 2 | 3): ScalarFunction => {
  const [cx, cy, cz] = CENTRE
  return dims === 2 ? (x, y) => Math.hypot(x - cx, y - cy) : (x, y, z) => Math.hypot(x - cx, y - cy, z - cz)
}

/** Vector potentials with no symmetry; in 2D only their z part and no dependence on z. */
function potential(dims: 2 | 3): VectorFunction {
  const c: ScalarFunction = (x, y, z) => 1 + Math.sin(3 * x + 1.3 * y + 0.4) + (dims === 3 ? 0.5 * Math.cos(2 * z + x) : 0)
  if (dims === 2) return [zero, zero, c]
  return [(_, y, z) => Math.cos(2 * y + z), (x, _, z) => Math.sin(2.5 * z - x), c]
}

/** Without a symmetry, and > 0.5. */
const wavy: ScalarFunction = (x, y, z) => 2 + Math.sin(2.7 * x - 1.9 * y + 1.1 * z) * Math.cos(1.7 * y + 0.6 * z + 0.5)

function vessel(dims: 2 | 3) {
  const r = radiusIn(dims)
  const inside: ScalarFunction = (x, y, z) => RADIUS ** 2 - r(x, y, z) ** 2
  return { r, inside, wall: { distance: ((x, y, z) => RADIUS - r(x, y, z)) as ScalarFunction } }
}

function closedVessel(dims: 2 | 3, kind: Walls): Manufactured {
  const { inside, wall } = vessel(dims)
  return {
    name: `closed vessel, ${kind} walls`,
    about: 'a round vessel without air; the pressure is compared up to a constant',
    walls: [wall],
    kind,
    surface: () => -1,
    velocity: curl(times(inside, potential(dims))),
    pressure: wavy,
  }
}

/** Translation and rotation around the centre, m/s and 1/s. */
const LINEAR = [0.8, -0.6] as const
const ANGULAR = 1.4

const rigid: VectorFunction = [(_, y) => LINEAR[0] - ANGULAR * (y - CENTRE[1]), x => LINEAR[1] + ANGULAR * (x - CENTRE[0]), zero]

/** Its curl is the rigid motion. */
const rigidPotential: VectorFunction = [
  zero,
  zero,
  (x, y) => {
    const [dx, dy] = [x - CENTRE[0], y - CENTRE[1]]
    return LINEAR[0] * dy - LINEAR[1] * dx - 0.5 * ANGULAR * (dx * dx + dy * dy)
  },
]

function movingWall(dims: 2 | 3): Manufactured {
  const { r, inside, wall } = vessel(dims)
  const around: ScalarFunction = (x, y, z) => r(x, y, z) ** 2 - INNER_RADIUS ** 2
  // 1 on the inner wall, which moves, and 0 on the outer one.
  const share: ScalarFunction = (x, y, z) => inside(x, y, z) / (RADIUS ** 2 - INNER_RADIUS ** 2)
  const between: ScalarFunction = (x, y, z) => inside(x, y, z) * around(x, y, z)
  return {
    name: 'moving wall',
    about: 'a ball that moves and turns in a round vessel without air; up to a constant',
    walls: [wall, { distance: (x, y, z) => r(x, y, z) - INNER_RADIUS, velocity: rigid }],
    kind: 'sticking',
    surface: () => -1,
    velocity: curl(plus(times(share, rigidPotential), times(between, potential(dims)))),
    pressure: wavy,
  }
}

function drop(dims: 2 | 3): Manufactured {
  const { r, inside } = vessel(dims)
  return {
    name: 'free surface',
    about: 'a round drop that touches nothing',
    walls: [],
    kind: 'separating',
    surface: (x, y, z) => r(x, y, z) - RADIUS,
    velocity: curl(potential(dims)),
    pressure: (x, y, z) => 10 * inside(x, y, z) * wavy(x, y, z),
  }
}

/** A round surface that bulges and meets the round wall at a slant, at angles of about 70° and 140° in the liquid. */
function bulge(dims: 2 | 3) {
  const [bx, by, bz] = [0.7411, -0.1973, 0.5531]
  const radius = 0.7019
  const distance: ScalarFunction =
    dims === 2 ? (x, y) => Math.hypot(x - bx, y - by) - radius : (x, y, z) => Math.hypot(x - bx, y - by, z - bz) - radius
  const depth: ScalarFunction = (x, y, z) => radius ** 2 - (distance(x, y, z) + radius) ** 2
  return { distance, depth }
}

function contactLine(dims: 2 | 3, kind: Walls): Manufactured {
  const { inside, wall } = vessel(dims)
  const { distance, depth } = bulge(dims)
  return {
    name: `contact line, ${kind} walls`,
    about: 'a round surface meets the wall of a round vessel at a slant; its level set is given outside the solid only',
    walls: [wall],
    kind,
    surface: distance,
    velocity: curl(times(inside, potential(dims))),
    pressure: (x, y, z) => 5 * depth(x, y, z) * wavy(x, y, z),
  }
}

function desiredDivergence(dims: 2 | 3): Manufactured {
  const { inside, wall } = vessel(dims)
  const { distance, depth } = bulge(dims)
  const blown: VectorFunction = [
    (x, y) => 3 + Math.sin(2 * x + y),
    (x, y) => Math.cos(3 * y - x),
    dims === 2 ? zero : (_, y, z) => 2 + z * y,
  ]
  const away = times(inside, blown)
  return {
    name: 'desired divergence',
    about: 'as the contact line, in liquid that expands and shrinks',
    walls: [wall],
    kind: 'sticking',
    surface: distance,
    velocity: plus(curl(times(inside, potential(dims))), away),
    pressure: (x, y, z) => 5 * depth(x, y, z) * wavy(x, y, z),
    divergence: divergence(away),
  }
}

/** Left of the plane x = LEAVING the liquid presses on the wall; right of it it flies freely, p = 0, and upwards: it leaves the lower wall. */
const LEAVING = 0.4979

function leavingWall(dims: 2 | 3): Manufactured {
  const { inside, wall } = vessel(dims)
  const level = CENTRE[1] - 0.0713
  const left: ScalarFunction = x => Math.max(0, LEAVING - x) ** 3
  const right: ScalarFunction = x => Math.max(0, x - LEAVING) ** 3
  const up: VectorFunction = [zero, x => 40 * right(x, 0, 0), zero]
  return {
    name: 'leaving a wall',
    about: 'complementarity: the left half presses on the wall, the right half flies away from it with p = 0',
    walls: [wall],
    kind: 'separating',
    surface: (_, y) => y - level,
    velocity: plus(curl(times((x, y, z) => left(x, y, z) * 40 * inside(x, y, z), potential(dims))), up),
    pressure: (x, y, z) => 200 * left(x, y, z) * (level - y) * wavy(x, y, z),
    leaves: x => x - LEAVING,
  }
}

export function manufacturedSolutions(dims: 2 | 3): readonly Manufactured[] {
  return [
    closedVessel(dims, 'sticking'),
    closedVessel(dims, 'separating'),
    movingWall(dims),
    drop(dims),
    contactLine(dims, 'sticking'),
    contactLine(dims, 'separating'),
    desiredDivergence(dims),
    leavingWall(dims),
  ]
}
