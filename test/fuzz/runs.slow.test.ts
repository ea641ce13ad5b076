/** Damaged run folders: frames, checkpoints and manifests as bytes, and whole folders on the disk. */
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { joinParts } from '../../src/io/bytes/bytes.js'
import { crc32 } from '../../src/io/bytes/crc32.js'
import type { JsonObject } from '../../src/io/bytes/json.js'
import { formatCheckpoint, parseCheckpoint } from '../../src/io/run/checkpoint.js'
import { createRun, openRun } from '../../src/io/run/directory.js'
import { formatFrame, parseFrame } from '../../src/io/run/frame-file.js'
import { formatManifest, parseManifest } from '../../src/io/run/manifest.js'
import { readFrame, readRun } from '../../src/io/run/read.js'
import { stateOf } from '../../src/io/run/state-checkpoint.js'
import { createFrame } from '../support/frames.js'
import { type Draw, fuzz } from './fuzz.js'
import { mutateBytes, mutateJson, mutateJsonText } from './mutate.js'

const frames = [createFrame({ shape: [4, 3, 2] }), createFrame({ shape: [5, 4], particles: 0 }), createFrame({ fields: false })]
const state = {
  header: { time: 0.5, frame: 1, substep: 3, expectedVolume: 0.2 },
  arrays: new Map<string, Float32Array | Uint8Array>([
    ...[0, 1, 2, 3, 4, 5].map(n => [`particles-${n}`, Float32Array.of(1, 2, 3)] as const),
    ['deep-carried', Uint8Array.of(1, 0)],
    ...['x', 'y', 'z'].map(axis => [`deep-velocity-${axis}`, Float32Array.of(0, 1)] as const),
  ]),
}
const frameFiles = frames.map(frame => joinParts(formatFrame(frame).parts))
const checkpointFiles = [joinParts(formatCheckpoint(state).parts)]

/** The header changed and its checksum made right again, since else every change is noticed by the checksum alone. */
function sealed(draw: Draw, file: Uint8Array): Uint8Array {
  const length = new DataView(file.buffer, file.byteOffset).getUint32(12, true)
  const header = JSON.parse(new TextDecoder().decode(file.subarray(20, 20 + length)))
  const text = JSON.stringify(mutateJson(draw, [header], ['f4', 'u1', 'i8', 'liquid', 'solid', [0, 0], [4, 3, 2]])) ?? ''
  const bytes = new TextEncoder().encode(text)
  const head = new Uint8Array(Math.ceil((20 + bytes.length) / 8) * 8 - 20).fill(0x20)
  head.set(bytes)
  const prefix = file.slice(0, 20)
  const view = new DataView(prefix.buffer)
  view.setUint32(12, head.length, true)
  view.setUint32(16, crc32(head), true)
  return joinParts([prefix, head, file.subarray(20 + length)])
}
const damaged = (draw: Draw, files: readonly Uint8Array[]) =>
  draw.chance(0.4) ? mutateBytes(draw, files) : sealed(draw, draw.pick(files))

fuzz('frame file', 8000, draw => {
  parseFrame(damaged(draw, frameFiles), 'f.bin')
})
fuzz('checkpoint file', 8000, draw => {
  stateOf(parseCheckpoint(damaged(draw, checkpointFiles), 'c.ckpt'), 'The checkpoint')
})

const manifest = {
  versions: { peel: '0.1.0', scene: 1 },
  sceneHash: 'aa',
  meshes: { 'a.obj': 'bb' },
  seed: 1,
  engine: 'auto',
  started: '2026-01-01T00:00:00.000Z',
  checkpointEvery: 0,
  frames: [
    { frame: 0, bytes: 10, checksum: 5 },
    { frame: 1, bytes: 10, checksum: 5 },
  ],
  checkpoints: [{ frame: 1, bytes: 10, checksum: 5 }],
}
fuzz('manifest', 8000, draw => {
  parseManifest(mutateJsonText(draw, [JSON.parse(formatManifest(manifest))]), 'manifest.json')
})

let home = ''
const scene: JsonObject = { version: 1, title: 'a', domain: { size: [1, 1] }, deep: [[[1]]] }
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'peel-fuzz-'))
  const run = await createRun(join(home, 'run'), {
    scene,
    seed: 1,
    versions: manifest.versions,
    engine: 'auto',
    checkpointEvery: 2,
  })
  for (let index = 0; index < 4; index++)
    await run.keep({
      frame: createFrame({ index, shape: [4, 3] }),
      stats: { index },
      checkpoint: { ...state, header: { ...state.header, frame: index } },
    })
  await run.close()
})
afterAll(() => rm(home, { recursive: true, force: true }))

async function damageFolder(draw: Draw, path: string): Promise<void> {
  const names = (await readdir(path, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  const files = names.map(entry => join(entry.parentPath, entry.name))
  for (let step = 1 + draw.below(3); step > 0; step--) {
    const file = draw.pick(files)
    const bytes = await readFile(file).catch(() => undefined)
    if (bytes === undefined) continue
    const kind = draw.below(7)
    if (kind === 0) await rm(file)
    else if (kind === 1) await truncate(file, draw.below(bytes.length + 1))
    else if (kind === 2) await writeFile(file, mutateBytes(draw, [bytes]))
    else if (kind === 3) await rename(draw.pick(files), file).catch(() => {})
    else if (kind === 4) await rm(file).then(() => mkdir(file))
    else await writeFile(file, changed(draw, file, Uint8Array.from(bytes)))
  }
}

/** With checksums that are right where the file had been whole. */
function changed(draw: Draw, file: string, bytes: Uint8Array): Uint8Array | string {
  try {
    if (/[^d]json$/.test(file)) return mutateJsonText(draw, [JSON.parse(new TextDecoder().decode(bytes))])
    return /bin$|ckpt$/.test(file) ? sealed(draw, bytes) : mutateBytes(draw, [bytes])
  } catch {
    return mutateBytes(draw, [bytes])
  }
}

fuzz('run folder', 500, async (draw, input) => {
  const path = join(home, `run-${input}`)
  await cp(join(home, 'run'), path, { recursive: true })
  await damageFolder(draw, path)
  try {
    const run = await readRun(path)
    for (const { frame } of run.manifest.frames) await readFrame(run, frame)
  } catch (error) {
    if ((error as Error).name !== 'InputError') throw error
  }
  try {
    const expected = draw.chance(0.5) ? { expected: { scene, seed: 1 } } : {}
    const opened = await openRun(path, { ...expected, ...(draw.chance(0.3) && { fromFrame: draw.below(5) }) })
    await opened.run.close()
    if (opened.resume) stateOf(opened.resume.checkpoint, 'The checkpoint')
  } finally {
    await rm(path, { recursive: true, force: true })
  }
})
