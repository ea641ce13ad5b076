// Writes docs/map.md: every source file of the library with the first sentence of its head comment.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
export const MAP = path.join(root, 'docs', 'map.md')

/** Rooms in the order of ARCHITECTURE.md. */
const ROOMS = fs
  .readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8')
  .split('\n')
  .flatMap(line => /^\| `([a-z]+)` \|/.exec(line)?.[1] ?? [])

export function mapText() {
  const sections = ROOMS.filter(room => fs.existsSync(path.join(root, 'src', room))).map(room => [
    `## ${room}`,
    '',
    ...linesOf(`src/${room}`),
    '',
  ])
  const beside = fs.readdirSync(path.join(root, 'src')).filter(name => name.endsWith('.ts'))
  return [
    '# Map',
    '',
    'Every source file with the first sentence of its head comment, written by `node scripts/map.mjs`.',
    '[ARCHITECTURE.md](../ARCHITECTURE.md) explains how the rooms fit together.',
    '',
    ...beside.sort().map(name => entry(`src/${name}`, name)),
    '',
    ...sections.flat(),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

function linesOf(folder, prefix = '') {
  const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = entries.filter(({ name }) => name.endsWith('.ts'))
  const folders = entries.filter(one => one.isDirectory() && one.name !== 'generated')
  return [
    ...files.map(({ name }) => entry(`${folder}/${name}`, prefix + name)),
    ...folders.flatMap(({ name }) => linesOf(`${folder}/${name}`, `${prefix}${name}/`)),
  ]
}

const entry = (file, name) => `- \`${name}\`: ${firstSentence(file)}`

/** Without it a file has no place on the map, and the test of the map fails. */
function firstSentence(file) {
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  const comment = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1]
  if (!comment) throw new Error(`${file} has no head comment; say in a sentence what it is for.`)
  const plain = comment.replace(/\n\s*\* ?/g, ' ').trim()
  return (/^(.*?[.:])(?:\s|$)/.exec(plain)?.[1] ?? plain).replace(/[:]$/, '.')
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) fs.writeFileSync(MAP, mapText())
