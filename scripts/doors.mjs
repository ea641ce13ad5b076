// The doors of the package as Vite aliases to their sources, so that page and tests run without a build.
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { exports } = JSON.parse(fs.readFileSync(`${root}package.json`, 'utf8'))

/** `peel`, `peel/solvers` and so on, by their files under src. */
export const doors = Object.fromEntries(
  Object.entries(exports)
    .filter(([, target]) => target.default)
    .map(([door, target]) => [door.replace('.', 'peel'), target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')]),
)

export const doorAliases = Object.entries(doors).map(([door, file]) => ({
  find: new RegExp(`^${door}$`),
  replacement: root + file,
}))
