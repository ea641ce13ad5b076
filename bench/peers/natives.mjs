// The native peers: which Debian packages they need, how they are installed and compiled, and how they are started.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, run } from '../packages.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
/** Compiled drivers and systems in use; not under version control. */
export const buildFolder = path.join(here, 'build')

const HYPRE = {
  compiler: 'mpicxx',
  sources: ['system.hpp', 'slabs.hpp', '../../src/cluster/drivers/ranks.hpp'],
  packages: ['g++', 'libopenmpi-dev', 'openmpi-bin', 'libhypre-dev'],
  flags: () => [...hypreInclude().map(folder => `-I${folder}`), '-DOMPI_SKIP_MPICXX', '-lHYPRE'],
  ranks: true,
}

/** Everything that can be compiled here. `system`: what it solves; `ranks`: whether it takes more than one. */
export const natives = {
  'hypre-cg': { ...HYPRE, system: 'linear' },
  'hypre-policy': { ...HYPRE, system: 'lcp' },
  'petsc-vi': {
    compiler: 'mpicxx',
    sources: ['system.hpp'],
    packages: ['g++', 'libopenmpi-dev', 'openmpi-bin', 'libpetsc-real-dev', 'pkg-config'],
    flags: () => ['-DOMPI_SKIP_MPICXX', ...petscFlags()],
    system: 'lcp',
    ranks: false,
  },
  triad: { compiler: 'g++', sources: [], packages: ['g++'], flags: () => ['-pthread'], ranks: false },
}

export const peerNames = Object.keys(natives).filter(name => natives[name].system)

export const packagesOf = names => [...new Set(names.flatMap(name => natives[name].packages))]

/** Compiles what is not current, after installing what is missing if that is allowed. Returns the path of every driver that can
 *  be run, and one sentence for each that cannot. */
export function prepareNatives(names, { install, say }) {
  const paths = new Map()
  const failures = new Map()
  const attempt = wanted => {
    for (const name of wanted) {
      const outcome = compile(name, say)
      if (outcome.path) paths.set(name, outcome.path)
      else failures.set(name, outcome.why)
    }
  }
  attempt(names)
  const packages = packagesOf([...failures.keys()])
  if (packages.length === 0) return { paths, missing: [] }
  const obstacle = install ? installPackages(packages, say) : 'installing is disabled (--no-install)'
  if (!obstacle) {
    const again = [...failures.keys()]
    failures.clear()
    attempt(again)
  }
  const missing = [...failures].map(([name, why]) => {
    const advice = obstacle
      ? `It comes with the Debian packages ${natives[name].packages.join(', ')}, but ${obstacle}.`
      : 'Its Debian packages are installed.'
    return `${name} is missing: ${why}. ${advice}`
  })
  return { paths, missing }
}

/** One rank per thread; a single one needs no launcher. */
export function commandOf(name, file, threads) {
  if (!natives[name].ranks || threads === 1) return [file]
  const asRoot = process.getuid?.() === 0 ? ['--allow-run-as-root'] : []
  const crowded = threads > os.cpus().length ? ['--oversubscribe'] : []
  return ['mpirun', '-np', String(threads), '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1', ...asRoot, ...crowded, file]
}

// ---- compiling

function compile(name, say) {
  const { compiler, sources, flags } = natives[name]
  const version = run(compiler, ['--version'])
  if (version.error) return { why: `there is no compiler ${compiler}` }
  let chosen
  try {
    chosen = ['-std=c++17', '-O3', '-march=native', ...flags()]
  } catch (error) {
    return { why: error.message }
  }
  const source = path.join(here, `${name}.cpp`)
  const hash = createHash('sha256').update(JSON.stringify([version.stdout, chosen, os.cpus()[0]?.model]))
  for (const file of [source, ...sources.map(header => path.join(here, header))]) hash.update(fs.readFileSync(file))
  const target = path.join(buildFolder, `${name}-${hash.digest('hex').slice(0, 16)}`)
  if (fs.existsSync(target)) return { path: target }
  say(`compiling ${name}`)
  fs.mkdirSync(buildFolder, { recursive: true })
  const temporary = `${target}.${process.pid}.tmp`
  // Libraries after the source, or the linker drops them.
  const { status, stderr } = run(compiler, [source, '-o', temporary, ...chosen])
  if (status !== 0) {
    fs.rmSync(temporary, { force: true })
    return { why: `${compiler} says "${firstError(stderr)}"` }
  }
  for (const old of fs.readdirSync(buildFolder))
    if (old.startsWith(`${name}-`) && /^[0-9a-f]{16}$/.test(old.slice(name.length + 1))) fs.rmSync(path.join(buildFolder, old))
  fs.renameSync(temporary, target)
  return { path: target }
}

/** Debian keeps the headers in a folder of their own and has no pkg-config file for them. */
function hypreInclude() {
  const own = process.env.HYPRE_DIR && path.join(process.env.HYPRE_DIR, 'include')
  return [own, '/usr/include/hypre'].filter(folder => folder && fs.existsSync(path.join(folder, 'HYPRE.h')))
}

function petscFlags() {
  const { status, error, stdout } = run('pkg-config', ['--cflags', '--libs', 'PETSc'])
  if (error) throw new Error('there is no pkg-config')
  if (status !== 0) throw new Error('pkg-config does not know PETSc')
  return stdout.trim().split(/\s+/)
}

const firstError = text => (/(?:fatal )?error: (.*)/.exec(text)?.[1] ?? text.trim().split('\n')[0] ?? 'nothing').trim()
