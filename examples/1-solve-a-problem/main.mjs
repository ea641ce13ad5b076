// The oil film of a journal bearing, as a matrix of our own. Oil cannot be pulled: where the gap opens the film tears and its pressure is 0.
// That makes Reynolds' equation a complementarity problem: 0 ≤ p ⟂ (A p + b) ≥ 0 in every row.
import { CONTACT, solvePressure, sparseProblem } from 'peel/solvers'

const points = Number(process.argv[2] ?? 359)
const radius = 0.025 // m, of the shaft
const clearance = 50e-6 // m, mean width of the gap
const eccentricity = 0.5 // how far the shaft is off the centre, as a share of the clearance
const viscosity = 0.05 // Pa s
const speed = 8 // m/s, of the surface of the shaft

const step = (2 * Math.PI) / (points + 1) // between points, rad; at angle 0, where the gap is widest, oil comes in at p = 0
const gap = angle => clearance * (1 + eccentricity * Math.cos(angle)) // m

// Row i: what flows out of a piece of the gap minus what flows in, per length, m/s.
//   A p = -(h³/12μ p')'   flow by pressure, a symmetric matrix with negative links
//   b   = (U h / 2)'      flow that the shaft drags along; positive where the gap opens
const conductance = angle => gap(angle) ** 3 / (12 * viscosity * (radius * step) ** 2)
const entries = []
const b = new Float64Array(points)
for (let row = 0; row < points; row++) {
  const angle = (row + 1) * step
  const [left, right] = [conductance(angle - step / 2), conductance(angle + step / 2)]
  if (row > 0) entries.push([row, row - 1, -left])
  entries.push([row, row, left + right])
  if (row < points - 1) entries.push([row, row + 1, -right])
  b[row] = (speed * (gap(angle + step / 2) - gap(angle - step / 2))) / (2 * radius * step)
}
const kind = new Uint8Array(points).fill(CONTACT) // the film may tear anywhere; LIQUID rows are plain equations

const problem = sparseProblem(points, entries, b, kind)
const { pressure, result } = await solvePressure(problem, { tolerance: 1e-10, relative: true })

console.log(`${result.status}: ${result.iterations} iterations, residual ${result.residual.toExponential(1)} m/s`)
const degrees = row => ((row + 1) * step * 180) / Math.PI
const torn = pressure.indexOf(0)
const strongest = pressure.indexOf(Math.max(...pressure))
console.log(`largest pressure ${(pressure[strongest] / 1e6).toFixed(3)} MPa at ${degrees(strongest).toFixed(1)}°`)
console.log(`the film tears at ${degrees(torn).toFixed(1)}°; ${result.pinned} of ${points} points are without oil pressure`)
for (let angle = 15; angle < 360; angle += 15) {
  const p = pressure[Math.round((angle * Math.PI) / 180 / step) - 1]
  console.log(
    `${String(angle).padStart(4)}° ${(p / 1e6).toFixed(3)} MPa ${'█'.repeat(Math.round((50 * p) / pressure[strongest]))}`,
  )
}
