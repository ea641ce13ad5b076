/** Sources let liquid in, drains let it out, at the start of a simulation and at the end of every substep. The number of particles added is exact in
 *  time, so the volume is. */
import type { Grid } from '../../grid/grid.js'
import type { SceneSetting, Vector } from '../../scene/setting.js'
import { type LiquidLoops, type ParticleLoops, REMOVED } from '../loops.js'
import type { CompleteOptions } from '../options.js'
import { createList, placeInCell, SEED_REACH, type SeedList } from '../particles/seed.js'
import type { ExchangeState } from '../saving/state.js'
import { drained, prepareDrain } from './drains.js'
import { addDrainFlow, addSourceFlow, type FlowStep, inflowFactor } from './exchange-flow.js'
import { type ExchangeArrays, exchangeArrays, isLacking, missingPlaces, particlesIn } from './filling.js'
import type { Reached } from './placed-shape.js'
import { sampleNodal } from './solids.js'
import { activePart, findPlaces, type NewPlace, type OpenSpace, type PreparedSource, prepareSource } from './source-lattice.js'

export interface ExchangeMoment {
  readonly time: number
  readonly substep: number
  /** 1 in cells of sealed liquid, to which nothing can be added. */
  readonly sealed?: Uint8Array
  readonly exchange: ExchangeState
}

export interface Emitter {
  /** Marks the cells of sources and drains, where particles are kept at any depth. Call before a surface is found at another time. */
  keepParticles(time: number): void
  /** Particles must be sorted, and must be sorted again if any were added or removed. */
  emit(moment: ExchangeMoment): { readonly added: number; readonly removed: number; readonly exchange: ExchangeState }
  /** Adds the divergence of the exchange to the assembled problem of a substep. */
  addFlow(step: FlowStep): void
}

export function createEmitter(
  { grid, sides, sources: allSources, drains: allDrains }: SceneSetting,
  options: CompleteOptions,
  liquid: LiquidLoops,
  particles: ParticleLoops,
): Emitter {
  const seeding = { ...options.particles, seed: options.seed }
  const { perCell } = seeding
  // Initial particles have the number 0.
  const sources = allSources.map((source, at) => prepareSource(grid, source, at + 1))
  const factors = sources.map(source => inflowFactor(grid, source))
  const drains = allDrains.map((drain, at) => prepareDrain(grid, drain, at + 1))
  const exchangers = [...sources, ...drains]
  const isMoving = [...allSources, ...allDrains].some(({ path }) => path)
  let keptAt: number | undefined

  function keepParticles(time: number): void {
    if (exchangers.length === 0 || keptAt === time || (keptAt !== undefined && !isMoving)) return
    keptAt = time
    const { kept } = liquid.arrays
    kept.fill(0)
    for (const { placeAt } of exchangers)
      for (const { cell, distance } of placeAt(time).cells) if (distance < SEED_REACH) kept[cell] = 1
  }

  function drain(arrays: ExchangeArrays, { time, substep, exchange }: ExchangeMoment) {
    const density = perCell / grid.spacing ** grid.dims
    let removed = 0
    const owed = drains.map((prepared, at) => {
      const moment = { time, last: exchange.time, owed: exchange.owed[at] ?? 0, seed: seeding.seed, substep, density }
      const result = drained(arrays, prepared, moment)
      for (const particle of result.removed) particles.remove(particle)
      removed += result.removed.length
      return result.owed
    })
    return { removed, owed }
  }

  /** Gives the particles in a source its velocity. */
  function steer({ px, py, pz, vx, vy, vz, cellStart: starts }: ExchangeArrays, prepared: PreparedSource, time: number): void {
    const { shape, cells } = prepared.placeAt(time)
    const velocity = velocityAt(grid, prepared, time)
    for (const { cell, isWhole, distance } of cells) {
      if (distance > SEED_REACH) continue
      for (let n = starts[cell]; n < starts[cell + 1]; n++) {
        if (px[n] === REMOVED || !(isWhole || shape.phi(px[n], py[n], pz[n]) < 0)) continue
        ;[vx[n], vy[n], vz[n]] = velocity(px[n], py[n], pz[n])
      }
    }
  }

  /** The particles that a source adds now. */
  function placesOf(arrays: ExchangeArrays, prepared: PreparedSource, moment: ExchangeMoment, around: OpenSpace): NewPlace[] {
    const { time, substep, exchange } = moment
    const part = activePart(prepared.source, time, exchange.time)
    if (!part) return []
    const { shape, cells } = prepared.placeAt(time)
    const isEmpty = (cell: number) => isLacking(grid, arrays, perCell, shape.phi, cell)
    if (prepared.fastest === 0) {
      if (time >= prepared.source.until) return []
      return cells.flatMap(reached => {
        if (reached.distance > SEED_REACH || particlesIn(arrays, perCell, reached.cell) >= perCell) return []
        const wanted = placesInCell(reached, substep + 1).filter(({ at }) => shape.phi(...at) < 0 && around.isOpen(...at))
        return wanted.length > 0 && isEmpty(reached.cell) ? missingPlaces(wanted, particlesIn(arrays, perCell, reached.cell)) : []
      })
    }
    const places = findPlaces(grid, seeding, prepared, shape, { time, part }, around)
    if (!part.begins) return places
    const byCell = new Map<number, NewPlace[]>()
    for (const place of places) byCell.set(cellOf(place.at), [...(byCell.get(cellOf(place.at)) ?? []), place])
    return [...byCell].flatMap(([cell, wanted]) =>
      isEmpty(cell) ? missingPlaces(wanted, particlesIn(arrays, perCell, cell)) : [],
    )
  }

  function placesInCell({ cell }: Reached, round: number): NewPlace[] {
    const [nx, ny] = grid.shape
    const [i, j, k] = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    return Array.from({ length: perCell }, (_, part) => {
      const [x, y, z] = placeInCell(grid, seeding, cell, part, round)
      const at = [i + x, j + y, k + z] as const
      return { at, inside: at }
    })
  }

  function cellOf([x, y, z]: Vector): number {
    const [nx, ny, nz] = grid.shape
    // A position just below the far side of the domain may be rounded to it.
    const at = (value: number, count: number) => Math.min(count - 1, Math.floor(value))
    return at(x, nx) + nx * (at(y, ny) + ny * at(z, nz))
  }

  /** Where several sources overlap, the first one counts. */
  function fill(arrays: ExchangeArrays, moment: ExchangeMoment, list: SeedList): number {
    const { time, sealed } = moment
    const around = surroundings(grid, arrays.solid)
    const isActive = ({ source: { from, until } }: PreparedSource) => time >= from && time < until
    let added = 0
    for (const [number, prepared] of sources.entries()) {
      const earlier = sources.slice(0, number).filter(isActive)
      const velocity = velocityAt(grid, prepared, time)
      for (const { at, inside } of placesOf(arrays, prepared, moment, around)) {
        if (sealed?.[cellOf(at)] || earlier.some(({ placeAt }) => placeAt(time).shape.phi(...inside) < 0)) continue
        list.add(...at, velocity(...at))
        added++
      }
    }
    // Without a velocity liquid is left to itself: held back in every substep, it would leave the slower the more substeps there are.
    for (const prepared of sources.filter(each => isActive(each) && each.fastest > 0).reverse()) steer(arrays, prepared, time)
    return added
  }

  return {
    keepParticles,
    emit(moment) {
      if (exchangers.length === 0) return { added: 0, removed: 0, exchange: moment.exchange }
      const arrays = exchangeArrays(liquid)
      const { removed, owed } = drain(arrays, moment)
      const list = createList()
      const added = fill(arrays, moment, list)
      if (added > 0) particles.append(list.finish())
      return { added, removed, exchange: { time: moment.time, owed } }
    },
    addFlow(step) {
      if (exchangers.length === 0) return
      const arrays = exchangeArrays(liquid)
      for (const [at, source] of sources.entries()) addSourceFlow(grid, sides, arrays, source, { ...step, factor: factors[at] })
      for (const drain of drains) addDrainFlow(grid, arrays, drain, step)
    },
  }
}

/** Velocity of a source's liquid at positions of the grid in cells, m/s. */
function velocityAt({ spacing: h }: Grid, prepared: PreparedSource, time: number) {
  const { source, velocity, mean, isUniform, placeAt } = prepared
  if (isUniform && !source.path) {
    const constant: Vector = [mean[0] * h, mean[1] * h, mean[2] * h]
    return () => constant
  }
  const { toOwn, turn, frameVelocity } = placeAt(time).shape
  return (x: number, y: number, z: number): Vector => {
    const [u, v, w] = turn(velocity(...toOwn(x, y, z)))
    const frame = frameVelocity(x, y, z)
    return [u * h + frame[0], v * h + frame[1], w * h + frame[2]]
  }
}

function surroundings(grid: Grid, solid: Float32Array): OpenSpace {
  const inDomain = (axis: number, value: number) => value > 0 && value < grid.shape[axis]
  return {
    isOpen: (x, y, z) => inDomain(0, x) && inDomain(1, y) && inDomain(2, z) && sampleNodal(grid, solid, x, y, z) > 0,
    clearance(x, y, z) {
      const sides = [x, y, z].slice(0, grid.dims).map((value, axis) => Math.min(value, grid.shape[axis] - value))
      return Math.min(...sides, sampleNodal(grid, solid, x, y, z))
    },
  }
}
