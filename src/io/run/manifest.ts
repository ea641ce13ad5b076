/** manifest.json of a run directory: what the run is and which of its files are finished. A file that is not listed does not count. */
import { InputError } from '../../input-error.js'
import { isObject, type JsonObject, parseJson } from '../bytes/json.js'

/** What makes two runs the same run. */
export interface RunScene {
  readonly scene: JsonObject
  /** SHA-256 of every mesh file that the scene names, by its path there. */
  readonly meshes?: Readonly<Record<string, string>>
  readonly seed: number
}

/** The same, as the manifest keeps it. */
export interface SceneIdentity {
  /** SHA-256 of the scene as canonical JSON. */
  readonly sceneHash: string
  /** SHA-256 of every mesh file that the scene names, by its path there. */
  readonly meshes: Readonly<Record<string, string>>
  readonly seed: number
}

export interface RunManifest extends SceneIdentity {
  /** Of the package and of the schema of scenes. */
  readonly versions: RunVersions
  readonly engine: string
  /** ISO 8601. */
  readonly started: string
  readonly checkpointEvery: number
  /** Frames up to this one were computed with an earlier scene, which was replaced by force; absent: none. */
  readonly sceneSince?: number
  /** Only while the scene is being replaced: what scene.json will hold next. */
  readonly next?: SceneIdentity
  /** Ascending. */
  readonly frames: readonly KeptFile[]
  readonly checkpoints: readonly KeptFile[]
}

export interface RunVersions {
  readonly peel: string
  readonly scene: number | string
}

export interface KeptFile {
  readonly frame: number
  readonly bytes: number
  /** Of the file's header, which holds those of its sections. */
  readonly checksum: number
}

export const MANIFEST = 'manifest.json'
export const SCENE_FILE = 'scene.json'
export const STATS = 'stats.ndjson'
export const FRAMES = 'frames'
export const CHECKPOINTS = 'checkpoints'

export const frameFile = (frame: number) => `${FRAMES}/${numbered(frame)}.bin`
export const checkpointFile = (frame: number) => `${CHECKPOINTS}/${numbered(frame)}.ckpt`
/** Six digits, so that names sort as numbers do. */
export const numbered = (frame: number) => String(frame).padStart(6, '0')

const RUN_FORMAT = 'peel-run'
const MANIFEST_VERSION = 1

/** One line per file, for human readers. */
export function formatManifest({ frames, checkpoints, ...about }: RunManifest): string {
  const lines = (files: readonly KeptFile[]) =>
    files.length === 0 ? '[]' : `[\n  ${files.map(file => JSON.stringify(file)).join(',\n  ')}\n ]`
  const head = JSON.stringify({ format: RUN_FORMAT, version: MANIFEST_VERSION, ...about }, null, 1).slice(0, -2)
  return `${head},\n "frames": ${lines(frames)},\n "checkpoints": ${lines(checkpoints)}\n}\n`
}

export function parseManifest(text: string, where: string): RunManifest {
  const fail = (what: string): never => {
    throw new InputError(`${where}: ${what}.`)
  }
  let json: unknown
  try {
    json = parseJson(text)
  } catch {
    fail('this is not JSON, so the folder is not a readable run')
  }
  if (!isObject(json) || json.format !== RUN_FORMAT)
    return fail(`"format" is not "${RUN_FORMAT}", so the folder is not a run of Peel`)
  if (json.version !== MANIFEST_VERSION)
    fail(`version ${JSON.stringify(json.version)} is unknown, this version of Peel reads ${MANIFEST_VERSION}`)
  const { versions, sceneHash, meshes, seed, engine, started, checkpointEvery, sceneSince, next, frames, checkpoints } = json
  const areTexts = [sceneHash, engine, started].every(value => typeof value === 'string')
  if (!areTexts || !isObject(versions) || !isObject(meshes) || typeof seed !== 'number' || typeof checkpointEvery !== 'number')
    fail('"versions", "sceneHash", "meshes", "seed", "engine", "started" or "checkpointEvery" is missing or damaged')
  if (!(sceneSince === undefined || isCount(sceneSince))) fail('"sceneSince" is not a frame')
  if (!(next === undefined || (isObject(next) && isObject(next.meshes)))) fail('"next" is not a scene')
  if (!isAscendingList(frames)) fail('"frames" is not a list of finished frames')
  if (!isAscendingList(checkpoints)) fail('"checkpoints" is not a list of finished checkpoints')
  return json as unknown as RunManifest
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function isAscendingList(files: unknown): boolean {
  if (!Array.isArray(files)) return false
  const isFile = (file: unknown): file is JsonObject => isObject(file) && [file.frame, file.bytes, file.checksum].every(isCount)
  return files.every((file, at) => isFile(file) && (at === 0 || (file.frame as number) > (files[at - 1] as KeptFile).frame))
}
