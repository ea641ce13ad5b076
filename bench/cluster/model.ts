/** A model of how the solve would scale: never checked on a cluster, so read it as ±2×. What was measured on one machine goes in as
 *  `nanoseconds`; the rest are assumptions, each of them named. */

export interface ScalingAssumptions {
  /** CPU per swept cell and inner step on one rank, outer steps and set-ups included. Measured. */
  readonly nanoseconds: number
}

/** Shares of a grid: how much of it is liquid, and how full the boxes of tiles are. */
export const FILL = 0.2
export const TILE_EFFICIENCY = 0.85
const RANKS_PER_NODE = 64
/** By how much so many ranks slow each other down: memory bandwidth. */
const CROWDED = 2.2
/** Seconds of an exchange with ten neighbours, and of a step of an all-reduce. */
const PHASE = 2e-6 + 10 * 0.5e-6
const HOP = 1.5e-6
/** Bytes per second of a node, and through one socket. */
const NETWORK = 25e9
const SOCKET = 1e9
/** Bytes per swept cell: hypre's memory, and both ways through the socket. */
const MEMORY = 360
const TRAFFIC = 49
/** Gigabytes of a node. */
export const NODE_MEMORY = 256

export interface ScalingPoint {
  /** Cells per side. */
  readonly size: number
  readonly ranks: number
  /** Of one cold solve. */
  readonly seconds: number
  /** Share of them that is communication. */
  readonly communication: number
  /** Per node. */
  readonly gigabytes: number
  /** Through one process, beside the solve. */
  readonly socketSeconds: number
}

/** Steps of a cold solve: 11 outer ones at 128 cells per side, a few more on each doubling, two inner ones each. */
export function modelSteps(size: number): { outer: number; inner: number } {
  const outer = 11 + 1.5 * Math.log2(size / 128)
  return { outer, inner: 2 * outer }
}

export function modelSolve(size: number, ranks: number, { nanoseconds }: ScalingAssumptions): ScalingPoint {
  const cells = (FILL * size ** 3) / TILE_EFFICIENCY
  const doublings = Math.log2(size / 128)
  const { outer, inner } = modelSteps(size)
  const together = Math.min(ranks, RANKS_PER_NODE)
  const crowding = 1 + ((CROWDED - 1) * (together - 1)) / (RANKS_PER_NODE - 1)
  const compute = (cells / ranks) * inner * nanoseconds * 1e-9 * crowding
  // Semi-coarsening has three levels per doubling, each with its exchanges.
  const phases = inner * (55 + 10 * doublings) + outer * (105 + 20 * doublings)
  const reductions = inner * 2.6 + outer * (115 + 29 * doublings)
  const surface = 6 * (cells / ranks) ** (2 / 3)
  const halo = (inner * 6 * surface * 8 * together) / NETWORK
  const talk = ranks === 1 ? 0 : phases * PHASE + reductions * 2 * Math.log2(ranks) * HOP + halo
  return {
    size,
    ranks,
    seconds: compute + talk,
    communication: talk / (compute + talk),
    gigabytes: (MEMORY * cells) / Math.ceil(ranks / RANKS_PER_NODE) / 1e9,
    socketSeconds: (TRAFFIC * cells) / SOCKET,
  }
}

/** One sentence per assumption, for the document. */
export function describeAssumptions({ nanoseconds }: ScalingAssumptions): string[] {
  return [
    `${nanoseconds.toFixed(0)} ns of CPU per swept cell and inner step on one rank, outer steps and set-ups included (measured here);`,
    `${RANKS_PER_NODE} ranks per node slow each other down ${CROWDED}×;`,
    `55 exchanges per inner and 105 per outer step at 128 cells per side, 10 and 20 more per doubling; 2.6 and 115 all-reduces, 29 more per doubling (counted with a prototype on up to 32 ranks, not counted again);`,
    `${(1e6 * PHASE).toFixed(0)} µs per exchange, 2 log₂ P × ${(1e6 * HOP).toFixed(1)} µs per all-reduce, ${NETWORK / 1e9} GB/s per node, ${SOCKET / 1e9} GB/s through one socket;`,
    `11 outer steps at 128 cells per side and 1.5 more per doubling, two inner ones each; a cold start;`,
    `${100 * FILL} % of the grid is liquid, boxes are ${100 * TILE_EFFICIENCY} % full, ${MEMORY} bytes per swept cell, ${NODE_MEMORY} GB per node.`,
  ]
}
