/** Liquids in the memory of a machine, for tests of the compiled loops. */

import { createGrid, type Grid } from '../../src/grid/grid.js'
import { LiquidLayout } from '../../src/machine/generated/layouts.js'
import { type LiquidMachine, liquidModule } from '../../src/machine/generated/liquid.js'
import { startMachine } from '../../src/machine/machine.js'
import { type RecordAt, recordAt } from '../../src/machine/record.js'

type LiquidField = keyof typeof LiquidLayout.fields

export interface TestParticle {
  /** Cells. */
  readonly at: readonly [number, number, number]
  /** m/s. */
  readonly velocity: readonly [number, number, number]
  /** 1/s, row by row. */
  readonly gradient?: readonly number[]
}

export interface TestLiquid {
  readonly machine: LiquidMachine
  readonly grid: Grid
  readonly address: number
  readonly record: RecordAt<typeof LiquidLayout>
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
  const machine = await startMachine(liquidModule, options.threads ?? 1, 0, options.share)
  const [nx, ny, nz] = grid.shape
  const address = machine.kernels.createLiquid(nx, ny, nz, grid.dims, grid.spacing)
  const record = recordAt(machine.memory, LiquidLayout, address)
  const floats = (field: LiquidField, length: number) => new Float32Array(machine.memory.buffer, record[field], length)
  let carriesGradients = false
  return {
    machine,
    grid,
    address,
    record,
    floats,
    bytes: (field, length) => new Uint8Array(machine.memory.buffer, record[field], length),
    doubles: (field, length) => new Float64Array(machine.memory.buffer, record[field], length),
    integers: (field, length) => new Int32Array(machine.memory.buffer, record[field], length),
    faces: axis => (nx + (axis === 0 ? 1 : 0)) * (ny + (axis === 1 ? 1 : 0)) * (nz + (axis === 2 ? 1 : 0)),
    setParticles(particles, affine = false) {
      carriesGradients = affine
      machine.kernels.reserveParticles(address, Math.max(1, particles.length), affine ? 1 : 0)
      record.count = particles.length
      const { capacity } = record
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
      const { count, capacity } = record
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
