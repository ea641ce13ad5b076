import { defineConfig } from 'vitest/config'

// Any test, with every machine of it high up in its memory; see high-memory-setup.ts.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.slow.test.ts', 'test/cluster/mpi/**', 'node_modules/**'],
    setupFiles: ['test/support/high-memory-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
})
