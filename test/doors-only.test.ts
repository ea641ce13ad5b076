/** Page, benchmarks and examples are clients of the package: they import its doors and nothing behind them. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { doors } from '../scripts/doors.mjs'
import { project, projectFiles } from './setup/working-copy.js'

const CLIENTS = ['page', 'bench', 'examples']
/** Configurations of Vite need the aliases that lead from doors to sources. */
const BESIDE = ['scripts/doors.mjs']

const IMPORT = /\b(?:from|import)\s*\(?\s*(['"`])([^'"`\n]+)\1/g
const REFERENCE = /\b(?:new URL|loadTypeScript|runnerImport)\(\s*(['"`])([^'"`\n]+)\1/g

/** Why a file of a client may not name this module; undefined if it may. */
function refusal(client: string, file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const target = relative(project, join(project, dirname(file), specifier))
    if (target.startsWith(`${client}/`) || BESIDE.includes(target)) return undefined
    return `${file} imports ${target}, which is outside ${client}/`
  }
  if (specifier === 'peel' || specifier.startsWith('peel/'))
    return specifier in doors ? undefined : `${file} imports ${specifier}, which is no door of the package`
  return undefined
}

/** As git has them: the link to Peel among the examples leads around in a circle. */
const files = projectFiles()
const sources = (client: string) => files.filter(path => path.startsWith(`${client}/`) && /\.(ts|tsx|mjs|js|jsx)$/.test(path))

describe.each(CLIENTS)('%s/', client => {
  it.each(sources(client))('%s imports doors only', file => {
    const text = readFileSync(join(project, file), 'utf8')
    for (const [, , specifier] of text.matchAll(IMPORT)) expect(refusal(client, file, specifier)).toBeUndefined()
    // Modules that are loaded by their path: data and sources of the repository, but not its code.
    for (const [, , path] of text.matchAll(REFERENCE)) expect(path).not.toMatch(/(^|\/)(src|dist)\//)
  })
})

describe('the rule', () => {
  it.each([
    ['page/main.ts', '../src/index.js', 'outside page/'],
    ['page/editor/editor.ts', '../../bench/large.mjs', 'outside page/'],
    ['page/main.ts', 'peel/scene', 'no door'],
    ['page/main.ts', '../dist/index.js', 'outside page/'],
  ])('refuses %s importing %s', (file, specifier, reason) => {
    expect(refusal('page', file, specifier)).toContain(reason)
  })

  it('allows doors, packages and files of the same client', () => {
    for (const specifier of ['peel', 'peel/web', 'uplot', 'node:fs', './page.js', '../page/page.js'])
      expect(refusal('page', 'page/main.ts', specifier)).toBeUndefined()
  })
})

it('has the same doors in package.json and in the paths of tsconfig.json', () => {
  const { paths } = JSON.parse(readFileSync(join(project, 'tsconfig.json'), 'utf8')).compilerOptions
  expect(paths).toEqual(Object.fromEntries(Object.entries(doors).map(([door, file]) => [door, [`./${file}`]])))
})
