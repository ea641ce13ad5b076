import { describe, expect, it } from 'vitest'
import { createCoarseUpdate } from '../../../src/multigrid/aggregate/values.js'
import { gallery } from '../../../src/pressure/gallery.js'
import { CONTACT, type PressureProblem } from '../../../src/pressure/problem.js'
import { random } from '../../../src/random.js'
import { createBuffers } from '../../../src/sparse/buffers.js'
import { galleryHierarchy, hierarchyOf } from '../../support/levels.js'

const grids = gallery.filter(({ build, minSize }) => 'grid' in build({ size: Math.max(9, minSize) }).problem)

/** A block of liquid of uniform links, walls all around, held at one end. */
function block(
  shape: [number, number, number],
  cut: (axis: number, position: number[]) => boolean = () => false,
): PressureProblem {
  const cells = shape[0] * shape[1] * shape[2]
  const diagonal = new Float64Array(cells)
  const links: [Float64Array, Float64Array, Float64Array] = [
    new Float64Array(cells),
    new Float64Array(cells),
    new Float64Array(cells),
  ]
  const strides = [1, shape[0], shape[0] * shape[1]]
  for (let cell = 0; cell < cells; cell++) {
    const position = [cell % shape[0], Math.floor(cell / shape[0]) % shape[1], Math.floor(cell / strides[2])]
    if (position[0] === 0) diagonal[cell] += 1
    for (let axis = 0; axis < 3; axis++) {
      if (position[axis] + 1 >= shape[axis] || cut(axis, position)) continue
      links[axis][cell] = -1
      diagonal[cell] += 1
      diagonal[cell + strides[axis]] += 1
    }
  }
  return {
    grid: { dims: shape[2] > 1 ? 3 : 2, shape, spacing: 1, cells },
    kind: new Uint8Array(cells).fill(CONTACT),
    diagonal,
    links,
    b: new Float64Array(cells).fill(-1),
  }
}

describe('aggregated levels', () => {
  it('stay weighted graphs in two colours, symmetric, with every link between different cells of the grid', () => {
    for (const { name, dims, minSize } of grids)
      for (const d of dims) {
        const { levels } = galleryHierarchy(name, Math.max(21, minSize), d, 1)
        for (const level of levels) expect(faults(level), `${name} ${d}D`).toEqual([])
        const last = levels[levels.length - 1]
        expect(last.rows <= 1 || last.column.length === 0 || Math.max(...last.shape) === 1, `${name} ends`).toBe(true)
      }
  })

  it('have half of the summed links in open liquid, more where a block has one layer', () => {
    const { levels } = hierarchyOf(block([8, 8, 8]), 1)
    expect([...levels[1].weight].every(weight => Math.abs(weight - 2) < 1e-14)).toBe(true)
    const flat = hierarchyOf(block([16, 16, 1]), 1).levels
    for (const level of flat.slice(1, 3)) expect([...level.weight].every(weight => Math.abs(weight - 1) < 1e-14)).toBe(true)
    // Seven cells: the last block has one layer, so its middle is nearer.
    const odd = hierarchyOf(block([7, 1, 1]), 1).levels[1]
    expect(Math.max(...odd.weight)).toBeCloseTo(2 / 3, 12)
  })

  it('keep the two sides of a wall apart, and a doorway nearly as open as it is', () => {
    const wall = (axis: number, [x]: number[]) => axis === 0 && x === 2
    const sealed = hierarchyOf(block([6, 4, 4], wall), 1).levels
    for (const level of sealed.slice(1)) {
      const groups = new Set<number>()
      for (let row = 0; row < level.rows; row++) groups.add(row)
      for (let row = 0; row < level.rows; row++) {
        const heldSide = side(sealed, level, row)
        for (let at = level.rowStart[row]; at < level.rowStart[row + 1]; at++)
          expect(side(sealed, level, level.column[at])).toBe(heldSide)
      }
    }
    const door = (axis: number, [x, y, z]: number[]) => axis === 0 && x === 3 && !(y === 1 && z === 1)
    const { levels } = hierarchyOf(block([8, 2, 2], door), 1)
    const weights = [...new Set([...levels[1].weight].map(weight => weight.toFixed(6)))]
    // Open: 4 links halved. Door: one link between two rooms of four columns each: 1 / (1 + 1/8 + 1/8).
    expect(weights.sort()).toEqual(['0.800000', '2.000000'])
  })

  it('are updated around changed contacts exactly as they would be from scratch', () => {
    for (const [name, size, dims] of [
      ['half-ball', 20, 3],
      ['rooms', 24, 3],
      ['maze', 40, 2],
    ] as const) {
      const { coloured, levels } = galleryHierarchy(name, size, dims, 4)
      const coarse = createCoarseUpdate(levels, createBuffers())
      coarse.updateAll(0)
      const contacts = [...coloured.contact.keys()].filter(row => coloured.contact[row])
      for (let round = 0; round < 5; round++) {
        const changed = Int32Array.from(contacts.filter(row => random(round, row) < 0.1))
        for (const row of changed) levels[0].pinned[row] ^= 1
        coarse.update(0, changed)
        const local = levels.map(level => [
          level.weight.slice(),
          level.diagonal.slice(),
          level.inverse.slice(),
          level.pinned.slice(),
        ])
        coarse.updateAll(0)
        levels.forEach((level, at) => {
          expect([level.weight, level.diagonal, level.inverse, level.pinned]).toEqual(local[at])
        })
      }
    }
  })
})

/** What is wrong with the graph of a level: colours, symmetry, signs. Collected, because there are millions of links. */
function faults(level: ReturnType<typeof hierarchyOf>['levels'][number]): string[] {
  const found: string[] = []
  for (let row = 0; row < level.rows; row++)
    for (let at = level.rowStart[row]; at < level.rowStart[row + 1]; at++) {
      const other = level.column[at]
      const back = level.column.subarray(level.rowStart[other], level.rowStart[other + 1]).indexOf(row)
      const mirrored = back < 0 ? NaN : level.weight[level.rowStart[other] + back]
      if (row < level.reds === other < level.reds) found.push(`${row} and ${other} have one colour`)
      if (!(Math.abs(level.weight[at] - mirrored) <= 1e-14 * mirrored)) found.push(`${row} and ${other} disagree`)
      if (!(level.weight[at] > 0)) found.push(`${row} and ${other} repel`)
    }
  return found
}

/** Whether a row of any level lies on the held side (x ≤ 2) of the wall: by walking down to its children. */
function side(levels: ReturnType<typeof hierarchyOf>['levels'], level: (typeof levels)[number], row: number): boolean {
  let at = levels.indexOf(level)
  let current = row
  while (at > 0) {
    current = levels[at].children[levels[at].childStart[current]]
    at--
  }
  return levels[0].cell[current] % 6 <= 2
}
