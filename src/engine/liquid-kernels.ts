/** What assembly/liquid-calls.ts and assembly/particle-calls.ts export, and how a liquid lies in memory. */

/** Addresses of liquids are numbers. */
export interface LiquidKernels {
  createLiquid(nx: number, ny: number, nz: number, dims: number, spacing: number): number
  reserveParticles(liquid: number, capacity: number, affine: number): void
  liquidFields(liquid: number): number
  sortParticles(liquid: number): void
  particlesToGrid(liquid: number): void
  keepVelocity(liquid: number, stepsPerSpeed: number): number
  usualSpeed(liquid: number, share: number): number
  findExcess(liquid: number, perCell: number): void
  keepBand(liquid: number, perCell: number, parts: number, jitter: number, salt: number): number
  moveParticles(liquid: number, dt: number, flipRatio: number, spreads: number, isThird: number): number
  shiftParticles(liquid: number, dt: number): number
  liquidOpenGeometry(liquid: number): void
  liquidSurface(liquid: number, particlesPerCell: number): void
  hiddenParticles(liquid: number, perCell: number): number
  carryDeep(liquid: number, dt: number): void
  liquidVolume(liquid: number): number
  liquidCellVolume(liquid: number): number
  liquidAssemble(liquid: number, dt: number, density: number, moving: number, divergence: number): void
  liquidAssembleGrowth(liquid: number, density: number, divergence: number): void
  liquidSealed(liquid: number): number
  liquidClearPressure(liquid: number): void
  liquidProject(liquid: number, dt: number, density: number): void
  liquidExtrapolate(liquid: number, layers: number): void
  liquidConstrain(liquid: number): void
  liquidAddVelocity(liquid: number, x: number, y: number, z: number): void
  liquidFillPairs(liquid: number): void
  liquidLargestSpeed(liquid: number): number
  liquidEnergy(liquid: number): number
}

/** Words of a liquid in the order of assembly/liquid.ts; `spacing` is an f64 and takes two, after one of padding. */
const FIELDS = [
  ...['nx', 'ny', 'nz', 'dims', 'cells', 'slabs', 'slabCells', 'chunkSlabs', 'chunkCount', 'padding', 'spacing', 'spacingHigh'],
  ...['cellStart', 'phi', 'kind', 'diagonal', 'linkX', 'linkY', 'linkZ', 'b', 'pressure', 'solid', 'owner'],
  ...[
    'ux',
    'uy',
    'uz',
    'beforeX',
    'beforeY',
    'beforeZ',
    'openX',
    'openY',
    'openZ',
    'layerX',
    'layerY',
    'layerZ',
    'pairX',
    'pairY',
    'pairZ',
  ],
  ...['sides', 'walls', 'count', 'capacity', 'px', 'py', 'pz', 'vx', 'vy', 'vz', 'affine'],
  ...['otherPx', 'otherPy', 'otherPz', 'otherVx', 'otherVy', 'otherVz', 'otherAffine', 'order', 'cellOf'],
  ...['chunkStart', 'chunkCounts', 'touch', 'openCell', 'profile', 'scratch', 'excess', 'hasSolids'],
  ...['band', 'seeded', 'depth', 'carried', 'kept', 'wayX', 'wayY', 'wayZ', 'front', 'speeds', 'cubes', 'places', 'bounds'],
  ...['clearance', 'occupied', 'inWalls'],
  ...['rowX', 'rowY', 'rowZ', 'planeX', 'planeY', 'planeZ', 'toChangeX', 'toChangeY', 'toChangeZ', 'layers'],
] as const
export type LiquidField = (typeof FIELDS)[number]

/** Where in the words of a liquid a field stands. */
export const LIQUID_FIELD = Object.fromEntries(FIELDS.map((name, at) => [name, at])) as Readonly<Record<LiquidField, number>>

export const LIQUID_WORDS = FIELDS.length
