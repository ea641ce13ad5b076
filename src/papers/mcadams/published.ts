/** McAdams, Sifakis and Teran 2010: A parallel multigrid Poisson solver for fluids simulation on large grids. */
import type { PublishedPaper, PublishedRow, PublishedTable } from '../published.js'

const MCADAMS_SIZES = ['64', '96', '128', '192', '256', '384', '512'] as const

function serial(part: string, about: string, rows: Record<string, PublishedRow['values']>): PublishedTable {
  return {
    name: `Table 1, ${part}`,
    section: 'section 5',
    about,
    unit: 'iterations or s',
    columns: MCADAMS_SIZES,
    rows: Object.entries(rows).map(([row, values]) => ({ row, values })),
  }
}

function parallel(part: string, about: string, rows: Record<string, PublishedRow['values']>): PublishedTable {
  return {
    name: `Table 2, ${part}`,
    section: 'section 5',
    about,
    unit: 's, s, times',
    columns: ['1 core', '16 cores', 'speed-up'],
    rows: Object.entries(rows).map(([row, values]) => ({ row, values })),
  }
}

export const publishedMcAdams: PublishedPaper = {
  name: 'mcadams',
  cite: 'McAdams et al. 2010',
  title: 'A parallel multigrid Poisson solver for fluids simulation on large grids',
  tables: [
    serial('CG', 'Conjugate gradients, serial, smoke past a sphere', {
      initialisation: [0.0585, 0.0617, 0.1403, 0.3931, 1.0628, 2.9837, 6.9207],
      'iterations to 1e-4': [110, 165, 221, 332, 445, 667, 965],
      'iterations to 1e-8': [181, 309, 367, 623, 822, 1261, 1538],
      'time to 1e-4, black box': [2.32, 8.73, 42.45, 149.94, 503.97, 2558.44, 9010.28],
      'time to 1e-4': [1.39, 7.8, 21.24, 113.86, 340.24, 1999.1, 5540.92],
      'time to 1e-8, black box': [3.81, 16.35, 70.49, 281.37, 930.92, 4836.87, 14360.43],
      'time to 1e-8': [2.09, 12.7, 35.1, 212.68, 663.44, 3524, 8831.03],
    }),
    serial('ICPCG', 'Incomplete Cholesky PCG, serial, smoke past a sphere', {
      initialisation: [0.2, 0.55, 1.24, 4.01, 9.61, 32.23, 76.47],
      'iterations to 1e-4': [36, 52, 72, 107, 138, 213, 278],
      'iterations to 1e-8': [57, 78, 104, 149, 194, 295, 395],
      'time to 1e-4': [0.94, 5.04, 17, 88.22, 283.1, 1526.29, 4679.32],
      'time to 1e-8': [1.5, 7.56, 24.55, 122.85, 397.98, 2113.88, 6648.68],
    }),
    serial('MGPCG', 'Multigrid PCG, serial, smoke past a sphere', {
      initialisation: [0.08, 0.1, 0.24, 0.63, 1.63, 5.01, 12.21],
      'iterations to 1e-4': [9, 9, 11, 10, 12, 12, 13],
      'iterations to 1e-8': [15, 16, 17, 18, 19, 20, 21],
      'time to 1e-4': [0.57, 2.82, 3.7, 10.74, 25.92, 89.71, 211.88],
      'time to 1e-8': [0.88, 4.8, 5.57, 18.5, 39.54, 144.47, 332.71],
    }),
    parallel('breakdown', 'One PCG iteration by stage, smoke past a sphere at 768³', {
      initialisation: [13.2, 2.37, 5.6],
      'interior smoothing and residuals': [7.99, 1.17, 6.8],
      'boundary smoothing and residuals': [0.983, 0.16, 6.1],
      restriction: [3.43, 0.287, 12],
      prolongation: [2.95, 0.398, 7.4],
      'boundary smoothing, upstroke': [0.719, 0.103, 7],
      'interior smoothing, upstroke': [11.7, 1.15, 10.2],
      'V-cycle total': [32.2, 3.91, 8.2],
      'PCG, line 6': [11.6, 0.895, 13],
      'PCG, line 8': [2.27, 0.453, 5],
      'PCG, line 13': [32.2, 3.91, 8.2],
      'PCG, line 16': [5.16, 0.828, 6.2],
      'PCG total': [51.3, 6.09, 8.4],
    }),
    parallel('iteration', 'Cost of one PCG iteration', {
      'smoke past sphere 64x64x64': [0.039, 0.023, 1.7],
      'smoke past sphere 96x96x96': [0.127, 0.047, 2.7],
      'smoke past sphere 128x128x128': [0.299, 0.067, 4.5],
      'smoke past sphere 192x192x192': [0.983, 0.167, 5.9],
      'smoke past sphere 256x256x256': [2.11, 0.289, 7.3],
      'smoke past sphere 384x384x384': [7.38, 0.875, 8.4],
      'smoke past sphere 512x512x512': [15.5, 1.93, 8],
      'smoke past sphere 768x768x768': [51.3, 6.09, 8.4],
      'smoke past sphere 768x768x1152': [76.8, 9.12, 8.4],
      'smoke past car 768x768x768': [51.2, 6.07, 8.4],
      'free-surface water 512x512x512': [12.9, 1.94, 6.6],
    }),
  ],
  figures: [
    { section: 'abstract', about: 'iterations for one order of magnitude', value: 2, unit: 'iterations' },
    { section: 'abstract', about: 'one PCG iteration at 768³ on 16 cores', value: 6.1, unit: 's' },
    { section: 'section 1', about: 'solve to 1e-4 at 128³, on 16 cores (less than)', value: 0.75, unit: 's' },
    { section: 'section 1', about: 'solve to 1e-4 at 768³, on 16 cores (about)', value: 60, unit: 's' },
    { section: 'section 5', about: 'MGPCG against ICPCG, serial, 128³', value: 4.5, unit: 'times faster' },
    { section: 'section 5', about: 'MGPCG against ICPCG, serial, 256³', value: 10, unit: 'times faster' },
    { section: 'section 5', about: 'MGPCG against ICPCG, serial, 512³', value: 20, unit: 'times faster' },
    { section: 'section 4', about: 'memory of the solver at 768² × 1152 (slightly under)', value: 16, unit: 'GB' },
    { section: 'section 4', about: 'of it for the five vectors', value: 12.8, unit: 'GB' },
    { section: 'section 4', about: 'memory of a whole smoke simulation at that resolution (within)', value: 32, unit: 'GB' },
    { section: 'section 5', about: 'tolerance for smoke, largest residual', value: 1e-3, unit: '' },
    { section: 'section 5', about: 'tolerance for free surfaces, largest residual', value: 1e-5, unit: '' },
    { section: 'section 5', about: 'share of the solves in the time of a simulation, from', value: 25, unit: 'per cent' },
    { section: 'section 5', about: 'share of the solves in the time of a simulation, to', value: 50, unit: 'per cent' },
  ],
}
