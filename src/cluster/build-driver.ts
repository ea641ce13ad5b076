/** Drivers are shipped as source and compiled on first use, because MPI and hypre differ from cluster to cluster. Kept outside of the
 *  project, under a name made of all they were compiled from. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRunnable, openCache, storeDriver } from './driver-cache.js'
import { DriverFailure, PACKAGES } from './driver-failure.js'

export { cacheFolder } from './driver-cache.js'

/** grid: hypre's structured solvers. rows: PETSc, for matrices without a grid. */
export type DriverName = 'grid' | 'rows'

export interface Driver {
  readonly path: string
  /** What it was compiled from, as the driver reports it. */
  readonly version: string
  /** Name and version of its library. */
  readonly library: string
  /** Whether it had to be compiled now. */
  readonly fresh: boolean
}

const SOURCES: Record<DriverName, readonly string[]> = {
  grid: ['ranks.hpp', 'sha256.hpp', 'bridge.hpp', 'tiles.hpp', 'grid.cpp'],
  rows: ['ranks.hpp', 'sha256.hpp', 'bridge.hpp', 'rows.cpp'],
}
/** The same place seen from src/ and from dist/. */
const SOURCE_FOLDER = fileURLToPath(new URL('../../src/cluster/drivers/', import.meta.url))

export async function buildDriver(name: DriverName, say: (what: string) => void = () => {}): Promise<Driver> {
  const compiler = process.env.PEEL_MPICXX || 'mpicxx'
  const wrapped = await identifyCompiler(compiler)
  const { library, flags } = name === 'grid' ? await findHypre(compiler) : await findPetsc()
  const hash = createHash('sha256').update(JSON.stringify([compiler, wrapped, library, flags]))
  for (const file of SOURCES[name]) hash.update(readFileSync(join(SOURCE_FOLDER, file)))
  const version = hash.digest('hex').slice(0, 16)
  const path = join(openCache(), `${name}-${version}`)
  if (isRunnable(path)) return { path, version, library, fresh: false }
  say(`compiling the driver for ${library}`)
  await storeDriver(path, async target => {
    // Libraries after the source, or the linker drops them. Nodes may differ, so nothing that only this processor has.
    const args = ['-std=c++17', '-O3', '-pthread', '-DOMPI_SKIP_MPICXX', `-DPEEL_DRIVER="${version}"`]
    const { code, stderr } = await run(compiler, [...args, join(SOURCE_FOLDER, `${name}.cpp`), '-o', target, ...flags])
    if (code !== 0) throw new DriverFailure('missing', `${compiler} could not compile the driver: "${firstError(stderr)}".`)
  })
  return { path, version, library, fresh: true }
}

/** The command that an MPI compiler wraps: it names the MPI library. */
async function identifyCompiler(compiler: string): Promise<string> {
  for (const flag of ['--showme', '-show']) {
    const { error, code, stdout } = await run(compiler, [flag])
    if (error)
      throw new DriverFailure(
        'missing',
        `There is no MPI compiler "${compiler}"; install it (on Debian: apt-get install ${PACKAGES.compiler}), or set PEEL_MPICXX to another.`,
      )
    if (code === 0) return stdout.trim()
  }
  throw new DriverFailure('missing', `"${compiler}" is not a compiler of Open MPI or MPICH; set PEEL_MPICXX to one.`)
}

/** hypre has no pkg-config file: the compiler's own folders are tried, then Debian's, after HYPRE_DIR if that is set. */
async function findHypre(compiler: string): Promise<{ library: string; flags: string[] }> {
  // Absolute: ranks look for the library there, wherever they run.
  const own = process.env.HYPRE_DIR && resolve(process.env.HYPRE_DIR)
  const candidates = own
    ? [[`-I${join(own, 'include')}`, `-L${join(own, 'lib')}`, `-Wl,-rpath,${join(own, 'lib')}`]]
    : [[], ['-I/usr/include/hypre'], ['-I/usr/local/include/hypre']]
  for (const flags of candidates) {
    const includes = flags.filter(flag => flag.startsWith('-I'))
    const { code, stdout } = await run(compiler, [
      '-E',
      '-dM',
      '-x',
      'c++',
      ...includes,
      '-include',
      'HYPRE_config.h',
      '/dev/null',
    ])
    const release = /HYPRE_RELEASE_VERSION "([^"]+)"/.exec(stdout)
    if (code === 0 && release) return { library: `hypre ${release[1]}`, flags: [...flags, '-lHYPRE'] }
  }
  throw new DriverFailure(
    'missing',
    `hypre is missing; install it (on Debian: apt-get install ${PACKAGES.hypre}), or set HYPRE_DIR to its folder.`,
  )
}

async function findPetsc(): Promise<{ library: string; flags: string[] }> {
  for (const name of ['PETSc', 'petsc']) {
    const { code, stdout } = await run('pkg-config', ['--modversion', name])
    if (code !== 0) continue
    const flags = await run('pkg-config', ['--cflags', '--libs', name])
    return { library: `PETSc ${stdout.trim()}`, flags: flags.stdout.trim().split(/\s+/) }
  }
  throw new DriverFailure(
    'missing',
    `Matrices without a grid need PETSc, which is missing; install it (on Debian: apt-get install ${PACKAGES.petsc}), or use --solver mprgp.`,
  )
}

interface Outcome {
  readonly error?: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise(resolve => {
    execFile(command, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const code = (error as NodeJS.ErrnoException | null)?.code
      if (typeof code === 'string') resolve({ error: code, code: 127, stdout, stderr })
      else resolve({ code: error ? Number(code ?? 1) : 0, stdout, stderr })
    })
  })
}

function firstError(text: string): string {
  const lines = text.split('\n').filter(line => line.trim())
  return (/(?:fatal )?error: (.*)/.exec(text)?.[1] ?? lines.at(-1) ?? 'nothing').trim()
}
