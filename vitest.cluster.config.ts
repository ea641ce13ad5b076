import { defineConfig } from 'vitest/config'
import { doorAliases } from './scripts/doors.mjs'

// One file at a time: every one starts ranks of its own, and some of them watch the list of processes.
export default defineConfig({
  resolve: { alias: doorAliases },
  test: {
    include: ['test/cluster/mpi/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
