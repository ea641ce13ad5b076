/** The process of a launcher: how it ended, and how it is made to end. */
import type { ChildProcess } from 'node:child_process'
import type { LauncherEnd } from './driver-failure.js'

/** Seconds from a request to end until the end is enforced. */
export const GRACE = 5
/** Characters kept of what the driver prints. */
const TAIL = 4000

export function watchEnd(child: ChildProcess): Promise<LauncherEnd> {
  let text = ''
  const keep = (data: Buffer) => {
    text = (text + data.toString()).slice(-TAIL)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  // Something that outlives the launcher may hold its pipes open for ever.
  child.once('exit', () => {
    setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, 1000 * GRACE).unref()
  })
  return new Promise(resolve => {
    child.once('error', error =>
      resolve({ error: (error as NodeJS.ErrnoException).code ?? error.message, code: null, signal: null, text }),
    )
    child.once('close', (code, signal) => resolve({ code, signal, text }))
  })
}

/** Terminated first, then killed; the whole process group, so that nothing is left. */
export async function endChild(child: ChildProcess, ended: Promise<LauncherEnd>): Promise<void> {
  if (child.pid === undefined) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => killGroup(child.pid!), 1000 * GRACE)
  await ended
  clearTimeout(timer)
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
