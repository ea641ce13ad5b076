/** Arguments of the command line that nobody should give. The verbs that are tried change nothing and take little time. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { main } from '../../src/cli/main.js'
import { fuzz } from './fuzz.js'
import { STRINGS, WORDS } from './mutate.js'

const before = process.cwd()
let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'peel-fuzz-'))
  process.chdir(home)
  await writeFile('bad.A.mtx', '%%MatrixMarket matrix array real general\n')
  await writeFile('bad.npz', 'PK')
  await writeFile('bad.json', '{"version":1}')
})
afterAll(async () => {
  process.chdir(before)
  await rm(home, { recursive: true, force: true })
})

const NAMES = [
  'splash',
  'lai-square',
  'gallery:half-ball',
  'gallery:tank',
  'gallery:',
  'bad',
  'bad.npz',
  'bad.json',
  '.',
  '..',
  '/',
  'none',
]
const VERBS = ['check', 'info', 'solve', 'scenes', 'gallery', 'solvers', 'export', 'help', 'nonsense', '']
const FLAGS = [
  '--json',
  '--size',
  '--dims',
  '--set',
  '--resolution',
  '--solver',
  '--tolerance',
  '--max-iterations',
  '--engine',
  '--threads',
  '--guess',
  '--repeat',
  '--format',
  '--frames',
  '--what',
  '--width',
  '--substep',
  '-o',
  '--history',
  '--relative',
  '--',
  '-',
  '--help',
  '--version',
]
// Numbers that make small problems only, and what is no number at all.
const VALUES = [
  ...WORDS.filter(word => !(Number(word) > 16) || Number(word) > 1e6),
  ...STRINGS,
  '8',
  '2',
  '3',
  'psor',
  'all',
  'ply',
  '1-3',
  'time.frames=2',
  'sweeps=1',
  '=',
  'a=b',
]

fuzz('command line', 1500, async draw => {
  const printed: string[] = []
  const keep = (text: unknown) => printed.push(String(text)) > 0
  vi.spyOn(console, 'log').mockImplementation(keep)
  vi.spyOn(console, 'error').mockImplementation(keep)
  vi.spyOn(process.stdout, 'write').mockImplementation(keep)
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
  try {
    const verb = draw.chance(0.9) ? draw.pick(VERBS) : draw.pick(VALUES)
    const size = verb === 'solve' || verb === 'info' ? ['--size', '8'] : []
    const more = Array.from({ length: draw.below(5) }, () => (draw.chance(0.6) ? draw.pick(FLAGS) : draw.pick(VALUES)))
    const code = await main([verb, draw.pick(draw.chance(0.8) ? NAMES : VALUES), ...size, ...more])
    if (![0, 1, 2].includes(code)) throw new Error(`the exit code is ${code}`)
    if (printed.join('').includes('\x1b')) throw new Error('an escape was printed')
    if (code === 1 && printed.length === 0) throw new Error('it failed without a word')
    return `ended with ${code}`
  } finally {
    vi.restoreAllMocks()
  }
})
