import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson, compareScenes, describeChanges } from '../../../src/io/run/compare-scenes.js'

it('a scene equals itself in any order of keys, as it was read or written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const reordered = JSON.parse(JSON.stringify(value), (_, part) =>
        typeof part === 'object' && part !== null && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).reverse())
          : part,
      )
      const plain = JSON.parse(JSON.stringify(value))
      expect(compareScenes(plain, reordered)).toEqual([])
      expect(canonicalJson(plain)).toBe(canonicalJson(reordered))
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain)
    }),
    { seed: 830412 },
  )
})

it('lists what changed, with the way to it', () => {
  const before = { domain: { size: [2, 1] }, solids: [{ mesh: 'a.obj' }, { mesh: 'b.obj' }], 'odd key': 1, gone: true }
  const after = { domain: { size: [2, 3] }, solids: [{ mesh: 'a.obj', friction: 1 }], 'odd key': null, fresh: [1, 2] }
  expect(compareScenes(before, after)).toEqual([
    { path: 'domain.size[1]', before: 1, after: 3 },
    { path: 'solids[0].friction', before: undefined, after: 1 },
    { path: 'solids[1]', before: { mesh: 'b.obj' }, after: undefined },
    { path: '["odd key"]', before: 1, after: null },
    { path: 'gone', before: true, after: undefined },
    { path: 'fresh', before: undefined, after: [1, 2] },
  ])
  expect(describeChanges(compareScenes(before, after), 2)).toBe('domain.size[1] 1 → 3, solids[0].friction absent → 1 and 4 more')
  expect(describeChanges(compareScenes({ a: 'x'.repeat(100) }, { a: 2 }))).toMatch(/^a "x{38}… → 2$/)
})

it('tells values of different types apart', () => {
  for (const [one, other] of [
    [1, '1'],
    [null, 0],
    [[], {}],
    [[1], { 0: 1 }],
  ] as const)
    expect(compareScenes({ a: one }, { a: other })).toHaveLength(1)
})
