import { defineConfig } from 'vite'

// These headers make the page cross-origin isolated, which threads need; without them the liquid runs on one thread.
const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

export default defineConfig({
  base: './',
  // Peel's worker is a module.
  worker: { format: 'es' },
  // In a clone, Peel itself is two folders up.
  server: { headers, fs: { allow: ['../..'] } },
  preview: { headers },
  build: { target: 'es2022', chunkSizeWarningLimit: 5000 },
})
