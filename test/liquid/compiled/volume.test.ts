/** The volume of a liquid: that of the mesh which is exported, for any level sets of liquid and solids. */
import { afterAll, describe, expect, it } from 'vitest'
import { surfaceMesh } from '../../../src/liquid/surface/surface-mesh.js'
import { liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { random } from '../../../src/random.js'
import { ball, type Distance, type PlacedLiquid, placeLiquid } from '../../support/liquids.js'
import { meshVolume } from '../../support/meshes.js'

const machines = [startMachine(liquidModule, 1), startMachine(liquidModule, 3)]
afterAll(async () => {
  for (const machine of machines) (await machine).dispose()
})

const SPACING = 0.5

function exported({ liquid: { arrays }, grid }: PlacedLiquid): number {
  const inMetres = (values: Float32Array) => values.map(value => value * SPACING)
  const mesh = surfaceMesh({ grid, index: 0, time: 0, liquid: inMetres(arrays.phi), solid: inMetres(arrays.solid) })
  // In 2D the mesh is one cell deep.
  return meshVolume(mesh) / (grid.dims === 2 ? SPACING : 1)
}

async function place(shape: readonly number[], liquid: Distance, solid?: Distance, machine = 0): Promise<PlacedLiquid> {
  const solids = solid ? [{ phi: solid }] : []
  const placed = placeLiquid(await machines[machine], { shape, liquid, solids, spacing: SPACING })
  placed.liquid.openGeometry()
  return placed
}

describe('the volume of a liquid', () => {
  const rough =
    (seed: number): Distance =>
    (x, y, z) =>
      2.5 * random(seed, 1e3 * x, 1e3 * y, 1e3 * z) - 1
  const shapes = [
    [1, 1, 1],
    [5, 4, 3],
    [15, 2, 3],
    [16, 3, 2],
    [17, 5, 4],
    [40, 3, 5],
    [33, 9, 1],
    [1, 1],
    [16, 16],
    [37, 21],
  ]
  it.each(shapes.map(shape => ({ shape })))('is that of its mesh: random numbers on $shape cells', async ({ shape }) => {
    for (const solid of [undefined, rough(2)]) {
      const placed = await place(shape, rough(1), solid)
      const volume = exported(placed)
      // Meshes keep their vertices a thousandth of an edge apart, and round to single precision.
      expect(Math.abs(placed.liquid.measureVolume() - volume)).toBeLessThan(2e-3 * Math.max(volume, SPACING ** placed.grid.dims))
    }
  })

  it('is that of a ball, cut by a wall or not', async () => {
    const whole = (await place([24, 24, 24], ball(12.2, 11.7, 12.4, 8))).liquid.measureVolume()
    // Triangles cut corners: a share of spacing² / radius².
    expect(Math.abs(whole / ((4 / 3) * Math.PI * 4 ** 3) - 1)).toBeLessThan(0.012)
    const half = await place([24, 24, 24], ball(12.2, 11.7, 12.4, 8), x => x - 12.2)
    expect(Math.abs(half.liquid.measureVolume() / (0.5 * whole) - 1)).toBeLessThan(0.02)
    expect(Math.abs(half.liquid.measureVolume() / exported(half) - 1)).toBeLessThan(1e-4)
  })

  it.each([
    { axis: 0, shape: [8, 7, 6] },
    { axis: 1, shape: [8, 7, 6] },
    { axis: 2, shape: [8, 7, 6] },
    { axis: 0, shape: [20, 7] },
    { axis: 1, shape: [20, 7] },
  ])('ends at a wall that runs exactly through centres of cells, axis $axis of $shape', async ({ axis, shape }) => {
    const wall = (at: number) => (x: number, y: number, z: number) => [x, y, z][axis] - at
    const placed = await place(shape, () => -1, wall(3.5))
    expect(Math.abs(placed.liquid.measureVolume() / exported(placed) - 1)).toBeLessThan(1e-2)
    const beside = await place(shape, () => -1, wall(3.501))
    expect(Math.abs(placed.liquid.measureVolume() / beside.liquid.measureVolume() - 1)).toBeLessThan(1e-3)
  })

  it('does not count a gap between liquid and wall, however narrow', async () => {
    const under = (gap: number) =>
      place(
        [12, 12, 12],
        (_x, y) => y - (8.3 - gap),
        (_x, y) => 8.3 - y,
      ).then(({ liquid }) => liquid.measureVolume())
    const [none, narrow] = [await under(0), await under(0.25)]
    expect((none - narrow) / (11.5 ** 2 * SPACING ** 3)).toBeGreaterThan(0.2)
    expect((none - narrow) / (12 ** 2 * SPACING ** 3)).toBeLessThan(0.27)
  })

  it('does not depend on the number of threads', async () => {
    const volumes = await Promise.all(
      [0, 1].map(async machine => (await place([30, 20, 25], rough(5), rough(6), machine)).liquid.measureVolume()),
    )
    expect(volumes[0]).toBe(volumes[1])
  })

  it('by cells is never less than by its surface where drops are too small for one', async () => {
    // Liquid at every fourth centre of a row, barely.
    const drops: Distance = (x, y, z) => (x % 4 < 1 && y % 4 < 1 && z % 4 < 1 ? -0.1 : 0.4)
    const { liquid } = await place([16, 16, 16], drops)
    expect(liquid.measureVolume()).toBeLessThan(0.01 * liquid.measureCellVolume())
  })
})
