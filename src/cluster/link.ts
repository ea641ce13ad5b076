/** Connection to a driver: built and started when it is first needed, and again after it has ended. */
import { buildDriver, type DriverName } from './build-driver.js'
import { type ClusterSessionOptions, openSession } from './open-session.js'
import type { ClusterSession } from './session.js'

export interface DriverLink {
  /** The driver of that name; another one that runs is closed first. */
  open(name: DriverName): Promise<ClusterSession>
  /** Also after a failure; the next call starts again. */
  close(): Promise<void>
}

export function createDriverLink(options: ClusterSessionOptions, say?: (what: string) => void): DriverLink {
  let current: { name: DriverName; session: ClusterSession } | undefined
  const close = async () => {
    const session = current?.session
    current = undefined
    await session?.close()
  }
  return {
    async open(name) {
      if (current?.name === name) return current.session
      await close()
      const session = await openSession(await buildDriver(name, say), options)
      current = { name, session }
      return session
    },
    close,
  }
}
