/** Flags of the solver "cluster", on every verb that solves: shorthands for its options. */
import { type Command, Option } from 'commander'
import { checkHostsFile } from '../../cluster/hosts-file.js'
import { InputError } from '../../input-error.js'
import { flagOf, type HostSolver, isForHost } from '../../solvers/contract/data-limits.js'
import { findSolver, type SolverEntry } from '../../solvers/registry.js'

export interface ClusterFlags {
  readonly ranks?: string
  readonly launcher?: string
  readonly hosts?: string
  readonly launcherArguments?: string
  readonly oversubscribe?: boolean
  readonly asRoot?: boolean
  readonly address?: string
  readonly fallback?: string
}

const FLAG_NAMES = ['ranks', 'launcher', 'hosts', 'launcherArguments', 'oversubscribe', 'asRoot', 'address', 'fallback'] as const

export function addClusterFlags(command: Command): Command {
  return command
    .option('--ranks <N>', 'solver cluster: number of processes')
    .option('--launcher <NAME>', 'solver cluster: mpiexec of Open MPI or MPICH, or srun')
    .option('--hosts <FILE>', 'solver cluster: host file (default: all ranks on this host)')
    .option('--launcher-arguments <TEXT>', 'solver cluster: additional arguments of the launcher')
    .option('--oversubscribe', 'solver cluster: allow more ranks than slots')
    .option('--as-root', 'solver cluster: allow root outside containers and CI')
    .option('--address <HOST>', 'solver cluster: address of this host for the others')
    .addOption(new Option('--fallback <WHERE>', 'solver cluster: what to do if it fails').choices(['none', 'local']))
}

/** Names and values of the flags that were given, as options of the solver. */
export function givenOptions(flags: ClusterFlags): [name: string, value: string][] {
  return FLAG_NAMES.flatMap(name => {
    const value = flags[name]
    return value === undefined ? [] : [[name, String(value)] as [string, string]]
  })
}

/** Throws an InputError if none of the chosen solvers has such an option, or if the file given with --hosts is none. */
export function clusterOptions(flags: ClusterFlags, entries: readonly SolverEntry[]): [name: string, value: string][] {
  const given = givenOptions(flags)
  for (const [name] of given) {
    if (entries.some(({ options }) => Object.hasOwn(options, name))) continue
    throw new InputError(`${flagOf(name)} belongs to the solver "cluster"; add --solver cluster.`)
  }
  if (flags.hosts !== undefined) requireHostsFile(flags.hosts)
  return given
}

/** Before anything is written: a run would begin, and end with its first solve. */
function requireHostsFile(path: string): void {
  try {
    checkHostsFile(path)
  } catch (error) {
    throw new InputError((error as Error).message)
  }
}

/** The solver that the command line names for a scene: what the host alone decides about it, and the options that a scene could set, too. */
export function hostSolver(flags: ClusterFlags & { readonly solver?: string }): {
  readonly host?: HostSolver
  readonly forScene: readonly [name: string, value: string][]
} {
  const entry = flags.solver === undefined ? undefined : findSolver(flags.solver)
  const given = clusterOptions(flags, entry ? [entry] : [])
  if (!entry) return { forScene: [] }
  const isHosts = ([name]: [string, string]) => isForHost(entry, entry.options[name])
  return {
    host: { name: entry.name, options: Object.fromEntries(given.filter(isHosts)) },
    forScene: given.filter(option => !isHosts(option)),
  }
}
