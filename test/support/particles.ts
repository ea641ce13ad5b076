/** Liquids in the memory of a machine, for tests of the compiled loops. */
import { type Machine, startMachine } from '../../src/engine/kernels.js'
import { LIQUID_FIELD, type LiquidField } from '../../src/engine/liquid-kernels.js'
import { createGrid, type Grid } from '../../src/grid/grid.js'

export interface TestParticle {
  /** Cells. */
  readonly at: readonly [number, number, number]
  /** m/s. */
  readonly velocity: readonly [number, number, number]
  /** 1/s, row by row. */
  readonly gradient?: readonly number[]
}

export interface TestLiquid {
  readonly machine: Machine
  readonly grid: Grid
  readonly address: number
  number(field: LiquidField): number
  bytes(field: LiquidField, length: number): Uint8Array
  floats(field: LiquidField, length: number): Float32Array
  doubles(field: LiquidField, length: number): Float64Array
  integers(field: LiquidField, length: number): Int32Array
  setParticles(particles: readonly TestParticle[], affine?: boolean): void
  particles(): TestParticle[]
  /** Faces of an axis. */
  faces(axis: number): number
}

export interface LiquidOptions {
  readonly spacing?: number
  readonly threads?: number
  readonly share?: boolean
}

export async function createTestLiquid(shape: readonly number[], options: LiquidOptions = {}): Promise<TestLiquid> {
  const grid = createGrid(shape, options.spacing ?? 1 / Math.max(...shape))
  const machine = await startMachine(options.threads ?? 1, 0, options.share)
  const [nx, ny, nz] = grid.shape
  const address = machine.kernels.createLiquid(nx, ny, nz, grid.dims, grid.spacing)
  const number = (field: LiquidField) => new Int32Array(machine.memory.buffer, address)[LIQUID_FIELD[field]]
  const floats = (field: LiquidField, length: number) => new Float32Array(machine.memory.buffer, number(field) >>> 0, length)
  let carriesGradients = false
  return {
    machine,
    grid,
    address,
    number,
    floats,
    bytes: (field, length) => new Uint8Array(machine.memory.buffer, number(field) >>> 0, length),
    doubles: (field, length) => new Float64Array(machine.memory.buffer, number(field) >>> 0, length),
    integers: (field, length) => new Int32Array(machine.memory.buffer, number(field) >>> 0, length),
    faces: axis => (nx + (axis === 0 ? 1 : 0)) * (ny + (axis === 1 ? 1 : 0)) * (nz + (axis === 2 ? 1 : 0)),
    setParticles(particles, affine = false) {
      carriesGradients = affine
      machine.kernels.reserveParticles(address, Math.max(1, particles.length), affine ? 1 : 0)
      new Int32Array(machine.memory.buffer, address)[LIQUID_FIELD.count] = particles.length
      const capacity = number('capacity')
      const [px, py, pz] = (['px', 'py', 'pz'] as const).map(field => floats(field, particles.length))
      const [vx, vy, vz] = (['vx', 'vy', 'vz'] as const).map(field => floats(field, particles.length))
      particles.forEach(({ at, velocity, gradient }, n) => {
        ;[px[n], py[n], pz[n]] = at
        ;[vx[n], vy[n], vz[n]] = velocity
        if (affine)
          for (let part = 0; part < 9; part++) floats('affine', 9 * capacity)[part * capacity + n] = gradient?.[part] ?? 0
      })
    },
    particles() {
      const count = number('count')
      const capacity = number('capacity')
      const column = (field: LiquidField) => floats(field, count)
      const [px, py, pz] = [column('px'), column('py'), column('pz')]
      const [vx, vy, vz] = [column('vx'), column('vy'), column('vz')]
      const affine = carriesGradients ? floats('affine', 9 * capacity) : undefined
      return Array.from({ length: count }, (_, n) => ({
        at: [px[n], py[n], pz[n]] as const,
        velocity: [vx[n], vy[n], vz[n]] as const,
        ...(affine && { gradient: Array.from({ length: 9 }, (_unused, part) => affine[part * capacity + n]) }),
      }))
    },
  }
}
