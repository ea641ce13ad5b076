/** 0 ≤ p ⟂ u·n ≥ 0 for particles too: where liquid presses on a wall it does not flow off it, where it does not press it may. */
import { afterAll, describe, expect, it } from 'vitest'
import { liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { type Distance, faceArrays, type LiquidCase, placeLiquid } from '../../support/liquids.js'

const machine = startMachine(liquidModule, 1)
afterAll(async () => (await machine).dispose())

const AWAY = 0.7

/** A ceiling at y = 6: liquid below it flows down everywhere. Returns the y-velocity on a face of it, in column i. */
async function offCeiling(pressure: number, parts: Partial<LiquidCase>, face: number): Promise<number> {
  const shape = [8, 8]
  const { liquid } = placeLiquid(await machine, { shape, liquid: (_, y) => Math.abs(y - 4) - 1.99, ...parts })
  liquid.openGeometry()
  const [ux, uy] = faceArrays(liquid, 'u')
  ux.fill(0)
  uy.fill(-AWAY)
  liquid.assemble(0.01, 1000, false)
  const { pressure: p } = liquid.arrays
  p.fill(0)
  // As if nothing had to be projected: which faces are known does not depend on the pressure.
  liquid.project(0.01, 1000)
  liquid.extrapolate(4)
  p.fill(pressure)
  liquid.constrain()
  return uy[4 + 8 * face]
}

const ceiling: Distance = (_, y) => 6 - y

describe.each([
  { name: 'a solid', face: 6, parts: { solids: [{ phi: ceiling }] } },
  { name: 'a face deeper in a solid', face: 7, parts: { solids: [{ phi: ceiling }] } },
  { name: 'a side', face: 8, parts: { liquid: (_: number, y: number) => Math.abs(y - 6) - 1.99 } },
])('on $name', ({ face, parts }) => {
  it('liquid that presses does not flow off it', async () => {
    expect(await offCeiling(100, parts, face)).toBeCloseTo(0, 12)
  })

  it('liquid that does not press keeps its velocity away from it', async () => {
    expect(await offCeiling(0, parts, face)).toBeCloseTo(-Math.fround(AWAY), 12)
  })
})

describe('on what sticks', () => {
  it.each([
    { name: 'a solid', face: 6, parts: { solids: [{ phi: ceiling, wall: { walls: 'sticking' as const } }] } },
    {
      name: 'a side',
      face: 8,
      parts: { liquid: (_: number, y: number) => Math.abs(y - 6) - 1.99, sides: { y: ['sticking', 'sticking'] as const } },
    },
  ])('liquid never flows off: $name', async ({ face, parts }) => {
    expect(await offCeiling(0, parts, face)).toBeCloseTo(0, 12)
  })
})
