/** For a run of other tests with every machine high up in its memory, at PEEL_TEST_BASE GiB. */
import { vi } from 'vitest'
import { GIB, withMachinesFrom } from './high-memory.js'

vi.mock('../../src/machine/machine.js', async importOriginal => {
  const original = await importOriginal<typeof import('../../src/machine/machine.js')>()
  return withMachinesFrom(original, () => Number(process.env.PEEL_TEST_BASE) * GIB)
})
