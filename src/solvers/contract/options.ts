/** The options of a solver as data: one source for types, defaults, validation, the command line and the reference. */
import { checkObject, checkOptions, checkText } from '../../checks.js'
import { InputError, suggestion } from '../../input-error.js'
import { showWord } from '../../printable.js'

interface Described {
  readonly about: string
  /** Options of a solver that starts programs are for the host, that is, for the command line and for code; this one may also be set by
   *  data, because it starts nothing, names no place and grants no right. */
  readonly inScenes?: true
}

interface NumberOption extends Described {
  readonly type: 'number'
  readonly default: number
  readonly min?: number
  readonly max?: number
  /** Ends excluded. */
  readonly open?: boolean
  readonly integer?: boolean
}
interface ChoiceOption<C extends string = string> extends Described {
  readonly type: 'choice'
  readonly choices: readonly C[]
  readonly default: C
}
interface FlagOption extends Described {
  readonly type: 'flag'
  readonly default: boolean
}

interface TextOption extends Described {
  readonly type: 'text'
  readonly default: string
}

export type OptionSchema = Readonly<Record<string, NumberOption | ChoiceOption | FlagOption | TextOption>>

/** The values that a schema describes. */
export type OptionValues<S extends OptionSchema> = {
  readonly [K in keyof S]: S[K] extends NumberOption
    ? number
    : S[K] extends ChoiceOption<infer C>
      ? C
      : S[K] extends TextOption
        ? string
        : boolean
}

/** Fills in defaults; unknown names, wrong types and values out of range are InputErrors. Strings are understood as the
 *  command line writes them. */
export function parseOptions<S extends OptionSchema>(
  owner: string,
  schema: S,
  given: Readonly<Record<string, unknown>> = {},
): OptionValues<S> {
  checkText(owner, 'parseOptions: the owner')
  checkObject(schema, `parseOptions: the schema of ${owner}`)
  checkOptions(given, `The options of ${owner}`)
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(schema, name)) {
      const names = Object.keys(schema)
      const known = names.length > 0 ? `it has ${names.join(', ')}` : 'it has none'
      throw new InputError(`${owner} has no option "${name}"${suggestion(name, names)}; ${known}.`)
    }
  }
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(schema)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    values[name] = value === undefined ? option.default : parseValue(owner, name, option, value)
  }
  return values as OptionValues<S>
}

function parseValue(owner: string, name: string, option: OptionSchema[string], value: unknown): unknown {
  const refuse = (expected: string): never => {
    throw new InputError(`Option "${name}" of ${owner} must be ${expected}, not "${showWord(value)}".`)
  }
  switch (option.type) {
    case 'number': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      const { min = -Infinity, max = Infinity, open = false, integer = false } = option
      const inside = typeof number === 'number' && (open ? number > min && number < max : number >= min && number <= max)
      if (!inside || (integer && !Number.isInteger(number))) refuse(describeRange(option))
      return number
    }
    case 'choice': {
      if (typeof value !== 'string' || !option.choices.includes(value))
        refuse(`one of ${option.choices.join(', ')}${typeof value === 'string' ? suggestion(value, option.choices) : ''}`)
      return value
    }
    case 'flag': {
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      return refuse('true or false')
    }
    case 'text':
      // Operating systems allow no NUL in names and arguments.
      return typeof value === 'string' && !value.includes('\0') ? value : refuse('text')
  }
}

/** "a whole number from 1 to 9", in words for messages and the reference. */
export function describeRange({ min = -Infinity, max = Infinity, open = false, integer = false }: NumberOption): string {
  const kind = integer ? 'a whole number' : 'a number'
  if (min === -Infinity && max === Infinity) return kind
  if (max === Infinity) return `${kind} ${open ? 'above' : 'from'} ${min}`
  if (min === -Infinity) return `${kind} ${open ? 'below' : 'up to'} ${max}`
  return open ? `${kind} between ${min} and ${max}` : `${kind} from ${min} to ${max}`
}
