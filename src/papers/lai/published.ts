/** Lai, Chen, Gu, Batty and Wan 2020: Fast and Scalable Solvers for the Fluid Pressure Equations with Separating Solid Boundary Conditions. */
import type { PublishedPaper, PublishedRow, PublishedTable } from '../published.js'

const LCP_METHODS = ['FAS-MG', 'PI-PCG', 'PI-MG', 'PE-PCG', 'PE-MG', 'FMG', 'Newton'] as const
const ALL = [...LCP_METHODS, 'No LCP'] as const
export const NESTED = ['PI-PCG', 'PI-MG', 'PE-PCG', 'PE-MG', 'Newton'] as const

type Values = PublishedRow['values']

function table(
  number: number,
  about: string,
  unit: string,
  columns: readonly string[],
  rows: Record<number, Values>,
): PublishedTable {
  const bySize = Object.entries(rows).map(([size, values]) => ({ row: Number(size), values }))
  return { name: `Table ${number}`, section: 'section 5', about, unit, columns, rows: bySize }
}

const growth = (method: string, dims: 2 | 3, value: number) => ({
  section: 'section 5',
  about: `growth of the time of ${method} in ${dims}D when the size doubles`,
  value,
  unit: 'times',
})

export const publishedLai: PublishedPaper = {
  name: 'lai',
  cite: 'Lai et al. 2020',
  title: 'Fast and Scalable Solvers for the Fluid Pressure Equations with Separating Solid Boundary Conditions',
  tables: [
    table(1, 'Iterations per pressure equation, circle in 2D, 100 frames', 'iterations', ALL, {
      32: [7.45, 16.9, 7.59, 16.87, 7.99, 20.38, 92.11, 15.99],
      64: [10.39, 36.02, 9.74, 36.07, 12.58, 35.4, 336.17, 30.73],
      128: [14.07, 70.63, 11.89, 70.58, 17.6, 65.37, 947.23, 55.91],
      256: [18.26, 123.61, 14.51, 122.42, 21.98, 109.54, 2283.65, 93.2],
    }),
    table(2, 'Iterations per pressure equation, sphere in 3D, 100 frames', 'iterations', ALL, {
      32: [9.75, 29.9, 12.12, 30.16, 13.93, 22.21, 1901.69, 20.14],
      64: [10.44, 70.92, 14.66, 71.34, 19.11, 39.81, 3890.08, 39.57],
      128: [11.94, 132.56, 17.61, 133.53, 24.57, 61.12, 10879.01, 62.26],
      256: [14.02, 251.88, 20.71, 252.28, 28.84, 89.89, 'NA', 100.78],
    }),
    table(3, 'Outer iterations per pressure equation, circle in 2D', 'outer iterations', NESTED, {
      32: [1.12, 1.12, 1.12, 1.23, 0.94],
      64: [1.25, 1.25, 1.25, 1.43, 1.71],
      128: [1.34, 1.34, 1.35, 1.58, 2.08],
      256: [1.43, 1.43, 1.41, 1.63, 2.34],
    }),
    table(4, 'Outer iterations per pressure equation, sphere in 3D', 'outer iterations', NESTED, {
      32: [1.47, 1.47, 1.49, 1.53, 2.04],
      64: [1.78, 1.76, 1.79, 1.77, 2.57],
      128: [2.1, 2.12, 2.12, 2.19, 2.91],
      256: [2.48, 2.52, 2.48, 2.49, 'NA'],
    }),
    table(5, 'Time per pressure equation, circle in 2D', 's', ALL, {
      32: [0.0021, 0.00054, 0.0028, 0.00055, 0.0025, 0.0026, 0.002, 0.00048],
      64: [0.0082, 0.0034, 0.0086, 0.0033, 0.0075, 0.022, 0.024, 0.0029],
      128: [0.029, 0.02, 0.03, 0.021, 0.028, 0.17, 0.24, 0.016],
      256: [0.13, 0.15, 0.12, 0.13, 0.13, 1.25, 2.59, 0.098],
    }),
    table(6, 'Time per pressure equation, sphere in 3D', 's', ALL, {
      32: [0.037, 0.014, 0.036, 0.015, 0.036, 0.076, 0.98, 0.0074],
      64: [0.25, 0.2, 0.33, 0.2, 0.37, 1.68, 25.38, 0.09],
      128: [2.15, 2.64, 2.82, 2.82, 4.28, 30.24, 637.67, 1.15],
      256: [16.78, 36.96, 24.58, 37.82, 47.38, 510.71, 'NA', 14.24],
    }),
    table(7, 'Iterations per pressure equation, maze in 2D, 100 frames', 'iterations', LCP_METHODS, {
      32: [4.41, 9.74, 8.11, 9.5, 7.67, 6.89, 87.2],
      64: [7.07, 15.52, 10.55, 15.75, 10.11, 10.71, 195.5],
      128: [5.83, 31.29, 13.52, 31.9, 12.91, 34.13, 450.21],
    }),
    table(8, 'Time per pressure equation, maze in 2D', 's', LCP_METHODS, {
      32: [0.016, 0.0042, 0.032, 0.004, 0.029, 0.017, 0.41],
      64: [0.092, 0.018, 0.15, 0.018, 0.12, 0.1, 3.5],
      128: [0.38, 0.1, 0.7, 0.11, 0.53, 1.21, 31.35],
    }),
    table(9, 'Iterations, scenario 1 in 3D, frame 10', 'iterations', LCP_METHODS, {
      32: [7, 139, 10, 146, 21, 29, 2773],
      64: [8, 282, 9, 301, 18, 61, 5837],
      128: [8, 593, 10, 657, 24, 128, 18680],
      256: [9, 1263, 14, 1255, 28, 234, 38547],
    }),
    table(10, 'Iterations, scenario 2 in 3D, frame 70', 'iterations', LCP_METHODS, {
      32: [6, 149, 11, 161, 18, 35, 2634],
      64: [7, 308, 18, 336, 29, 43, 11122],
      128: [8, 503, 22, 548, 40, 63, 50162],
      256: [9, 1186, 43, 1313, 89, 103, 95823],
    }),
    table(11, 'Iterations, scenario 3 in 3D, frame 10', 'iterations', LCP_METHODS, {
      32: [7, 80, 14, 85, 23, 15, 1430],
      64: [15, 182, 37, 203, 57, 43, 9219],
      128: [9, 421, 34, 446, 90, 67, 46491],
      256: [12, 762, 24, 887, 60, 175, 122080],
    }),
    table(
      12,
      'Cycles of FAS-MG with one part replaced, scenario 1 in 3D, frame 10',
      'cycles',
      ['Ours', 'Trilinear interp.', 'PWC interp.', 'Simple boundaries', 'Direct discretization'],
      {
        32: [7, 6, 47, 6, 65],
        64: [8, 8, 112, 32, 171],
        128: [8, 8, 268, 'diverged', 'diverged'],
        256: [9, 9, 616, 'diverged', 'diverged'],
      },
    ),
  ],
  figures: [
    { section: 'abstract, section 5', about: 'FAS-MG against FMG, time at 256³', value: 30, unit: 'times faster' },
    { section: 'section 4.2', about: 'penalty', value: 1e9, unit: '' },
    { section: 'section 4.3', about: 'entries that barycentric weights save in 2D', value: 25, unit: 'per cent' },
    { section: 'section 4.3', about: 'entries that barycentric weights save in 3D', value: 50, unit: 'per cent' },
    { section: 'section 5', about: 'absolute residual tolerance', value: 1e-6, unit: '' },
    { section: 'figure 5.5', about: 'pressure equations of the sphere at 128³ that are true LCPs', value: 93, unit: 'per cent' },
    growth('FAS-MG, PI-MG and PE-MG', 2, 5),
    growth('FAS-MG, PI-MG and PE-MG', 3, 10),
    growth('PI-PCG and PE-PCG', 2, 7),
    growth('PI-PCG and PE-PCG', 3, 14),
    growth('FMG', 2, 7),
    growth('FMG', 3, 17),
    growth('Newton', 2, 10),
    growth('Newton', 3, 25),
    { section: 'section 5', about: 'growth of the full cycles of FMG when the size doubles', value: 1.5, unit: 'times' },
    { section: 'figure 5.11', about: 'barycentric against trilinear weights, time (more than)', value: 2, unit: 'times faster' },
  ],
}
