// npm run bench:peers: Peel beside native peers on the same systems. What is measured is described in docs/performance.md.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { gallery, InputError } from 'peel'
import { formatChart, openSection, writeFileWhole } from 'peel/io'
import { describeMachine, positive, positiveNumber, wholeNumbers, words } from '../arguments.mjs'
import { tidyWhenInterrupted } from '../interruption.mjs'
import { loadTypeScript } from '../load-typescript.mjs'
import { clearProgress, showProgress } from '../progress.mjs'
import { startContender } from './contender.mjs'
import { buildFolder, commandOf, natives, packagesOf, peerNames, prepareNatives } from './natives.mjs'
import { galleryName } from './system-file.mjs'

const { formatReport } = await loadTypeScript('bench/peers/report.ts')
const { median, PEEL, reached } = await loadTypeScript('bench/peers/results.ts')

const here = path.dirname(fileURLToPath(import.meta.url))
const MARK = 'bench peers'
const TITLE = 'Peel and native peers: time per unknown, set-up and solve'
/** Every contender runs unmeasured for this long, in ms: caches, page tables and compilers warm up. */
const WARM_UP = 1500
/** In a round everyone solves for this long, in ms, once at least, and its median counts: the first solve after a pause finds cold caches, which
 *  matters where solves are short. */
const TURN = 300

const program = new Command('bench:peers')
  .description('Compare Peel with native solvers on the same systems: times, iterations, memory, ratios and goals.')
  .option('--sizes <N,N,…>', 'cells per side', wholeNumbers, [64, 128, 256])
  .option('--problems <NAME,…>', 'half-ball, shells, or another 3D problem of the gallery', words, ['half-ball', 'shells'])
  .option('--rounds <N>', 'rounds of measured solves per contender', positive, 5)
  .option('--threads <N,N,…>', 'threads or ranks', wholeNumbers, [1, 2])
  .option('--tolerance <1/s>', 'largest natural residual', positiveNumber, 1e-6)
  .option('--peers <NAME,…>', `of ${peerNames.join(', ')}, or all or none`, words, ['all'])
  .option('--no-install', 'do not install Debian packages')
  .option('--engine <NAME>', "engine option of Peel's solver")
  .option('--set <OPTION=VALUE>', "another option of Peel's solver; can be repeated", collect, {})
  .option('--out <FOLDER>', 'folder for peers.json, peers.md and peers.svg', path.join(here, 'results'))
  .option('--into <FILE.md>', 'also insert the report between the marks of this document, and the chart beside it')
  .addHelpText('after', '\nExample:\n  npm run bench:peers -- --sizes 64 --rounds 3 --threads 1')

try {
  process.exitCode = await main(program.parse().opts())
} catch (error) {
  if (!(error instanceof InputError)) throw error
  process.stderr.write(`bench:peers: ${error.message}\n`)
  process.exitCode = 1
}

async function main(flags) {
  checkProblems(flags)
  const section = flags.into && (await openSection(flags.into, MARK))
  const wanted = choosePeers(flags.peers)
  const run = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    load: os.loadavg()[0],
    tolerance: flags.tolerance,
  }
  // Without peers nothing is compiled either; the triad is only of use beside them.
  const tools = wanted.length > 0 ? ['triad'] : []
  const { paths, missing } = prepareNatives([...wanted, ...tools], { install: flags.install, say })
  for (const sentence of missing) say(sentence)
  const unwanted = peerNames.filter(name => !wanted.includes(name))
  if (unwanted.length > 0)
    missing.push(
      `Not compared: ${unwanted.join(', ')}; --peers all adds them and installs their Debian packages ` +
        `(${packagesOf(unwanted).join(', ')}) where it may.`,
    )

  const options = { ...flags.set }
  const entries = []
  const bandwidths = []
  for (const size of flags.sizes)
    for (const problem of flags.problems) {
      const file = writeSystemFile(problem, size)
      const stopTidying = tidyWhenInterrupted(() => fs.rmSync(file, { force: true }))
      try {
        const group = await race(problem, size, contenders(flags, options, wanted, paths, file), flags)
        entries.push(...group.entries)
        bandwidths.push({ problem, size, triads: triads(paths, group.unknowns, flags.threads), sweeps: group.sweeps })
      } finally {
        stopTidying()
        fs.rmSync(file, { force: true })
      }
    }
  const result = {
    ...run,
    peel: { ...options, ...(flags.engine === undefined ? {} : { engine: flags.engine }) },
    entries,
    bandwidths,
    missing,
  }
  await publish(result, flags, section)
  const peel = entries.filter(({ contender }) => contender === PEEL)
  return peel.every(entry => reached(entry, flags.tolerance)) ? 0 : 2
}

// ---- who takes part

function choosePeers(names) {
  if (names.includes('none')) return []
  if (names.includes('all')) return peerNames
  for (const name of names)
    if (!peerNames.includes(name)) throw new InputError(`Unknown peer "${name}"; use one of ${peerNames.join(', ')}.`)
  return peerNames.filter(name => names.includes(name))
}

/** One process each, so that every one has a peak of memory of its own. */
function contenders({ threads, tolerance, engine }, options, wanted, paths, file) {
  const peelCommand = (walls, count) => {
    const chosen = {
      set: { walls, ...options },
      setting: { engine: engine ?? (count === 1 ? 'wasm' : 'threads'), threads: count },
    }
    return [process.execPath, path.join(here, 'peel.mjs'), file, String(tolerance), JSON.stringify(chosen)]
  }
  return threads.flatMap(count => {
    const peel = [
      { contender: PEEL, system: 'lcp', threads: count, command: peelCommand('separating', count) },
      { contender: PEEL, system: 'linear', threads: count, command: peelCommand('sticking', count) },
    ]
    const peers = wanted
      .filter(name => paths.has(name) && (count === 1 || natives[name].ranks))
      .map(name => ({
        contender: name,
        system: natives[name].system,
        threads: count,
        command: [...commandOf(name, paths.get(name), count), file, String(tolerance)],
      }))
    return [...peel, ...peers]
  })
}

// ---- measuring

/** The middle one, by time, of the solves of one turn. */
async function typicalSolve(contender) {
  const solves = []
  const began = performance.now()
  do solves.push(await contender.ask('solve'))
  while (performance.now() - began < TURN)
  return solves.sort((a, b) => a.wall - b.wall)[(solves.length - 1) >> 1]
}

/** All contenders on one system, each solving in turn. The order moves on by one every round, so that none always follows the same one. */
async function race(problem, size, field, { rounds }) {
  const entries = field.map(({ contender, system, threads }) => ({ problem, size, system, contender, threads, rounds: [] }))
  const processes = field.map(() => undefined)
  const attempt = async (at, what, work) => {
    if (entries[at].failure !== undefined) return
    showProgress(`${problem} ${size}: ${field[at].contender} ${field[at].system}, ${field[at].threads} thread(s), ${what}`)
    try {
      await work()
    } catch (error) {
      entries[at].failure = error.message
      say(`${field[at].contender} on ${problem} ${size}: ${error.message}`)
    }
  }
  const sweeps = []
  try {
    for (let at = 0; at < field.length; at++)
      await attempt(at, 'warm-up', async () => {
        processes[at] = await startContender(field[at].command)
        const { unknowns, loadedMb } = processes[at].loaded
        Object.assign(entries[at], { unknowns, loadedMb })
        const began = performance.now()
        while (performance.now() - began < WARM_UP) await processes[at].ask('solve')
      })
    for (let round = 0; round < rounds; round++)
      for (let turn = 0; turn < field.length; turn++) {
        const at = (turn + round) % field.length
        await attempt(at, `round ${round + 1} of ${rounds}`, async () => {
          entries[at].rounds.push(await typicalSolve(processes[at]))
        })
      }
    // Last, so that its memory counts towards no other's peak.
    for (let at = 0; at < field.length; at++)
      if (field[at].contender === PEEL && field[at].system === 'lcp')
        await attempt(at, 'sweep', async () => {
          const { sweep } = await processes[at].ask('sweep')
          if (sweep) sweeps.push(sweep)
        })
  } finally {
    await Promise.all(processes.map(process => process?.close()))
  }
  for (const entry of entries) {
    entry.unknowns ??= 0
    entry.loadedMb ??= 0
  }
  return { entries, sweeps, unknowns: Math.max(...entries.map(({ unknowns }) => unknowns)) }
}

function triads(paths, length, threads) {
  if (!paths.has('triad')) return []
  return threads.map(count => {
    const { stdout } = spawnSync(paths.get('triad'), [String(length), String(count)], { encoding: 'utf8' })
    return JSON.parse(stdout)
  })
}

function writeSystemFile(problem, size) {
  say(`${problem} ${size}`)
  fs.mkdirSync(buildFolder, { recursive: true })
  const file = path.join(buildFolder, `${problem}-${size}-${process.pid}.system`)
  const { status, stderr } = spawnSync(process.execPath, [path.join(here, 'write-system.mjs'), problem, String(size), file], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new InputError(`${problem} of ${size}³ cells cannot be assembled: ${stderr.trim()}`)
  return file
}

// ---- publishing

async function publish(result, { out, into }, section) {
  const report = formatReport(result)
  const points = chartPoints(result)
  fs.mkdirSync(out, { recursive: true })
  await writeFileWhole(path.join(out, 'peers.json'), `${JSON.stringify(result, null, 1)}\n`)
  await writeFileWhole(path.join(out, 'peers.md'), `${report}\n`)
  // No solver succeeded: there is nothing to draw, and the report says so.
  const charts = points.length === 0 ? [] : [out, ...(section ? [path.dirname(into)] : [])]
  for (const folder of charts)
    await writeFileWhole(path.join(folder, 'peers.svg'), await formatChart(points, { title: TITLE, label: 'ns per unknown' }))
  if (section) await section.write(`${report}\n\n![${TITLE}](peers.svg)`)
  process.stdout.write(`${report}\n`)
  say(`written to ${path.relative(process.cwd(), out) || '.'}`)
}

function chartPoints({ entries, tolerance }) {
  return entries
    .filter(entry => reached(entry, tolerance))
    .map(({ problem, size, system, contender, threads, unknowns, rounds }) => ({
      column: problem,
      row: system === 'lcp' ? 'separating walls' : 'sticking walls',
      size,
      contender: threads === 1 ? contender : `${contender}, ${threads} threads`,
      value: (1e9 * median(rounds.map(({ wall }) => wall))) / unknowns,
    }))
}

// ---- the command line

/** Before anything is measured: a problem that cannot be built would cost the whole run. */
function checkProblems({ problems, sizes }) {
  for (const problem of problems) {
    const entry = gallery.find(({ name }) => name === galleryName(problem))
    if (!entry?.dims.includes(3)) throw new InputError(`The gallery has no 3D problem "${problem}".`)
    const small = sizes.find(size => size < entry.minSize)
    if (small !== undefined) throw new InputError(`"${problem}" needs at least ${entry.minSize} cells per side, not ${small}.`)
  }
}

/** Standard output is the report's. */
function say(what) {
  clearProgress()
  process.stderr.write(`bench:peers: ${what}\n`)
}

function collect(text, earlier) {
  const [name, ...value] = text.split('=')
  if (!name || value.length === 0) throw new InvalidArgumentError('Expected OPTION=VALUE.')
  return { ...earlier, [name]: value.join('=') }
}
