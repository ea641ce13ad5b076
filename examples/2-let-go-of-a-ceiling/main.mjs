// A sheet of water just below a ceiling, for one time step: with sticking walls it hangs there, with separating walls it falls.
// This is the whole way from the arrays of a simulator of one's own to a velocity that respects walls.
import { assemble, createGrid, createSolver, project, sampleCells, sampleFaces, sampleNodes } from 'peel'

const grid = createGrid([48, 32], 1 / 48) // cells, and their size in m; three numbers make it 3D
const dt = 0.01 // s
const ceiling = sampleNodes(grid, (_, y) => 0.58 - y) // signed distance at nodes, < 0 inside the solid
const liquid = sampleCells(grid, (_, y) => Math.abs(y - 0.5) - 0.1) // signed distance at cell centres, < 0 inside the liquid
const face = 24 + 48 * 27 // a horizontal face in the middle of the domain, just below the ceiling

const solver = createSolver('nas-mgpcg') // reuse it: it keeps its memory
console.log(`free fall for ${dt} s: ${(-9.81 * dt).toFixed(4)} m/s`)
for (const walls of ['sticking', 'separating']) {
  const velocity = sampleFaces(grid, [() => 0, () => -9.81 * dt, () => 0]) // gravity has acted, pressure has not
  const sides = { x: [walls, walls], y: [walls, walls] } // of the domain
  const problem = assemble({ grid, velocity, liquid, solids: [{ phi: ceiling, walls }], sides, dt, density: 1000 })
  const pressure = new Float64Array(grid.cells)
  const { status, iterations, pinned } = await solver.solve(problem, pressure, { tolerance: 1e-8 })
  project(velocity, pressure, problem)

  const [lowest, highest] = [Math.min(...pressure), Math.max(...pressure)]
  console.log(`${walls} walls: ${status} after ${iterations} iterations, ${pinned} contacts separated`)
  console.log(`  pressure from ${lowest.toFixed(1)} to ${highest.toFixed(1)} Pa`)
  console.log(`  velocity below the ceiling ${velocity[1][face].toFixed(4)} m/s`)
}
solver.dispose()
