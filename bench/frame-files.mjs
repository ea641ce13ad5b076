// What packing the arrays of a frame costs and saves: bytes and seconds of processor time, arrays stored as they are and deflated by byte planes, in turn.
// Packed `small` is every plane that becomes smaller at all, `quick` those that shrink to half.
// Arguments: scene (splash if absent), resolution (64), frames to simulate before (10), runs (5).

import { simulateScene } from 'peel'
import { loadScene, nodeCodec, packPlanes } from 'peel/io'

const [name = 'splash', resolution = '64', frames = '10', runs = '5'] = process.argv.slice(2)
const { scene, meshes } = await loadScene(name, [['domain.resolution', Number(resolution)]])
const simulation = await simulateScene({ scene, meshes })
for (let n = 0; n < Number(frames); n++) await simulation.advance()
const frame = simulation.capture({ particles: true, fields: true })
const { columns } = simulation.save()
const { liquid, solid, particles, fields } = frame
const arrays = {
  liquid: [liquid],
  solid: [solid],
  'particle positions': [particles.position],
  'particle velocities': [particles.velocity],
  fields: [fields.pressure, ...fields.velocity],
  'columns of a checkpoint': columns,
}
simulation.dispose()

const median = values => values.sort((a, b) => a - b)[values.length >> 1]
const timed = work => {
  const start = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(start)
  return [result, (user + system) / 1e6]
}
const bytesOf = array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
const sum = values => values.reduce((total, value) => total + value, 0)

console.log(`${name} at ${resolution}, frame ${frames}: ${particles.position.length / 3} particles; medians of ${runs} runs`)
console.log('array                    packing  MB raw  MB packed  share  checksum s  pack s  faster below MB/s')
for (const [what, list] of Object.entries(arrays)) {
  const raw = list.map(bytesOf)
  const rawBytes = sum(raw.map(({ length }) => length))
  const seconds = { none: [], small: [], quick: [] }
  const size = {}
  for (let run = 0; run < Number(runs); run++) {
    seconds.none.push(timed(() => raw.map(bytes => nodeCodec.crc32(bytes)))[1])
    for (const packing of ['small', 'quick']) {
      const [planes, taken] = timed(() => {
        const planes = list.flatMap((array, n) => packPlanes(raw[n], array.BYTES_PER_ELEMENT, nodeCodec, packing))
        for (const plane of planes) nodeCodec.crc32(plane)
        return planes
      })
      seconds[packing].push(taken)
      size[packing] = sum(planes.map(({ length }) => length))
    }
  }
  const checksum = median(seconds.none)
  for (const packing of ['small', 'quick']) {
    const pack = median(seconds[packing])
    // Writing the bytes saved must take longer than packing.
    const limit = (rawBytes - size[packing]) / 1e6 / (pack - checksum)
    const cells = [
      (rawBytes / 1e6).toFixed(2).padStart(7),
      (size[packing] / 1e6).toFixed(2).padStart(10),
      (size[packing] / rawBytes).toFixed(2).padStart(6),
      checksum.toFixed(4).padStart(11),
      pack.toFixed(4).padStart(7),
      limit.toFixed(0).padStart(18),
    ]
    console.log(`${what.padEnd(24)} ${packing.padEnd(7)} ${cells.join(' ')}`)
  }
}
