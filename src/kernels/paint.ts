/** The module for pictures. */
export * from '../machine/kernels/exports'
export * from '../paint/kernels/flat/calls'
export * from '../paint/kernels/space/calls'
