/** Records packed by the compiled loops are what the layout says, cell by cell, on any number of threads. */
import { afterAll, expect, it } from 'vitest'
import { createTilePacker, recordBytes, type TileTable } from '../../src/cluster/tile-packing.js'
import { tilesOf } from '../../src/cluster/tiles.js'
import { type SolveMachine, solveModule } from '../../src/machine/generated/solve.js'
import { startMachine } from '../../src/machine/machine.js'
import { findRuns, loadProblem } from '../../src/multigrid/aggregate/load-problem.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, DRY, type PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'

const machines = new Map<number, SolveMachine>()
for (const threads of [1, 3]) machines.set(threads, await startMachine(solveModule, threads))
afterAll(() => {
  for (const machine of machines.values()) machine.dispose()
})

/** The records by their definition. `unknownOf`: number of the unknown in a cell. */
function packByHand(
  problem: PressureProblem,
  table: TileTable,
  p: Float64Array | undefined,
  marks: Uint8Array | undefined,
): Buffer {
  const { grid, kind, diagonal, links, b } = problem
  const [nx, ny] = grid.shape
  let unknowns = 0
  const unknownOf = Int32Array.from(kind, what => (what === DRY ? -1 : unknowns++))
  const across = [Math.ceil(nx / table.size), Math.ceil(ny / table.size)]
  const records: Buffer[] = []
  for (let tile = 0; tile < table.count; tile++) {
    const entry = Buffer.from(table.bytes.buffer, 12 * tile, 12)
    const id = entry.readInt32LE(0)
    const corner = [id % across[0], Math.floor(id / across[0]) % across[1], Math.floor(id / across[0] / across[1])]
    const cells: number[] = []
    for (let z = entry[6]; z <= entry[9]; z++)
      for (let y = entry[5]; y <= entry[8]; y++)
        for (let x = entry[4]; x <= entry[7]; x++)
          cells.push(corner[0] * table.size + x + nx * (corner[1] * table.size + y + ny * (corner[2] * table.size + z)))
    const fields = [diagonal, ...links, b, ...(p ? [p] : [])]
    const values = fields.flatMap(field => cells.map(cell => (kind[cell] === DRY ? 0 : field[cell])))
    const kinds = Buffer.alloc(8 * Math.ceil(cells.length / 8))
    cells.forEach((cell, at) => {
      if (kind[cell] !== DRY) kinds[at] = marks?.[unknownOf[cell]] || (kind[cell] === CONTACT ? 1 : 0)
    })
    records.push(Buffer.from(Float64Array.from(values).buffer), kinds)
  }
  return Buffer.concat(records)
}

for (const threads of [1, 3])
  for (const warm of [false, true])
    for (const marked of [false, true])
      it(`${threads} threads, ${warm ? 'with' : 'without'} a pressure, ${marked ? 'with' : 'without'} marks`, () => {
        const machine = machines.get(threads)!
        for (const [name, dims, size] of [
          ['half-ball', 3, 8],
          ['half-ball', 2, 32],
          ['random-grid', 3, 16],
        ] as const) {
          const problem = galleryProblem(name, { size: 37, dims }).problem as PressureProblem
          const found = findRuns(problem)
          const p = Float64Array.from(problem.kind, (what, cell) => (what === DRY ? 0 : random(3, cell)))
          const loaded = loadProblem(machine, problem, warm ? p : new Float64Array(p.length), false, found)
          const table = tilesOf(problem.grid.shape, found.runs, size)
          const marks = marked
            ? Uint8Array.from({ length: found.unknowns }, (_, at) => (at % 7 === 0 ? 2 + (at % 200) : 0))
            : undefined
          const batches = [...copies(createTilePacker(machine, loaded.input, table, warm, marks).batches())]
          const packed = Buffer.concat(batches)
          expect(packed.length).toBe(table.cells.reduce((sum, cells) => sum + recordBytes(cells, warm), 0))
          expect(packed.equals(packByHand(problem, table, warm ? p : undefined, marks))).toBe(true)
        }
      })

it('packs more than fits into one batch', () => {
  const machine = machines.get(3)!
  const problem = galleryProblem('half-ball', { size: 96, dims: 3 }).problem as PressureProblem
  const found = findRuns(problem)
  const loaded = loadProblem(machine, problem, new Float64Array(problem.grid.cells), false, found)
  const table = tilesOf(problem.grid.shape, found.runs, 32)
  const batches = [...copies(createTilePacker(machine, loaded.input, table, false, undefined).batches())]
  expect(batches.length).toBeGreaterThan(1)
  expect(Buffer.concat(batches).equals(packByHand(problem, table, undefined, undefined))).toBe(true)
})

/** Batches are overwritten by those after them. */
function* copies(batches: Iterable<Uint8Array>): Generator<Buffer> {
  for (const batch of batches) yield Buffer.from(batch)
}
