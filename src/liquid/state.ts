/** All that a simulation has to remember between two frames. */

export interface SimulationState {
  readonly time: number
  readonly frame: number
  /** Substeps since the start: numbers what sources seed. */
  readonly substep: number
  /** m³, or m² in 2D. */
  readonly expectedVolume: number
  /** Particles in the order of cells, one array a coordinate: x y z in cells, velocity in m/s, and nine gradients in 1/s with APIC. */
  readonly columns: readonly Float32Array[]
  /** Of liquid below the band of particles; absent where particles are everywhere. */
  readonly deep?: DeepState
}

export interface DeepState {
  /** How deep what is in each cell lay before the last substep, in sixteenths of a cell. */
  readonly carried: Uint8Array
  /** m/s on faces that deep liquid has a say on, 0 on others. */
  readonly velocity: readonly [Float32Array, Float32Array, Float32Array]
}
