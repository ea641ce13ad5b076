/** Sources keep their shapes full, drains empty theirs. */
import type { CompiledLiquid } from '../engine/compiled-liquid.js'
import type { CompiledParticles } from '../engine/compiled-particles.js'
import { cellPosition, type Grid } from '../grid/grid.js'
import type { Drain, LiquidBody, SceneSetting, Source } from '../scene/setting.js'
import type { CompleteOptions } from './options.js'
import { addFrom, createList, placeInCell, type SeedList } from './seed.js'
import { sampleNodal } from './solids.js'

export interface Emitter {
  /** Particles must be sorted, and have to be sorted again if any were added or removed. `sealed` is 1 in cells that are full for good. */
  emit(time: number, substep: number, sealed?: Uint8Array): { readonly added: number; readonly removed: number }
}

const NOTHING = { added: 0, removed: 0 }

export function createEmitter(
  setting: SceneSetting,
  options: CompleteOptions,
  liquid: CompiledLiquid,
  particles: CompiledParticles,
): Emitter {
  const { grid } = setting
  const seeding = { ...options.particles, seed: options.seed }
  const sources = setting.sources.map(source => ({ source, cells: cellsOf(grid, source) }))
  const drains = setting.drains.map(drain => ({ drain, cells: cellsOf(grid, drain) }))
  // Particles come and go there, so deep liquid has them, too.
  for (const { cells } of [...sources, ...drains]) for (const cell of cells) liquid.arrays.kept[cell] = 1
  const isActive = ({ from, until }: Source | Drain, time: number) => time >= from && time < until

  /** Fills up a cell of a source: as many particles as would be seeded there, all with its velocity. Returns how many were missing. */
  function fill(body: LiquidBody, cell: number, round: number, list: SeedList, hasRoom: boolean): number {
    const { px, py, pz, vx, vy, vz, cellStart: starts, solid } = liquid.arrays
    const h = grid.spacing
    const [i, j, k] = cellPosition(grid, cell)
    let there = 0
    for (let n = starts[cell]; n < starts[cell + 1]; n++) {
      const depth = grid.dims === 2 ? 0 : pz[n] * h
      if (body.phi(px[n] * h, py[n] * h, depth) >= 0) continue
      there++
      ;[vx[n], vy[n], vz[n]] = body.velocity(px[n] * h, py[n] * h, depth)
    }
    if (!hasRoom) return 0
    const wanted = Array.from({ length: seeding.perCell }, (_, part) => placeInCell(grid, seeding, cell, part, round))
      .map(([x, y, z]) => [i + x, j + y, k + z])
      .filter(([x, y, z]) => body.phi(x * h, y * h, grid.dims === 2 ? 0 : z * h) < 0 && sampleNodal(grid, solid, x, y, z) > 0)
    const missing = Math.min(wanted.length - there, Math.round(roomAround(i, j, k)))
    let added = 0
    // Those missing are spread over the places rather than taken from the first ones.
    for (let n = 0; n < missing; n++) {
      const [x, y, z] = wanted[Math.floor(((n + 0.5) * wanted.length) / missing)]
      if (addFrom([body], grid, x, y, z, list)) added++
    }
    return added
  }

  /** How many more particles a cell and those around it have room for. In the midst of liquid there is none, however they lie. */
  function roomAround(i: number, j: number, k: number): number {
    const { cellStart: starts, openCell } = liquid.arrays
    const [nx, ny, nz] = grid.shape
    let room = 0
    for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++)
      for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++)
        for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++) {
          const cell = a + nx * (b + ny * c)
          room += seeding.perCell * openCell[cell] - (starts[cell + 1] - starts[cell])
        }
    return room
  }

  function empty(drain: Drain, cell: number): number {
    const { px, py, pz, cellStart: starts } = liquid.arrays
    const h = grid.spacing
    let removed = 0
    for (let n = starts[cell]; n < starts[cell + 1]; n++) {
      if (drain.phi(px[n] * h, py[n] * h, grid.dims === 2 ? 0 : pz[n] * h) >= 0) continue
      particles.remove(n)
      removed++
    }
    return removed
  }

  return {
    emit(time, substep, sealed) {
      if (sources.length + drains.length === 0) return NOTHING
      let added = 0
      let removed = 0
      for (const { drain, cells } of drains) if (isActive(drain, time)) for (const cell of cells) removed += empty(drain, cell)
      const list = createList()
      for (const { source, cells } of sources)
        if (isActive(source, time)) for (const cell of cells) added += fill(source, cell, substep + 1, list, !sealed?.[cell])
      if (added > 0) particles.append(list.finish())
      return { added, removed }
    },
  }
}

/** Cells that a shape may reach into. */
function cellsOf(grid: Grid, { phi }: { readonly phi: LiquidBody['phi'] }): number[] {
  const h = grid.spacing
  const cells: number[] = []
  for (let cell = 0; cell < grid.cells; cell++) {
    const [i, j, k] = cellPosition(grid, cell)
    if (phi((i + 0.5) * h, (j + 0.5) * h, grid.dims === 2 ? 0 : (k + 0.5) * h) < 0.87 * h) cells.push(cell)
  }
  return cells
}
