/** The flags of `peel run`, and the values of the scene that they override. */
import { InputError } from '../../input-error.js'
import { type Override, parseOverride } from '../../scene/overrides.js'
import { type ClusterFlags, hostSolver } from './cluster-flags.js'

export interface RunFlags extends ClusterFlags {
  readonly output: string
  readonly frames?: string
  readonly resolution?: string
  readonly solver?: string
  readonly walls?: string
  readonly seed?: string
  readonly engine?: string
  readonly threads?: number
  readonly set: readonly string[]
  readonly pictures?: boolean
  readonly colours?: string
  readonly video?: boolean
  readonly resume?: boolean
  readonly fromFrame?: number
  readonly force?: boolean
  readonly onFail: 'stop' | 'continue'
  readonly json?: boolean
}

export function requireResume({ resume, fromFrame, force }: RunFlags): void {
  if (resume) return
  const flag = fromFrame !== undefined ? '--from-frame' : force ? '--force' : undefined
  if (flag) throw new InputError(`${flag} needs --resume; add it or remove ${flag}.`)
}

/** Flags are shorthands for values of the scene. */
export function overridesOf(flags: RunFlags): Override[] {
  const { frames, resolution, solver, walls, seed, engine, pictures, colours, set } = flags
  const shorthand: [string, string | undefined][] = [
    ['time.frames', frames],
    ['domain.resolution', resolution],
    ['solver.name', solver],
    ['walls', walls],
    ['seed', seed],
    ['solver.engine', engine],
    ['output.pictures.every', pictures ? '1' : undefined],
    ['output.pictures.colours', colours],
    ...hostSolver(flags).forScene.map(([name, value]) => [`solver.options.${name}`, value] as [string, string]),
  ]
  const given = shorthand.flatMap(([path, value]) => (value === undefined ? [] : [parseOverride(`${path}=${value}`)]))
  return [...given, ...set.map(parseOverride)]
}
