/** The reference of the scene file as Markdown, generated from the schema, so that both always agree. */
import { alternatives, resolve, type Schema, sceneSchemaTree } from './keys.js'

const PLACEMENT = ['scale', 'rotate', 'pivot', 'translate']
/** What drains have beside their shape. */
const EXCHANGE = ['flowRate', 'motion', 'after', 'until']
const ENTRY_LISTS = ['liquid', 'solids', 'sources', 'drains']

export function formatReference(): string {
  const root = sceneSchemaTree()
  const sections = ['### Keys of a scene', table(root)]
  for (const [key, schema] of entries(root)) {
    if (ENTRY_LISTS.includes(key)) sections.push(...describeEntries(key, schema))
    else sections.push(...describeObject(key, schema))
  }
  return [...sections, ...describeShapes(resolve(root.properties!.drains))].join('\n\n')
}

/** A table for an object and for the objects in it. */
function describeObject(path: string, schema: Schema): string[] {
  return alternatives(schema).flatMap(part => {
    const object = part.type === 'array' && part.items ? alternatives(part.items)[0] : part
    if (!object.properties) return []
    const name = part.type === 'array' ? `${path}[…]` : path
    const inner = entries(object).flatMap(([key, value]) => describeObject(`${name}.${key}`, value))
    return [`### \`${name}\``, ...(schema.description ? [schema.description] : []), table(object), ...inner]
  })
}

/** What the entries of a list of shapes have beside their shapes. */
function describeEntries(key: string, schema: Schema): string[] {
  const mesh = alternatives(schema.items!).find(({ properties }) => properties?.mesh)!
  const own = without(mesh, ['mesh', ...PLACEMENT])
  // The motion of sources and drains is that of solids, which is described there.
  const isKnown = (name: string, value: Schema) => isRotation(value) || (name === 'motion' && key !== 'solids')
  const inner = entries(own).flatMap(([name, value]) => (isKnown(name, value) ? [] : describeObject(`${key}[…].${name}`, value)))
  return [`### \`${key}[…]\``, `${schema.description} Keys besides those of a [shape](#shapes):`, table(own), ...inner]
}

function describeShapes(list: Schema): string[] {
  const kinds = alternatives(list.items!).map(kind => without(kind, EXCHANGE))
  const rows = kinds.map(kind => {
    const named = kind.properties?.shape && resolve(kind.properties.shape).const
    const own = entries(without(kind, ['shape', ...PLACEMENT]))
    const keys = own.map(([key, value]) => `\`${key}\`: ${describeValue(value)}`).join('; ') || 'none'
    return `| ${named === undefined ? '`"mesh": …`' : `\`"${named}"\``} | ${kind.description ?? ''} | ${keys} |`
  })
  const placement = { properties: pick(kinds[0], PLACEMENT) }
  return [
    '### Shapes',
    'The value of `shape` is one of these. `polygon` exists only in 2D; `cylinder`, `torus` and meshes only in 3D.',
    ['| shape | meaning | keys |', '|---|---|---|', ...rows].join('\n'),
    'Every shape, including nested ones, can have:',
    table(placement),
  ]
}

function isRotation(schema: Schema): boolean {
  return alternatives(schema).some(({ properties }) => properties?.axis)
}

function table(object: Schema): string {
  const rows = entries(object).map(([key, schema]) => {
    const given = schema.default
    const isNeeded = object.required?.includes(key) ?? false
    const isPlain = given !== undefined && (typeof given !== 'object' || (Array.isArray(given) && given.length > 0))
    const fallback = isNeeded ? 'required' : isPlain ? `\`${JSON.stringify(given)}\`` : ''
    return `| \`${key}\` | ${describeValue(schema)} | ${fallback} | ${schema.description ?? ''} |`
  })
  return ['| key | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function describeValue(schema: Schema): string {
  const kinds = alternatives(schema)
  if (kinds.length > 3 || kinds.some(({ properties }) => properties?.shape)) return 'a shape'
  return [...new Set(kinds.map(describeKind))].join(' or ')
}

function describeKind(schema: Schema): string {
  const { type, minimum, maximum, minItems, maxItems, properties } = schema
  const items = schema.items && resolve(schema.items)
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map(value => `\`${JSON.stringify(value)}\``).join(', ')
  if (type === 'number' || type === 'integer')
    return `${type === 'integer' ? 'whole number' : 'number'}, ${short(minimum)} to ${short(maximum)}`
  if (type === 'string') return 'text'
  if (type === 'boolean') return '`true`, `false`'
  if (type === 'array') {
    if (items?.type === 'number') return minItems === 2 && maxItems === 3 ? 'vector' : `${maxItems} numbers`
    const inner = items ? describeValue(items) : 'values'
    return inner === 'a shape' ? 'list of shapes' : inner === 'object' ? 'list of objects' : `list of: ${inner}`
  }
  return properties || type === 'object' ? 'object' : 'value'
}

function short(value: number | undefined): string {
  if (value === undefined) return '…'
  return Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
    ? value.toExponential().replace('e+', 'e')
    : String(value)
}

function without(schema: Schema, keys: readonly string[]): Schema {
  const all = Object.keys(schema.properties ?? {})
  return {
    ...schema,
    properties: pick(
      schema,
      all.filter(key => !keys.includes(key)),
    ),
  }
}

function pick(schema: Schema, keys: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(keys.flatMap(key => (schema.properties?.[key] ? [[key, schema.properties[key]]] : [])))
}

function entries({ properties = {} }: Schema): [string, Schema][] {
  return Object.entries(properties).map(([key, schema]) => [key, resolve(schema)])
}
