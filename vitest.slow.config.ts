import { defineConfig } from 'vitest/config'
import { doorAliases } from './scripts/doors.mjs'
import { LONG_TESTS } from './vitest.long.js'

// Whole commands, browsers and documents, statistics over many inputs, long soaks and large grids: `npm run test:slow`. Two files at a time, because some of them take all the
// memory that a WebAssembly module can have.
export default defineConfig({
  resolve: { alias: doorAliases },
  test: {
    include: ['test/**/*.slow.test.ts', ...LONG_TESTS],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 900_000,
    hookTimeout: 60_000,
    // Pages answer late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
})
