/** Chentanez and Müller 2011: A Multigrid Fluid Pressure Solver Handling Separating Solid Boundary Conditions. */
import type { PublishedPaper } from '../published.js'

export const publishedChentanezMueller: PublishedPaper = {
  name: 'chentanez-mueller',
  cite: 'Chentanez and Müller 2011',
  title: 'A Multigrid Fluid Pressure Solver Handling Separating Solid Boundary Conditions',
  tables: [
    {
      name: 'Table 1',
      section: 'section 4',
      about: 'Average time of a solve by 3 full cycles and 4 V-cycles, 4 + 4 sweeps, on a GTX 480',
      unit: 'cells per side, ms, ms, per cent',
      columns: ['resolution', 'No LCP', 'LCP', 'difference'],
      rows: [
        { row: 'BallBox', values: [64, 19, 21.26, 11.89] },
        { row: 'DambreakBox', values: [64, 18.89, 21.17, 12.07] },
        { row: 'RotatedBox', values: [128, 109.78, 122.97, 12.01] },
        { row: 'DambreakSphere', values: [128, 109.67, 122.58, 11.77] },
      ],
    },
  ],
  figures: [
    { section: 'section 4', about: 'separating walls against sticking ones (about)', value: 12, unit: 'per cent slower' },
    {
      section: 'section 4',
      about: 'their multigrid against PCG, from an earlier paper (up to)',
      value: 14,
      unit: 'times faster',
    },
    { section: 'slides', about: 'the same in the talk (about)', value: 13, unit: 'times faster' },
    { section: 'section 3.1.1', about: 'C, finest levels that keep air bubbles', value: 2, unit: 'levels' },
    { section: 'section 3.1.1', about: 'S, finest levels that know of contacts', value: 3, unit: 'levels' },
  ],
}
