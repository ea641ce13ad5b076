/** Rules that keep the code organised as ARCHITECTURE.md describes, without exceptions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { unformattedKernels } from '../scripts/format-kernels.mjs'
import { MAP, mapText } from '../scripts/map.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && !path.startsWith('machine/generated/'))
  .sort()
const read = (path: string) => readFileSync(join(root, 'src', path), 'utf8')
const isKernel = (path: string) => /(^|\/)kernels\//.test(path)

/** Files of a folder that one sees at a glance. */
const MAX_FILES = 20

const MAX_LINES = 250
const MAX_KERNEL_LINES = 350

const MAX_PARAMETERS = 7
const MAX_FUNCTION_LINES = 60

describe('the house', () => {
  it('has folders that fit on a screen', () => {
    const counts = new Map<string, number>()
    for (const path of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    const crowded = [...counts].filter(([, count]) => count > MAX_FILES).map(([folder]) => folder)
    expect(crowded.sort()).toEqual([])
  })

  it('has files that can be read at a sitting', () => {
    const long = files.filter(path => read(path).split('\n').length - 1 > (isKernel(path) ? MAX_KERNEL_LINES : MAX_LINES))
    expect(long).toEqual([])
  })

  it('has AssemblyScript in the format of the rest', () => {
    expect([...unformattedKernels().keys()], 'run npm run format').toEqual([])
  })

  it('has no import cycle, in either language', () => {
    expect(cyclesOf(importGraph())).toEqual([])
  })

  it('keeps the machine free of the subjects of other rooms', () => {
    for (const path of files.filter(name => name.startsWith('machine/')))
      expect(read(path), path).not.toMatch(/\b(?:liquid|level|particle|picture)s?\b/i)
  })

  it('has one map of memory: kernels name addresses, and header.ts numbers them', () => {
    const literal = /\b(?:load|store|atomic\.\w+)<\w+>\(\s*\d+|\bmemory\.(?:fill|copy)\(\s*\d+|\b(?:park|notify)\(\s*\d+/
    for (const path of files.filter(name => isKernel(name))) expect(read(path), path).not.toMatch(literal)
  })

  it('hands arguments to loops as records, not by position', () => {
    const positional = files.filter(path => isKernel(path) && /\b(?:setPointer|pointer|setNumber|number)\(\d/.test(read(path)))
    expect(positional).toEqual([])
  })

  it('gives the results of kernels in one array, and chooses precision by the level', () => {
    const exported = /^export function (\w+)(?:<[^>]*>)?\(([^)]*)\)/gm
    for (const path of files.filter(name => isKernel(name)))
      for (const [, name, parameters] of read(path).matchAll(exported)) {
        // `runWide` of the pool is what levels choose by.
        expect(name, path).not.toMatch(/^last[A-Z]/)
        if (path !== 'machine/kernels/pool.ts') expect(parameters, `${name} in ${path}`).not.toMatch(/\bwide: i32\b/)
      }
  })

  it('has a plain twin for everything that is compiled', () => {
    const compiled = files
      .filter(path => /(?:^|\/)compiled(?:\.ts|\/)/.test(path))
      .map(path => path.replace(/\/compiled[./].*$/, ''))
    for (const room of new Set(compiled))
      expect(
        ['plain', 'plain.ts'].some(name => existsSync(join(root, 'src', room, name))),
        `src/${room} has compiled loops without a plain definition`,
      ).toBe(true)
  })

  it('has functions of a size one can follow', () => {
    const found = files.filter(path => !isKernel(path)).flatMap(path => largeFunctions(path))
    expect(found.map(({ what }) => what)).toEqual([])
  })
})

describe('the documents about it', () => {
  it('are short: ARCHITECTURE.md is written by hand', () => {
    expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(120)
  })

  it('are current: docs/map.md is what scripts/map.mjs writes', () => {
    expect(readFileSync(MAP, 'utf8'), 'run node scripts/map.mjs').toBe(mapText())
  })
})

// ---- imports

/** Without imports of types, which are gone when the program runs. */
function importGraph(): Map<string, string[]> {
  const IMPORT = /^(?:import|export)\s+(?!type\b)(?:\*|\{[^}]*\}|[\w$]+(?:,\s*\{[^}]*\})?)\s*(?:as\s+\w+\s*)?from '(\.[^']+)'/gm
  const known = new Set(files)
  return new Map(
    files.map(path => {
      const targets = [...read(path).matchAll(IMPORT)].map(
        ([, target]) => `${join(dirname(path), target.replace(/\.js$/, ''))}.ts`,
      )
      return [path, targets.filter(target => known.has(target))]
    }),
  )
}

/** Groups of files that reach each other (Tarjan 1972). */
function cyclesOf(graph: Map<string, string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const walk = (path: string) => {
    order.set(path, order.size)
    lowest.set(path, order.get(path)!)
    stack.push(path)
    for (const target of graph.get(path)!) {
      if (!order.has(target)) walk(target)
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!))
    }
    if (lowest.get(path) !== order.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) cycles.push(group.sort())
  }
  for (const path of graph.keys()) if (!order.has(path)) walk(path)
  return cycles
}

// ---- functions

interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly params?: readonly unknown[]
  readonly body?: unknown
}

/** Functions with too many parameters, or too many lines of their own: those of functions within do not count. */
function largeFunctions(path: string): { readonly path: string; readonly what: string }[] {
  const text = read(path)
  const found: { path: string; what: string }[] = []
  const lineOf = (at: number) => text.slice(0, at).split('\n').length
  /** Returns the lines that functions within take. */
  const walk = (node: unknown): number => {
    if (Array.isArray(node)) return node.reduce((sum: number, one) => sum + walk(one), 0)
    if (node === null || typeof node !== 'object') return 0
    const { type, start, end, params } = node as Syntax
    const within = Object.values(node).reduce((sum: number, one) => sum + walk(one), 0)
    if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type ?? '')) return within
    const lines = lineOf(end) - lineOf(start) + 1
    const where = `${path}:${lineOf(start)}`
    if (params!.length > MAX_PARAMETERS) found.push({ path, what: `${where} has ${params!.length} parameters` })
    if (lines - within > MAX_FUNCTION_LINES) found.push({ path, what: `${where} has ${lines - within} lines of its own` })
    return lines
  }
  walk(parseSync(path, text).program)
  return found
}
