const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

const root = path.dirname(path.dirname(fs.realpathSync(__filename)))
const load = file => import(pathToFileURL(path.join(root, file)).href)

// As any program in a pipe does, `peel … | head` say; what is written to files is whole at any moment.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', error => {
    if (error.code === 'EPIPE') process.exit(141)
    if (stream === process.stdout) console.error(`peel: Standard output cannot be written (${error.message}).`)
    process.exit(1)
  })

async function start() {
  // A published package brings its own dist and has nothing to install or build.
  if (fs.existsSync(path.join(root, 'package-lock.json')) && fs.existsSync(path.join(root, 'src'))) {
    const { setUp, report } = await load('scripts/setup.mjs')
    try {
      await setUp({ root })
    } catch (error) {
      return report(error)
    }
  }
  const { main } = await load('dist/cli/main.js')
  return main(process.argv.slice(2))
}

start().then(
  code => {
    process.exitCode = code
  },
  async error => {
    const { printable } = await load('dist/printable.js')
    console.error(printable(String(error?.stack ?? error)))
    process.exitCode = 1
  },
)
