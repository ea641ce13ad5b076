/** The way to a driver: built and started when it is first needed, and again after it has gone. */
import { buildDriver, type DriverName } from './build-driver.js'
import { openSession, type Session, type SessionOptions } from './session.js'

export interface DriverLink {
  /** The driver of that name; another one that runs is closed first. */
  open(name: DriverName): Promise<Session>
  /** Also after a failure; the next call starts anew. */
  close(): Promise<void>
}

export function createDriverLink(options: SessionOptions, say?: (what: string) => void): DriverLink {
  let current: { name: DriverName; session: Session } | undefined
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
