// The seam between TypeScript and the kernels, made by the compiler itself: a transform of asc.
//
// A function marked with @piece does one piece of a loop. Where a kernel launches it, `run(smoothPiece, count)`, the name becomes the number
// of the loop (that of its f32 instance if it is generic; f64 is one more), and the dispatcher (machine/kernels/dispatch.ts) becomes a
// switch over all of them. Numbers, not references to functions: those would need static data, which every thread writes anew.
//
// `described` afterwards holds what the host must know: signatures of exported functions, and offsets of the fields of records.
import { ElementKind, NodeKind, Parser } from 'assemblyscript'

const DISPATCHER = 'machine/kernels/dispatch'
const PIECE = 'piece'

/** `onDescribed` gets { functions, records } when the module is compiled. */
export const createSeam = onDescribed =>
  class {
    afterParse(parser) {
      const sources = parser.sources.filter(({ normalizedPath }) => !normalizedPath.startsWith('~'))
      const loops = collectLoops(sources)
      for (const source of sources) numberLaunches(source, loops)
      const dispatcher = sources.find(({ internalPath }) => internalPath.endsWith(DISPATCHER))
      if (!dispatcher) throw new Error(`seam: no module file ${DISPATCHER}.ts`)
      dispatcher.statements = parse(dispatcherText(dispatcher.internalPath, loops), dispatcher.normalizedPath).statements
    }

    afterCompile() {
      const files = [...this.program.filesByName.values()].filter(({ source }) => !source.normalizedPath.startsWith('~'))
      const entry = files.find(({ source }) => source.sourceKind === 1)
      onDescribed({ functions: describeFunctions(entry), records: describeRecords(files) })
    }
  }

// ---- loops

/** Loops by the place of their piece: { number, name, path, isGeneric }. Sorted, so that numbers depend on the sources alone. */
function collectLoops(sources) {
  const pieces = sources.flatMap(({ internalPath: path, statements }) =>
    statements
      .filter(isPiece)
      .map(({ name, typeParameters }) => ({ name: name.text, path, isGeneric: typeParameters?.length === 1 })),
  )
  pieces.sort((a, b) => (placeOf(a.path, a.name) < placeOf(b.path, b.name) ? -1 : 1))
  const loops = new Map()
  let number = 0
  for (const piece of pieces) {
    loops.set(placeOf(piece.path, piece.name), { ...piece, number })
    number += piece.isGeneric ? 2 : 1
  }
  return loops
}

const placeOf = (path, name) => `${path}/${name}`
const isPiece = ({ kind, decorators }) =>
  kind === NodeKind.FunctionDeclaration && decorators?.some(({ name }) => name.text === PIECE)

function dispatcherText(from, loops) {
  const up = from
    .split('/')
    .slice(0, -1)
    .map(() => '..')
    .join('/')
  const all = [...loops.values()]
  const imports = all.map(({ name, path, number }) => `import { ${name} as piece${number} } from '${up}/${path}'`)
  const cases = all.flatMap(({ number, isGeneric }) =>
    isGeneric
      ? [`case ${number}: return piece${number}<f32>(piece)`, `case ${number + 1}: return piece${number}<f64>(piece)`]
      : [`case ${number}: return piece${number}(piece)`],
  )
  const body = `switch (loop) {\n${cases.join('\n')}\ndefault: unreachable()\n}`
  return `${imports.join('\n')}\nexport function runPiece(loop: i32, piece: i32): void {\n${body}\n}\n`
}

function parse(text, path) {
  const parser = new Parser([])
  parser.parseFile(text, path, false)
  return parser.sources[0]
}

/** Replaces names of pieces among the arguments of calls by the numbers of their loops. */
function numberLaunches(source, loops) {
  const places = new Map()
  for (const { kind, name, internalPath, declarations } of source.statements) {
    if (kind === NodeKind.FunctionDeclaration) places.set(name.text, placeOf(source.internalPath, name.text))
    if (kind !== NodeKind.Import) continue
    for (const { name: local, foreignName } of declarations ?? []) places.set(local.text, placeOf(internalPath, foreignName.text))
  }
  const literalOf = argument => {
    const loop = argument.kind === NodeKind.Identifier && loops.get(places.get(argument.text))
    return loop ? literal(loop.number, argument.range) : argument
  }
  visit(source.statements, node => {
    if (node.kind === NodeKind.Call) node.args = node.args.map(literalOf)
  })
}

function literal(number, range) {
  const { statements } = parse(`${number}`, 'literal.ts')
  const { expression } = statements[0]
  expression.range = range
  return expression
}

function visit(node, see, seen = new Set()) {
  if (node === null || typeof node !== 'object' || seen.has(node)) return
  seen.add(node)
  if (Array.isArray(node)) {
    for (const one of node) visit(one, see, seen)
    return
  }
  if (typeof node.kind === 'number') see(node)
  for (const [key, value] of Object.entries(node)) if (key !== 'range' && key !== 'source') visit(value, see, seen)
}

// ---- what the host must know

function describeFunctions(entry) {
  const functions = {}
  const addAll = file => {
    for (const [name, element] of file.exports ?? []) {
      if (element.kind !== ElementKind.FunctionPrototype || functions[name]) continue
      const { signature } = [...element.instances.values()][0]
      const parameters = element.declaration.signature.parameters.map(({ name: { text } }) => text)
      const { internalPath } = element.declaration.range.source
      functions[name] = { parameters, result: typeOf(signature.returnType), path: internalPath }
    }
    for (const other of file.exportsStar ?? []) addAll(other)
  }
  addAll(entry)
  return functions
}

/** Offsets of fields, and the size, of every @unmanaged class that is used. */
function describeRecords(files) {
  const records = {}
  const seen = new Set()
  for (const { members } of files) {
    for (const [name, element] of members ?? []) {
      // A file has what it imports among its members, too.
      if (element.kind !== ElementKind.ClassPrototype || !element.instances || seen.has(element)) continue
      seen.add(element)
      const instance = element.instances.get('')
      if (!instance?.type.isUnmanaged) continue
      const fields = {}
      for (const [field, { instance: property }] of instance.members ?? [])
        if (property?.isField) fields[field] = [typeOf(property.type), property.memoryOffset]
      if (records[name]) throw new Error(`seam: two records are called ${name}`)
      records[name] = { fields, bytes: instance.nextMemoryOffset }
    }
  }
  return records
}

/** References to records are addresses. */
const typeOf = type => (type.isReference ? 'usize' : type.toString())
