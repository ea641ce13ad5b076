/** Development server and static site. The headers make pages cross-origin isolated, which threads need. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
const place = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
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
