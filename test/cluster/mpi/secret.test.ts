/** What the drivers in C++ know of the secret: proofs as Node makes them, to nobody but Peel, and not a word in an argument list. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildDriver } from '../../../src/cluster/build-driver.js'
import { encodeHeader, FRAME } from '../../../src/cluster/frames.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import { root } from '../../cli/run.js'
import { createStandIns } from '../stand-ins.js'
import { findRanks, newRanks, openSolver, zeros } from './support.js'

const standIns = createStandIns()

describe('SHA-256 and HMAC', () => {
  const hash = compileHash()

  // FIPS 180-4, examples of NIST.
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    [
      'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
    ],
    ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
  ])('agree with NIST, example %#', (text, expected) => {
    expect(hash('hash', '', text)).toBe(expected)
  })

  // RFC 4231, cases 1, 2, 3 and 6.
  it.each([
    ['0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    ['4a656665', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    ['aa'.repeat(20), '\xdd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
    [
      'aa'.repeat(131),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ])('agree with RFC 4231, case %#', (key, text, expected) => {
    expect(hash('hmac', key, text)).toBe(expected)
  })

  it('agree with Node on messages of every length around a block', () => {
    for (let length = 50; length <= 70; length++) {
      const [text, key] = [randomBytes(length).toString('latin1'), randomBytes(length)]
      expect(hash('hash', '', text)).toBe(createHash('sha256').update(text, 'latin1').digest('hex'))
      expect(hash('hmac', key.toString('hex'), text)).toBe(createHmac('sha256', key).update(text, 'latin1').digest('hex'))
    }
  })
})

/** The header of the drivers as a program: mode and key in hexadecimal digits as arguments, the message on standard input. */
function compileHash() {
  const source = join(standIns.folder, 'hash.cpp')
  const program = join(standIns.folder, 'hash')
  writeFileSync(
    source,
    `#include <cstdio>
#include <iostream>
#include <iterator>
#include "sha256.hpp"
int main(int, char** argv) {
  const std::string message((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>()), digits = argv[2];
  std::string key;
  for (size_t at = 0; at < digits.size(); at += 2) key += char(std::stoi(digits.substr(at, 2), nullptr, 16));
  for (uint8_t byte : std::string(argv[1]) == "hmac" ? sha256::hmac(key, message) : sha256::hash(message)) printf("%02x", byte);
}
`,
  )
  execFileSync('g++', ['-std=c++17', '-O1', '-I', join(root, 'src/cluster/drivers'), source, '-o', program])
  return (mode: 'hash' | 'hmac', key: string, text: string) =>
    execFileSync(program, [mode, key], { input: Buffer.from(text, 'latin1') }).toString()
}

describe('the secret', () => {
  const { problem } = galleryProblem('half-ball', { size: 24, dims: 3 })

  /** Argument lists of all processes. */
  const argumentLists = () =>
    readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(pid => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
        } catch {
          return ''
        }
      })

  const secretOf = (pid: number) => /PEEL_TOKEN=([0-9a-f]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[1]

  it('is in no argument list while ranks run, here and on hosts reached by ssh', async () => {
    const hosts = join(standIns.folder, 'hosts')
    writeFileSync(hosts, 'node-a.invalid slots=2\n')
    const log = join(standIns.folder, 'ssh.log')
    // Runs here what it should run there.
    const ssh = standIns.script(
      'ssh',
      `#!/bin/bash\nprintf '%s ' "$@" >> ${log}\nwhile [[ "$1" == -* ]]; do shift; done\nshift\nexec /bin/bash -c "$*"\n`,
    )
    const away = { hosts, address: '127.0.0.1', launcherArguments: `--mca plm_rsh_agent ${ssh}` }
    for (const options of [{}, away]) {
      const before = findRanks()
      const solver = openSolver({ ranks: 2, ...options })
      let looked = 0
      const result = await solver.solve(problem, zeros(problem), {
        monitor({ outer }) {
          if (outer === 0 || looked > 0) return
          const ranks = newRanks(before)
          const secret = secretOf(ranks[0])!
          expect(secret).toMatch(/^[0-9a-f]{64}$/)
          const lists = argumentLists()
          expect(lists.some(list => list.includes('PEEL_TOKEN'))).toBe(true)
          expect(lists.filter(list => list.includes(secret))).toEqual([])
          if (options === away) expect(readFileSync(log, 'latin1')).not.toContain(secret)
          looked++
        },
      })
      expect(result.message).toBe('Converged.')
      expect(looked).toBe(1)
      await solver.close()
    }
    expect(readFileSync(log, 'latin1')).toMatch(/node-a .*orted/)
  })
})

describe('a driver', () => {
  /** Starts one, whose address leads to `listen`, and resolves with what it printed. */
  async function callImpostor(listen: (socket: Socket) => void): Promise<{ text: string; sent: Buffer; secret: string }> {
    const { path } = await buildDriver('grid')
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.on('data', data => {
        sent = Buffer.concat([sent, data])
      })
      listen(socket)
    })
    let sent: Buffer = Buffer.alloc(0)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as { port: number }
    const secret = randomBytes(32).toString('hex')
    const env = { ...process.env, PEEL_TOKEN: secret, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' }
    const child = spawn('mpiexec', ['-n', '1', path, `127.0.0.1:${port}`], { env })
    let text = ''
    child.stderr.on('data', data => {
      text += data
    })
    await once(child, 'close')
    server.close()
    return { text, sent, secret }
  }

  const challenge = Buffer.concat([encodeHeader(FRAME.challenge, 0, 32), Buffer.alloc(32, 1)])

  it.each([
    [
      'welcomes it without a proof',
      Buffer.concat([challenge, encodeHeader(FRAME.welcome, 0, 32), Buffer.alloc(32)]),
      /is not Peel/,
    ],
    ['asks for nothing and gives orders', encodeHeader(FRAME.solve, 1, 2 ** 40), /does not talk as Peel does/],
    ['sends a challenge of a terabyte', encodeHeader(FRAME.challenge, 0, 2 ** 40), /does not talk as Peel does/],
    ['talks HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'), /does not talk as Peel does/],
  ])('leaves when who listens %s', async (_, message, reason) => {
    const { text, sent, secret } = await callImpostor(socket => socket.write(message))
    expect(text).toMatch(reason)
    expect(sent.includes(secret)).toBe(false)
  })
})
