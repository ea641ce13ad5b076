/** A launcher that calls itself Open MPI and is the driver, too: it says hello and then does as `conduct` has it. */
import type { createStandIns } from './support.js'

/** `hello`: members of HELLO that differ. `conduct`: what it does then, in JavaScript, with `socket`, `frame(type, id, payload)` and
 *  `onSolve(callback)`. */
export function fakeDriver(standIns: ReturnType<typeof createStandIns>, name: string, hello: object, conduct: string): string {
  return standIns.script(
    name,
    `#!/usr/bin/env node
const net = require('node:net')
const path = require('node:path')
if (process.argv[2] === '--version') {
  console.log('mpiexec (OpenRTE) 4.1.4')
  process.exit(0)
}
const [binary, address] = process.argv.slice(-2)
const socket = net.connect(address)
const frame = (type, id, payload) => {
  const header = Buffer.alloc(32)
  header.writeUInt32LE(0x4c454550, 0)
  header.writeUInt16LE(1, 4)
  header.writeUInt16LE(type, 6)
  header.writeUInt32LE(id, 8)
  header.writeBigUInt64LE(BigInt(payload.length), 16)
  socket.write(Buffer.concat([header, payload]))
}
const onSolve = callback => {
  let bytes = Buffer.alloc(0)
  let answered = false
  socket.on('data', data => {
    bytes = Buffer.concat([bytes, data])
    if (bytes.length < 32) return
    if (bytes.readUInt16LE(6) === 4) process.exit(0)
    const length = Number(bytes.readBigUInt64LE(16))
    if (bytes.length < 32 + length || answered) return
    answered = true
    callback(bytes.readUInt32LE(8), bytes.subarray(32, 32 + length))
    bytes = bytes.subarray(32 + length)
    answered = false
  })
}
socket.on('close', () => process.exit(0))
const driver = path.basename(binary).split('-')[1]
const hello = { protocol: 1, driver, ranks: 2, library: 'fake', mpi: 'fake', token: process.env.PEEL_TOKEN, ...${JSON.stringify(hello)} }
frame(1, 0, Buffer.from(JSON.stringify(hello)))
${conduct}
`,
  )
}
