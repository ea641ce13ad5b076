// Compiles one WebAssembly module from its entry: node scripts/compile-kernels.mjs MODULE. Run by the set-up, one process a module, because
// a compilation takes seconds. Writes .setup/kernels-MODULE.wasm and, beside it, what the host must know (.json).
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'
import { entryOf, outputOf } from './kernels.mjs'
import { createSeam } from './seam.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const [module] = process.argv.slice(2)

const common = [entryOf(module), '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--baseDir', root]
// Static data would begin behind the header (src/machine/header.ts); there is none.
const memory = ['--importMemory', '--sharedMemory', '--initialMemory', '2', '--maximumMemory', '65536', '--memoryBase', '32768']
const features = [
  '--enable',
  'threads',
  '--enable',
  'simd',
  '--enable',
  'bulk-memory',
  '--disableWarning',
  '112',
  '--disableWarning',
  '201',
  '--disableWarning',
  '235',
]
const output = outputOf(root, module)
fs.mkdirSync(path.dirname(output), { recursive: true })

let description
const seam = createSeam(found => {
  description = found
})
const { error, stderr } = await asc.main([...common, ...memory, ...features, '-o', path.relative(root, output)], {
  transforms: [seam],
})
process.stderr.write(stderr.toString())
if (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
} else fs.writeFileSync(`${output}.json`, JSON.stringify(description))
