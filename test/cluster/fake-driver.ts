/** A launcher that calls itself Open MPI and is the driver, too: it greets as a driver does and then does as `conduct` has it. And a compiler
 *  that compiles nothing. Neither needs MPI. */
import type { StandIns } from './stand-ins.js'

/** `hello`: members of HELLO that differ; `token`: another secret than the one that it was given; `text`: in place of the JSON. `conduct`:
 *  what it does, in JavaScript, with `ready`, `welcomed`, `socket`, `address`, `frame(type, id, payload)`, `header(type, id, length)` and
 *  `onSolve(callback)`. */
export function fakeDriver(standIns: StandIns, name: string, hello: object, conduct: string): string {
  const program = standIns.script(
    `${name}.cjs`,
    `const crypto = require('node:crypto')
const net = require('node:net')
const path = require('node:path')
const [binary, address] = process.argv.slice(-2)
const [host, port] = address.split(':')
const connect = () => (address.startsWith('/') ? net.connect(address) : net.connect(Number(port), host))
const socket = connect()
const header = (type, id, length) => {
  const bytes = Buffer.alloc(32)
  bytes.writeUInt32LE(0x4c454550, 0)
  bytes.writeUInt16LE(2, 4)
  bytes.writeUInt16LE(type, 6)
  bytes.writeUInt32LE(id, 8)
  bytes.writeBigUInt64LE(BigInt(length), 16)
  return bytes
}
const frame = (type, id, payload) => socket.write(Buffer.concat([header(type, id, payload.length), payload]))
const numbers = values => Buffer.from(Float64Array.from(values).buffer)
/** Cells whose pressures a SOLVE of a grid asks for. */
const cellsOf = payload => {
  let cells = 0
  for (let tile = 0; tile < payload.readInt32LE(16); tile++) {
    const box = payload.subarray(48 + 12 * tile + 4, 48 + 12 * tile + 10)
    cells += (box[3] - box[0] + 1) * (box[4] - box[1] + 1) * (box[5] - box[2] + 1)
  }
  return cells
}
/** Whoever sets it has HELLO wait. */
let ready = Promise.resolve()
let welcomed = () => {}
let solveCallback = () => {}
const onSolve = callback => {
  solveCallback = callback
}
const { token = process.env.PEEL_TOKEN, text, ...about } = ${JSON.stringify(hello)}
const driver = path.basename(binary).split('-')[1]
let bytes = Buffer.alloc(0)
socket.on('data', data => {
  bytes = Buffer.concat([bytes, data])
  while (bytes.length >= 32 && bytes.length >= 32 + Number(bytes.readBigUInt64LE(16))) {
    const length = Number(bytes.readBigUInt64LE(16))
    const [type, id, payload] = [bytes.readUInt16LE(6), bytes.readUInt32LE(8), bytes.subarray(32, 32 + length)]
    bytes = bytes.subarray(32 + length)
    if (type === 4) process.exit(0)
    if (type === 6) greet(payload)
    if (type === 7) welcomed()
    if (type === 2) solveCallback(id, payload)
  }
})
const greet = challenge => {
  const nonce = crypto.randomBytes(32)
  const json = text ?? JSON.stringify({ protocol: 2, driver, ranks: 2, library: 'fake', mpi: 'fake', ...about })
  const proof = crypto.createHmac('sha256', token).update('peel driver').update(challenge).update(nonce).update(json).digest()
  ready.then(() => frame(1, 0, Buffer.concat([nonce, proof, Buffer.from(json)])))
}
socket.on('error', () => {})
socket.on('close', () => process.exit(0))
${conduct}
`,
  )
  return standIns.script(
    name,
    `#!/bin/sh
if [ "$1" = --version ]; then echo 'mpiexec (OpenRTE) 4.1.4'; exit; fi
exec ${process.execPath} ${program} "$@"
`,
  )
}

/** Variables with which Peel finds a compiler that knows hypre and builds a driver that is never run. */
export function fakeCompiler(standIns: StandIns, name = 'fake-mpicxx'): string {
  return standIns.script(
    name,
    `#!/bin/sh
case "$1" in
--showme) echo "c++ -lmpi" ;;
-E) echo '#define HYPRE_RELEASE_VERSION "2.26.0"' ;;
*) while [ "$1" != -o ]; do shift; done
   echo 'never run' > "$2" ;;
esac
`,
  )
}
