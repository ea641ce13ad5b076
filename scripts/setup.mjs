// Installs and builds what is not current, and nothing else. Kept to the syntax of Node 12, so that a Node that is too
// old for Peel can still read this file and say so.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { explain, explainBuild, explainInstall, explainKernels, Interrupted, SetUpError } from './explain.mjs'
import { areKernelsCurrent, GENERATED, kernelCommands, writeKernels } from './kernels.mjs'
import { withLock } from './lock.mjs'

const { tooOld } = createRequire(import.meta.url)('../bin/node-version.js')

const STAMP = '.peel-setup'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Throws a SetUpError, whose message is one sentence for the user. Writes to stderr only: stdout is the program's. */
export async function setUp({ root }) {
  checkNode(process.version)
  try {
    linkExamples(root)
    if (isInstalled(root) && isBuilt(root)) return
    await withLock(path.join(root, '.setup'), waiting, async recordChild => {
      if (!isInstalled(root)) await install(root, recordChild)
      if (!isBuilt(root)) await build(root, recordChild)
    })
  } catch (error) {
    throw explain(error, root)
  }
}

export function checkNode(version) {
  const sentence = tooOld(version)
  if (sentence) throw new SetUpError(sentence)
}

/** Shows why set-up failed and returns the exit code. */
export function report(error) {
  if (!(error instanceof SetUpError)) throw error
  if (error.output) process.stderr.write(`${error.output.trimEnd()}\n`)
  process.stderr.write(`peel: ${error.message}\n`)
  if (error instanceof Interrupted) process.kill(process.pid, error.signal)
  return 1
}

// ---- what is current

/** Says which packages belong in node_modules. Of package.json only what npm ci reads: a new script installs nothing. */
export function installHash(root) {
  const { dependencies, devDependencies, optionalDependencies, overrides, workspaces } = readJson(path.join(root, 'package.json'))
  return createHash('sha256')
    .update(JSON.stringify([process.platform, process.arch]))
    .update(JSON.stringify([dependencies, devDependencies, optionalDependencies, overrides, workspaces]))
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
}

/** By content, not by time: switching branches back and forth or copying a checkout leaves the build valid. */
function sourceHash(root) {
  const hash = createHash('sha256').update(installHash(root))
  const add = file => {
    const content = fs.readFileSync(path.join(root, file))
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  const walk = folder => {
    const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory()) walk(`${folder}/${entry.name}`)
      else if (entry.isFile() && folder !== GENERATED) add(`${folder}/${entry.name}`)
    }
  }
  add('tsconfig.json')
  add('tsconfig.build.json')
  walk('src')
  return hash.digest('hex')
}

const isInstalled = root => readStamp(path.join(root, 'node_modules')) === installHash(root)
const isBuilt = root => {
  const stamp = readStamp(path.join(root, 'dist'))
  return stamp !== undefined && stamp === sourceHash(root) && areKernelsCurrent(root)
}

function readStamp(folder) {
  try {
    return fs.readFileSync(path.join(folder, STAMP), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  }
}

const readJson = file => JSON.parse(fs.readFileSync(file, 'utf8'))

// ---- installing

async function install(root, recordChild) {
  const hash = installHash(root)
  const stamp = path.join(root, 'node_modules', STAMP)
  if (!isInstalledByHand(root)) {
    fs.rmSync(stamp, { force: true })
    await step('installing the tools it builds with (npm ci)', async () => {
      // The build needs the development packages even where npm is told to leave them out.
      // By default npm takes almost two minutes to find out that there is no network; these waits add up to twelve seconds.
      const retries = [
        '--fetch-retries=4',
        '--fetch-retry-factor=2',
        '--fetch-retry-mintimeout=1000',
        '--fetch-retry-maxtimeout=5000',
      ]
      const args = ['ci', '--include=dev', '--no-audit', '--no-fund'].concat(retries)
      const { code, output } = await run('npm', args, root, recordChild)
      if (code !== 0) throw explainInstall(output, code, root)
    })
  }
  fs.writeFileSync(stamp, hash)
}

/** Whether npm has installed everything already. npm writes this list last, so it exists only after a success. */
function isInstalledByHand(root) {
  const hidden = path.join(root, 'node_modules', '.package-lock.json')
  if (!fs.existsSync(hidden)) return false
  const present = readJson(hidden).packages
  const wanted = readJson(path.join(root, 'package-lock.json')).packages
  const isPresent = name => {
    const have = present[name]
    if (!have) return Boolean(wanted[name].optional)
    return have.version === wanted[name].version && have.integrity === wanted[name].integrity
  }
  return Object.keys(wanted).every(name => name === '' || isPresent(name))
}

/** Lets the examples find Peel by its name, as in programs that have it installed. npm would make the same link. */
function linkExamples(root) {
  const folder = path.join(root, 'examples', 'node_modules')
  const link = path.join(folder, 'peel')
  if (!fs.existsSync(path.dirname(folder)) || fs.existsSync(link)) return
  fs.mkdirSync(folder, { recursive: true })
  try {
    // Relative, so that it holds in a copy of the checkout; Windows has no relative links without special rights.
    fs.symlinkSync(process.platform === 'win32' ? root : path.join('..', '..'), link, 'junction')
  } catch (error) {
    // Another set-up was faster.
    if (error.code !== 'EEXIST') throw error
  }
}

// ---- building

async function build(root, recordChild) {
  const hash = sourceHash(root)
  const dist = path.join(root, 'dist')
  // Beside dist and as deep, because source maps hold relative paths.
  const fresh = path.join(root, 'dist.tmp')
  const old = path.join(root, 'dist.old.tmp')
  remove(fresh, old)
  if (!areKernelsCurrent(root)) await compileKernels(root, recordChild)
  await step('building (tsc)', async () => {
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh, '--pretty', String(Boolean(process.stderr.isTTY))]
    const { code, output } = await run(process.execPath, args, root, recordChild)
    if (code !== 0) {
      remove(fresh)
      throw explainBuild(output, code, root)
    }
  })
  fs.writeFileSync(path.join(fresh, STAMP), hash)
  if (fs.existsSync(dist)) fs.renameSync(dist, old)
  fs.renameSync(fresh, dist)
  remove(old)
}

/** The compiled loops, as a source file that the rest imports. */
async function compileKernels(root, recordChild) {
  await step('compiling the loops (asc)', async () => {
    const runs = kernelCommands(root).map(args => run(process.execPath, args, root, recordChild))
    for (const { code, output } of await Promise.all(runs)) {
      if (code !== 0) throw explainKernels(output, code, root)
    }
    writeKernels(root)
  })
}

function remove(...folders) {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
}

// ---- running and showing

function run(command, args, cwd, recordChild) {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32' && command === 'npm' // there npm is a batch file
    const child = spawn(command, args, { cwd, shell, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let interrupted
    child.stdout.on('data', data => {
      output += data
    })
    child.stderr.on('data', data => {
      output += data
    })
    const stop = signal => {
      interrupted = signal
      child.kill(signal)
    }
    for (const signal of SIGNALS) process.on(signal, stop)
    const settle = (finish, value) => {
      for (const signal of SIGNALS) process.removeListener(signal, stop)
      finish(value)
    }
    child.on('error', error => settle(reject, error))
    child.on('close', code => (interrupted ? settle(reject, new Interrupted(interrupted)) : settle(resolve, { code, output })))
    if (child.pid) {
      try {
        recordChild(child.pid)
      } catch (error) {
        child.kill()
        settle(reject, error)
      }
    }
  })
}

/** Shows one line: what is being done, then how long it took. */
async function step(what, work) {
  const done = begin(what)
  try {
    await work()
  } catch (error) {
    process.stderr.write('\n')
    throw error
  }
  done()
}

const waiting = pid => begin(`another set-up is at work in this folder (process ${pid}), waiting`)

function begin(what) {
  const start = Date.now()
  process.stderr.write(`peel: ${what} …`)
  return () => process.stderr.write(` ${((Date.now() - start) / 1000).toFixed(1)} s\n`)
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
  setUp({ root })
    .catch(report)
    .then(code => {
      process.exitCode = code || 0
    })
}
