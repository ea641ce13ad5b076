/** Sources keep their shapes full, drains empty theirs. */
import { cellPosition, type Grid } from '../../grid/grid.js'
import type { Drain, LiquidBody, SceneSetting, Source } from '../../scene/setting.js'
import { type LiquidLoops, type ParticleLoops, REMOVED } from '../loops.js'
import type { CompleteOptions } from '../options.js'
import { addFrom, createList, placeInCell, SEED_REACH, type SeedList } from '../particles/seed.js'
import { sampleNodal } from './solids.js'

export interface Emitter {
  /** Particles must be sorted, and must be sorted again if any were added or removed. `sealed` is 1 in cells of sealed liquid. */
  emit(time: number, substep: number, sealed?: Uint8Array): { readonly added: number; readonly removed: number }
}

const NO_EXCHANGE = { added: 0, removed: 0 }

export function createEmitter(
  setting: SceneSetting,
  options: CompleteOptions,
  liquid: LiquidLoops,
  particles: ParticleLoops,
): Emitter {
  const { grid } = setting
  const seeding = { ...options.particles, seed: options.seed }
  const sources = setting.sources.map(source => ({ source, cells: cellsOf(grid, source) }))
  const drains = setting.drains.map(drain => ({ drain, cells: cellsOf(grid, drain) }))
  // Particles are added and removed there, so these cells keep them at any depth.
  for (const { cells } of [...sources, ...drains]) for (const { cell } of cells) liquid.arrays.kept[cell] = 1
  const isActive = ({ from, until }: Source | Drain, time: number) => time >= from && time < until

  /** Fills a cell of a source with as many particles as would be seeded there, all with its velocity. Returns how many were added. */
  function fill(now: Now, body: LiquidBody, { cell, isWhole }: Reached, round: number, list: SeedList): number {
    const there = steer(now, body, cell, isWhole)
    if (there >= seeding.perCell) return 0
    const [i, j, k] = cellPosition(grid, cell)
    const room = Math.round(roomAround(now, i, j, k))
    if (room <= 0) return 0
    const wanted = Array.from({ length: seeding.perCell }, (_, part) => placeInCell(grid, seeding, cell, part, round))
      .map(([x, y, z]) => [i + x, j + y, k + z])
      .filter(([x, y, z]) => (isWhole || isInside(body, x, y, z)) && sampleNodal(grid, now.solid, x, y, z) > 0)
    const missing = Math.min(wanted.length - there, room)
    let added = 0
    // Missing particles are spread evenly over the positions.
    for (let n = 0; n < missing; n++) {
      const [x, y, z] = wanted[Math.floor(((n + 0.5) * wanted.length) / missing)]
      if (addFrom([body], grid, x, y, z, list)) added++
    }
    return added
  }

  /** Gives the particles of a cell that are in a source its velocity. Returns how many there are. */
  function steer({ px, py, pz, vx, vy, vz, cellStart: starts }: Now, body: LiquidBody, cell: number, isWhole: boolean): number {
    const h = grid.spacing
    let there = 0
    for (let n = starts[cell]; n < starts[cell + 1]; n++) {
      if (px[n] === REMOVED || !(isWhole || isInside(body, px[n], py[n], pz[n]))) continue
      there++
      ;[vx[n], vy[n], vz[n]] = body.velocity(px[n] * h, py[n] * h, grid.dims === 2 ? 0 : pz[n] * h)
    }
    return there
  }

  /** Whether a position, in cells, is inside a shape. */
  function isInside({ phi }: Pick<LiquidBody, 'phi'>, x: number, y: number, z: number): boolean {
    const h = grid.spacing
    return phi(x * h, y * h, grid.dims === 2 ? 0 : z * h) < 0
  }

  /** Number of particles that a cell and the cells around have room for. Inside liquid there is none, however particles are placed. */
  function roomAround({ cellStart: starts, openCell }: Now, i: number, j: number, k: number): number {
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

  function empty({ px, py, pz, cellStart: starts }: Now, drain: Drain, { cell, isWhole }: Reached): number {
    let removed = 0
    for (let n = starts[cell]; n < starts[cell + 1]; n++) {
      if (px[n] === REMOVED || !(isWhole || isInside(drain, px[n], py[n], pz[n]))) continue
      particles.remove(n)
      removed++
    }
    return removed
  }

  return {
    emit(time, substep, sealed) {
      if (sources.length + drains.length === 0) return NO_EXCHANGE
      const now = viewsOf(liquid)
      const list = createList()
      let added = 0
      let removed = 0
      for (const { drain, cells } of drains)
        if (isActive(drain, time)) for (const reached of cells) removed += empty(now, drain, reached)
      for (const { source, cells } of sources) {
        if (!isActive(source, time)) continue
        for (const reached of cells)
          if (sealed?.[reached.cell]) steer(now, source, reached.cell, reached.isWhole)
          else added += fill(now, source, reached, substep + 1, list)
      }
      if (added > 0) particles.append(list.finish())
      return { added, removed }
    },
  }
}

type Now = ReturnType<typeof viewsOf>

/** Looked up once for all cells: a lookup of an array costs more than its use. */
function viewsOf({ arrays }: LiquidLoops) {
  const { px, py, pz, vx, vy, vz, cellStart, openCell, solid } = arrays
  return { px, py, pz, vx, vy, vz, cellStart, openCell, solid }
}

interface Reached {
  readonly cell: number
  /** Whether the whole cell is inside the shape. */
  readonly isWhole: boolean
}

/** Cells that a shape may reach into. */
function cellsOf(grid: Grid, { phi }: Pick<LiquidBody, 'phi'>): Reached[] {
  const h = grid.spacing
  const cells: Reached[] = []
  for (let cell = 0; cell < grid.cells; cell++) {
    const [i, j, k] = cellPosition(grid, cell)
    const distance = phi((i + 0.5) * h, (j + 0.5) * h, grid.dims === 2 ? 0 : (k + 0.5) * h)
    if (distance < SEED_REACH * h) cells.push({ cell, isWhole: distance < -SEED_REACH * h })
  }
  return cells
}
