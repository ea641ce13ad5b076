/** Liquid volume as points, far fewer than particles, because thickness is smooth. A cell far below the surface is one point,
 *  a block of such cells among others is one, and the particles of any other cell are one at their mean. */
import type { BufferGeometry } from 'three'
import type { Frame } from '../../../liquid/frame.js'
import { createPointBuffer } from '../objects/point-buffer.js'
import type { DeepCells } from './deep-cells.js'

/** How wide points are to each side, in cells: of a single particle, of many in a cell; on a lattice, as full cells are, narrower ones would
 *  show as a pattern. */
const SINGLE_REACH = 0.9
const MANY_REACH = 1.05
const FULL_REACH = 1.5
/** Particles in a cell that are many. */
const MANY = 4

export interface WaterVolumes {
  /** With attributes "position", m, and "spread": volume in m³ and reach in m. */
  readonly geometry: BufferGeometry
  update(frame: Frame, cells: DeepCells): void
}

export function createWaterVolumes(): WaterVolumes {
  const buffer = createPointBuffer({ position: { size: 3 }, spread: { size: 2 } })
  return {
    geometry: buffer.geometry,
    update({ grid, particles }, { isFull, filled, full, runs }) {
      const h = grid.spacing
      const from = particles!.position
      const { position, spread } = buffer.begin(full + runs.count)
      let count = 0
      function add(x: number, y: number, z: number, volume: number, reach: number): void {
        position[3 * count] = x
        position[3 * count + 1] = y
        position[3 * count + 2] = z
        spread[2 * count] = volume
        spread[2 * count + 1] = reach * h
        count++
      }

      let loose = 0
      for (let run = 0; run < runs.count; run++) {
        if (isFull[runs.cell[run]] === 1) continue
        let x = 0
        let y = 0
        let z = 0
        const end = 3 * runs.start[run + 1]
        for (let at = 3 * runs.start[run]; at < end; at += 3) {
          x += from[at]
          y += from[at + 1]
          z += from[at + 2]
        }
        const many = runs.start[run + 1] - runs.start[run]
        loose += many
        const reach = SINGLE_REACH + (MANY_REACH - SINGLE_REACH) * Math.min((many - 1) / (MANY - 1), 1)
        add(x / many, y / many, z / many, many, reach)
      }
      const each = ((filled - full) * h ** 3) / Math.max(loose, 1)
      for (let n = 0; n < count; n++) spread[2 * n] *= each

      const [nx, ny, nz] = grid.shape
      for (let k = 0; k < nz; k += 2)
        for (let j = 0; j < ny; j += 2)
          for (let i = 0; i < nx; i += 2)
            if (isAmongFull(isFull, nx, ny, nz, i, j, k)) add(h * (i + 1), h * (j + 1), h * (k + 1), 8 * h ** 3, 2 * FULL_REACH)
            else
              for (let c = k; c < Math.min(k + 2, nz); c++)
                for (let b = j; b < Math.min(j + 2, ny); b++)
                  for (let a = i; a < Math.min(i + 2, nx); a++)
                    if (isFull[a + nx * (b + ny * c)] === 1) add(h * (a + 0.5), h * (b + 0.5), h * (c + 0.5), h ** 3, FULL_REACH)
      buffer.end(count)
    },
  }
}

/** Whether all cells of the block of two along each axis from this cell on, and those around it, are full. */
function isAmongFull(isFull: Uint8Array, nx: number, ny: number, nz: number, i: number, j: number, k: number): boolean {
  if (i === 0 || j === 0 || k === 0 || i + 2 >= nx || j + 2 >= ny || k + 2 >= nz) return false
  for (let c = k - 1; c < k + 3; c++)
    for (let b = j - 1; b < j + 3; b++) for (let a = i - 1; a < i + 3; a++) if (isFull[a + nx * (b + ny * c)] === 0) return false
  return true
}
