/** A page that solves where it is told to: on its first thread or in a worker. */
import { type Order, type Report, solve } from './solve.js'

declare global {
  interface Window {
    solveHere(order: Order): Promise<Report>
    solveInWorker(order: Order): Promise<Report>
  }
}

window.solveHere = solve
window.solveInWorker = order => {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  return new Promise((resolve, reject) => {
    worker.onerror = event => reject(new Error(event.message))
    worker.onmessage = event => {
      resolve(event.data)
      // Threads that the solver has left behind would end with this one.
      setTimeout(() => worker.terminate(), order.linger)
    }
    worker.postMessage(order)
  })
}
