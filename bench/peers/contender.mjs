// A contender is a process that holds one system and answers each line it is sent with one line of JSON.
import { spawn } from 'node:child_process'
import readline from 'node:readline'

/** Time limit of one answer, in ms. */
const PATIENCE = 20 * 60_000
/** Time after which a contender that was told to quit is killed, in ms. */
const FAREWELL = 10_000
/** One thread means one thread, also in the libraries below. */
const ONE_THREAD = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' }

/** Resolves when the system is loaded; `loaded` is what it said then. */
export async function startContender(command) {
  const child = spawn(command[0], command.slice(1), { env: { ...process.env, ...ONE_THREAD }, stdio: ['pipe', 'pipe', 'pipe'] })
  let complaints = ''
  let waiting
  let ended
  const settle = (how, value) => {
    if (!waiting) return
    clearTimeout(waiting.timer)
    const { [how]: finish } = waiting
    waiting = undefined
    finish(value)
  }
  const listen = () =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended)
      const timer = setTimeout(() => {
        settle('reject', new Error(`no answer within ${PATIENCE / 60_000} minutes`))
        child.kill('SIGKILL')
      }, PATIENCE)
      waiting = { resolve, reject, timer }
    })
  child.stderr.on('data', data => {
    complaints = (complaints + data).slice(-4000)
  })
  // A driver that is gone is noticed by its end, not by the failed write.
  child.stdin.on('error', () => {})
  readline.createInterface({ input: child.stdout }).on('line', line => {
    // Libraries print what they like; an answer is a line of JSON.
    if (line.startsWith('{')) settle('resolve', JSON.parse(line))
  })
  const closed = new Promise(resolve => {
    const end = why => {
      ended ??= new Error(why)
      settle('reject', ended)
      resolve()
    }
    child.on('error', error => end(`it cannot be started (${error.code ?? error.message})`))
    child.on('close', (code, signal) => end(`it ended with ${signal ?? code}${lastWords(complaints)}`))
  })
  const loaded = await listen()
  return {
    loaded,
    ask(line) {
      const answer = listen()
      child.stdin.write(`${line}\n`)
      return answer
    },
    async close() {
      child.stdin.end('quit\n')
      const timer = setTimeout(() => child.kill('SIGKILL'), FAREWELL)
      await closed
      clearTimeout(timer)
    },
  }
}

function lastWords(text) {
  const line = text
    .split('\n')
    .map(part => part.trim())
    .find(part => /[a-z]{3}/i.test(part))
  return line ? `: ${line}` : ''
}
