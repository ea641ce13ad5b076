/** Serves folders to pages. The first part of a path says which headers come with it. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const ISOLATION = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

const HEADERS: Record<string, Record<string, string>> = {
  plain: {},
  isolated: ISOLATION,
  // Scripts and workers of its own only, compiled code allowed; workers from a Blob are not.
  strict: { ...ISOLATION, 'Content-Security-Policy': "default-src 'self' 'wasm-unsafe-eval' data:" },
  // No compiled code either.
  closed: { ...ISOLATION, 'Content-Security-Policy': "default-src 'self' data:" },
}

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** `folders` by the second part of the path. */
export async function serve(folders: Record<string, string>, problem: Uint8Array = new Uint8Array()) {
  const server = createServer((request, response) => {
    const [kind, folder, ...rest] = request.url!.slice(1).split('?')[0].split('/')
    const file = folders[folder] && join(folders[folder], ...rest)
    if (kind === 'problem') response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(problem)
    else if (!file || !HEADERS[kind] || !existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end()
    else
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain', ...HEADERS[kind] }).end(readFileSync(file))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
