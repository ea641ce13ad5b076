// Debian packages that a benchmark needs, installed where that needs no password.
import { spawnSync } from 'node:child_process'

/** Returns why it could not be done, or nothing. */
export function installPackages(packages, say) {
  if (run('apt-get', ['--version']).error) return 'this system has no apt-get to install them with'
  const isRoot = process.getuid?.() === 0
  if (!isRoot && run('sudo', ['-n', 'true']).status !== 0)
    return `only an administrator can install them: apt-get install ${packages.join(' ')}`
  const apt = (...args) => {
    const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]
    return isRoot ? run(command[0], command.slice(1)) : run('sudo', ['-n', ...command])
  }
  const get = () => apt('install', '-y', '--no-install-recommends', ...packages)
  say(`installing ${packages.join(', ')}`)
  let outcome = get()
  if (outcome.status !== 0) {
    // The list of packages may be absent or old.
    apt('update')
    outcome = get()
  }
  if (outcome.status === 0) return undefined
  const lines = outcome.stderr.trim().split('\n')
  return `apt-get could not install them ("${lines[lines.length - 1]}")`
}

/** Waits for its end; what it says is in the outcome. */
export function run(command, args) {
  return spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
}
