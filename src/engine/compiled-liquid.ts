/** A liquid in the memory of a machine: its arrays by name, and the compiled loops over its grid. Lengths are in cells, velocities in m/s. */
import { CUBE_TRIANGLES } from '../grid/cube-cases.js'
import type { Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import type { Side, Sides, Walls } from '../pressure/assemble.js'
import type { Machine } from './kernels.js'
import { LIQUID_FIELD, LIQUID_WORDS } from './liquid-kernels.js'

const KINDS = { open: 0, separating: 1, sticking: 2 } as const
/** Bytes of a wall, see assembly/liquid.ts. */
const WALL = 64
const OWNERS = 256

const TYPES = { u8: Uint8Array, i32: Int32Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array } as const
type Arrays = { [Type in keyof typeof TYPES]: InstanceType<(typeof TYPES)[Type]> }

/** What the arrays of a liquid hold, and over what they run. */
const LAYOUT = {
  cellStart: ['i32', 'cells and one'],
  phi: ['f32', 'cells'],
  kind: ['u8', 'cells'],
  touch: ['u8', 'cells'],
  openCell: ['f32', 'cells'],
  clearance: ['u8', 'cells'],
  depth: ['u8', 'cells'],
  carried: ['u8', 'cells'],
  kept: ['u8', 'cells'],
  diagonal: ['f64', 'cells'],
  linkX: ['f64', 'cells'],
  linkY: ['f64', 'cells'],
  linkZ: ['f64', 'cells'],
  b: ['f64', 'cells'],
  pressure: ['f64', 'cells'],
  solid: ['f32', 'nodes'],
  owner: ['u8', 'nodes'],
  ux: ['f64', 'x-faces'],
  uy: ['f64', 'y-faces'],
  uz: ['f64', 'z-faces'],
  beforeX: ['f32', 'x-faces'],
  beforeY: ['f32', 'y-faces'],
  beforeZ: ['f32', 'z-faces'],
  openX: ['f32', 'x-faces'],
  openY: ['f32', 'y-faces'],
  openZ: ['f32', 'z-faces'],
  layerX: ['u8', 'x-faces'],
  layerY: ['u8', 'y-faces'],
  layerZ: ['u8', 'z-faces'],
  pairX: ['f32', 'pairs of x'],
  pairY: ['f32', 'pairs of y'],
  pairZ: ['f32', 'pairs of z'],
  px: ['f32', 'particles'],
  py: ['f32', 'particles'],
  pz: ['f32', 'particles'],
  vx: ['f32', 'particles'],
  vy: ['f32', 'particles'],
  vz: ['f32', 'particles'],
  affine: ['f32', 'gradients'],
} as const satisfies Partial<Record<keyof typeof LIQUID_FIELD, readonly [keyof typeof TYPES, string]>>

export type LiquidArray = keyof typeof LAYOUT
export type LiquidArrays = { readonly [Name in LiquidArray]: Arrays[(typeof LAYOUT)[Name][0]] }

/** A solid that moves as u(x) = linear + angular × x, x in metres from the corner of the grid. */
export interface LiquidWall {
  readonly walls: Walls
  readonly friction: number
  /** Whether it ever moves. */
  readonly moves?: boolean
  /** m/s and rad/s. */
  readonly linear: readonly [number, number, number]
  readonly angular: readonly [number, number, number]
}

export interface CompiledLiquid {
  readonly grid: Grid
  /** Of the liquid in memory, for other calls on the same machine. */
  readonly address: number
  /** As they lie in memory now: memory that grows and particles that move to a larger place make new ones, so do not keep them. Arrays of
   *  particles have room for `capacity` of them. */
  readonly arrays: LiquidArrays
  /** A word of the liquid: `count` and `capacity` of particles, say. */
  word(name: keyof typeof LIQUID_FIELD): number
  setWord(name: 'count' | 'hasSolids' | 'band', value: number): void

  setSides(sides: Sides): void
  /** Owners count from 1. */
  setWall(owner: number, wall: LiquidWall): void
  /** Open fractions and touched cells, after solids, walls or sides have changed. Nodes on a surface are set to exactly 0. */
  openGeometry(): void
  /** `phi` from particles that are sorted by cell, about `particlesPerCell` of them in a full cell. Near the surface and in front of walls it
   *  is the distance, up to 1.5 cells; it goes on in solids. Spoils `pairX`. */
  surface(particlesPerCell: number): void
  /** Inside the surface that is exported, in m³ (m² in 2D): of `phi`, outside of solids. */
  measureVolume(): number
  /** The same cell by cell, drops and sheets included that are too thin for a surface, and for more than they are. */
  measureCellVolume(): number
  /** The pressure problem in `kind`, `diagonal`, `linkX` …, `b`. `moving`: some wall has a velocity. `divergence` is what the liquid shall
   *  have afterwards, 1/s. */
  assemble(dt: number, density: number, moving: boolean, divergence?: number): void
  /** The same for liquid at rest that shall grow by a share of its volume, or shrink. Liquid without air keeps its own, and contacts hold
   *  what they touch, but for those that by `kind` and `pressure` have let go of it. Velocities are 0 then; spoils the pairs. */
  assembleGrowth(density: number, share: number): void
  /** 1 in cells of liquid that touches no air, directly or through other liquid; nothing where there is none. Spoils `pairX`. */
  sealedCells(): Uint8Array | undefined
  /** `pressure` becomes 0 everywhere; much faster than by the array, where memory is shared. */
  clearPressure(): void
  /** Subtracts the gradient of `pressure`; then `layerX` … say on which faces velocities are known. */
  project(dt: number, density: number): void
  /** Continues known velocities over some layers of faces, into air and solids alike. */
  extrapolate(layers: number): void
  /** Takes from velocities in solids and on closed sides what flows into walls. Uses the pairs. */
  constrain(): void
  /** The same change of velocity on all faces, as gravity makes it. */
  addVelocity(change: readonly [number, number, number]): void
  /** `pairX` …: all velocities, and behind them their changes since `beforeX` … . */
  fillPairs(): void
  /** Moves deep liquid on the grid, by the pairs and `depth`; `beforeX` … are its velocity then, until particles give theirs
   *  to the grid. */
  carryDeep(dt: number): void
  /** Particles that deep liquid would have besides those that are there. */
  hiddenParticles(particlesPerCell: number): number
  /** Over known faces: the largest component, NaN if any is, and kinetic energy over density, m⁵/s² (m⁴/s² in 2D). */
  measureSpeed(): { readonly largest: number; readonly energy: number }
}

export function createCompiledLiquid(machine: Machine, grid: Grid): CompiledLiquid {
  const { kernels, memory } = machine
  const [nx, ny, nz] = grid.shape
  const address = allocate(machine, grid)
  // Its words never move, and shared memory stays where it is; memory that is not shared takes arrays away when it grows.
  const place = kernels.liquidFields(address) >>> 0
  let known = new Uint32Array(memory.buffer, place, LIQUID_WORDS)
  const words = () => {
    if (known.buffer !== memory.buffer) known = new Uint32Array(memory.buffer, place, LIQUID_WORDS)
    return known
  }
  const word = (name: keyof typeof LIQUID_FIELD) => words()[LIQUID_FIELD[name]]
  const lengths: Record<string, () => number> = {
    cells: () => grid.cells,
    'cells and one': () => grid.cells + 1,
    nodes: () => (nx + 1) * (ny + 1) * (nz + 1),
    'x-faces': () => (nx + 1) * ny * nz,
    'y-faces': () => nx * (ny + 1) * nz,
    'z-faces': () => nx * ny * (nz + 1),
    'pairs of x': () => 2 * (nx + 1) * ny * nz,
    'pairs of y': () => 2 * nx * (ny + 1) * nz,
    'pairs of z': () => 2 * nx * ny * (nz + 1),
    particles: () => word('capacity'),
    gradients: () => (word('affine') === 0 ? 0 : 9 * word('capacity')),
  }
  const views = new Map<LiquidArray, ArrayBufferView>()
  const arrays = {} as LiquidArrays
  for (const [name, [type, points]] of Object.entries(LAYOUT) as [LiquidArray, readonly [keyof typeof TYPES, string]][]) {
    const get = () => {
      const at = word(name)
      const kept = views.get(name)
      const length = lengths[points]()
      const isKept = kept?.buffer === memory.buffer && kept.byteOffset === at
      if (isKept && kept.byteLength === length * TYPES[type].BYTES_PER_ELEMENT) return kept
      const view = new TYPES[type](memory.buffer, at, length)
      views.set(name, view)
      return view
    }
    Object.defineProperty(arrays, name, { get, enumerable: true })
  }
  writeCubes(new Uint8Array(memory.buffer, word('cubes'), 256 * 16))
  const cellVolume = grid.spacing ** grid.dims
  return {
    grid,
    address,
    arrays,
    word,
    setWord(name, value) {
      words()[LIQUID_FIELD[name]] = value
    },
    setSides(sides) {
      const closed: readonly [Side, Side] = ['separating', 'separating']
      const all = [sides.x ?? closed, sides.y ?? closed, grid.dims === 2 ? closed : (sides.z ?? closed)].flat()
      new Int32Array(memory.buffer, word('sides'), 6).set(all.map(side => KINDS[side]))
    },
    setWall(owner, { walls, friction, moves = false, linear, angular }) {
      if (!(Number.isInteger(owner) && owner >= 1 && owner < OWNERS))
        throw new InputError(`A scene has at most ${OWNERS - 1} solids; there is no number ${owner}.`)
      const at = word('walls') + WALL * owner
      new Int32Array(memory.buffer, at, 2).set([KINDS[walls], moves ? 1 : 0])
      new Float64Array(memory.buffer, at + 8, 7).set([friction, ...linear, ...angular])
    },
    openGeometry: () => kernels.liquidOpenGeometry(address),
    surface: particlesPerCell => kernels.liquidSurface(address, particlesPerCell),
    measureVolume: () => kernels.liquidVolume(address) * cellVolume,
    measureCellVolume: () => kernels.liquidCellVolume(address) * cellVolume,
    assemble: (dt, density, moving, divergence = 0) => kernels.liquidAssemble(address, dt, density, moving ? 1 : 0, divergence),
    assembleGrowth: (density, share) => kernels.liquidAssembleGrowth(address, density, share),
    sealedCells() {
      const found = kernels.liquidSealed(address) >>> 0
      return found === 0 ? undefined : new Uint8Array(memory.buffer, found, grid.cells).slice()
    },
    clearPressure: () => kernels.liquidClearPressure(address),
    project: (dt, density) => kernels.liquidProject(address, dt, density),
    extrapolate: layers => kernels.liquidExtrapolate(address, layers),
    constrain: () => kernels.liquidConstrain(address),
    addVelocity: ([x, y, z]) => kernels.liquidAddVelocity(address, x, y, z),
    fillPairs: () => kernels.liquidFillPairs(address),
    carryDeep: dt => kernels.carryDeep(address, dt),
    hiddenParticles: particlesPerCell => kernels.hiddenParticles(address, particlesPerCell),
    measureSpeed() {
      const largest = kernels.liquidLargestSpeed(address)
      return { largest, energy: kernels.liquidEnergy(address) * cellVolume }
    },
  }
}

/** The triangles of every case, see assembly/liquid.ts. */
function writeCubes(bytes: Uint8Array): void {
  const { starts, edges } = CUBE_TRIANGLES
  for (let inside = 0; inside < 256; inside++) {
    const own = edges.subarray(starts[inside], starts[inside + 1])
    bytes[16 * inside] = own.length
    bytes.set(own, 16 * inside + 1)
  }
}

function allocate({ kernels }: Machine, { shape: [nx, ny, nz], dims, spacing }: Grid): number {
  try {
    return kernels.createLiquid(nx, ny, nz, dims, spacing) >>> 0
  } catch (error) {
    if (!kernels.isExhausted()) throw error
    const shape = dims === 2 ? `${nx} × ${ny}` : `${nx} × ${ny} × ${nz}`
    throw new InputError(`A liquid on ${shape} cells does not fit into the memory that this host gives; take a coarser grid.`)
  }
}
