/** The plan of the house, checked: imports go one way, the first rooms depend on nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')

/** Data walks through the rooms in this order; a room imports only from rooms before it. */
const ROOMS = [
  'grid',
  'pressure',
  'machine',
  'sparse',
  'multigrid',
  'solvers',
  'cluster',
  'scene',
  'liquid',
  'paint',
  'io',
  'report',
  'view',
  'papers',
  'validation',
  'cli',
  // Entries of the compiled modules.
  'kernels',
]
const WITHOUT_DEPENDENCIES = ROOMS.slice(0, ROOMS.indexOf('solvers') + 1)
const MAY_TOUCH_THE_WORLD = ['cluster', 'io', 'view', 'papers', 'cli']
const READS_THE_CLOCK = ['solvers/running/driver.ts', 'solvers/running/fine-sweep.ts', 'liquid/stopwatch.ts']
/** Starts threads, in Node and on pages; no other file of its room and those around it knows where it runs. */
const KNOWS_ITS_HOST = 'machine/host.ts'

/** Of `io`: what knows paths. All else is bytes in, bytes out. */
const NEEDS_NODE = [
  'bytes/node-codec',
  'documents/chart',
  'documents/document',
  'files/atomic-file',
  'files/file-errors',
  'files/folder',
  'files/process-identity',
  'index',
  'problem/problem-files',
  'run/directory',
  'run/disk-estimate',
  'run/export-record',
  'run/find-checkpoint',
  'run/frames',
  'run/guarded-writer',
  'run/leftovers',
  'run/lock',
  'run/manifest',
  'run/read',
  'run/scene',
  'run/threaded-writer',
  'run/writer-thread',
  'run/writer',
  'scene-file',
  'video/built-in-encoder',
  'video/encoding',
  'video/ffmpeg',
  'video/video',
]

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  path => path.endsWith('.ts') && !path.startsWith('machine/generated/'),
)
const roomOf = (path: string) => (path.includes('/') ? path.split('/')[0] : '')
const read = (path: string) => readFileSync(join(source, path), 'utf8')
const IMPORT = /^(?:import|export|\})[^'`\n]*\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
const importsOf = (path: string) => [...read(path).matchAll(IMPORT)].map(match => match[1] ?? match[2] ?? match[3])

describe('architecture', () => {
  it('has only rooms of the plan', () => {
    const rooms = new Set(files.map(roomOf).filter(Boolean))
    for (const room of rooms) expect(ROOMS).toContain(room)
  })

  it.each(files)('%s imports only from rooms before its own', path => {
    const room = roomOf(path)
    for (const specifier of importsOf(path)) {
      if (!specifier.startsWith('.')) {
        if (path === KNOWS_ITS_HOST && specifier === 'node:worker_threads') continue
        if (WITHOUT_DEPENDENCIES.includes(room)) expect.fail(`${path} imports the package ${specifier}`)
        continue
      }
      const target = relative(source, join(source, dirname(path), specifier))
      expect(target.startsWith('..')).toBe(false)
      const targetRoom = roomOf(target)
      // Files beside the rooms (errors, random numbers) may be used by all; index.ts is the way out, not in.
      if (targetRoom === '' || room === '') {
        expect(target === 'index.js' && room !== '').toBe(false)
        continue
      }
      expect(ROOMS.indexOf(targetRoom), `${path} imports ${specifier}`).toBeLessThanOrEqual(ROOMS.indexOf(room))
    }
  })

  it.each(files.filter(path => !MAY_TOUCH_THE_WORLD.includes(roomOf(path))))('%s leaves console, clock and files alone', path => {
    const code = read(path)
    expect(code).not.toMatch(/\bconsole\.|\bprocess\.|\bDate\b|from 'node:/)
    if (!READS_THE_CLOCK.includes(path)) expect(code).not.toMatch(/performance\.now/)
  })

  it.each(files.filter(path => roomOf(path) === 'cli' && path !== 'cli/terminal.ts'))('%s prints through cli/terminal', path => {
    expect(read(path)).not.toMatch(/\bconsole\.|\bprocess\.std(?:out|err)\.write/)
  })

  it.each(files.filter(path => WITHOUT_DEPENDENCIES.includes(roomOf(path)) && path !== KNOWS_ITS_HOST))(
    '%s runs in Node and on pages alike',
    path => {
      expect(read(path)).not.toMatch(/'node:|\bprocess\?|\bnavigator\b|\bnew Worker\b|\bdocument\.|\bwindow\./)
    },
  )

  it('has a door to all formats behind which nothing needs Node', () => {
    const reached = new Set<string>()
    const walk = (path: string) => {
      if (reached.has(path)) return
      reached.add(path)
      expect(read(path), path).not.toMatch(/'node:|\bprocess\.|\bBuffer\b/)
      for (const specifier of importsOf(path).filter(name => name.startsWith('.')))
        walk(join(dirname(path), specifier).replace(/\.js$/, '.ts'))
    }
    walk('io/formats.ts')
    const rest = files.filter(path => roomOf(path) === 'io' && !reached.has(path)).sort()
    expect(rest).toEqual(NEEDS_NODE.map(name => `io/${name}.ts`))
  })

  it('has one place that chooses what a liquid runs on', () => {
    const compiled = files.filter(path => path.startsWith('liquid/compiled/'))
    const choosing = files.filter(path => roomOf(path) === 'liquid' && !compiled.includes(path))
    const importing = choosing.filter(path => importsOf(path).some(name => /compiled\/|machine\/(machine|generated)/.test(name)))
    expect(importing).toEqual(['liquid/engine.ts'])
  })

  it('keeps files and lines of a size one can read', () => {
    for (const path of files) expect(read(path).split('\n').length, path).toBeLessThanOrEqual(400)
  })
})
