/** The module for simulations: the loops of a liquid, and those of its pressure problems, which share its memory. */
export * from './solve'
export * from '../liquid/kernels/grid/calls'
export * from '../liquid/kernels/particles/calls'
export * from '../liquid/kernels/grid/volume-correction'
