/** Scenes and their meshes in the file system, and the scenes that come with Peel. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError, suggestion } from '../input-error.js'
import type { TriangleMesh } from '../scene/mesh.js'
import { parseMesh } from '../scene/mesh-file.js'
import { type Override, setScenePath } from '../scene/overrides.js'
import { meshesOf } from '../scene/prepare.js'
import type { Scene } from '../scene/schema.js'
import { validateScene } from '../scene/validate.js'
import { isThere, readBytes, readText } from './whole-file.js'

export interface LoadedScene {
  /** The path as it was given, or the name of a shipped scene. */
  readonly name: string
  readonly scene: Scene
  /** By the names that the scene gives them. */
  readonly meshes: ReadonlyMap<string, TriangleMesh>
  /** SHA-256 of every mesh file, likewise. */
  readonly hashes: Readonly<Record<string, string>>
}

const FOLDER = fileURLToPath(new URL('../../scenes', import.meta.url))
const SCHEMA_FILE = 'scene.schema.json'

/** `path` is a JSON file or the name of a scene that comes with Peel. Paths of meshes are relative to the file. */
export async function loadScene(path: string, overrides: readonly Override[] = []): Promise<LoadedScene> {
  const file = await findScene(path)
  const plain = parseJson(await readText(file), path)
  for (const [key, value] of overrides) setScenePath(plain, key, value)
  const scene = validateScene(plain, path)
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
  const files = await readdir(FOLDER)
  return files
    .filter(file => file.endsWith('.json') && file !== SCHEMA_FILE)
    .map(file => file.slice(0, -'.json'.length))
    .sort()
}

async function findScene(path: string): Promise<string> {
  if (/[./\\]/.test(path) || (await isThere(path))) return path
  const names = await shippedScenes()
  if (names.includes(path)) return resolve(FOLDER, `${path}.json`)
  throw new InputError(`There is no scene «${path}»${suggestion(path, names)}: neither a file nor one that comes with Peel.`)
}

function parseJson(text: string, path: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    throw new InputError(`${path} is not JSON: ${(error as Error).message}.`)
  }
  throw new InputError(`${path} must hold one JSON object, a scene.`)
}
