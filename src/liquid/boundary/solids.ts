/** Samples the solids of a scene at nodes: distance to the nearest solid, in cells, and its number. Solids at rest are sampled once. */
import { type Grid, nodeShape } from '../../grid/grid.js'
import type { SceneSolid } from '../../scene/setting.js'

/** Cells around moving solids within which distances are exact; farther away this is a lower bound, and no particle moves more in a substep. */
export const SOLID_MARGIN = 8

/** Cells: the distance where there is no solid, and the largest depth in one. Between infinite distances nothing can be interpolated. */
const MAX_DISTANCE = 1e6

export interface NodalSolids {
  /** Cells, < 0 inside; large where there is no solid at all. */
  readonly phi: Float32Array
  /** Number of the nearest solid, from 1; 0 without any. */
  readonly owner: Uint8Array
}

export interface SolidSampler {
  readonly hasMoving: boolean
  /** Writes phi and owner as of a time. */
  sample(time: number, into: NodalSolids): void
  /** Distances to solids that never move and, as of the last sample, to those that can. */
  readonly still: Float32Array
  readonly moving: Float32Array
}

export function createSolidSampler(grid: Grid, solids: readonly SceneSolid[]): SolidSampler {
  const [mx, my, mz] = nodeShape(grid)
  const nodes = mx * my * mz
  const far = (): NodalSolids => ({ phi: new Float32Array(nodes).fill(MAX_DISTANCE), owner: new Uint8Array(nodes) })
  const still = far()
  const hasMoving = solids.some(({ isMoving }) => isMoving)
  const moving = hasMoving ? far() : still
  solids.forEach((solid, index) => {
    if (!solid.isMoving) unite(grid, solid, index + 1, 0, Infinity, still)
  })
  if (hasMoving) for (let node = 0; node < nodes; node++) still.phi[node] = Math.min(still.phi[node], SOLID_MARGIN)
  return {
    hasMoving,
    still: still.phi,
    moving: moving.phi,
    sample(time, into) {
      into.phi.set(still.phi)
      into.owner.set(still.owner)
      if (!hasMoving) return
      moving.phi.fill(SOLID_MARGIN)
      moving.owner.fill(0)
      solids.forEach((solid, index) => {
        if (solid.isMoving) unite(grid, solid, index + 1, time, SOLID_MARGIN, moving)
      })
      for (let node = 0; node < nodes; node++) {
        if (!(moving.phi[node] < still.phi[node])) continue
        into.phi[node] = moving.phi[node]
        into.owner[node] = moving.owner[node]
      }
    },
  }
}

/** Merges one more solid into nodal distances, within `margin` cells of it. */
function unite(grid: Grid, solid: SceneSolid, owner: number, time: number, margin: number, into: NodalSolids): void {
  const shape = nodeShape(grid)
  const h = grid.spacing
  const phi = solid.phiAt(time)
  const [low, high] = solid.boundsAt(time, margin * h)
  const first = low.map(x => Math.max(0, Math.floor(Math.max(x, -h) / h)))
  const last = high.map((x, axis) => Math.min(shape[axis] - 1, Math.ceil(Math.min(x / h, shape[axis]))))
  if (grid.dims === 2) [first[2], last[2]] = [0, 1]
  for (let k = first[2]; k <= last[2]; k++) {
    const z = grid.dims === 2 ? 0 : k * h
    for (let j = first[1]; j <= last[1]; j++) {
      for (let i = first[0]; i <= last[0]; i++) {
        const distance = Math.max(-MAX_DISTANCE, phi(i * h, j * h, z) / h)
        const node = i + shape[0] * (j + shape[1] * k)
        if (!(distance < into.phi[node])) continue
        into.phi[node] = distance
        into.owner[node] = owner
      }
    }
  }
}

/** Trilinear interpolation at a position in cells, as in the loops over particles. */
export function sampleNodal(grid: Grid, phi: Float32Array, x: number, y: number, z: number): number {
  const [nx, ny, nz] = grid.shape
  const place = (coordinate: number, size: number) => Math.min(Math.max(coordinate, 0), size)
  const [px, py, pz] = [place(x, nx), place(y, ny), place(z, nz)]
  const i = Math.min(Math.floor(px), nx - 1)
  const j = Math.min(Math.floor(py), ny - 1)
  const k = Math.min(Math.floor(pz), nz - 1)
  const row = nx + 1
  const plane = row * (ny + 1)
  const at = i + row * j + plane * k
  const mixX = (n: number) => phi[n] + (px - i) * (phi[n + 1] - phi[n])
  const mixY = (n: number) => mixX(n) + (py - j) * (mixX(n + row) - mixX(n))
  return mixY(at) + (pz - k) * (mixY(at + plane) - mixY(at))
}
