// A service that simulates a scene and answers with a video (MP4). Requests wait for their turn, because one simulation uses all cores; a
// client that hangs up ends its simulation.
//
//   GET  /NAME?resolution=32&frames=48   a scene included with Peel
//   POST /                               a scene as JSON
import { once } from 'node:events'
import { createServer } from 'node:http'
import { estimateScene, InputError, prepareScene, simulateScene, validateScene } from 'peel'
import { createPainter, drawPicture, encodeVideo, loadScene, shippedScenes } from 'peel/io'

const MAX_SCENE_BYTES = 1e6
const MAX_CELLS = 64 ** 3
const MAX_FRAMES = 240
const PIXELS = 480

const painter = await createPainter({ threads: 2 })
let turn = Promise.resolve()

/** One after the other. */
function inTurn(work) {
  const result = turn.then(work)
  turn = result.catch(() => {})
  return result
}

/** Pictures are drawn and encoded while the simulation continues, so no frame is stored. */
async function* pictures(scene, signal) {
  const simulation = await simulateScene(scene)
  try {
    const draw = () => drawPicture(painter, simulation.capture(), { size: PIXELS, time: true })
    yield draw()
    while (simulation.frame < scene.scene.time.frames) {
      await simulation.advance({ signal })
      yield draw()
    }
  } finally {
    simulation.dispose()
  }
}

async function readScene(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (request.method === 'GET') {
    // Of a name alone: paths would open other files of this machine.
    const known = await shippedScenes()
    const name = pathname.slice(1)
    if (!known.includes(name)) throw new InputError(`There is no scene "${name}"; use one of ${known.join(', ')}.`)
    const wanted = [
      ['domain.resolution', searchParams.get('resolution') ?? 32],
      ['time.frames', searchParams.get('frames') ?? 48],
    ]
    return loadScene(
      name,
      wanted.map(([key, value]) => [key, Number(value)]),
    )
  }
  const parts = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MAX_SCENE_BYTES) throw new InputError(`The scene has more than ${MAX_SCENE_BYTES} bytes.`)
    parts.push(part)
  }
  try {
    return { scene: validateScene(JSON.parse(Buffer.concat(parts).toString())) }
  } catch (error) {
    throw error instanceof SyntaxError ? new InputError(`The scene is not JSON: ${error.message}.`) : error
  }
}

function checkCost({ scene, meshes }) {
  const { cells } = estimateScene(scene, prepareScene(scene, meshes))
  if (cells > MAX_CELLS) throw new InputError(`The scene has ${cells} cells; this service accepts ${MAX_CELLS}.`)
  if (scene.time.frames > MAX_FRAMES)
    throw new InputError(`The scene has ${scene.time.frames} frames; this service accepts ${MAX_FRAMES}.`)
}

async function answer(request, response) {
  const hangUp = new AbortController()
  response.on('close', () => hangUp.abort())
  const scene = await readScene(request)
  checkCost(scene)
  const { bytes, frames } = await inTurn(() => {
    hangUp.signal.throwIfAborted()
    return encodeVideo(pictures(scene, hangUp.signal), { framesPerSecond: scene.scene.time.fps })
  })
  response.writeHead(200, { 'Content-Type': 'video/mp4', 'Content-Length': bytes.length }).end(bytes)
  console.log(`${request.method} ${request.url}: ${frames} frames, ${bytes.length} bytes`)
}

const server = createServer((request, response) => {
  answer(request, response).catch(error => {
    if (response.destroyed) return
    const isInput = error instanceof InputError
    if (!isInput) console.error(error)
    response.writeHead(isInput ? 400 : 500, { 'Content-Type': 'text/plain; charset=utf-8' })
    response.end(isInput ? error.message : 'The simulation failed.')
  })
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1')
await once(server, 'listening')
console.log(`http://127.0.0.1:${server.address().port}/splash?resolution=32&frames=48`)
