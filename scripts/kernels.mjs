// Compiles the loops in src/engine/assembly to WebAssembly: one module for threads with shared memory, one without. They become a source
// file of base64 text, so that Node, bundlers and pages load them the same way, without a file to find.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export const KERNEL_BYTES = 'src/engine/kernels-bytes.ts'
const SOURCE = 'src/engine/assembly'
const MODULES = ['shared', 'alone']

const outputOf = (root, name) => path.join(root, '.setup', `kernels-${name}.wasm`)

/** By content. A folder without loops, as in tests of the set-up, has nothing to compile. */
export function areKernelsCurrent(root) {
  if (!fs.existsSync(path.join(root, SOURCE))) return true
  const file = path.join(root, KERNEL_BYTES)
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8').startsWith(stampOf(root))
}

function stampOf(root) {
  const hash = createHash('sha256')
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'node_modules', 'assemblyscript', 'package.json'), 'utf8'))
  hash.update(version).update(JSON.stringify(kernelCommands('')))
  for (const name of fs.readdirSync(path.join(root, SOURCE)).sort()) {
    hash.update(name).update(fs.readFileSync(path.join(root, SOURCE, name)))
  }
  return `// Compiled from ${SOURCE}; ${hash.digest('hex')}\n`
}

/** Arguments for node. */
export function kernelCommands(root) {
  const asc = path.join(root, 'node_modules', 'assemblyscript', 'bin', 'asc.js')
  const common = [asc, path.join(SOURCE, 'index.ts'), '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=']
  // Static data begins behind the words that threads share (pool.ts, jobs.ts).
  const memory = ['--importMemory', '--initialMemory', '2', '--maximumMemory', '65536', '--memoryBase', '32768']
  const features = ['--enable', 'simd', '--enable', 'bulk-memory', '--disableWarning', '112', '--disableWarning', '201']
  return [
    common.concat(memory, features, ['--enable', 'threads', '--sharedMemory', '-o', outputOf(root, MODULES[0])]),
    common.concat(memory, features, ['--disable', 'threads', '-o', outputOf(root, MODULES[1])]),
  ]
}

export function writeKernels(root) {
  const lines = MODULES.map(name => `export const ${name} = '${fs.readFileSync(outputOf(root, name)).toString('base64')}'\n`)
  const file = path.join(root, KERNEL_BYTES)
  fs.writeFileSync(`${file}.tmp`, stampOf(root) + lines.join(''))
  fs.renameSync(`${file}.tmp`, file)
}
