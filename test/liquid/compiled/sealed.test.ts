/** Liquid that touches no air, against its definition: a flood from cell to cell. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGrid, faceShape, type Grid } from '../../../src/grid/grid.js'
import { createCompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import { type LiquidMachine, liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { random } from '../../../src/random.js'

interface LiquidCells {
  readonly grid: Grid
  /** `phi` < 0 in liquid; shares of faces that solids leave open. */
  readonly arrays: Readonly<Record<'phi' | 'openX' | 'openY' | 'openZ', Float32Array>>
}

let machine: LiquidMachine
beforeAll(async () => {
  machine = await startMachine(liquidModule, 1)
})
afterAll(() => machine.dispose())

function sealedCells({ grid, arrays }: LiquidCells): Uint8Array | undefined {
  machine.kernels.releaseAll()
  const liquid = createCompiledLiquid(machine, grid)
  for (const name of ['phi', 'openX', 'openY', 'openZ'] as const) liquid.arrays[name].set(arrays[name])
  // What was there before must not matter.
  liquid.arrays.pairX.fill(1)
  return liquid.sealedCells()
}

const volume = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1)

function flood({ grid, arrays: { phi, openX, openY, openZ } }: LiquidCells): Uint8Array {
  const [nx, ny, nz] = grid.shape
  const sealed = new Uint8Array(grid.cells)
  const seen = new Uint8Array(grid.cells)
  const isLiquid = (i: number, j: number, k: number) =>
    i >= 0 && j >= 0 && k >= 0 && i < nx && j < ny && k < nz && phi[i + nx * (j + ny * k)] < 0
  for (let seed = 0; seed < grid.cells; seed++) {
    if (seen[seed] || !(phi[seed] < 0)) continue
    const found = [seed]
    seen[seed] = 1
    let isEnclosed = true
    for (const cell of found) {
      const [i, j, k] = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
      const faces: [number, number, number, number][] = [
        [openX[i + (nx + 1) * (j + ny * k)], i - 1, j, k],
        [openX[i + 1 + (nx + 1) * (j + ny * k)], i + 1, j, k],
        [openY[i + nx * (j + (ny + 1) * k)], i, j - 1, k],
        [openY[i + nx * (j + 1 + (ny + 1) * k)], i, j + 1, k],
      ]
      if (grid.dims === 3)
        faces.push([openZ[i + nx * (j + ny * k)], i, j, k - 1], [openZ[i + nx * (j + ny * (k + 1))], i, j, k + 1])
      for (const [open, a, b, c] of faces) {
        if (open === 0) continue
        const next = a + nx * (b + ny * c)
        if (!isLiquid(a, b, c)) isEnclosed = false
        else if (!seen[next]) {
          seen[next] = 1
          found.push(next)
        }
      }
    }
    if (isEnclosed) for (const cell of found) sealed[cell] = 1
  }
  return sealed
}

/** Cells are liquid and faces inside are open by chance; the outer faces are open all or none. */
function chance(grid: Grid, seed: number, liquid: number, open: number, isShut: boolean): LiquidCells {
  const phi = Float32Array.from({ length: grid.cells }, (_, cell) => (random(seed, cell, 1) < liquid ? -1 : 1))
  const [openX, openY, openZ] = ([0, 1, 2] as const).map(axis => {
    const shape = faceShape(grid, axis)
    return Float32Array.from({ length: volume(shape) }, (_, face) => {
      const position = [face % shape[0], Math.floor(face / shape[0]) % shape[1], Math.floor(face / (shape[0] * shape[1]))][axis]
      if (isShut && (position === 0 || position === shape[axis] - 1)) return 0
      return random(seed, face, 2 + axis) < open ? 0.5 : 0
    })
  })
  return { grid, arrays: { phi, openX, openY, openZ } }
}

/** Evenly: most floating point numbers are next to nothing. */
const SHARE = fc.integer({ min: 0, max: 20 }).map(n => n / 20)

describe('liquid that touches no air', () => {
  it('is what a flood from its cells finds', () => {
    let some = 0
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 3 }),
        fc.integer(),
        SHARE,
        SHARE,
        fc.boolean(),
        (shape, seed, liquid, open, isShut) => {
          const cells = chance(createGrid(shape, 1), seed, liquid, open, isShut)
          const expected = flood(cells)
          const actual = sealedCells(cells)
          if (expected.some(Boolean)) some++
          expect(Array.from(actual ?? new Uint8Array(expected.length))).toEqual(Array.from(expected))
        },
      ),
      { numRuns: 600 },
    )
    expect(some).toBeGreaterThan(20)
  })

  it('is not told where there is none', () => {
    const cells = chance(createGrid([8, 8, 8], 1), 1, 0.3, 1, true)
    expect(sealedCells(cells)).toBeUndefined()
  })

  it('is all of a full box without air, and nothing of it once a bubble is in it', () => {
    const cells = chance(createGrid([6, 5, 4], 1), 1, 2, 1, true)
    expect(sealedCells(cells)?.every(mark => mark === 1)).toBe(true)
    cells.arrays.phi[37] = 1
    expect(sealedCells(cells)).toBeUndefined()
  })
})
