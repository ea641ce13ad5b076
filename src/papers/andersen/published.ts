/** Andersen, Niebe and Erleben 2017: A Fast Linear Complementarity Problem Solver for Fluid Animation using High Level Algebra
 *  Interfaces for GPU Libraries. Most of its results are plots; what its text states about them is included. */
import type { PublishedPaper } from '../published.js'

export const publishedAndersen: PublishedPaper = {
  name: 'andersen',
  cite: 'Andersen et al. 2017',
  title: 'A Fast Linear Complementarity Problem Solver for Fluid Animation using High Level Algebra Interfaces for GPU Libraries',
  tables: [
    {
      name: 'Table 1',
      section: 'section 6',
      about: 'Slowdown of minimum-map Newton against PCG with sticking walls',
      unit: 'per cent',
      columns: ['slowdown'],
      rows: [
        { row: 64, values: [15] },
        { row: 128, values: [25] },
        { row: 256, values: [15] },
        { row: 512, values: [16] },
        { row: 1024, values: [5] },
      ],
    },
  ],
  figures: [
    { section: 'section 6', about: 'slowdown, from', value: 5, unit: 'per cent' },
    { section: 'section 6', about: 'slowdown, to', value: 25, unit: 'per cent' },
    { section: 'section 6', about: 'solve at 512², on a GPU (close to)', value: 3.5, unit: 's' },
    { section: 'section 6', about: 'median solve of the first 3D scene at 100³, Tesla K40C', value: 46.92, unit: 's' },
    { section: 'section 6', about: 'median solve of the first 3D scene at 60³, Tesla K40C', value: 12.57, unit: 's' },
    { section: 'section 6', about: 'median solve of the second 3D scene at 100³, GTX 1080', value: 19.73, unit: 's' },
    { section: 'section 6', about: 'Newton steps allowed', value: 10, unit: 'steps' },
    { section: 'section 6', about: 'absolute, relative and stagnation thresholds', value: 1e-5, unit: '' },
    { section: 'section 6', about: 'ξ', value: 0.01, unit: '' },
    { section: 'section 6', about: 'iterations of the inner method allowed', value: 1000, unit: 'iterations' },
    { section: 'section 6', about: 'line-search steps allowed', value: 100, unit: 'steps' },
    { section: 'section 6', about: 'β of the line search', value: 0.5, unit: '' },
    { section: 'section 6', about: 'α of the line search', value: 1e-3, unit: '' },
    { section: 'figure 11', about: 'Newton steps that serve most solves at 200²', value: 4, unit: 'steps' },
    { section: 'figure 11', about: 'Newton steps of any solve at 200² (up to)', value: 6, unit: 'steps' },
    {
      section: 'figure 11',
      about: 'PCG iterations after which there is little progress at 200²',
      value: 900,
      unit: 'iterations',
    },
    { section: 'figure 12', about: 'CG iterations at 200² without preconditioner (about)', value: 125, unit: 'iterations' },
    { section: 'figure 12', about: 'CG iterations at 200² with the best preconditioner', value: 40, unit: 'iterations' },
    { section: 'figure 14', about: 'growth of PCG iterations when the resolution doubles (about)', value: 2, unit: 'times' },
    { section: 'figure 14', about: 'Newton steps, from', value: 3, unit: 'steps' },
    { section: 'figure 14', about: 'Newton steps, to', value: 6, unit: 'steps' },
    { section: 'figure 15', about: 'simulated time of the volume study', value: 5, unit: 's' },
    { section: 'figure 9', about: 'GPU against CPU, Newton (up to about)', value: 500, unit: 'times faster' },
    { section: 'figure 9', about: 'GPU against CPU, PCG (up to about)', value: 50, unit: 'times faster' },
  ],
}
