import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// The tests of the docs run `npm test` themselves; this keeps that run to a single file.
const only = process.env.PEEL_TEST_FILES?.split(',').filter(Boolean)

/** What takes longest comes first, so that no core waits for it in the end. */
const LONGEST = ['docs/commands', 'web/page', 'bench/peers', 'cli/solve', 'solvers/fas-mg', 'cli/run-scene', 'bench/reproduce']

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
  test: {
    include: only?.length ? only : ['test/**/*.test.ts'],
    // They need MPI: `npm run test:cluster`.
    exclude: ['test/cluster/mpi/**', 'node_modules/**'],
    pool: 'forks',
    // Vitest leaves a core free, which on a machine with two is half of it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Pages answer late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
})
