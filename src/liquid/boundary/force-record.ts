/** Records of the forces of a liquid on solids and sides: plain data, as files hold them. */
import type { DomainSide } from '../../pressure/walls.js'

/** x, y, z. */
type Triple = readonly [number, number, number]

export interface WallForce {
  /** N, or N/m in 2D, where z is 0. */
  readonly force: Triple
  /** N m, or N in 2D, where only z is not 0. About the pivot of a solid, and about the origin of the domain for a side. */
  readonly torque: Triple
}

export interface SolidForce extends WallForce {
  /** As in the scene, or its place there; `the ball` for the one of an interaction. */
  readonly name: string
  /** The point that the torque is about, m: that of the motion or the shape, moved along; the origin of the domain without one. */
  readonly pivot: Triple
}

/** Means over a time. */
export interface WallForces {
  /** Length of that time, s: from the middle of a substep to the middle of the next, as velocities of particles are; half a substep for the
   *  first one. So the force times this is what the momentum of the liquid changes by, apart from its weight. */
  readonly seconds: number
  /** In the order of the scene. */
  readonly solids: readonly SolidForce[]
  /** Closed sides only. */
  readonly sides: Readonly<Partial<Record<DomainSide, WallForce>>>
}
