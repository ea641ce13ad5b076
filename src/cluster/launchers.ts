/** How ranks are started: Open MPI, MPICH or SLURM, distinguished by their version text. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { clean, DriverFailure, explainEnd } from './driver-failure.js'

export const FLAVOURS = ['Open MPI', 'MPICH', 'SLURM'] as const
export type Flavour = (typeof FLAVOURS)[number]

export interface LaunchOptions {
  readonly ranks: number
  /** Name or path of mpiexec or srun. */
  readonly launcher: string
  /** Path of a host file; this host alone if empty. */
  readonly hosts: string
  /** Further arguments of the launcher, divided by spaces. */
  readonly launcherArguments: string
  readonly oversubscribe: boolean
  readonly asRoot: boolean
}

export interface Launcher {
  readonly flavour: Flavour
  /** As it reports it. */
  readonly version: string
}

const SIGNS: readonly [RegExp, Flavour][] = [
  [/Open ?MPI|OpenRTE|open-mpi|PRRTE/i, 'Open MPI'],
  [/slurm/i, 'SLURM'],
  [/MPICH|HYDRA|Intel\(R\) MPI/i, 'MPICH'],
]

/** Seconds that a launcher may take to report its version. */
const VERSION_PATIENCE = 20

export async function identifyLauncher(name: string): Promise<Launcher> {
  if (name.trim() === '') throw new DriverFailure('refused', 'The launcher is empty; set --launcher.')
  const text = await new Promise<string>((resolve, reject) => {
    execFile(name, ['--version'], { timeout: 1000 * VERSION_PATIENCE }, (error, stdout, stderr) => {
      const code = (error as NodeJS.ErrnoException | null)?.code
      if (typeof code === 'string')
        reject(explainEnd({ error: code, code: null, signal: null, text: '' }, { launcher: name, ranks: 0, binary: '' }))
      else resolve(`${stdout}\n${stderr}`)
    })
  })
  const version =
    text
      .split('\n')
      .find(line => /\w/.test(line))
      ?.trim() ?? ''
  for (const [sign, flavour] of SIGNS) if (sign.test(text)) return { flavour, version }
  throw new DriverFailure(
    'refused',
    `The launcher "${name}" is not one of ${FLAVOURS.join(', ')}: its version is "${clean(version, 80)}".`,
  )
}

/** Arguments before the driver. */
export function launchArguments(flavour: Flavour, options: LaunchOptions): string[] {
  const { ranks, oversubscribe } = options
  // A file whose name begins with a dash is no option.
  const hosts = options.hosts.startsWith('-') ? `./${options.hosts}` : options.hosts
  const extra = options.launcherArguments.split(/\s+/).filter(Boolean)
  const count = ['-n', String(ranks)]
  switch (flavour) {
    case 'Open MPI': {
      // On this host others work too: ranks must not be bound to the same cores, and have to yield when they wait.
      const place = hosts ? ['--hostfile', hosts] : ['--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1']
      return [
        ...count,
        ...place,
        '-x',
        'PEEL_TOKEN',
        '-x',
        'OMP_NUM_THREADS',
        ...(oversubscribe ? ['--oversubscribe'] : []),
        ...extra,
      ]
    }
    case 'MPICH':
      // Passes its environment on by itself, and never counts slots.
      return [...count, ...(hosts ? ['-f', hosts] : []), ...extra]
    case 'SLURM':
      // A node list is a file for srun if it holds a slash.
      return [
        ...count,
        '--mpi=pmix',
        ...(hosts ? [`--nodelist=${hosts.includes('/') ? hosts : `./${hosts}`}`] : []),
        ...(oversubscribe ? ['--overcommit'] : []),
        ...extra,
      ]
  }
}

export interface LaunchSurroundings {
  readonly uid: number | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly exists: (path: string) => boolean
}

export const here = (): LaunchSurroundings => ({ uid: process.getuid?.(), environment: process.env, exists: existsSync })

/** Variables that a launcher needs besides our own. Open MPI refuses to run as root unless allowed: in a container or in CI
 *  root is the usual user, elsewhere the user has to allow it. */
export function launchEnvironment(
  flavour: Flavour,
  asRoot: boolean,
  { uid, environment, exists }: LaunchSurroundings,
): Record<string, string> {
  if (uid !== 0 || flavour !== 'Open MPI') return {}
  const container =
    exists('/.dockerenv') || exists('/run/.containerenv') || Boolean(environment.container || environment.KUBERNETES_SERVICE_HOST)
  const ci = Boolean(environment.CI) && environment.CI !== 'false'
  if (!asRoot && !container && !ci)
    throw new DriverFailure(
      'refused',
      'Peel runs as root outside of containers and CI; run it as another user, or add --as-root to allow it.',
    )
  return { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' }
}

/** More than one host may be involved, so a socket of this host's file system does not do. */
export function mayLeaveHost(flavour: Flavour, hosts: string): boolean {
  return hosts !== '' || flavour === 'SLURM'
}
