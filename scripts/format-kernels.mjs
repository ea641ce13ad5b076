// Formats the AssemblyScript sources with the formatter of the rest. That formatter reads TypeScript, where functions have no decorators, so
// it gets copies in which those are comments. `node scripts/format-kernels.mjs` writes; with `--check` it lists what is not formatted and
// exits with 1.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const HIDDEN = '//@@'

const hideDecorators = text => text.replace(/^(\s*)@(?=\w+(?:\(.*\))?$)/gm, `$1${HIDDEN}`)
const showDecorators = text => text.replaceAll(HIDDEN, '@')

/** Kernels, and the entries of the compiled modules. */
export function kernelSources() {
  return fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map(file => file.split(path.sep).join('/'))
    .filter(file => file.endsWith('.ts') && /(?:^|\/)kernels\//.test(file))
    .sort()
}

/** Texts as they should be, by path below src/, of the files that differ. */
export function unformattedKernels() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peel-format-'))
  try {
    const { formatter, javascript } = JSON.parse(fs.readFileSync(path.join(root, 'biome.json'), 'utf8'))
    fs.writeFileSync(path.join(folder, 'biome.json'), JSON.stringify({ root: true, formatter, javascript }))
    const sources = new Map(kernelSources().map(file => [file, fs.readFileSync(path.join(root, 'src', file), 'utf8')]))
    for (const [file, text] of sources) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      fs.writeFileSync(path.join(folder, file), hideDecorators(text))
    }
    const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome')
    execFileSync(process.execPath, [biome, 'format', '--write', '.'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    const formatted = [...sources].map(([file, text]) => [
      file,
      text,
      showDecorators(fs.readFileSync(path.join(folder, file), 'utf8')),
    ])
    return new Map(formatted.filter(([, before, after]) => before !== after).map(([file, , after]) => [file, after]))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = unformattedKernels()
  const isCheck = process.argv.includes('--check')
  for (const [file, text] of found) {
    if (isCheck) process.stderr.write(`src/${file} is not formatted; run npm run format\n`)
    else fs.writeFileSync(path.join(root, 'src', file), text)
  }
  process.exitCode = isCheck && found.size > 0 ? 1 : 0
}
