/** The cluster keeps the contract of every solver. One driver serves all tests: starting ranks is the dear part. */
import { clusterSolver } from '../../../src/cluster/cluster-solver.js'
import { parseOptions } from '../../../src/solvers/contract/options.js'
import { describeContract } from '../../support/solver-contract.js'
import { hasPetsc, openSolver } from './support.js'

const shared = openSolver({ ranks: 2 })

describeContract({
  ...clusterSolver,
  needsGrid: !hasPetsc,
  create(options) {
    parseOptions(clusterSolver.name, clusterSolver.options, options)
    return shared
  },
})
