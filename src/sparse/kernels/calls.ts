/** Loops over compressed rows in f64, for the algebraic and Galerkin methods. */
export * from './matrix'
export * from './products'
export * from './sweeps'
export * from './transfers'
export * from './vectors'
