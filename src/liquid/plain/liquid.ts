/** A liquid in plain TypeScript: the definition of the loops over its grid, which compiled ones agree with. */
import type { Grid } from '../../grid/grid.js'
import type { Side } from '../../pressure/walls.js'
import type { LiquidLoops } from '../loops.js'
import { carryDeep } from './deep/carry.js'
import { hiddenParticles } from './deep/depth.js'
import { assemble, assembleGrowth, clearProblem } from './grid/assemble.js'
import { addKicks, followChanges } from './grid/beside.js'
import { constrain } from './grid/constrain.js'
import { extrapolate } from './grid/extrapolate.js'
import { openGeometry } from './grid/geometry.js'
import { predictKick } from './grid/kick.js'
import { findPath } from './grid/path.js'
import { project } from './grid/project.js'
import { sealedCells } from './grid/sealed.js'
import { addVelocity, fillChanges, fillVelocities, keepStart, largestSpeed, restoreStart } from './grid/velocities.js'
import { createPlainState, type PlainState } from './state.js'
import { capacityOf, reserveParticles } from './store.js'
import { pictureSurface } from './surface/picture/picture.js'
import { createProfile } from './surface/profile.js'
import { findSurface } from './surface/surface.js'
import { volumeInside, volumeOfCells } from './surface/volume.js'

export interface PlainLiquid extends LiquidLoops {
  /** What the loops over particles share with those over the grid. */
  readonly state: PlainState
}

export function createPlainLiquid(grid: Grid): PlainLiquid {
  const state = createPlainState(grid)
  const profile = createProfile(grid.dims)
  const cellVolume = grid.spacing ** grid.dims
  return {
    state,
    grid,
    arrays: state.arrays,
    get particleCount() {
      return state.particleCount
    },
    set particleCount(count) {
      state.particleCount = count
    },
    get capacity() {
      return capacityOf(state)
    },
    reserveParticles: (capacity, affine) => reserveParticles(state, capacity, affine),
    get hasSolids() {
      return state.hasSolids
    },
    set hasSolids(hasSolids) {
      state.hasSolids = hasSolids
    },
    get bandWidth() {
      return state.bandWidth
    },
    set bandWidth(cells) {
      state.bandWidth = cells
    },
    setSides({ x, y, z }) {
      const closed: readonly [Side, Side] = ['separating', 'separating']
      state.sides = [x ?? closed, y ?? closed, grid.dims === 2 ? closed : (z ?? closed)]
    },
    setWall(owner, wall) {
      state.walls[owner] = wall
    },
    setMotion(motion) {
      state.motion = motion
    },
    openGeometry: () => openGeometry(state),
    surface: particlesPerCell => findSurface(state, profile, particlesPerCell),
    pictureSurface: rounds => pictureSurface(state, rounds),
    measureVolume: () => volumeInside(state) * cellVolume,
    measureCellVolume: () => volumeOfCells(state) * cellVolume,
    assemble: (dt, density, isMoving, divergence = 0) => assemble(state, { dt, density, isMoving, divergence }),
    assembleGrowth: (density, growth) => assembleGrowth(state, density, growth),
    sealedCells: () => sealedCells(state),
    clearProblem: () => clearProblem(state),
    clearPressure: () => void state.arrays.pressure.fill(0),
    project: (dt, density) => project(state, dt, density),
    predictKick: history => predictKick(state, history),
    keepStart: () => keepStart(state),
    projectKick: (dt, density) => project(state, dt, density, state.arrays.kickPressure),
    findPath: (dt, allowance) => findPath(state, dt, allowance),
    restoreStart: () => restoreStart(state),
    extrapolate: layers => extrapolate(state, layers),
    followChanges: areOfParticles => followChanges(state, areOfParticles),
    addKicks: () => addKicks(state),
    constrain: () => constrain(state),
    addVelocity: change => addVelocity(state, change),
    fillVelocities: () => fillVelocities(state),
    fillChanges: ratio => fillChanges(state, ratio),
    carryDeep: dt => carryDeep(state, dt),
    hiddenParticles: particlesPerCell => hiddenParticles(state, particlesPerCell),
    measureSpeed: () => ({ largest: largestSpeed(state) }),
  }
}
