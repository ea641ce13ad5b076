import type { CompiledLiquid } from '../engine/compiled-liquid.js'
export function tmpSurface(liquid: CompiledLiquid): void {
  const { grid, arrays } = liquid
  const [nx, ny, nz] = grid.shape
  const { phi, cellStart, px, py, pz } = arrays
  const R = 1.5
  const centre = new Uint8Array(grid.cells)
  const r = (grid.dims === 3 ? 0.2461 : 0.2587) * R
  for (let k = 0, cell = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, cell++) {
        let w = 0,
          sx = 0,
          sy = 0,
          sz = 0
        const cx = i + 0.5,
          cy = j + 0.5,
          cz = k + 0.5
        for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++)
          for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++)
            for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++) {
              const n0 = a + nx * (b + ny * c)
              for (let n = cellStart[n0]; n < cellStart[n0 + 1]; n++) {
                const s = ((px[n] - cx) ** 2 + (py[n] - cy) ** 2 + (pz[n] - cz) ** 2) / (R * R)
                if (s >= 1) continue
                const q = (1 - s) ** 3
                w += q
                sx += q * px[n]
                sy += q * py[n]
                sz += q * pz[n]
              }
            }
        const mx = nx + 1,
          my = ny + 1
        let sum = 0
        for (let q = 0; q < 8; q++) sum += arrays.solid[i + (q & 1) + mx * (j + ((q >> 1) & 1) + my * (k + (q >> 2)))]
        phi[cell] = w > 0 ? Math.hypot(sx / w - cx, sy / w - cy, sz / w - cz) - r : R - r
        centre[cell] = sum < 0 ? 1 : 0
      }
  extend(liquid, centre)
}
function extend(liquid: CompiledLiquid, centre: Uint8Array) {
  const { grid, arrays } = liquid
  const [nx, ny, nz] = grid.shape
  const { phi, openX, openY, openZ } = arrays
  for (let pass = 0; pass < 2; pass++) {
    const was = phi.slice()
    for (let k = 0, cell = 0; k < nz; k++)
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++, cell++) {
          if (!centre[cell] || was[cell] < 0) continue
          const fx = i + (nx + 1) * (j + ny * k),
            fy = i + nx * (j + (ny + 1) * k)
          let near = false
          const look = (open: number, other: number) => {
            if (open > 0 && was[other] < 0 && (pass === 1 || !centre[other])) near = true
          }
          if (i > 0) look(openX[fx], cell - 1)
          if (i < nx - 1) look(openX[fx + 1], cell + 1)
          if (j > 0) look(openY[fy], cell - nx)
          if (j < ny - 1) look(openY[fy + nx], cell + nx)
          if (k > 0) look(openZ[cell], cell - nx * ny)
          if (k < nz - 1) look(openZ[cell + nx * ny], cell + nx * ny)
          if (near) phi[cell] = -0.5
        }
  }
}
export function tmpVolume(liquid: CompiledLiquid): number {
  const { phi, openCell } = liquid.arrays
  let sum = 0
  for (let c = 0; c < phi.length; c++) sum += openCell[c] * Math.min(1, Math.max(0, 0.5 - phi[c]))
  return sum
}
