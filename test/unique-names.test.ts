/** One name, one thing: exported types have names of their own, and a constant is written in one file. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project } from './setup/working-copy.js'

interface SourceFile {
  readonly path: string
  readonly text: string
}

/** TypeScript and AssemblyScript. */
const files: readonly SourceFile[] = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && !/(^|\/)generated\//.test(path))
  .map(path => ({ path, text: readFileSync(join(project, 'src', path), 'utf8') }))
const typeScript = files.filter(({ path }) => !/(^|\/)kernels\//.test(path))

const TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm
const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*)\b/gm
const EXPORTED_CONSTANT = /^export const ([A-Z][A-Z0-9_]*)\b/gm

/** Names that more than one file declares, with the files. */
function declaredTwice(sources: readonly SourceFile[], declaration: RegExp): string[] {
  const places = new Map<string, Set<string>>()
  for (const { path, text } of sources)
    for (const [, name] of text.matchAll(declaration)) places.set(name, (places.get(name) ?? new Set()).add(path))
  return [...places].filter(([, paths]) => paths.size > 1).map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)
}

describe('names in src', () => {
  it('of exported types are unique', () => {
    expect(declaredTwice(typeScript, TYPE)).toEqual([])
  })

  it('of top-level constants are unique', () => {
    expect(declaredTwice(typeScript, CONSTANT)).toEqual([])
  })

  it('of exported constants are unique in both languages', () => {
    // One that both languages read belongs in a file that both import, as machine/header.ts and pressure/cell-kinds.ts are.
    expect(declaredTwice(files, EXPORTED_CONSTANT)).toEqual([])
  })
})

it('two files with one name are found, and one file with two overloads is not', () => {
  const sources = [
    { path: 'a.ts', text: 'export interface Frame {}\nconst LIMIT = 1\n' },
    { path: 'b.ts', text: 'export type Frame = 1\nexport const LIMIT = 1\n' },
    { path: 'c.ts', text: 'interface Frame {}\nexport type Own = 1\nexport type Own = 1\n  const LIMIT = 2\n' },
  ]
  expect(declaredTwice(sources, TYPE)).toEqual(['Frame: a.ts, b.ts'])
  expect(declaredTwice(sources, CONSTANT)).toEqual(['LIMIT: a.ts, b.ts'])
})
