// npm run test:cluster: installs what the tests of the cluster need of Debian, where that needs no password, and runs them. PETSc is used
// where it is, and not installed: the rest does without.
import { spawnSync } from 'node:child_process'
import { installPackages, run } from '../bench/packages.mjs'

const PACKAGES = ['g++', 'libopenmpi-dev', 'openmpi-bin', 'libhypre-dev']

const say = what => process.stderr.write(`test:cluster: ${what}\n`)
const isThere = (command, ...args) => run(command, args).status === 0
const hasHypre = () =>
  ['/usr/include/hypre', '/usr/include'].some(folder =>
    isThere('mpicxx', '-E', '-x', 'c++', `-I${folder}`, '-include', 'HYPRE_config.h', '/dev/null'),
  )

if (!isThere('mpiexec', '--version') || !isThere('mpicxx', '--version') || !hasHypre()) {
  const obstacle = installPackages(PACKAGES, say)
  if (obstacle) {
    say(`${PACKAGES.join(', ')} are needed, but ${obstacle}.`)
    process.exit(1)
  }
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.cluster.config.ts', ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit' })
process.exitCode = status ?? 1
