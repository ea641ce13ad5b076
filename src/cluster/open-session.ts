/** Starts a driver through a launcher and waits until it has connected back to our socket. It outlives a solve. If this process ends without
 *  closing it, the driver ends too, because rank 0 then sees the end of its socket. */
import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import type { Driver } from './build-driver.js'
import { openDoor } from './door.js'
import { clean, DriverFailure, explainEnd } from './driver-failure.js'
import { type Hello, PROTOCOL } from './frames.js'
import { createSecret } from './handshake.js'
import { checkHostsFile } from './hosts-file.js'
import { endChild, watchEnd } from './launcher-process.js'
import { here, identifyLauncher, type LaunchOptions, launchArguments, launchEnvironment, mayLeaveHost } from './launchers.js'
import { type ClusterSession, createSession } from './session.js'

export interface ClusterSessionOptions extends LaunchOptions {
  /** Name or address of this host for the others; its host name if empty. */
  readonly address: string
  /** Seconds without a sign of life after which a driver counts as hung. */
  readonly patience: number
}

/** Seconds. */
const MAX_WAIT_FOR_HELLO = 20

export async function openSession(driver: Driver, options: ClusterSessionOptions): Promise<ClusterSession> {
  const { flavour } = await identifyLauncher(options.launcher)
  const environment = launchEnvironment(flavour, options.asRoot, here())
  if (options.hosts) checkHostsFile(options.hosts)
  const secret = createSecret()
  const door = await openDoor(mayLeaveHost(flavour, options.hosts) ? options.address || hostname() : undefined, secret)
  try {
    // In a process group of its own: Ctrl-C reaches only us, and we stop the driver. The secret is in the environment, which other users cannot read,
    // and never in an argument, which they can.
    const child = spawn(options.launcher, [...launchArguments(flavour, options), driver.path, door.address], {
      env: { ...process.env, ...environment, PEEL_TOKEN: secret, OMP_NUM_THREADS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const ended = watchEnd(child)
    const explain = async () => explainEnd(await ended, { launcher: options.launcher, ranks: options.ranks, binary: driver.path })
    try {
      const limit = Math.min(MAX_WAIT_FOR_HELLO, options.patience)
      const silence = after(limit, () => new DriverFailure('hung', `The driver did not connect within ${limit} s.`))
      const { socket, hello, feed } = await Promise.race([
        door.greeting,
        ended.then(explain).then(raise),
        silence.promise,
      ]).finally(silence.stop)
      checkHello(hello, driver, options.ranks)
      return createSession({ child, socket, hello, feed, ended, explain, patience: options.patience })
    } catch (error) {
      // First, because the socket of a later greeting would never be closed.
      door.close()
      door.greeting.then(({ socket }) => socket.destroy()).catch(() => {})
      await endChild(child, ended)
      throw error
    }
  } finally {
    door.close()
  }
}

function raise(error: Error): never {
  throw error
}

function after(seconds: number, reason: () => Error): { promise: Promise<never>; stop(): void } {
  let timer: NodeJS.Timeout
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(reason()), 1000 * seconds)
  })
  return { promise, stop: () => clearTimeout(timer) }
}

function checkHello(hello: Hello, driver: Driver, ranks: number): void {
  if (hello.protocol !== PROTOCOL || hello.driver !== driver.version)
    throw new DriverFailure(
      'mismatch',
      `The driver does not match this version of Peel (protocol ${hello.protocol}, version ${clean(hello.driver)}); delete ${driver.path} to rebuild it.`,
    )
  if (hello.ranks !== ranks)
    throw new DriverFailure(
      'mismatch',
      `The driver runs on ${hello.ranks} ranks instead of ${ranks}; launcher and compiler must belong to the same MPI (--launcher, PEEL_MPICXX).`,
    )
}
