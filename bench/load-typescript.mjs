// Benchmarks run from their sources: Node 20 reads no TypeScript, so Vite, which is there for the page, reads it.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A module of this repository, by its path from the root. */
export async function loadTypeScript(path) {
  const { module } = await runnerImport(root + path, { root, configFile: false, logLevel: 'error' })
  return module
}
