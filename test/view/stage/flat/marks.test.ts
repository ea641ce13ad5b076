/** What a flat picture leaves out: nothing that could be seen. */
import { describe, expect, it } from 'vitest'
import { createGrid, type Grid } from '../../../../src/grid/grid.js'
import { edgeWidth, wallShade } from '../../../../src/paint/flat-style.js'
import { random } from '../../../../src/random.js'
import { createMarker, EDGE_REACH, EDGE_WIDTHS, listRectangles, MARKS } from '../../../../src/view/stage/flat/marks.js'

const SHAPES: [number, number][] = [
  [1, 1],
  [2, 7],
  [31, 17],
  [64, 48],
]

/** Hills and valleys some cells wide, up to `height` cells high, at points half a cell or none from the corner of the domain. */
function hills([nx, ny]: readonly [number, number], from: number, seed: number, height: number): Float32Array {
  const waves = [0, 1, 2, 3].map(n => [0, 1, 2].map(part => random(seed, 3 * n + part)))
  return Float32Array.from({ length: nx * ny }, (_, at) => {
    const [x, y] = [(at % nx) + from, Math.floor(at / nx) + from]
    return waves.reduce((sum, [a, b, c]) => sum + (height / 2) * Math.sin(0.3 * a * x + 0.3 * b * y + 7 * c), 0)
  })
}

function fieldsOf(shape: [number, number], seed: number) {
  const grid = createGrid(shape, 0.1)
  const scaled = (values: Float32Array) => values.map(value => grid.spacing * value)
  const nodes = [shape[0] + 1, shape[1] + 1] as const
  return {
    grid,
    // Deep liquid says no more than that it is a cell deep.
    liquid: scaled(hills(shape, 0.5, seed, 3)).map(value => Math.max(value, -grid.spacing)),
    solid: scaled(hills(nodes, 0, seed + 1, 3)),
    depth: scaled(hills(shape, 0.5, seed, 6)),
  }
}

/** Linear between points; `from` as above, places in cells. */
function between(values: Float32Array, [nx, ny]: readonly [number, number], from: number, x: number, y: number): number {
  const [u, v] = [Math.min(Math.max(x - from, 0), nx - 1), Math.min(Math.max(y - from, 0), ny - 1)]
  const [i, j] = [Math.min(Math.floor(u), Math.max(nx - 2, 0)), Math.min(Math.floor(v), Math.max(ny - 2, 0))]
  const [a, b] = [Math.min(i + 1, nx - 1), Math.min(j + 1, ny - 1)]
  const [f, g] = [u - i, v - j]
  const row = (at: number) => (1 - f) * values[i + nx * at] + f * values[a + nx * at]
  return (1 - g) * row(j) + g * row(b)
}

describe.each(SHAPES)('cells of %i × %i', (nx, ny) => {
  const shape: [number, number] = [nx, ny]
  const seeds = [1, 2, 3, 4, 5]

  it('are marked wherever a surface or a wall can be seen, and as what they are elsewhere', () => {
    const seen = new Set<number>()
    for (const seed of seeds) {
      const fields = fieldsOf(shape, 10 * seed)
      const { grid } = fields
      const h = grid.spacing
      const marks = createMarker()(fields)
      const slack = 1e-6
      for (let cell = 0; cell < grid.cells; cell++) {
        const mark = marks[cell]
        seen.add(mark)
        const mayBe = (...names: (keyof typeof MARKS)[]) => names.some(name => mark & MARKS[name])
        for (let n = 0; n < 12; n++) {
          const [x, y] = [0, 1].map(part => random(seed, 24 * cell + 2 * n + part))
          const place = [(cell % nx) + x, Math.floor(cell / nx) + y] as const
          const wall = between(fields.solid, [nx + 1, ny + 1], 0, ...place) / h
          if (mark === MARKS.solid) {
            expect(wall).toBeLessThan(-EDGE_REACH.wall + slack)
            continue
          }
          if (!mayBe('solid')) {
            expect(wall).toBeGreaterThan(EDGE_REACH.wall - slack)
            expect(0.26 * Math.exp(-wall / wallShade(grid))).toBeLessThan(0.5 / 255)
          }
          const liquid = between(fields.liquid, shape, 0.5, ...place) / h
          if (!mayBe('air')) expect(liquid).toBeLessThan(-EDGE_REACH.surface + slack)
          if (!mayBe('deep', 'shallow')) expect(liquid).toBeGreaterThan(EDGE_REACH.surface - slack)
          if (mayBe('air', 'shallow')) continue
          expect(between(fields.depth, shape, 0.5, ...place) / h).toBeLessThan(-EDGE_WIDTHS * edgeWidth(grid) + slack)
        }
      }
    }
    // All kinds of them have been looked at.
    const { air, deep, shallow, solid } = MARKS
    if (nx > 40) for (const mark of [air, deep, air | shallow, shallow, solid, air | solid]) expect(seen).toContain(mark)
  })

  it('are in one rectangle each, which leaves out nothing that they need', () => {
    for (const seed of seeds) {
      const fields = fieldsOf(shape, 10 * seed)
      const marks = createMarker()(fields)
      const drawn = paint(fields.grid, listRectangles(fields.grid, marks))
      for (const [cell, mark] of marks.entries()) {
        const { times, mark: has } = drawn[cell]
        expect(times).toBeLessThanOrEqual(1)
        expect(times === 0, 'in none').toBe(has === 0)
        if (times === 0) {
          expect(mark).toBe(MARKS.air)
          continue
        }
        // Shallow liquid is worked out more thoroughly than deep liquid, and everything most.
        const needed = mark & MARKS.deep && has & MARKS.shallow ? (mark & ~MARKS.deep) | MARKS.shallow : mark
        expect(has & needed).toBe(needed)
      }
    }
  })
})

it('rectangles at the sides of the domain reach beyond it, where half a pixel of it may be seen', () => {
  const grid = createGrid([5, 4], 1)
  expect([...listRectangles(grid, new Uint8Array(20).fill(MARKS.deep))]).toEqual([[MARKS.deep, [-1, -1, 6, 5]]])
  expect(listRectangles(grid, new Uint8Array(20).fill(MARKS.air)).size).toBe(0)
})

it('cells are marked in the same memory while the grid stays', () => {
  const marker = createMarker()
  const [first, other] = [fieldsOf([31, 17], 1), fieldsOf([31, 17], 2)]
  const kept = marker(first)
  expect(marker(other)).toBe(kept)
  expect(kept).toEqual(createMarker()(other))
})

function paint({ shape: [nx, ny], cells }: Grid, rectangles: ReadonlyMap<number, readonly number[]>) {
  const drawn = Array.from({ length: cells }, () => ({ times: 0, mark: 0 }))
  for (const [mark, sides] of rectangles)
    for (let at = 0; at < sides.length; at += 4) {
      const [left, bottom, right, top] = sides.slice(at, at + 4)
      for (let j = Math.max(bottom, 0); j < Math.min(top, ny); j++)
        for (let i = Math.max(left, 0); i < Math.min(right, nx); i++) {
          drawn[i + nx * j].times++
          drawn[i + nx * j].mark = mark
        }
    }
  return drawn
}
