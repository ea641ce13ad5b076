import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { doorAliases } from './scripts/doors.mjs'
import { LONG_TESTS } from './vitest.long.js'

// The tests of the docs run `npm test` themselves; this keeps that run to a single file.
const only = process.env.PEEL_TEST_FILES?.split(',').filter(Boolean)

/** `npx vitest run test/cli/solve` means just that. */
const named = process.argv.some(argument => /(?:^|\/)test\//.test(argument))

/** What takes longest comes first, so that no core waits for it in the end. */
const LONGEST = [
  'solvers/contract',
  'multigrid/aggregate/levels-contract',
  'paint/space',
  'solvers/nas-mgpcg/nas-mgpcg',
  'pressure/gallery',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex(name => moduleId.endsWith(`/test/${name}.test.ts`))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  resolve: { alias: doorAliases },
  test: {
    include: only?.length ? only : ['test/**/*.test.ts'],
    // They need MPI (`npm run test:cluster`) or many minutes (`npm run test:slow`); a file that is asked for by name is always run.
    exclude: ['test/cluster/mpi/**', 'test/**/*.slow.test.ts', ...(only?.length || named ? [] : LONG_TESTS), 'node_modules/**'],
    pool: 'forks',
    // Vitest leaves a core free, which on a machine with two is half of it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // A busy machine may be ten times slower than a quiet one: limits only end what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
