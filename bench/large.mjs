// How large a problem fits: the half ball of the gallery at any resolution, on the box around its liquid only, so that the arrays of the
// problem do not need more memory than the solve. Prints one line of what was measured.
// Arguments: cells per side of the whole domain (512 if absent), threads (1 if absent).
import fs from 'node:fs'
import { assemble, createGrid, createSolver, measure, sampleCells, sampleFaces, sampleNodes } from 'peel'

const RADIUS = 0.42
const size = Number(process.argv[2] ?? 512)
const threads = Number(process.argv[3] ?? 1)

const spacing = 1 / size
const low = Math.floor((0.5 - RADIUS) * size) - 1
const half = Math.ceil(size / 2) - low + 1
const grid = createGrid([half, size - 2 * low, size - 2 * low], spacing)
const shift = low * spacing
const solid = (x, y, z) => RADIUS - Math.hypot(x + shift - 0.5, y + shift - 0.5, z + shift - 0.5)
const problem = assemble({
  grid,
  velocity: sampleFaces(grid, [() => 3, () => 4, () => 0]),
  liquid: sampleCells(grid, x => x + shift - 0.5),
  solids: [{ phi: sampleNodes(grid, solid), walls: 'separating' }],
  sides: {},
  dt: 0.01,
  density: 1000,
  liquidInSolids: 'as-given',
})
const pressure = new Float64Array(grid.cells)
const solver = createSolver('nas-mgpcg', {}, { engine: threads === 1 ? 'wasm' : 'threads', threads })
const start = performance.now()
const result = await solver.solve(problem, pressure)
const seconds = (performance.now() - start) / 1000
const peak = /VmHWM:\s+(\d+)/.exec(fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '')
console.log(
  `${size}³: ${result.unknowns} unknowns, ${result.engine}, ${result.status} after ${result.iterations} iterations in ${seconds.toFixed(1)} s, ` +
    `residual ${measure(problem, pressure).residual.toExponential(1)} 1/s, peak memory of the process ${peak ? (Number(peak[1]) / 2 ** 20).toFixed(1) : '?'} GiB`,
)
solver.dispose()
