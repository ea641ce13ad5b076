/** Tests that a newcomer need not wait for: whole commands, browsers, documents, statistics over many problems. `npm run test:slow` runs them,
 *  `npm test`, which is to take less than four minutes on two cores, does not. Everything that defines what Peel computes stays in `npm test`. */
export const LONG_TESTS = [
  // Commands in processes of their own, killed, limited and interrupted.
  'test/cli/{demo,failed-starts,hostile-text,interrupted,killed,memory-limits,reproduce,run-resume,run-scene,scenes,solve,validate}.test.ts',
  'test/io/{files/write-failures,run/failures,run/killed}.test.ts',
  'test/setup/setup.test.ts',
  'test/cluster/untrusted-driver.test.ts',
  // Every command and code block of the documents.
  'test/docs/{blocks,commands,runner}.test.ts',
  // Every example.
  'test/examples/*.test.ts',
  // A real browser.
  'test/page/{export-panel,open-files,page,permalink,play}.test.ts',
  'test/web/*.test.ts',
  // Reproductions, benchmarks and peers.
  'test/bench/*.test.ts',
  'test/papers/{ablations,reproduce,reproduction}.test.ts',
  // Orders of accuracy in 3D.
  'test/pressure/accuracy-in-space.test.ts',
  'test/validation/quick.test.ts',
  // Every solver or scene on every engine, in every kind of memory.
  'test/machine/{high-memory,threads}.test.ts',
  'test/liquid/boundary/source-flow.test.ts',
  'test/liquid/{adversarial,engines,friction,interrupt,letting-go-splash,physics,seeds,shipped-warnings,volume-correction}.test.ts',
  'test/liquid/boundary/moving-tanks.test.ts',
  'test/solvers/{allocation,engines,fas-mg,lattice-engines,memory-before,physics,row-engines}.test.ts',
  'test/scene/data-limits.test.ts',
]
