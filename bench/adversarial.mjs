// How many adversarial problems the solvers fail on: problems and judge of test/adversarial, solvers of any build of Peel, so that two of
// them can be compared. Prints failures by solver and by class; `--help` lists the options.
import { fork } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { positive, words } from './arguments.mjs'
import { loadTypeScript } from './load-typescript.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const options = new Command('adversarial')
  .option('--seed <number>', 'seed of all problems', Number, 1)
  .option('--count <number>', 'how many problem numbers', positive, 330)
  .option('--from <number>', 'first problem number', Number, 0)
  .option('--step <number>', 'only every so many of them', positive, 1)
  .option('--sparse', 'problems without a grid', false)
  .option('--solvers <names>', 'configurations, separated by commas', words)
  .option('--dist <folder>', 'build to run', path.join(root, 'dist'))
  .option('--details <file>', 'every failure as a line of JSON')
  .option('--list', 'one line per failure', false)
  .option('--jobs <number>', 'processes that share the problems', positive, 1)
  .parse()
  .opts()

const { attack, joinOutcomes, bySolver, byClass, describeIncident, CONFIGURATIONS } =
  await loadTypeScript('test/adversarial/index.ts')

const isPart = process.send !== undefined
if (isPart) process.send(await run())
else {
  if (options.details) fs.writeFileSync(options.details, '')
  const outcome = options.jobs > 1 ? await share() : await run()
  console.log(`${outcome.problems} problems of seed ${options.seed}, ${outcome.solves} solves, ${options.dist}\n`)
  console.log(`${bySolver(outcome)}\n\n${byClass(outcome)}`)
  if (options.list) console.log(`\n${outcome.incidents.map(describeIncident).join('\n')}`)
}

async function run() {
  const { createSolver } = await import(pathToFileURL(path.resolve(options.dist, 'solvers/index.js')).href)
  const { seed, from, count, step, sparse } = options
  return attack(
    { seed, from, count, step, sparse },
    {
      createSolver,
      configurations: CONFIGURATIONS.filter(({ name }) => !options.solvers || options.solvers.includes(name)),
      onIncident: incident => {
        if (options.details) fs.appendFileSync(options.details, `${JSON.stringify(incident)}\n`)
      },
      onProblem: done => {
        if (done % 200 === 0) process.stderr.write(`${done} problems\n`)
      },
    },
  )
}

/** Later options go before earlier ones. */
async function share() {
  const parts = Array.from({ length: options.jobs }, (_, part) => {
    const mine = [
      '--jobs',
      '1',
      '--step',
      String(options.step * options.jobs),
      '--from',
      String(options.from + part * options.step),
    ]
    const child = fork(
      fileURLToPath(import.meta.url),
      [...process.argv.slice(2), ...mine, '--count', String(options.count - part * options.step)],
      {
        serialization: 'advanced',
      },
    )
    return new Promise((resolve, reject) => {
      child.once('message', outcome => {
        resolve(outcome)
        child.disconnect()
      })
      child.once('exit', code => reject(new Error(`A process ended with code ${code} before its problems were done.`)))
    })
  })
  return joinOutcomes(await Promise.all(parts))
}
