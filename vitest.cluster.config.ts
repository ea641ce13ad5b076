import { defineConfig } from 'vitest/config'
import { doorAliases } from './scripts/doors.mjs'

// One file at a time: every one starts ranks of its own, and some of them watch the list of processes.
export default defineConfig({
  resolve: { alias: doorAliases },
  test: {
    include: ['test/cluster/mpi/**/*.test.ts'],
    runner: 'test/support/deadline-runner.ts',
    pool: 'forks',
    fileParallelism: false,
    // A busy machine may be ten times slower than a quiet one: limits only end what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
