/** Every function behind every door, called with what it does not take: a sentence, never a TypeError, never silent nonsense. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as cluster from '../src/cluster/index.js'
import { createGrid } from '../src/grid/grid.js'
import * as peel from '../src/index.js'
import { InputError } from '../src/input-error.js'
import * as formats from '../src/io/formats.js'
import * as io from '../src/io/index.js'
import type { Frame } from '../src/liquid/frame.js'
import type { SimulationState } from '../src/liquid/saving/state.js'
import * as solvers from '../src/solvers/index.js'

const folder = mkdtempSync(join(tmpdir(), 'peel-doors-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const BAD = {
  undefined: undefined,
  null: null,
  text: 'text',
  seven: 7,
  NaN: Number.NaN,
  list: [],
  'list of null': [null],
  object: {},
  'nested objects': { grid: {}, scene: {}, manifest: {}, entries: {} },
  function: () => 0,
  true: true,
  floats: new Float32Array(3),
} as const
type Bad = keyof typeof BAD

/** An argument that is right, and which of the wrong ones are right as well. */
interface Argument {
  readonly value: unknown
  readonly also: readonly Bad[]
}
const arg = (value: unknown, ...also: Bad[]): Argument => ({ value, also })
const opt = (value: unknown, ...also: Bad[]): Argument => ({ value, also: ['undefined', ...also] })
const ANY_OBJECT: Bad[] = ['object', 'nested objects']

const grid = createGrid([4, 3], 0.25)
const faces = peel.createFaceField(grid)
const assembled = peel.assemble({
  grid,
  velocity: peel.createFaceField(grid, -1),
  liquid: peel.sampleCells(grid, (_, y) => y - 0.4),
  dt: 0.01,
})
const matrix = peel.sparseProblem(1, [[0, 0, 1]], Float64Array.of(1), Uint8Array.of(1))
const scene: peel.SceneInput = {
  version: 1,
  domain: { size: [1, 1], resolution: 8 },
  liquid: [{ shape: 'box', min: [0, 0], max: [1, 0.5] }],
}
const setting = peel.prepareScene(scene)
const frame: Frame = {
  grid,
  index: 0,
  time: 0,
  liquid: new Float32Array(12).fill(1),
  solid: new Float32Array(40).fill(1),
  particles: { position: new Float32Array(3), velocity: new Float32Array(3) },
}
const state: SimulationState = {
  time: 0,
  frame: 0,
  substep: 0,
  expectedVolume: 0.5,
  columns: Array.from({ length: 6 }, () => new Float32Array(0)),
}
const checkpoint = { header: { time: 0, frame: 0, substep: 0, expectedVolume: 1 }, arrays: new Map() }
const mesh = { positions: new Float32Array(9), normals: new Float32Array(9), indices: Uint32Array.of(0, 1, 2) }
const solid = {
  positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
  triangles: Uint32Array.of(0, 1, 2),
  notFinite: 0,
  collapsed: 0,
}
const picture = { width: 16, height: 16, pixels: new Uint8ClampedArray(4 * 16 * 16) }
const npy = formats.formatNpy(Float64Array.of(1), [1])
const dense = '%%MatrixMarket matrix array real general\n1 1\n1\n'
const histories = formats.formatHistories([])
const manifest = {
  versions: { peel: '0', scene: 1 },
  sceneHash: '',
  meshes: {},
  seed: 1,
  engine: 'wasm',
  started: '',
  checkpointEvery: 0,
  frames: [],
  checkpoints: [],
}
const about = { scene: { a: 1 }, seed: 1, versions: { peel: '0', scene: 1 }, engine: 'wasm' }
const where = arg('a.file', 'text')
const codec = opt(undefined)
const path = (name: string) => arg(join(folder, name), 'text')

/** Arguments with which each function works, or fails with a sentence. */
const CALLS: Record<string, readonly Argument[]> = {
  // peel
  createFaceMask: [arg(grid)],
  createFaceField: [arg(grid), opt(1, 'seven')],
  sampleCells: [arg(grid), arg(() => 1, 'function')],
  sampleNodes: [arg(grid), arg(() => 1, 'function')],
  sampleFaces: [arg(grid), arg([() => 1, () => 1, () => 1])],
  extrapolate: [arg(grid), arg(faces), arg(peel.createFaceMask(grid)), arg(2, 'seven')],
  interpolate: [
    arg(grid),
    arg([4, 3, 1]),
    arg([0, 0, 0], 'floats'),
    arg(new Float64Array(12)),
    arg(0, 'seven', 'NaN'),
    arg(0, 'seven', 'NaN'),
    arg(0, 'seven', 'NaN'),
  ],
  redistance: [arg(grid), arg([4, 3, 1]), arg(new Float64Array(12).fill(1))],
  createGrid: [arg([4, 4]), opt(1, 'seven')],
  cellIndex: [arg(grid), arg(1, 'seven', 'NaN'), arg(1, 'seven', 'NaN'), opt(0, 'seven', 'NaN')],
  cellPosition: [arg(grid), arg(1, 'seven', 'NaN')],
  assemble: [arg({ grid, velocity: faces, liquid: new Float64Array(12), dt: 0.1 })],
  project: [arg(faces), arg(new Float64Array(12)), arg(assembled)],
  validateScene: [arg(scene), opt('Scene', 'text')],
  prepareScene: [arg(scene), opt(new Map())],
  optionsOf: [arg(scene)],
  simulateScene: [arg({ scene }), opt({ threads: 1 }, ...ANY_OBJECT.slice(0, 1)), opt(undefined)],
  createSimulation: [arg(setting), opt({ threads: 1 }, 'object'), opt(undefined)],
  hasConverged: [arg({ substeps: [] })],
  solvesOf: [arg({ substeps: [] })],
  runWarnings: [arg([], 'list', 'floats'), arg({ cfl: 3, maxSubsteps: 32 })],
  meshNames: [arg(scene)],
  shapeGeometry: [arg({ shape: 'sphere', centre: [0, 0], radius: 1 }), opt(new Map())],
  estimateScene: [arg(scene), arg(setting)],
  parseMesh: [arg(new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')), arg('a.obj')],
  inspectMesh: [arg(solid), arg(0.1, 'seven'), arg('mesh', 'text')],
  inspectMeshes: [arg(scene), opt(new Map())],
  meshWarnings: [arg([{ name: 'a', warnings: ['b'] }], 'list', 'floats')],
  parseOverride: [arg('time.frames=3')],
  setScenePath: [arg({ ...scene }, ...ANY_OBJECT), arg('title'), arg('a', ...(Object.keys(BAD) as Bad[]))],
  sceneJsonSchema: [],
  // peel/solvers
  galleryProblem: [arg('tank'), opt({ size: 8 }, ...ANY_OBJECT)],
  findPockets: [arg(matrix)],
  checkGridProblem: [arg(assembled), opt('The problem', 'text'), opt(undefined)],
  checkSparseProblem: [arg(matrix), opt('The problem', 'text')],
  pressureLength: [arg(assembled)],
  measure: [arg(assembled), arg(new Float64Array(12)), opt(false, 'true')],
  sparseProblem: [arg(1), arg([[0, 0, 1]], 'list'), arg(Float64Array.of(1)), arg(Uint8Array.of(1))],
  addSolver: [arg(solvers.solvers[0])],
  createAlgebraicSolver: [arg('own', 'text'), arg(true, 'true'), arg(function* () {}, 'function'), opt({}, ...ANY_OBJECT)],
  parseOptions: [arg('own', 'text'), arg({}, ...ANY_OBJECT), opt({}, 'object')],
  findSolver: [arg('psor')],
  suggestion: [arg('psro', ...(Object.keys(BAD) as Bad[])), arg(['psor'], 'list')],
  toSparseProblem: [arg(assembled)],
  measureFineSweep: [arg(assembled), opt({ engine: 'portable' }, ...ANY_OBJECT)],
  measureYardstick: [arg(assembled), arg(new Float64Array(12)), opt({ engine: 'portable' }, ...ANY_OBJECT)],
  createSolver: [arg('psor'), opt({}, 'object'), opt({}, ...ANY_OBJECT)],
  defaultSolver: [arg(assembled)],
  solvePressure: [arg(assembled), opt({ engine: 'portable' }, ...ANY_OBJECT)],
  // peel/formats
  surfaceMesh: [arg(frame), opt({}, ...ANY_OBJECT)],
  joinParts: [arg([new Uint8Array(1)], 'list')],
  crc32: [arg(new Uint8Array(1)), opt(0, 'seven')],
  packPlanes: [arg(new Uint8Array(8)), arg(4, 'seven'), arg(io.nodeCodec), opt('small')],
  parseJson: [arg('{}'), where],
  formatTable: [arg(['a'], 'list'), arg([['b']], 'list')],
  formatCheckpoint: [arg(checkpoint), codec],
  parseCheckpoint: [arg(formats.joinParts(formats.formatCheckpoint(checkpoint).parts)), where, codec],
  canonicalJson: [arg(scene, 'null', 'text', 'seven', 'NaN', 'list', 'list of null', 'true', ...ANY_OBJECT)],
  compareScenes: [
    opt(scene, 'null', 'text', 'seven', 'NaN', 'list', 'list of null', 'true', ...ANY_OBJECT),
    opt(scene, 'null', 'text', 'seven', 'NaN', 'list', 'list of null', 'true', ...ANY_OBJECT),
    opt('', 'text'),
  ],
  describeChanges: [arg([], 'list'), opt(5, 'seven')],
  formatFieldsNpz: [arg(frame)],
  formatParticlesNpz: [arg(frame), arg(frame.particles)],
  formatForcesCsv: [
    arg(
      [
        {
          index: 1,
          time: 0.5,
          forces: {
            seconds: 0.5,
            solids: [{ name: 'gate', pivot: [0, 0, 0], force: [1, 2, 3], torque: [0, 0, 1] }],
            sides: { top: { force: [0, 1, 0], torque: [0, 0, 1] } },
          },
        },
      ],
      'list',
    ),
  ],
  formatFrame: [arg(frame), codec],
  parseFrame: [arg(formats.joinParts(formats.formatFrame(frame).parts)), where, codec],
  formatGlb: [arg(mesh), opt('liquid', 'text')],
  formatGridProblem: [arg(assembled)],
  parseGridProblem: [arg(formats.formatGridProblem(assembled)), where],
  formatHistories: [arg([], 'list')],
  parseHistories: [arg(histories), where],
  formatArray: [arg({ rows: 1, columns: 1, values: Float64Array.of(1) }), opt('real')],
  formatCoordinate: [
    arg({
      rows: 1,
      columns: 1,
      symmetry: 'general',
      entries: { row: Int32Array.of(0), column: Int32Array.of(0), value: Float64Array.of(1) },
    }),
    opt('real'),
  ],
  parseMatrixMarket: [arg(dense), where],
  formatNpy: [arg(Float64Array.of(1)), arg([1], 'list')],
  parseNpy: [arg(npy), where],
  formatNpz: [arg([['a', { data: Float64Array.of(1), shape: [1] }]], 'list'), opt({}, ...ANY_OBJECT)],
  parseNpz: [arg(formats.formatNpz([])), where, opt(['a'], 'list', 'list of null', 'floats')],
  formatObj: [arg(mesh), opt('liquid', 'text')],
  formatMeshPly: [arg(mesh)],
  formatParticlesPly: [arg(frame.particles)],
  formatPng: [arg({ width: 1, height: 1, pixels: new Uint8ClampedArray(4) })],
  formatPressure: [arg(Float64Array.of(1)), arg(matrix)],
  parsePressure: [arg(npy), where, arg(matrix)],
  formatSparseProblem: [arg(matrix)],
  parseSparseProblem: [
    arg({
      A: { text: '%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n', where: 'A' },
      b: { text: dense, where: 'b' },
    }),
  ],
  checkpointOf: [arg(state)],
  stateOf: [arg(formats.checkpointOf(state)), where],
  formatPvd: [arg([{ time: 0, file: 'a' }], 'list')],
  formatVti: [arg(frame)],
  formatVtp: [arg(frame)],
  // peel/io
  formatChart: [arg([{ column: 'a', row: 'b', contender: 'c', size: 1, value: 1 }], 'list'), arg({ title: 'a', label: 'b' })],
  openSection: [path('none.md'), arg('a', 'text')],
  createPainter: [opt({ engine: 'plain' }, ...ANY_OBJECT)],
  drawPicture: [arg({ show() {}, paint: () => new Uint8ClampedArray(4 * 8 * 6), dispose() {} }), arg(frame), arg({ size: 8 })],
  encodeVideo: [arg([picture]), arg({ framesPerSecond: 24, encoder: 'h264-mp4-encoder' })],
  writeVideo: [path('video.mp4'), arg([picture]), arg({ framesPerSecond: 24, encoder: 'h264-mp4-encoder' })],
  runFrames: [
    arg({ frame: 0, advance: () => {}, capture: () => {}, save: () => {} }),
    arg({ frames: 0, keep: [], stopOnFail: true, onFrame: () => {} }),
  ],
  checkTarget: [path('target'), arg({ run: {}, what: 'surface', format: 'ply' }), arg([], 'list')],
  readProblem: [path('none.npz')],
  isProblemThere: [path('none.npz')],
  isUnstarted: [path('none')],
  requireFree: [path('none')],
  requireOwnScene: [arg({ path: folder, manifest, scene: { a: 1 } }, 'object')],
  writeProblem: [path('problem.npz'), arg(assembled)],
  readPressure: [path('none.npy'), arg(matrix)],
  writePressure: [path('p.npy'), arg(Float64Array.of(1)), arg(matrix)],
  writeFileWhole: [path('file'), arg('content', 'text', 'list')],
  writeFilesWhole: [arg([], 'list')],
  describeFrames: [arg(manifest)],
  readRun: [path('none')],
  readFrame: [arg({ path: folder, manifest }), arg(0, 'seven')],
  readCheckpoint: [arg({ path: folder, manifest }), arg(0, 'seven')],
  createRun: [path('run'), arg(about)],
  openRun: [path('none'), opt({}, ...ANY_OBJECT)],
  hashScene: [arg(scene, ...ANY_OBJECT)],
  numbered: [arg(3, 'seven')],
  loadScene: [arg('splash', 'text'), opt([], 'list')],
  shippedScenes: [],
  // peel/cluster
  cacheFolder: [opt({}, ...ANY_OBJECT)],
  checkCluster: [opt({}, 'object'), opt(undefined, 'function')],
  tileEfficiency: [arg([4, 4, 4], 'list'), arg(Int32Array.of(0, 4)), arg(2, 'seven'), arg(2, 'seven')],
  createClusterSolver: [opt({}, 'object'), opt({}, ...ANY_OBJECT), opt({}, ...ANY_OBJECT)],
}

/** Need other programs, or would write beside the tests, when they are called rightly. */
const ONLY_WRONGLY = ['checkCluster']
const WRITES_BY_NAME = ['writeVideo', 'checkTarget', 'writePressure', 'writeProblem', 'writeFileWhole', 'createRun']

const doors = { peel, 'peel/solvers': solvers, 'peel/formats': formats, 'peel/io': io, 'peel/cluster': cluster }
const functions = new Map(
  Object.values(doors).flatMap(door =>
    Object.entries(door).filter(([name, value]) => typeof value === 'function' && name !== 'InputError'),
  ),
) as Map<string, (...args: unknown[]) => unknown>

async function outcome(action: () => unknown): Promise<unknown> {
  try {
    const result = await action()
    // Simulations, solvers and writers hold threads and locks.
    const held = result as { dispose?: () => void; close?: () => Promise<void> } | undefined
    held?.dispose?.()
    if (typeof held?.close === 'function') await held.close()
    return undefined
  } catch (error) {
    return error
  }
}

it('knows every function behind the doors', () => {
  expect([...functions.keys()].sort()).toEqual(Object.keys(CALLS).sort())
})

describe.each([...functions.keys()])('%s', name => {
  const action = functions.get(name)!
  const args = CALLS[name] ?? []
  const values = args.map(({ value }) => value)

  it.skipIf(ONLY_WRONGLY.includes(name))('works with what it is made for, or says why not', async () => {
    const error = await outcome(() => action(...values))
    if (error !== undefined) expect(error).toBeInstanceOf(InputError)
  })

  it('refuses all else with a sentence', async () => {
    for (const [at, { also }] of args.entries()) {
      for (const [kind, bad] of Object.entries(BAD)) {
        const isRight = also.includes(kind as Bad)
        if (isRight && (ONLY_WRONGLY.includes(name) || (kind === 'text' && WRITES_BY_NAME.includes(name)))) continue
        const error = await outcome(() => action(...values.slice(0, at), bad, ...values.slice(at + 1)))
        const call = `${name}, argument ${at + 1}: ${kind}`
        if (error !== undefined) {
          expect(error, call).toBeInstanceOf(InputError)
          expect((error as Error).message, call).toMatch(/^.{10,}[.…]$/s)
        }
        if (!isRight) expect(error, `${call} was taken`).toBeDefined()
      }
    }
    if (args.some(({ also }) => !also.includes('undefined'))) expect(await outcome(() => action())).toBeInstanceOf(InputError)
  })
})
