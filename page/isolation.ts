/** Threads need a page that is cross-origin isolated: by headers of its host, or by a service worker that adds them. */

export type Isolation = 'headers' | 'service worker' | 'none'

const TRIED = 'peel-isolation-tried'
const PATIENCE = 3000 // ms

/** Never resolves where the page is about to be loaded again, isolated. `root`: the folder of the site, as seen from the page. */
export async function isolate(root = './'): Promise<Isolation> {
  if (crossOriginIsolated) return navigator.serviceWorker?.controller ? 'service worker' : 'headers'
  // Once only: if it does not help the first time, it never does.
  if (!isSecureContext || !navigator.serviceWorker || recall(TRIED)) return 'none'
  remember(TRIED)
  try {
    await navigator.serviceWorker.register(new URL(`${root}isolation-worker.js`, document.baseURI))
    if (!(await isReadySoon())) return 'none'
  } catch {
    return 'none'
  }
  location.reload()
  return new Promise(() => {})
}

/** Some browsers do not run service workers and do not report it. */
function isReadySoon(): Promise<boolean> {
  const ready = navigator.serviceWorker.ready.then(() => true)
  return Promise.race([ready, new Promise<boolean>(resolve => setTimeout(resolve, PATIENCE, false))])
}

/** Storage may be forbidden; then there is no second try and no endless loop either. */
function recall(key: string): boolean {
  try {
    return sessionStorage.getItem(key) !== null
  } catch {
    return true
  }
}

function remember(key: string): void {
  sessionStorage.setItem(key, 'yes')
}
