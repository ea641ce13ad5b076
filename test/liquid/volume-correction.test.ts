/** Volume that errors have taken or given, and how it comes back. */
import { afterAll, describe, expect, it } from 'vitest'
import { loadScene } from '../../src/io/scene-file.js'
import { createCompiledParticles } from '../../src/liquid/compiled/particles.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { hasConverged } from '../../src/liquid/records.js'
import { createArrayBackup, VISIBLE_ARRAYS } from '../../src/liquid/saving/array-backup.js'
import { surfaceMesh } from '../../src/liquid/surface/surface-mesh.js'
import { correctVolume, isNeeded, neededChange } from '../../src/liquid/volume-correction.js'
import { liquidModule } from '../../src/machine/generated/liquid.js'
import { startMachine } from '../../src/machine/machine.js'
import { CONTACT } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createSolver } from '../../src/solvers/registry.js'
import { ball, type Distance, placeLiquid, seedParticles } from '../support/liquids.js'
import { meshVolume } from '../support/meshes.js'

const machine = startMachine(liquidModule, 1)
const solver = createSolver('nas-mgpcg')
afterAll(async () => {
  solver.dispose()
  ;(await machine).dispose()
})

/** Liquid of particles in a box of 24³ cells or 40², and a function that corrects its volume. */
async function place(dims: 2 | 3, inside: Distance, solid?: Distance) {
  const running = await machine
  const shape = dims === 3 ? [24, 24, 24] : [40, 40]
  const placed = placeLiquid(running, { shape, liquid: () => 1, solids: solid ? [{ phi: solid }] : [], spacing: 0.1 })
  const { liquid } = placed
  seedParticles(placed, (x, y, z) => inside(x, y, z) < 0 && (!solid || solid(x, y, z) > 0))
  const particles = createCompiledParticles(running, liquid, false)
  particles.columns().forEach((column, axis) => {
    if (axis >= 3) column.set(column.map((_, n) => random(7, axis, n)))
  })
  liquid.openGeometry()
  const find = () => {
    particles.sort()
    liquid.surface(2 ** dims)
  }
  find()
  const solve = (tolerance: number) => {
    const { kind, diagonal, linkX, linkY, linkZ, b, pressure } = liquid.arrays
    pressure.fill(0)
    return solver.solve({ grid: placed.grid, kind, diagonal, links: [linkX, linkY, linkZ], b }, pressure, { tolerance })
  }
  const correct = async (missing: number) => {
    const { result, gone } = await correctVolume(
      { liquid, particles, visible: createArrayBackup(liquid, VISIBLE_ARRAYS) },
      { least: missing, most: missing, volume: liquid.measureVolume() },
      particles.findExcess(2 ** dims),
      1000,
      solve,
    )
    find()
    return { result, gone }
  }
  return { ...placed, particles, correct }
}

describe('a correction of the volume', () => {
  const shapes: [string, 2 | 3, Distance, Distance?][] = [
    ['a ball', 3, ball(12, 12, 12, 7.3)],
    ['a disc', 2, (x, y) => Math.hypot(x - 20, y - 20) - 11],
    ['a pool over a slope', 3, (_x, y) => y - 12.3, (x, y) => 0.8 * (y - 6) - 0.6 * (x - 9)],
    ['liquid under a ceiling', 2, (_x, y) => 22.4 - y, (_x, y) => 33.7 - y],
  ]
  it.each(shapes)('makes liquid grow and shrink by as much as it shall: %s', async (_, dims, inside, solid) => {
    for (const missing of [0.03, -0.03]) {
      const { liquid, correct } = await place(dims, inside, solid)
      const before = liquid.measureVolume()
      expect((await correct(missing)).result.status).toBe('converged')
      expect(Math.abs(liquid.measureVolume() / before - 1 - missing)).toBeLessThan(0.006)
    }
  })

  it('changes neither velocities of particles nor what is known of the substep', async () => {
    const { liquid, particles, correct } = await place(3, ball(12, 12, 12, 7.3))
    const names = ['ux', 'uy', 'uz', 'layerX', 'layerY', 'layerZ', 'kind', 'pressure'] as const
    for (const name of names) liquid.arrays[name].set(Array.from(liquid.arrays[name], (_, n) => Math.floor(9 * random(8, n))))
    const fields = names.map(name => liquid.arrays[name].slice())
    const sorted = (columns: readonly Float32Array[]) => columns.map(column => column.slice().sort())
    const before = sorted(particles.columns())
    await correct(0.02)
    const change = sorted(particles.columns()).map((column, n) => largestDifference(column, before[n]))
    expect(Math.max(...change.slice(3))).toBe(0)
    expect(Math.min(...change.slice(0, 3))).toBeGreaterThan(0)
    expect(names.map((name, n) => largestDifference(liquid.arrays[name], fields[n]))).toEqual(names.map(() => 0))
  })

  it('does not pull shrinking liquid off walls that let go', async () => {
    const { liquid, particles, correct } = await place(
      2,
      (_x, y) => 24.4 - y,
      (_x, y) => 33.7 - y,
    )
    const top = () => Math.max(...particles.columns()[1])
    const before = top()
    await correct(-0.05)
    expect(before - top()).toBeLessThan(0.05)
    expect(liquid.arrays.phi[20 + 40 * 33]).toBeLessThan(0)
  })

  it('makes liquid that is letting go of a wall shrink on both sides', async () => {
    const { liquid, particles, correct } = await place(
      2,
      (_x, y) => 24.4 - y,
      (_x, y) => 33.7 - y,
    )
    liquid.arrays.kind.fill(CONTACT)
    liquid.arrays.pressure.fill(0)
    const mean = () => particles.columns()[1].reduce((sum, y) => sum + y, 0) / particles.count
    const [top, middle] = [Math.max(...particles.columns()[1]), mean()]
    await correct(-0.05)
    expect(top - Math.max(...particles.columns()[1])).toBeGreaterThan(0.1)
    expect(Math.abs(mean() - middle)).toBeLessThan(0.05)
  })

  it('leaves alone what fills all there is', async () => {
    const { particles, correct } = await place(3, () => -1)
    const sorted = () => particles.columns().map(column => column.slice().sort())
    const before = sorted()
    const { result, gone } = await correct(0.05)
    expect([result.status, gone]).toEqual(['converged', 0])
    expect(Math.max(...sorted().map((column, n) => largestDifference(column, before[n])))).toBeLessThan(1e-3)
  })
})

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((largest, value, n) => Math.max(largest, Math.abs(value - b[n])), 0)
}

describe('the change of volume that is needed', () => {
  it('is what the surface lacks, if that is more than three quarters of a per cent', async () => {
    const { liquid } = await place(3, ball(12, 12, 12, 7.3))
    const volume = liquid.measureVolume()
    for (const share of [0.02, -0.02]) {
      const { least, most } = neededChange(liquid, (1 + share) * volume)
      expect([least, most]).toEqual([expect.closeTo(share, 9), expect.closeTo(share, 9)])
    }
    for (const [share, needs] of [
      [1.006, false],
      [1.009, true],
      [0.994, false],
      [0.991, true],
    ] as const)
      expect(isNeeded(neededChange(liquid, share * volume))).toBe(needs)
    // Within that, a correction of the density may change it as far as half of what is tolerated remains for chance.
    expect(neededChange(liquid, 1.005 * volume)).toEqual({ least: 0, most: expect.closeTo(0.00875, 9), volume })
    expect(neededChange(liquid, 0.999 * volume)).toEqual({
      least: expect.closeTo(-0.00475, 9),
      most: expect.closeTo(0.00275, 9),
      volume,
    })
    expect(isNeeded(neededChange(liquid, 0))).toBe(false)
    expect(neededChange(liquid, 0.01 * volume).least).toBeCloseTo(-0.1, 9)
  })

  it('is not that of spray, which no surface can show', async () => {
    // Sheets a third of a cell thick, between centres.
    const isSheet = (x: number) => Math.abs((x % 3) - 1) < 0.16
    const { liquid, particles } = await place(3, (x, y) => (y < 8 || isSheet(x) ? -1 : 1))
    const all = (particles.count / 8) * 0.1 ** 3
    expect(liquid.measureVolume()).toBeLessThan(0.88 * all)
    expect(isNeeded(neededChange(liquid, all))).toBe(false)
  })
})

describe('a splash', () => {
  it('falls off the ceiling as fast as one that is not corrected', async () => {
    /** m, after every frame. */
    const heights = async (correction: boolean) => {
      const scene = await loadScene('splash', [
        ['domain.resolution', 24],
        ['volume.correction', correction],
      ])
      const simulation = await simulateScene(scene, { threads: 1 })
      const means: number[] = []
      for (let n = 0; n < 8; n++) {
        await simulation.advance()
        const { position } = simulation.capture({ particles: true }).particles!
        means.push((3 / position.length) * position.reduce((sum, value, at) => (at % 3 === 1 ? sum + value : sum), 0))
      }
      simulation.dispose()
      return means
    }
    const [corrected, not] = [await heights(true), await heights(false)]
    expect(largestDifference(corrected, not)).toBeLessThan(0.1 / 24)
  })

  it('keeps the volume of its surface, within 1 %, and as it is exported within 2 %, in every one of 200 frames', async () => {
    const simulation = await simulateScene(await loadScene('splash', [['domain.resolution', 32]]), { threads: 1 })
    const start = meshVolume(surfaceMesh(simulation.capture()))
    let [worst, corrections] = [0, 0]
    for (let n = 0; n < 200; n++) {
      const record = await simulation.advance()
      expect(hasConverged(record)).toBe(true)
      if (record.correction) corrections++
      worst = Math.max(worst, Math.abs(record.volume / record.expectedVolume - 1))
      // The surface of frames is not that of the pressure solve; it is off most, by 1.2 %, in the first frames, when liquid comes off the wall.
      if (n % 10 === 2) expect(Math.abs(meshVolume(surfaceMesh(simulation.capture())) / start - 1)).toBeLessThan(0.02)
    }
    simulation.dispose()
    expect(worst).toBeLessThan(0.01)
    // Frames of the splash itself need their density corrected; it goes on for half of them, because it keeps its energy.
    expect(corrections).toBeGreaterThan(5)
    expect(corrections).toBeLessThan(140)
  })
})
