/** `peel/cluster`: the solve handed to many machines over MPI. Needs Node; `addSolver(clusterSolver)` makes it known to scenes by its name. */
export { cacheFolder } from './build-driver.js'
export { type ClusterReport, checkCluster, type Finding } from './check.js'
export {
  type ClusterHooks,
  type ClusterOptions,
  type ClusterSolver,
  clusterSolver,
  createClusterSolver,
} from './cluster-solver.js'
export type { Statistics } from './frames.js'
