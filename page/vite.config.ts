/** Development server and static site. The headers make pages cross-origin isolated, which threads need. */
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { doorAliases } from '../scripts/doors.mjs'

const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
const place = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A library has a code path for Node beside the one for browsers; it is never used here. */
const withoutNode: Plugin = {
  name: 'without-node',
  enforce: 'pre',
  resolveId: id => (id === 'node:fs' || id === 'node:path' ? '\0without-node' : undefined),
  load: id => (id === '\0without-node' ? 'export {}' : undefined),
}

export default defineConfig({
  plugins: [withoutNode],
  resolve: { alias: doorAliases },
  root: place('.'),
  // Relative addresses, so that the site works in any folder of any host.
  base: './',
  server: { headers, fs: { allow: [place('..')] } },
  preview: { headers },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    outDir: place('../out/site'),
    emptyOutDir: true,
    chunkSizeWarningLimit: 5000,
    rolldownOptions: { input: [place('./index.html'), place('./bench/index.html')] },
  },
})
