/** Flags of the solver «cluster», on every verb that solves: shorthands for its options. */
import { type Command, Option } from 'commander'
import { InputError } from '../input-error.js'
import type { SolverEntry } from '../solvers/registry.js'

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

const NAMES = ['ranks', 'launcher', 'hosts', 'launcherArguments', 'oversubscribe', 'asRoot', 'address', 'fallback'] as const

export function addClusterFlags(command: Command): Command {
  return command
    .option('--ranks <N>', 'solver cluster: processes that solve together')
    .option('--launcher <NAME>', 'solver cluster: mpiexec of Open MPI or MPICH, or srun')
    .option('--hosts <FILE>', 'solver cluster: host file; without one all ranks are on this host')
    .option('--launcher-arguments <TEXT>', 'solver cluster: further arguments of the launcher')
    .option('--oversubscribe', 'solver cluster: more ranks than slots')
    .option('--as-root', 'solver cluster: start as root also outside of containers and CI')
    .option('--address <HOST>', 'solver cluster: this host for the others')
    .addOption(new Option('--fallback <WHERE>', 'solver cluster: what to do when it fails').choices(['none', 'local']))
}

/** Names and values of the flags that were given, as options of the solver. */
export function givenOptions(flags: ClusterFlags): [name: string, value: string][] {
  return NAMES.flatMap(name => {
    const value = flags[name]
    return value === undefined ? [] : [[name, String(value)] as [string, string]]
  })
}

/** Throws an InputError if none of the chosen solvers has such an option. */
export function clusterOptions(flags: ClusterFlags, entries: readonly SolverEntry[]): [name: string, value: string][] {
  const given = givenOptions(flags)
  for (const [name] of given) {
    if (entries.some(({ options }) => Object.hasOwn(options, name))) continue
    const flag = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    throw new InputError(`--${flag} belongs to the solver «cluster»; add --solver cluster.`)
  }
  return given
}
