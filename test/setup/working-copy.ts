// Copies of the project in temporary folders, and an npm that needs no network, for tests that run set-up for real.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  seconds: number
}

/** A folder that `dispose` removes with everything in it. The real path, because macOS links its temporary folder. */
export function temporaryFolder() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'peel-test-')))
  return { folder, dispose: () => fs.rmSync(folder, { recursive: true, force: true }) }
}

/** What a clone of this checkout with all its changes would hold. */
export function projectFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: project, encoding: 'utf8' })
  return list.split('\0').filter(file => file && fs.existsSync(path.join(project, file)))
}

export function copyProject(to: string, keep: (file: string) => boolean = () => true) {
  for (const file of projectFiles().filter(keep)) {
    fs.mkdirSync(path.dirname(path.join(to, file)), { recursive: true })
    fs.copyFileSync(path.join(project, file), path.join(to, file))
  }
}

/** The project with a few lines in place of its source, so that it builds in a moment and whatever state src is in. */
export function copyWithSmallSource(to: string) {
  copyProject(to, file => /^(bin|scripts)\/|^[^/]+$/.test(file))
  write(path.join(to, 'src/index.ts'), 'export const answer: number = 42\n')
  write(
    path.join(to, 'src/cli/main.ts'),
    [
      "import { answer } from '../index.js'",
      'export async function main(argv: string[]): Promise<number> {',
      '  console.log(JSON.stringify({ argv, answer, cwd: process.cwd() }))',
      "  return argv[0] === 'fail' ? 2 : 0",
      '}\n',
    ].join('\n'),
  )
}

export function write(file: string, text: string) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

type Behaviour = 'link' | 'slow' | 'offline' | 'half'

/**
 * Puts an `npm` first on the PATH that records its calls and answers `npm ci` from the node_modules of this checkout;
 * everything else goes to the real npm. `slow` takes a second, `offline` fails as without a network, and `half` leaves
 * a half-filled node_modules and then just stays.
 */
export function fakeNpm(folder: string, behaviour: Behaviour) {
  const real = execFileSync('bash', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  const bin = path.join(folder, `npm-${behaviour}`)
  const log = path.join(bin, 'calls')
  write(log, '')
  write(
    path.join(bin, 'npm'),
    `#!${process.execPath}
const fs = require('node:fs')
const path = require('node:path')
const args = process.argv.slice(2)
if (args[0] !== 'ci') {
  process.exit(require('node:child_process').spawnSync(${JSON.stringify(real)}, args, { stdio: 'inherit' }).status ?? 1)
}
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args, cwd: process.cwd(), pid: process.pid }) + '\\n')
const behaviour = ${JSON.stringify(behaviour)}
if (behaviour === 'offline') {
  console.error('npm error code ENOTFOUND\\nnpm error syscall getaddrinfo\\nnpm error network request to https://registry.invalid/vite failed')
  process.exit(1)
}
fs.rmSync('node_modules', { recursive: true, force: true })
fs.mkdirSync('node_modules')
if (behaviour === 'half') {
  fs.writeFileSync('node_modules/half', '')
  setTimeout(() => {}, 60_000)
} else {
  setTimeout(() => {
    const from = ${JSON.stringify(path.join(project, 'node_modules'))}
    // One link per package and not one for the folder: the stamp must land in the copy.
    for (const name of fs.readdirSync(from)) {
      if (name === '.bin' || !name.startsWith('.')) fs.symlinkSync(path.join(from, name), path.join('node_modules', name))
    }
  }, behaviour === 'slow' ? 1000 : 0)
}
`,
  )
  fs.chmodSync(path.join(bin, 'npm'), 0o755)
  return {
    env: cleanEnvironment({ PATH: `${bin}${path.delimiter}${process.env.PATH}` }),
    calls: (): { args: string[]; cwd: string; pid: number }[] =>
      fs
        .readFileSync(log, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line)),
  }
}

/** Without what npm and vitest tell their children, which would change how npm and vitest behave inside a test. */
export function cleanEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|vitest|node_env$|node_options$|init_cwd$|test$|dev$|prod$|mode$|base_url$|ssr$|peel_)/i.test(name),
  )
  return { ...Object.fromEntries(inherited), ...extra }
}

/** Runs without blocking, so that vitest hears from this worker meanwhile. */
export function start(command: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv; timeout?: number }) {
  const { timeout, ...rest } = options
  const began = Date.now()
  // With a time limit in a group of its own, since whatever it started has to go as well when the time is over.
  const child = spawn(command, args, { ...rest, detached: timeout !== undefined, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = timeout && child.pid ? setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), timeout) : undefined
  const outcome = new Promise<Outcome>((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', data => {
      stdout += data
    })
    child.stderr.on('data', data => {
      stderr += data
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, stdout, stderr, seconds: (Date.now() - began) / 1000 })
    })
  })
  return { child, outcome }
}

export const run = (...parameters: Parameters<typeof start>) => start(...parameters).outcome
