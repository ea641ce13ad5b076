/** What can be missing or refused before a driver solves anything, as real launchers say it where they can. */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildDriver } from '../../../src/cluster/build-driver.js'
import type { ClusterOptions } from '../../../src/cluster/cluster-solver.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import { kkt } from '../../support/problems.js'
import { fakeDriver } from '../fake-driver.js'
import { createStandIns } from '../stand-ins.js'
import { expectGone, findRanks, newRanks, openSolver, zeros } from './support.js'

const { problem } = galleryProblem('half-ball', { size: 17 })
const standIns = createStandIns()

let before: number[]
beforeEach(() => {
  before = findRanks()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await expectGone(newRanks(before))
})

async function solve(options: ClusterOptions) {
  const solver = openSolver({ ranks: 2, oversubscribe: false, ...options })
  const p = zeros(problem)
  const result = await solver.solve(problem, p)
  await solver.close()
  return { ...result, p }
}

/** A launcher that changes its arguments before it hands them to the real one. */
const passOn = (name: string, change: string) =>
  standIns.script(name, `#!/bin/bash\nif [ "$1" = --version ]; then exec mpiexec --version; fi\n${change}\nexec mpiexec "$@"\n`)
/** All arguments but the driver and its address are kept. */
const insteadOfDriver = (path: string) => `set -- "\${@:1:$#-2}" ${path}`

describe('before it starts', () => {
  it('names the package of a launcher that is missing, and solves locally where that is wanted', async () => {
    const failed = await solve({ launcher: 'no-such-launcher' })
    expect(failed).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/no launcher "no-such-launcher".*openmpi-bin/),
    })
    const local = await solve({ launcher: 'no-such-launcher', fallback: 'local' })
    expect(local).toMatchObject({ status: 'converged', note: expect.stringContaining('openmpi-bin') })
    expect(kkt(problem, local.p).residual).toBeLessThanOrEqual(1e-6)
  })

  it('does not take any program for a launcher', async () => {
    expect((await solve({ launcher: 'cat' })).message).toMatch(/"cat" is not one of Open MPI, MPICH, SLURM/)
  })

  it('names the packages of a compiler and of a library that are missing', async () => {
    vi.stubEnv('PEEL_MPICXX', 'no-such-compiler')
    expect((await solve({})).message).toMatch(/no MPI compiler "no-such-compiler".*libopenmpi-dev/)
    vi.stubEnv('PEEL_MPICXX', '')
    vi.stubEnv('HYPRE_DIR', '/nowhere')
    expect((await solve({})).message).toMatch(/hypre is missing.*libhypre-dev/)
  })

  it('says what the compiler says', async () => {
    vi.stubEnv('PEEL_CACHE', join(standIns.folder, 'broken-cache'))
    const broken = `#!/bin/bash\nif [ "$1" = -std=c++17 ]; then echo 'driver.cpp: error: no such luck' >&2; exit 1; fi\nexec mpicxx "$@"\n`
    vi.stubEnv('PEEL_MPICXX', standIns.script('broken-mpicxx', broken))
    expect((await solve({})).message).toMatch(/could not compile the driver: "no such luck"/)
  })

  it('compiles once, and again when anything it was compiled from differs', async () => {
    vi.stubEnv('PEEL_CACHE', join(standIns.folder, 'cache'))
    // Compiles nothing in earnest.
    const quick = (name: string) =>
      standIns.script(
        name,
        `#!/bin/bash\nif [ "$1" != -std=c++17 ]; then exec mpicxx "$@"; fi\nwhile [ "$1" != -o ]; do shift; done\ncp /bin/true "$2"\n`,
      )
    vi.stubEnv('PEEL_MPICXX', quick('quick-mpicxx'))
    const [first, second] = [await buildDriver('grid'), await buildDriver('grid')]
    expect([first.fresh, second.fresh]).toEqual([true, false])
    expect(second.path).toBe(first.path)
    vi.stubEnv('PEEL_MPICXX', quick('other-mpicxx'))
    expect((await buildDriver('grid')).version).not.toBe(first.version)
  })
})

describe('while it starts', () => {
  it('asks for fewer ranks when there are not enough slots', async () => {
    expect(await solve({ ranks: 500 })).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/not enough slots for 500 ranks.*--oversubscribe/),
    })
  })

  it('names a host that is unknown', async () => {
    const hosts = join(standIns.folder, 'hosts')
    writeFileSync(hosts, 'no-such-host.invalid slots=2\n')
    const ssh = standIns.script(
      'ssh',
      `#!/bin/bash\necho "ssh: Could not resolve hostname no-such-host.invalid: Name or service not known" >&2\nexit 255\n`,
    )
    const { message } = await solve({ hosts, address: '127.0.0.1', launcherArguments: `--mca plm_rsh_agent ${ssh}` })
    expect(message).toMatch(/host "no-such-host\.invalid" is unknown; correct the file given with --hosts/)
  })

  it('says that the driver is not on every node', async () => {
    const launcher = passOn('without-driver', insteadOfDriver('/nowhere/grid'))
    expect((await solve({ launcher })).message).toMatch(/does not exist on every node.*PEEL_CACHE/)
  })

  it('names a library that is missing on a node', async () => {
    const [library, program] = [join(standIns.folder, 'libabsent.so'), join(standIns.folder, 'needs-absent')]
    writeFileSync(join(standIns.folder, 'absent.cpp'), 'int absent() { return 0; }\n')
    writeFileSync(join(standIns.folder, 'main.cpp'), 'int absent(); int main() { return absent(); }\n')
    execFileSync('g++', ['-shared', '-fPIC', join(standIns.folder, 'absent.cpp'), '-o', library])
    execFileSync('g++', [join(standIns.folder, 'main.cpp'), library, '-o', program])
    rmSync(library)
    const { message } = await solve({ launcher: passOn('without-library', insteadOfDriver(program)) })
    expect(message).toMatch(/needs \S*libabsent\.so, which is missing on a node/)
  })

  it.skipIf(process.getuid?.() !== 0)('explains that a launcher does not run as root', async () => {
    const launcher = passOn('strict', 'unset OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM')
    expect((await solve({ launcher })).message).toMatch(/does not run as root.*--as-root/)
  })

  it('waits for a driver that says nothing only for so long', async () => {
    const launcher = standIns.script(
      'silent',
      '#!/bin/bash\nif [ "$1" = --version ]; then exec mpiexec --version; fi\nexec sleep 60\n',
    )
    expect((await solve({ launcher, patience: 2 })).message).toMatch(/did not connect within 2 s/)
  })

  it('does not talk to another version', async () => {
    for (const [name, hello] of [
      ['newer', { protocol: 99 }],
      ['stale', { driver: '0123456789abcdef' }],
    ] as const) {
      const { status, message } = await solve({ launcher: fakeDriver(standIns, name, hello, '') })
      expect(status).toBe('failed')
      expect(message).toMatch(/The driver does not match this version of Peel \(protocol .*\); delete .*grid-\w+/)
    }
  })

  it('lets nobody in without the token', async () => {
    const launcher = fakeDriver(standIns, 'stranger', { token: 'guessed' }, '')
    expect((await solve({ launcher, patience: 3 })).message).toMatch(/ended unexpectedly/)
  })
})

describe('a driver that cannot be trusted', () => {
  it('is not believed when it sends something that is no frame', async () => {
    const launcher = fakeDriver(
      standIns,
      'garbled',
      {},
      `onSolve(() => socket.write('not a frame at all, but longer than a header is'))`,
    )
    expect((await solve({ launcher })).message).toMatch(/an invalid or unexpected message/)
  })

  it('is not believed when the pressure it calls converged is not', async () => {
    const conduct = `onSolve((id, payload) => {
      const tiles = payload.readInt32LE(16)
      let cells = 0
      for (let tile = 0; tile < tiles; tile++) {
        const box = payload.subarray(48 + 12 * tile + 4, 48 + 12 * tile + 10)
        cells += (box[3] - box[0] + 1) * (box[4] - box[1] + 1) * (box[5] - box[2] + 1)
      }
      frame(16, id, Buffer.from(new Float64Array([1, 0, 0, 1]).buffer))
      frame(17, id, Buffer.from(new Float64Array(12 + cells).fill(1).buffer))
    })`
    const { status, residual, p } = await solve({ launcher: fakeDriver(standIns, 'liar', {}, conduct) })
    expect(status).toBe('stagnated')
    expect(residual).toBeCloseTo(kkt(problem, p).residual, 10)
    expect(residual).toBeGreaterThan(1)
  })

  it('is an error when it ends unasked, whatever its exit code', async () => {
    const launcher = fakeDriver(standIns, 'quitter', {}, `onSolve(() => process.exit(0))`)
    expect((await solve({ launcher })).message).toMatch(/The driver ended unexpectedly with exit code 0/)
  })
})

describe('other launchers, played by scripts that check their arguments', () => {
  const needsOversubscribe = ['--oversubscribe']
  const asRoot = 'export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1'

  it('MPICH gets a host file with -f', async () => {
    const hosts = join(standIns.folder, 'mpich-hosts')
    writeFileSync(hosts, 'localhost\n')
    const launcher = standIns.script(
      'mpiexec.hydra',
      `#!/bin/bash
if [ "$1" = --version ]; then echo 'HYDRA build details:'; exit; fi
[ "$1 $2 $3 $4 $5" = "-n 2 -f ${hosts} -verbose" ] && [ -n "$PEEL_TOKEN" ] || exit 7
${asRoot}
exec mpiexec -n 2 ${needsOversubscribe} "\${@:6}"
`,
    )
    const result = await solve({ launcher, hosts, address: '127.0.0.1', launcherArguments: '-verbose' })
    expect(result).toMatchObject({ status: 'converged', message: 'Converged.' })
  })

  it('SLURM gets --mpi=pmix and a socket of the network', async () => {
    const launcher = standIns.script(
      'srun',
      `#!/bin/bash
if [ "$1" = --version ]; then echo 'slurm-wlm 22.05.8'; exit; fi
[ "$1 $2 $3" = "-n 2 --mpi=pmix" ] && [[ "\${@: -1}" == 127.0.0.1:* ]] || exit 7
${asRoot}
exec mpiexec -n 2 ${needsOversubscribe} "\${@:4}"
`,
    )
    expect(await solve({ launcher, address: '127.0.0.1' })).toMatchObject({ status: 'converged' })
  })

  it('says which address Peel cannot listen at', async () => {
    const launcher = standIns.script('srun-elsewhere', `#!/bin/bash\necho slurm 22\n`)
    expect((await solve({ launcher, address: '203.0.113.1' })).message).toMatch(/cannot listen at "203\.0\.113\.1".*--address/)
  })
})
