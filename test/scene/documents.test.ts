/** What scripts/scenes.mjs writes is current. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatCosts } from '../../src/scene/estimate.js'
import { formatReference } from '../../src/scene/schema/reference.js'
import { sceneJsonSchema } from '../../src/scene/schema.js'
import { validateScene } from '../../src/scene/validate.js'
import { extractBlocks } from '../docs/blocks.js'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('what is made from the schema of scenes', () => {
  it('is the JSON Schema beside the scenes; otherwise run node scripts/scenes.mjs', () => {
    expect(JSON.parse(read('scenes/scene.schema.json'))).toEqual(JSON.parse(JSON.stringify(sceneJsonSchema())))
  })

  it('is the reference in docs/scenes.md; otherwise run node scripts/scenes.mjs', () => {
    expect(read('docs/scenes.md')).toContain(`<!-- begin: reference -->\n\n${formatReference()}\n\n<!-- end: reference -->`)
  })

  it('is the table of costs in docs/scenes.md, of the numbers that peel check uses; otherwise run node scripts/scenes.mjs', () => {
    expect(read('docs/scenes.md')).toContain(`<!-- begin: costs -->\n\n${formatCosts()}\n\n<!-- end: costs -->`)
  })

  it('describes every key', () => {
    for (const row of formatReference()
      .split('\n')
      .filter(line => line.startsWith('| `')))
      expect(row.split('|').at(-2)!.trim(), row).not.toBe('')
  })

  it('accepts the examples of docs/scenes.md', () => {
    const scenes = extractBlocks(read('docs/scenes.md')).filter(({ language }) => language === 'json')
    expect(scenes.length).toBeGreaterThanOrEqual(2)
    for (const { code } of scenes) validateScene(JSON.parse(code))
  })
})
