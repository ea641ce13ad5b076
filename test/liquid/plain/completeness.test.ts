/** Every loop of a liquid is called by a contract test, which compares the compiled loop with its plain definition. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')

/** Bookkeeping in TypeScript that plain and compiled liquids share. */
const SHARED = ['columns', 'clear']

it('leaves no loop of src/liquid/loops.ts without a comparison of both implementations', () => {
  const loops = [...read('../../../src/liquid/loops.ts').matchAll(/^ {2}([a-z]\w*)\(/gm)].map(([, name]) => name)
  const tests = read('./grid-contract.test.ts') + read('./particle-contract.test.ts')
  expect(loops.length).toBeGreaterThan(25)
  expect(loops.filter(name => !SHARED.includes(name) && !new RegExp(`\\.${name}\\(`).test(tests))).toEqual([])
})
