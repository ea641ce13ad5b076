// The compiled loops: which modules there are, whether they are current, and the source files that the rest of Peel imports them by.
//
// A module is an entry in src/kernels/ and all kernels that it reaches. Its bytes become a source file of base64 text, so that Node, bundlers
// and pages load it the same way, without a file to find. Its signatures and the layouts of records come from the compiler (seam.mjs). All
// of that is generated, and none of it is committed.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export const GENERATED = 'src/machine/generated'
const ENTRIES = 'src/kernels'
const MACHINE = 'src/machine/kernels/'
const SCRIPTS = ['kernels.mjs', 'compile-kernels.mjs', 'seam.mjs']

export const entryOf = module => `${ENTRIES}/${module}.ts`
export const outputOf = (root, module) => path.join(root, '.setup', `kernels-${module}.wasm`)
const descriptionOf = (root, module) => `${outputOf(root, module)}.json`
const modulesOf = root =>
  fs
    .readdirSync(path.join(root, ENTRIES))
    .filter(name => name.endsWith('.ts'))
    .map(name => name.slice(0, -'.ts'.length))
    .sort()

/** By content. A folder without modules, as in tests of the set-up, has nothing to compile. */
export function areKernelsCurrent(root) {
  return (
    !fs.existsSync(path.join(root, ENTRIES)) || (staleModules(root).length === 0 && isCurrent(root, 'layouts', stampOf(root)))
  )
}

const staleModules = root =>
  modulesOf(root).filter(module => !isCurrent(root, module, stampOf(root, module)) || !fs.existsSync(descriptionOf(root, module)))

function isCurrent(root, name, stamp) {
  const file = path.join(root, GENERATED, `${name}.ts`)
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8').startsWith(stamp)
}

/** Of one module, or of all. */
function stampOf(root, module) {
  const hash = createHash('sha256')
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'node_modules', 'assemblyscript', 'package.json'), 'utf8'))
  hash.update(version)
  const files = [module ?? modulesOf(root)].flat().flatMap(name => reachedFrom(root, entryOf(name)))
  for (const file of [...SCRIPTS.map(name => `scripts/${name}`), ...new Set(files)])
    hash.update(`${file}\0`).update(fs.readFileSync(path.join(root, file)))
  return `// Made by scripts/kernels.mjs from the kernels, and not committed; ${hash.digest('hex')}\n`
}

/** A file and all that it imports, directly or not. */
function reachedFrom(root, entry) {
  const reached = new Set([entry])
  for (const file of reached) {
    const text = fs.readFileSync(path.join(root, file), 'utf8')
    for (const [, target] of text.matchAll(/^(?:import|export|\}) ?[^'\n]*from '(\.[^']+)'/gm))
      reached.add(`${path.posix.join(path.posix.dirname(file), target)}.ts`)
  }
  return [...reached].sort()
}

/** Arguments for node, a compilation each, of what is not current. */
export const kernelCommands = root => staleModules(root).map(module => [path.join('scripts', 'compile-kernels.mjs'), module])

/** After the compilations. What was described by earlier ones is kept beside their output. */
export function writeKernels(root) {
  const folder = path.join(root, GENERATED)
  fs.mkdirSync(folder, { recursive: true })
  const stale = staleModules(root)
  const records = {}
  const common = {}
  for (const module of modulesOf(root)) {
    const about = JSON.parse(fs.readFileSync(descriptionOf(root, module), 'utf8'))
    Object.assign(records, about.records)
    for (const [name, one] of Object.entries(about.functions)) if (one.path.startsWith(MACHINE)) common[name] = one
    if (stale.includes(module))
      writeWhole(path.join(folder, `${module}.ts`), stampOf(root, module) + moduleText(root, module, about.functions))
  }
  writeWhole(path.join(folder, 'machine.ts'), `${interfaceText('MachineKernels', 'every module exports', common)}\n`)
  writeWhole(path.join(folder, 'layouts.ts'), stampOf(root) + layoutsText(records))
}

function interfaceText(type, whose, functions) {
  const lines = Object.entries(functions).map(([name, { parameters, result }]) => {
    const list = parameters.map(parameter => `${parameter}: number`).join(', ')
    return `  ${name}(${list}): ${result === 'void' ? 'void' : 'number'}`
  })
  return [
    `/** Functions that ${whose}. Addresses, also those of records, are numbers. */`,
    `export interface ${type} {`,
    ...lines,
    '}',
  ].join('\n')
}

function moduleText(root, module, functions) {
  const name = `${module[0].toUpperCase()}${module.slice(1)}`
  const addresses = Object.keys(functions).filter(name => functions[name].result === 'usize')
  const bytes = fs.readFileSync(outputOf(root, module)).toString('base64')
  return [
    `import type { Machine } from '../machine.js'`,
    `import type { KernelModule } from '../module.js'`,
    '',
    interfaceText(`${name}Kernels`, 'the module exports', functions),
    '',
    `export type ${name}Machine = Machine<${name}Kernels>`,
    '',
    `export const ${module}Module: KernelModule<${name}Kernels> = {`,
    `  bytes: '${bytes}',`,
    `  addresses: ${JSON.stringify(addresses)},`,
    '}',
    '',
  ].join('\n')
}

/** Types and offsets, in bytes, of the fields of records. */
function layoutsText(records) {
  const entries = Object.entries(records).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries
    .map(([name, { fields, bytes }]) => {
      const lines = Object.entries(fields).map(([field, [type, offset]]) => `    ${field}: ['${type}', ${offset}],`)
      return `export const ${name}Layout = {\n  bytes: ${bytes},\n  fields: {\n${lines.join('\n')}\n  },\n} as const\n`
    })
    .join('\n')
}

function writeWhole(file, text) {
  fs.writeFileSync(`${file}.tmp`, text)
  fs.renameSync(`${file}.tmp`, file)
}
