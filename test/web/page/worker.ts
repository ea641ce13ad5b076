import { solve } from './solve.js'

addEventListener('message', async event => {
  postMessage(await solve(event.data))
})
