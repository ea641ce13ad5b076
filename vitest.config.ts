import { defineConfig } from 'vitest/config'

// The tests of the docs run `npm test` themselves; this keeps that run to a single file.
const only = process.env.PEEL_TEST_FILES?.split(',').filter(Boolean)

export default defineConfig({
  test: {
    include: only?.length ? only : ['test/**/*.test.ts'],
    // They need MPI: `npm run test:cluster`.
    exclude: ['test/cluster/mpi/**', 'node_modules/**'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Pages answer late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
})
