/** What is solid at nodes. */
import { describe, expect, it } from 'vitest'
import { createGrid, nodeShape } from '../../../src/grid/grid.js'
import { sphere } from '../../../src/grid/shapes.js'
import { createSolidSampler, type NodalSolids, sampleNodal } from '../../../src/liquid/boundary/solids.js'
import type { SceneSolid } from '../../../src/scene/setting.js'
import { moving, solid } from '../../support/settings.js'

const h = 0.1
const grid = createGrid([12, 10, 8], h)
const [mx, my, mz] = nodeShape(grid)

function sampled(solids: readonly SceneSolid[], time = 0, on = grid): NodalSolids {
  const nodes = nodeShape(on).reduce((a, b) => a * b)
  const into = { phi: new Float32Array(nodes), owner: new Uint8Array(nodes) }
  createSolidSampler(on, solids).sample(time, into)
  return into
}

function forNodes(visit: (node: number, x: number, y: number, z: number) => void): void {
  for (let k = 0, node = 0; k < mz; k++)
    for (let j = 0; j < my; j++) for (let i = 0; i < mx; i++, node++) visit(node, i * h, j * h, k * h)
}

describe('solids at nodes', () => {
  const left = sphere([0.2, 0.5, 0.4], 0.15)
  const right = sphere([0.8, 0.5, 0.4], 0.25)

  it('are the nearest one, in cells, and which it is', () => {
    const { phi, owner } = sampled([solid(left), solid(right)])
    forNodes((node, x, y, z) => {
      const [a, b] = [left(x, y, z), right(x, y, z)]
      expect(phi[node]).toBeCloseTo(Math.min(a, b) / h, 4)
      if (Math.abs(a - b) > 1e-6) expect(owner[node]).toBe(a < b ? 1 : 2)
    })
  })

  it('are far away where there are none', () => {
    const { phi, owner } = sampled([])
    expect(Math.min(...phi)).toBeGreaterThan(1e5)
    expect(owner.every(number => number === 0)).toBe(true)
  })

  it('are where they have moved to, as far around as is needed, and never nearer elsewhere', () => {
    const bounded = moving(left, [1, 0, 0], {
      boundsAt: (time, margin) => [
        [0.05 + time - margin, 0.35 - margin, 0.25 - margin],
        [0.35 + time + margin, 0.65 + margin, 0.55 + margin],
      ],
    })
    for (const time of [0, 0.25, 5]) {
      const { phi, owner } = sampled([solid(right), bounded], time)
      forNodes((node, x, y, z) => {
        const [a, b] = [right(x, y, z) / h, left(x - time, y, z) / h]
        const nearest = Math.min(a, b)
        if (nearest < 8 - 1e-3) {
          expect(phi[node]).toBeCloseTo(nearest, 4)
          if (Math.abs(a - b) > 1e-6) expect(owner[node]).toBe(a < b ? 1 : 2)
        } else expect(phi[node]).toBeGreaterThan(8 - 1e-3)
      })
    }
  })

  it('of a flat scene are the same on both layers of nodes, as at z = 0', () => {
    const flat = createGrid([6, 6], h)
    const { phi } = sampled([solid((x, y, z) => x + y + 100 * z - 0.4)], 0, flat)
    expect(phi.subarray(0, 49)).toEqual(phi.subarray(49))
    expect(phi[0]).toBeCloseTo(-4, 5)
  })

  it('that say they are nowhere are left out rather than made NaN', () => {
    expect(sampled([solid(() => Number.NaN)]).phi.every(Number.isFinite)).toBe(true)
  })
})

describe('sampling between nodes', () => {
  it('is exact for what is linear along each axis, and goes on as at the border beyond it', () => {
    const f = (x: number, y: number, z: number) => 1 + x - 2 * y + 3 * z + x * y - 0.5 * y * z + 0.25 * x * y * z
    const phi = new Float32Array(mx * my * mz)
    for (let k = 0, node = 0; k < mz; k++)
      for (let j = 0; j < my; j++) for (let i = 0; i < mx; i++, node++) phi[node] = f(i, j, k)
    for (const [x, y, z] of [
      [0, 0, 0],
      [12, 10, 8],
      [3.25, 4.5, 1.75],
      [11.9, 0.1, 7.5],
    ])
      expect(sampleNodal(grid, phi, x, y, z)).toBeCloseTo(f(x, y, z), 3)
    expect(sampleNodal(grid, phi, -5, 3, 99)).toBeCloseTo(f(0, 3, 8), 3)
  })
})
