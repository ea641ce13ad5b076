// npm run bench:blender: whole frames of a breaking dam, Peel beside Blender. What is measured is described in docs/performance.md.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { InputError } from 'peel'
import { formatChart, loadScene, openSection, writeFileWhole } from 'peel/io'
import { describeMachine, positive, wholeNumbers } from '../arguments.mjs'
import { tidyWhenInterrupted } from '../interruption.mjs'
import { loadTypeScript } from '../load-typescript.mjs'
import { installPackages, run } from '../packages.mjs'
import { clearProgress, showProgress } from '../progress.mjs'

const { blenderPoints, formatBlenderReport } = await loadTypeScript('bench/blender/report.ts')
const { CONTENDERS } = await loadTypeScript('bench/blender/results.ts')

const here = path.dirname(fileURLToPath(import.meta.url))
const SCENE = 'cm-dam-break-box'
const MARK = 'bench blender'
const TITLE = 'Peel and Blender: seconds per frame, dam break'
/** Time limit of one simulation, in ms. */
const PATIENCE = 60 * 60_000
/** Blender's smallest domain has 6 cells a side, two of them walls; below 8 the column is a few cells wide. */
const MIN_CELLS = 8

const program = new Command('bench:blender')
  .description('Simulate a dam break in a box with Peel and with Blender: seconds per frame, memory, ratios and goals.')
  .option('--sizes <N,N,…>', 'cells per side', wholeNumbers, [64, 128])
  .option('--frames <N>', 'frames after the start, 24 per second', positive, 12)
  .option('--rounds <N>', 'simulations per contender', positive, 3)
  .option('--threads <N>', 'threads per contender', positive, 2)
  .option('--substeps <N>', "largest number of substeps per frame, for both; 4 is Blender's default", positive, 4)
  .option(
    '--band <N>',
    'depth in cells of the band with particles, for both, at least 3; above 12 Peel has them everywhere',
    positive,
    3,
  )
  .option('--no-install', 'do not install Debian packages')
  .option('--out <FOLDER>', 'folder for blender.json, blender.md and blender.svg', path.join(here, 'results'))
  .option('--into <FILE.md>', 'also insert the report between the marks of this document, and the chart beside it')
  .addHelpText('after', '\nExample:\n  npm run bench:blender -- --sizes 32 --frames 8 --rounds 1')

try {
  process.exitCode = await main(program.parse().opts())
} catch (error) {
  if (!(error instanceof InputError)) throw error
  process.stderr.write(`bench:blender: ${error.message}\n`)
  process.exitCode = 1
}

async function main(flags) {
  const small = flags.sizes.find(size => size < MIN_CELLS)
  if (small !== undefined) throw new InputError(`The dam needs at least ${MIN_CELLS} cells per side, not ${small}.`)
  const section = flags.into && (await openSection(flags.into, MARK))
  const blender = findBlender(flags.install)
  const { frames, threads, substeps, band } = flags
  const about = { date: new Date().toISOString().slice(0, 10), machine: describeMachine(), blender, load: os.loadavg()[0] }
  const entries = flags.sizes.flatMap(size => CONTENDERS.map(contender => ({ size, contender, rounds: [] })))
  const result = { ...about, frames, threads, substeps, band, entries }
  // A run takes long: what is measured is there even if the rest never comes.
  const save = () => writeFileWhole(path.join(flags.out, 'blender.json'), `${JSON.stringify(result, null, 1)}\n`)
  fs.mkdirSync(flags.out, { recursive: true })
  for (const size of flags.sizes)
    await race(
      size,
      entries.filter(entry => entry.size === size),
      flags,
      save,
    )
  await publish(result, flags, section)
  return entries.every(({ failure }) => failure === undefined) ? 0 : 2
}

/** What `blender --version` calls it. */
function findBlender(mayInstall) {
  const version = () => /^Blender [\d.]+/m.exec(run('blender', ['--version']).stdout ?? '')?.[0]
  const found = version()
  if (found) return found
  const obstacle = mayInstall ? installPackages(['blender'], say) : 'installing is disabled (--no-install)'
  const installed = obstacle ? undefined : version()
  if (installed) return installed
  const why = obstacle ?? 'they are installed and it does not start'
  throw new InputError(`Blender was not found; it is available as Debian packages, but ${why}.`)
}

// ---- measuring

/** All contenders at one size, one after the other in every round; the order moves on by one, so that none always follows the same one. */
async function race(size, entries, flags, save) {
  const commands = await contenders(size, flags)
  for (let round = 0; round < flags.rounds; round++)
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(turn + round) % entries.length]
      if (entry.failure !== undefined) continue
      showProgress(`dam break ${size}³: ${entry.contender}, round ${round + 1} of ${flags.rounds}`)
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peel-blender-'))
      const began = Date.now() / 1000
      try {
        const { ready, ...round } = await simulate(commands[entry.contender](path.join(folder, 'kept')), folder)
        entry.rounds.push({ setup: ready - began, ...round })
      } catch (error) {
        entry.failure = error.message
        say(`${entry.contender} at ${size}³: ${error.message}`)
      } finally {
        fs.rmSync(folder, { recursive: true, force: true })
      }
      await save()
    }
}

/** For every contender, its command to simulate into a folder. */
async function contenders(size, { frames, threads, substeps, band }) {
  const changes = [
    ['domain.resolution', size],
    ['time.maxSubsteps', substeps],
    ['particles.band', band > 12 ? 0 : band],
  ]
  const { scene } = await loadScene(SCENE, changes)
  const { domain, liquid, time, particles, gravity } = scene
  const toBlender = ([x, y, z]) => [x, z, y]
  const settings = {
    cells: size,
    frames,
    size: domain.size[0],
    low: toBlender(liquid[0].min),
    high: toBlender(liquid[0].max),
    gravity: toBlender(gravity),
    fps: time.fps,
    cfl: time.cfl,
    minSubsteps: time.minSubsteps,
    maxSubsteps: time.maxSubsteps,
    flipRatio: particles.flipRatio,
    particlesPerEdge: Math.round(Math.cbrt(particles.perCell ?? 8)),
    jitter: particles.jitter,
    band,
  }
  const peel = [process.execPath, path.join(here, 'peel.mjs'), SCENE, JSON.stringify(changes), String(frames), String(threads)]
  const blender = ['blender', '--background', '--factory-startup', '--threads', String(threads), '--python-exit-code', '1']
  return {
    peel: folder => [...peel, folder],
    'peel, nothing kept': () => peel,
    blender: cache => [...blender, '--python', path.join(here, 'dam.py'), '--', JSON.stringify({ ...settings, cache })],
  }
}

/** Runs one simulation to its end and returns what it says: its last line of JSON. */
function simulate(command, folder) {
  return new Promise((resolve, reject) => {
    const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    let complaints = ''
    child.stdout.on('data', data => {
      said += data
    })
    child.stderr.on('data', data => {
      complaints = (complaints + data).slice(-4000)
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
    const stopTidying = tidyWhenInterrupted(() => {
      child.kill('SIGKILL')
      fs.rmSync(folder, { recursive: true, force: true })
    })
    child.on('error', error => finish(() => reject(new Error(`it cannot be started (${error.code ?? error.message})`))))
    child.on('close', (code, signal) =>
      finish(() => {
        const answer = said.split('\n').findLast(line => line.startsWith('{'))
        if (code === 0 && answer) resolve(JSON.parse(answer))
        else reject(new Error(`it ended with ${signal ?? code}${lastWords(complaints)}`))
      }),
    )

    function finish(settle) {
      clearTimeout(timer)
      stopTidying()
      settle()
    }
  })
}

/** Of a traceback, the last line says what was wrong. */
function lastWords(text) {
  const line = text.split('\n').findLast(part => /[a-z]{3}/i.test(part))
  return line ? `: ${line.trim()}` : ''
}

// ---- publishing

async function publish(result, { out, into }, section) {
  const report = formatBlenderReport(result)
  const points = blenderPoints(result)
  await writeFileWhole(path.join(out, 'blender.md'), `${report}\n`)
  // No simulation succeeded: there is nothing to draw, and the report says so.
  const charts = points.length === 0 ? [] : [out, ...(section ? [path.dirname(into)] : [])]
  for (const folder of charts)
    await writeFileWhole(path.join(folder, 'blender.svg'), await formatChart(points, { title: TITLE, label: 's a frame' }))
  if (section) await section.write(`${report}\n\n![${TITLE}](blender.svg)`)
  clearProgress()
  process.stdout.write(`${report}\n`)
  say(`written to ${path.relative(process.cwd(), out) || '.'}`)
}

/** Standard output is the report's. */
function say(what) {
  clearProgress()
  process.stderr.write(`bench:blender: ${what}\n`)
}
