/** Files given with --hosts: what is wrong with one is said before a launcher gets it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { createClusterSolver } from '../../src/cluster/cluster-solver.js'
import { checkHostsFile } from '../../src/cluster/hosts-file.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { pressureLength } from '../../src/pressure/problem.js'
import { fakeCompiler, fakeDriver } from './fake-driver.js'
import { createStandIns } from './stand-ins.js'

const folder = mkdtempSync(join(tmpdir(), 'peel-hosts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'nodes')

const check = (text: string | Buffer) => {
  writeFileSync(path, text)
  return () => checkHostsFile(path)
}

it.each([
  ['Open MPI', '# our nodes\nnode1 slots=2 max_slots=4\n\nnode2.example.org slots=4  # large\n10.0.0.7\nuser@node3\n'],
  ['MPICH', 'node1:4\nnode2:2\r\n[fe80::1]:2\n'],
  ['SLURM', 'rack[0-3]-n1,node[1-4]\n'],
])('takes one as %s writes it', (_, text) => {
  expect(check(text)).not.toThrow()
})

it.each([
  ['an option in place of a host', 'node1\n-oProxyCommand=touch\n', /^Line 2 of .*begins with a dash/],
  ['an option after a user', 'me@-oProxyCommand=x slots=2\n', /^Line 1 of .*begins with a dash/],
  ['an option in a list', 'node1,-oProxyCommand=x\n', /begins with a dash/],
  ['an option after an exclusion', '^-oProxyCommand=x\n', /begins with a dash/],
  ['an option as a user', 'node1 username=-oX\n', /begins with a dash/],
  ['an option behind a host', 'node1 --mca plm_rsh_agent /bin/sh\n', /begins with a dash/],
  ['a command of the shell', 'node1;reboot\n', /begins with "node1;reboot", which is not a host name/],
  ['a substitution of the shell', '$(reboot)\n', /not a host name/],
  ['nothing', '', /names no host; correct --hosts\.$/],
  ['nothing but comments', '# none\n\n   \n', /names no host/],
  ['a megabyte on one line', 'n'.repeat(2 ** 20), /^Line 1 of .* has 1048576 characters/],
  ['binary data', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 255]), /has characters that are not allowed in host names/],
])('refuses %s', (_, text, reason) => {
  expect(check(text)).toThrow(reason)
  expect(check(text)).toThrow(path)
})

it('names a file that is missing, and says what is none', () => {
  expect(() => checkHostsFile(join(folder, 'absent'))).toThrow(/^There is no hosts file .*absent; correct --hosts\.$/)
  expect(() => checkHostsFile(folder)).toThrow(/is a folder or a device/)
  expect(() => checkHostsFile('/dev/zero')).toThrow(/a folder or a device/)
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(() => checkHostsFile(pipe)).toThrow(/not a file/)
})

it('fails a solve with the name of the file that is missing, before the launcher sees it', async () => {
  const standIns = createStandIns()
  vi.stubEnv('PEEL_MPICXX', fakeCompiler(standIns))
  vi.stubEnv('PEEL_CACHE', join(standIns.folder, 'cache'))
  const { problem } = galleryProblem('half-ball', { size: 17 })
  const launcher = fakeDriver(standIns, 'launcher', {}, '')
  const solver = createClusterSolver({ launcher, hosts: join(folder, 'absent') })
  const result = await solver.solve(problem, new Float64Array(pressureLength(problem)))
  vi.unstubAllEnvs()
  expect(result).toMatchObject({ status: 'failed', message: expect.stringMatching(/There is no hosts file .*absent/) })
})
