/** Scenes and their meshes in the file system, and the scenes that come with Peel. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError, suggestion } from '../input-error.js'
import { parseMesh } from '../scene/mesh/file.js'
import type { TriangleMesh } from '../scene/mesh.js'
import { type Override, setScenePath } from '../scene/overrides.js'
import { meshesOf } from '../scene/prepare.js'
import type { Scene } from '../scene/schema.js'
import { validateScene } from '../scene/validate.js'
import type { HostSolver } from '../solvers/contract/data-limits.js'
import { isObject, parseJsonFile } from './bytes/json.js'
import { isThere, readBytes, readText } from './files/atomic-file.js'

export interface LoadedScene {
  /** The path as it was given, or the name of a shipped scene. */
  readonly name: string
  readonly scene: Scene
  /** By the names that the scene gives them. */
  readonly meshes: ReadonlyMap<string, TriangleMesh>
  /** SHA-256 of every mesh file, likewise. */
  readonly hashes: Readonly<Record<string, string>>
}

const SCENE_FOLDER = fileURLToPath(new URL('../../scenes', import.meta.url))
const SCHEMA_FILE = 'scene.schema.json'

/** `path` is a JSON file or the name of a scene that comes with Peel. Paths of meshes are relative to the file. `host` is the solver that
 *  the command line or code has chosen, if any. */
export async function loadScene(path: string, overrides: readonly Override[] = [], host?: HostSolver): Promise<LoadedScene> {
  const file = await findScene(path)
  const plain = parseScene(await readText(file), path)
  for (const [key, value] of overrides) setScenePath(plain, key, value)
  const scene = validateScene(plain, path, host)
  const meshes = new Map<string, TriangleMesh>()
  const hashes: Record<string, string> = {}
  for (const mesh of meshesOf(scene).keys()) {
    const bytes = await readBytes(resolve(dirname(file), mesh))
    hashes[mesh] = createHash('sha256').update(bytes).digest('hex')
    meshes.set(mesh, await parseMesh(bytes, mesh))
  }
  return { name: path, scene, meshes, hashes }
}

/** Names of the scenes that come with Peel, in alphabetical order. */
export async function shippedScenes(): Promise<string[]> {
  const files = await readdir(SCENE_FOLDER)
  return files
    .filter(file => file.endsWith('.json') && file !== SCHEMA_FILE)
    .map(file => file.slice(0, -'.json'.length))
    .sort()
}

async function findScene(path: string): Promise<string> {
  if (/[./\\]/.test(path) || (await isThere(path))) return path
  const names = await shippedScenes()
  if (names.includes(path)) return resolve(SCENE_FOLDER, `${path}.json`)
  throw new InputError(
    `There is no scene "${path}"${suggestion(path, names)}: it is neither a file nor included with Peel. peel scenes lists the included scenes.`,
  )
}

function parseScene(text: string, path: string): Record<string, unknown> {
  const value = parseJsonFile(text, path)
  if (isObject(value)) return value
  throw new InputError(`${path} must contain one JSON object, a scene.`)
}
