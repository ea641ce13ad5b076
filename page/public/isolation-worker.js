// Adds the headers of cross-origin isolation where a static host cannot send them, so that the page may have threads.
addEventListener('install', () => skipWaiting())
addEventListener('activate', event => event.waitUntil(clients.claim()))
addEventListener('fetch', event => {
  const { request } = event
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return
  if (new URL(request.url).origin !== location.origin) return
  event.respondWith(
    fetch(request).then(response => {
      if (response.status === 0) return response
      const headers = new Headers(response.headers)
      headers.set('Cross-Origin-Opener-Policy', 'same-origin')
      headers.set('Cross-Origin-Embedder-Policy', 'require-corp')
      return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
    }),
  )
})
