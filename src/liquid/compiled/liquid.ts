/** The loops over the grid of a liquid, compiled: its arrays are in the memory of a machine. */
import { CUBE_TRIANGLES } from '../../grid/cube-cases.js'
import type { Grid } from '../../grid/grid.js'
import { InputError } from '../../input-error.js'
import { LiquidLayout, WallFrameLayout, WallLayout } from '../../machine/generated/layouts.js'
import type { LiquidMachine } from '../../machine/generated/liquid.js'
import { recordAt } from '../../machine/record.js'
import type { Side } from '../../pressure/walls.js'
import { ELEMENT_ARRAYS, LIQUID_ARRAYS, type LiquidArray, type LiquidArrays, liquidArrayLength } from '../arrays.js'
import type { LiquidLoops, WallFrame } from '../loops.js'

const KINDS = { open: 0, separating: 1, sticking: 2 } as const

/** A liquid in the memory of a machine, at an address. */
export interface CompiledLiquid extends LiquidLoops {
  readonly address: number
}

export function createCompiledLiquid(machine: LiquidMachine, grid: Grid): CompiledLiquid {
  const { kernels, memory } = machine
  const address = allocate(machine, grid)
  const record = recordAt(memory, LiquidLayout, address)
  const views = new Map<LiquidArray, ArrayBufferView>()
  const arrays = {} as LiquidArrays
  for (const name of Object.keys(LIQUID_ARRAYS) as LiquidArray[]) {
    const Type = ELEMENT_ARRAYS[LIQUID_ARRAYS[name][0]]
    const get = () => {
      const at = record[name]
      const kept = views.get(name)
      const length = liquidArrayLength(grid, name, record.capacity, record.affine !== 0)
      const isKept = kept?.buffer === memory.buffer && kept.byteOffset === at
      if (isKept && kept.byteLength === length * Type.BYTES_PER_ELEMENT) return kept
      const view = new Type(memory.buffer, at, length)
      views.set(name, view)
      return view
    }
    Object.defineProperty(arrays, name, { get, enumerable: true })
  }
  writeCubes(new Uint8Array(memory.buffer, record.cubes, 256 * 16))
  const cellVolume = grid.spacing ** grid.dims
  return {
    grid,
    address,
    arrays,
    get particleCount() {
      return record.count
    },
    set particleCount(count) {
      record.count = count
    },
    get capacity() {
      return record.capacity
    },
    reserveParticles: (capacity, affine) =>
      orTooMany(machine, capacity, () => kernels.reserveParticles(address, capacity, affine ? 1 : 0)),
    get hasSolids() {
      return record.hasSolids === 1
    },
    set hasSolids(hasSolids) {
      record.hasSolids = hasSolids ? 1 : 0
    },
    get bandWidth() {
      return record.band
    },
    set bandWidth(cells) {
      record.band = cells
    },
    setSides(sides) {
      const closed: readonly [Side, Side] = ['separating', 'separating']
      const all = [sides.x ?? closed, sides.y ?? closed, grid.dims === 2 ? closed : (sides.z ?? closed)].flat()
      new Int32Array(memory.buffer, record.sides, 6).set(all.map(side => KINDS[side]))
    },
    setWall(owner, { walls, moves = false, linear, angular, frame = 0 }) {
      const [linearX, linearY, linearZ] = linear
      const [angularX, angularY, angularZ] = angular
      const velocity = { linearX, linearY, linearZ, angularX, angularY, angularZ }
      const wall = { kind: KINDS[walls], moves: moves ? 1 : 0, frame, ...velocity }
      const at = record.walls + WallLayout.bytes * owner
      Object.assign(recordAt(memory, WallLayout, at), wall satisfies Record<keyof typeof WallLayout.fields, number>)
    },
    setMotion({ frames, farthest, still, moving }) {
      record.frameCount = frames.length
      record.farthest = farthest
      if (frames.length === 0) return
      orTooFine(machine, grid, () => kernels.reserveMotion(address))
      new Float32Array(memory.buffer, record.still, still.length).set(still)
      new Float32Array(memory.buffer, record.moving, moving.length).set(moving)
      frames.forEach((frame, index) => {
        const at = record.frames + WallFrameLayout.bytes * (index + 1)
        Object.assign(recordAt(memory, WallFrameLayout, at), frameFields(frame))
      })
    },
    openGeometry: () => kernels.liquidOpenGeometry(address),
    surface: particlesPerCell => kernels.liquidSurface(address, particlesPerCell),
    pictureSurface: rounds => new Float32Array(memory.buffer, kernels.liquidPicture(address, rounds), grid.cells),
    measureVolume: () => kernels.liquidVolume(address) * cellVolume,
    measureCellVolume: () => kernels.liquidCellVolume(address) * cellVolume,
    assemble: (dt, density, moving, divergence = 0) => kernels.liquidAssemble(address, dt, density, moving ? 1 : 0, divergence),
    assembleGrowth: (density, { share, beyond, maybeCrowded, maybeSparse }) =>
      kernels.liquidAssembleGrowth(address, density, share, beyond, maybeCrowded, maybeSparse),
    sealedCells() {
      const found = kernels.liquidSealed(address)
      return found === 0 ? undefined : new Uint8Array(memory.buffer, found, grid.cells).slice()
    },
    clearProblem: () => kernels.liquidClearProblem(address),
    clearPressure: () => kernels.liquidClearPressure(address),
    project: (dt, density) => kernels.liquidProject(address, dt, density, 0),
    predictKick: ({ allowance, seconds, ratio, earlierRatio }) =>
      kernels.liquidPredictKick(address, allowance, seconds, ratio, earlierRatio),
    keepStart: () => kernels.liquidKeepStart(address),
    projectKick: (dt, density) => kernels.liquidProject(address, dt, density, 1),
    findPath: (dt, allowance) => kernels.liquidFindPath(address, dt, allowance),
    restoreStart: () => kernels.liquidRestoreStart(address),
    extrapolate: layers => kernels.liquidExtrapolate(address, layers),
    followChanges: areOfParticles => kernels.liquidFollowChanges(address, areOfParticles ? 1 : 0),
    addKicks: () => kernels.liquidAddKicks(address),
    constrain: () => kernels.liquidConstrain(address),
    addVelocity: ([x, y, z]) => kernels.liquidAddVelocity(address, x, y, z),
    fillVelocities: () => kernels.liquidFillVelocities(address),
    fillChanges: ratio => kernels.liquidFillChanges(address, ratio),
    carryDeep: dt => kernels.carryDeep(address, dt),
    hiddenParticles: particlesPerCell => kernels.hiddenParticles(address, particlesPerCell),
    measureSpeed: () => ({ largest: kernels.liquidLargestSpeed(address) }),
  }
}

function frameFields({ turn, shift, bend, bounds: [low, high] }: WallFrame): Record<keyof typeof WallFrameLayout.fields, number> {
  const [turnXX, turnXY, turnXZ, turnYX, turnYY, turnYZ, turnZX, turnZY, turnZZ] = turn
  const [shiftX, shiftY, shiftZ] = shift
  const [lowX, lowY, lowZ] = low
  const [highX, highY, highZ] = high
  const turned = { turnXX, turnXY, turnXZ, turnYX, turnYY, turnYZ, turnZX, turnZY, turnZZ }
  return { ...turned, shiftX, shiftY, shiftZ, bend, lowX, lowY, lowZ, highX, highY, highZ }
}

/** Writes the triangles of every case, see `cubes` in kernels/liquid.ts. */
function writeCubes(bytes: Uint8Array): void {
  const { starts, edges } = CUBE_TRIANGLES
  for (let inside = 0; inside < 256; inside++) {
    const own = edges.subarray(starts[inside], starts[inside + 1])
    bytes[16 * inside] = own.length
    bytes.set(own, 16 * inside + 1)
  }
}

function allocate(machine: LiquidMachine, grid: Grid): number {
  const [nx, ny, nz] = grid.shape
  return orTooFine(machine, grid, () => machine.kernels.createLiquid(nx, ny, nz, grid.dims, grid.spacing))
}

/** Runs `reserving`, which needs memory for a grid; an InputError if there is not enough. */
function orTooFine<Result>({ kernels }: LiquidMachine, { shape: [nx, ny, nz], dims }: Grid, reserving: () => Result): Result {
  try {
    return reserving()
  } catch (error) {
    if (!kernels.isExhausted()) throw error
    const shape = dims === 2 ? `${nx} × ${ny}` : `${nx} × ${ny} × ${nz}`
    throw new InputError(`A liquid on ${shape} cells does not fit into the memory of this host; use a coarser grid.`)
  }
}

/** Runs `reserving`, which needs memory for `count` particles; an InputError if there is not enough. */
export function orTooMany<Result>({ kernels }: LiquidMachine, count: number, reserving: () => Result): Result {
  try {
    return reserving()
  } catch (error) {
    if (!kernels.isExhausted()) throw error
    throw new InputError(
      `${count} particles do not fit into the memory of this host; use a coarser grid or fewer particles per cell.`,
    )
  }
}
