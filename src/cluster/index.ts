/** `peel/cluster`: solving on many machines over MPI. Needs Node; `addSolver(clusterSolver)` makes it available to scenes by
 *  its name. */
import {
  type Check,
  checked,
  checkedAsync,
  checkFunction,
  checkNumbers,
  checkObject,
  checkWhole,
  listOf,
  objectWith,
  optional,
} from '../checks.js'
import { checkSetting, type EngineSetting } from '../machine/engine-choice.js'
import { parseOptions } from '../solvers/contract/options.js'
import * as driver from './build-driver.js'
import * as check from './check.js'
import * as solver from './cluster-solver.js'
import * as tiles from './tiles.js'

export type { ClusterReport, Finding } from './check.js'
export { type ClusterHooks, type ClusterOptions, type ClusterSolver, clusterSolver } from './cluster-solver.js'
export type { Statistics } from './frames.js'

const options: Check = (value, what) => {
  checkObject(value, what)
  parseOptions(solver.clusterSolver.name, solver.clusterSolver.options, value as Record<string, unknown>)
}
const say = optional(checkFunction)

export const cacheFolder = checked('cacheFolder', driver.cacheFolder, { environment: optional(checkObject) })
export const checkCluster = checkedAsync('checkCluster', check.checkCluster, { options: optional(options), say })
export const createClusterSolver = checked('createClusterSolver', solver.createClusterSolver, {
  options: optional(options),
  setting: optional(value => checkSetting(value as EngineSetting)),
  hooks: optional(objectWith({ onStatistics: say, say })),
})
/** How evenly tiles deal out a liquid among ranks, from 0 to 1. */
export const tileEfficiency = checked('tileEfficiency', tiles.tileEfficiency, {
  shape: (value, what) => listOf((side, which) => checkWhole(side, which, 1))(value, what),
  runs: (value, what) => checkNumbers(value, what, Int32Array),
  size: (value, what) => checkWhole(value, what, 1),
  ranks: (value, what) => checkWhole(value, what, 1),
})
