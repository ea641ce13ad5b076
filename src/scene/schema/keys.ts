/** Which keys a place in a scene may have, read from the JSON Schema. */
import { sceneJsonSchema } from '../schema.js'

/** The part of JSON Schema that scenes use. */
export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
}

let root: Schema | undefined

export function sceneSchemaTree(): Schema {
  root ??= sceneJsonSchema() as Schema
  return root
}

/** The target of a reference, merged with the keys beside the reference. */
export function resolve(schema: Schema): Schema {
  const target = schema.$ref === undefined ? undefined : sceneSchemaTree().$defs?.[schema.$ref.replace('#/$defs/', '')]
  if (!target) return schema
  const { $ref, ...beside } = schema
  return { ...resolve(target), ...beside }
}

/** All ways to write what `schema` describes. */
export function alternatives(schema: Schema): Schema[] {
  const found = resolve(schema)
  const choices = found.anyOf ?? found.oneOf
  return choices ? choices.flatMap(alternatives) : [found]
}

/** Keys that the object at `path` may have, undefined where it may have any; `holder` is that object, whose `shape` selects
 *  the variant. */
export function keysAt(path: readonly string[], holder: unknown): string[] | undefined {
  let level = alternatives(sceneSchemaTree())
  for (const part of path)
    level = level.flatMap(schema => {
      const inner = schema.type === 'array' ? schema.items : schema.properties?.[part]
      return inner ? alternatives(inner) : []
    })
  if (level.some(({ additionalProperties }) => typeof additionalProperties === 'object')) return undefined
  const shape = (holder as { readonly shape?: unknown } | null)?.shape
  const fitting = level.filter(
    ({ properties }) => shape === undefined || (properties?.shape && resolve(properties.shape).const === shape),
  )
  return [...new Set((fitting.length > 0 ? fitting : level).flatMap(({ properties }) => Object.keys(properties ?? {})))]
}
