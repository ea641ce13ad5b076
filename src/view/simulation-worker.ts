/** The worker in which a simulation runs, so that the page stays responsive. */
import type { WorkerOrder } from './protocol.js'
import { createSimulationHost } from './simulation-host.js'

const scope = globalThis as unknown as {
  postMessage(message: unknown, transfer: Transferable[]): void
  addEventListener(type: 'message', listener: (event: MessageEvent<WorkerOrder>) => void): void
}

const host = createSimulationHost((answer, transfer) => scope.postMessage(answer, transfer))
scope.addEventListener('message', ({ data }) => host.take(data))
