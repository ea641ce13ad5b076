/** The contract of every solver of the family. */
import { solvers } from '../../src/solvers/registry.js'
import { describeContract } from '../support/solver-contract.js'

for (const entry of solvers) describeContract(entry)
