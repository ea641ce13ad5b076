import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { doorAliases } from './scripts/doors.mjs'
import { LONG_TESTS } from './vitest.long.js'

/** What takes longest comes first, so that it does not begin when time is nearly up. */
const LONGEST = ['docs/commands', 'validation/quick', 'cli/demo', 'papers/reproduce', 'liquid/seeds', 'page/page']

const DAY = 24 * 60 * 60 * 1000

/** The rest begins with another file every day: where time is up before the end, it is not always the same tests that are skipped. */
class Rotating extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => LONGEST.findIndex(name => moduleId.endsWith(`/test/${name}.test.ts`))
    const first = files.filter(file => place(file) >= 0).sort((a, b) => place(a) - place(b))
    const rest = files.filter(file => place(file) < 0).sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
    const start = Math.floor(Date.now() / DAY) % Math.max(rest.length, 1)
    return [...first, ...rest.slice(start), ...rest.slice(0, start)]
  }
}

// Whole commands, browsers and documents, statistics over many inputs, long soaks and large grids: `npm run test:slow`. Two files at a time,
// because some of them take all the memory that a WebAssembly module can have.
export default defineConfig({
  resolve: { alias: doorAliases },
  test: {
    include: ['test/**/*.slow.test.ts', ...LONG_TESTS],
    runner: 'test/support/deadline-runner.ts',
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: Rotating },
    // A busy machine may be ten times slower than a quiet one: limits only end what hangs.
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
