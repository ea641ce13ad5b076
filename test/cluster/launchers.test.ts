/** How launchers are called, who may be root, and what their ends mean. */
import { describe, expect, it } from 'vitest'
import { cacheFolder } from '../../src/cluster/build-driver.js'
import { explainEnd } from '../../src/cluster/driver-failure.js'
import { identifyLauncher, launchArguments, launchEnvironment, mayLeaveHost } from '../../src/cluster/launchers.js'

const OPTIONS = { ranks: 4, launcher: 'x', hosts: '', launcherArguments: '', oversubscribe: false, asRoot: false }

describe('arguments', () => {
  it('of Open MPI: bound to nothing on this host, and as the launcher likes with a host file', () => {
    const here = launchArguments('Open MPI', OPTIONS).join(' ')
    expect(here).toMatch(/^-n 4 --bind-to none --mca mpi_yield_when_idle 1/)
    expect(here).toContain('-x PEEL_TOKEN')
    expect(here).not.toContain('--oversubscribe')
    const there = launchArguments('Open MPI', {
      ...OPTIONS,
      hosts: 'nodes',
      oversubscribe: true,
      launcherArguments: ' --map-by  node ',
    })
    expect(there.join(' ')).toMatch(/^-n 4 --hostfile nodes -x .* --oversubscribe --map-by node$/)
    expect(there).not.toContain('--bind-to')
  })

  it('of MPICH and SLURM', () => {
    expect(launchArguments('MPICH', { ...OPTIONS, hosts: 'nodes' })).toEqual(['-n', '4', '-f', 'nodes'])
    expect(launchArguments('SLURM', { ...OPTIONS, hosts: 'nodes', oversubscribe: true })).toEqual([
      ...['-n', '4', '--mpi=pmix', '--nodelist=./nodes', '--overcommit'],
    ])
    expect(launchArguments('SLURM', { ...OPTIONS, hosts: '/etc/nodes' })).toContain('--nodelist=/etc/nodes')
  })

  it('make no option of a hosts file whose name begins with a dash', () => {
    for (const flavour of ['Open MPI', 'MPICH', 'SLURM'] as const)
      expect(launchArguments(flavour, { ...OPTIONS, hosts: '--allow-run-as-root' }).join(' ')).toMatch(
        /[ =]\.\/--allow-run-as-root/,
      )
  })

  it('leave this host with a host file, and always with SLURM', () => {
    expect([mayLeaveHost('Open MPI', ''), mayLeaveHost('Open MPI', 'nodes'), mayLeaveHost('SLURM', '')]).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('root', () => {
  const nowhere = { uid: 0, environment: {}, exists: () => false }

  it('is told what to do outside of containers and CI', () => {
    expect(() => launchEnvironment('Open MPI', false, nowhere)).toThrow(/runs as root.*--as-root/)
  })

  it.each([
    ['in a container', { ...nowhere, exists: (path: string) => path === '/.dockerenv' }, false],
    ['in a pod', { ...nowhere, environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } }, false],
    ['in CI', { ...nowhere, environment: { CI: 'true' } }, false],
    ['on request', nowhere, true],
  ])('may start ranks %s', (_, surroundings, asRoot) => {
    expect(launchEnvironment('Open MPI', asRoot, surroundings)).toEqual({
      OMPI_ALLOW_RUN_AS_ROOT: '1',
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
    })
  })

  it('matters to Open MPI alone, and to root alone', () => {
    expect(launchEnvironment('MPICH', false, nowhere)).toEqual({})
    expect(launchEnvironment('Open MPI', false, { ...nowhere, uid: 1000 })).toEqual({})
    expect(() => launchEnvironment('Open MPI', false, { ...nowhere, environment: { CI: 'false' } })).toThrow('root')
  })
})

describe('ends', () => {
  const attempt = { launcher: 'mpiexec', ranks: 4, binary: 'grid-0' }
  const end = (code: number | null, text = '', signal: string | null = null) => explainEnd({ code, signal, text }, attempt)

  it.each([
    [end(137), 'killed', /killed \(often: out of memory\)/],
    [
      end(9, '=   EXIT CODE: 9\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\nKILLED BY SIGNAL: 9'),
      'killed',
      /killed/,
    ],
    [end(137, 'srun: error: node1: task 0: Killed'), 'killed', /killed/],
    [
      end(139, 'Segmentation fault\n[node] [ 0] libc'),
      'crashed',
      /crashed \(exit code 139\); its last output: "Segmentation fault \/ \[node\]/,
    ],
    [end(139, 'KILLED BY SIGNAL: 11 (Segmentation fault)'), 'crashed', /crashed/],
    [end(null, '', 'SIGKILL'), 'ended', /launcher "mpiexec" was ended by SIGKILL/],
    [
      end(1, 'srun: error: Unable to create step: More processors requested than permitted'),
      'refused',
      /not enough slots for 4 ranks/,
    ],
    [end(127, 'grid: error while loading shared libraries: libHYPRE.so.2: cannot open'), 'missing', /needs libHYPRE\.so\.2/],
    [end(255, 'ssh: Could not resolve hostname far: Name or service not known'), 'refused', /host "far" is unknown/],
    [end(2, 'srun: error: execve(): /cache/grid-0: No such file or directory'), 'missing', /does not exist on every node/],
    [end(0), 'ended', /ended unexpectedly with exit code 0\.$/],
  ])('%o', (failure, kind, sentence) => {
    expect(failure.kind).toBe(kind)
    expect(failure.message).toMatch(sentence)
    expect(failure.message).toMatch(/^[^\n]+\.$/)
  })
})

it('is not satisfied with any program as a launcher', async () => {
  await expect(identifyLauncher('no-such-launcher')).rejects.toThrow(/no launcher "no-such-launcher"/)
  await expect(identifyLauncher('')).rejects.toThrow(/The launcher is empty/)
  await expect(identifyLauncher(process.execPath)).rejects.toThrow(/not one of Open MPI, MPICH, SLURM/)
})

it('keeps drivers where the user wants them', () => {
  expect(cacheFolder({ PEEL_CACHE: '/here' })).toBe('/here')
  expect(cacheFolder({ XDG_CACHE_HOME: '/cache' })).toBe('/cache/peel/cluster')
  expect(cacheFolder({})).toMatch(/\.cache\/peel\/cluster$/)
})
