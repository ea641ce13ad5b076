/** The scene of a run: whether scene.json is still what the run was computed with, and what it may be continued with. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import type { JsonObject } from '../bytes/json.js'
import { canonicalJson, compareScenes, describeChanges, isFixed } from './compare-scenes.js'
import { type RunManifest, type RunScene, SCENE_FILE, type SceneIdentity } from './manifest.js'
import { readScene } from './read.js'

export function hashScene(scene: JsonObject): string {
  return createHash('sha256').update(canonicalJson(scene)).digest('hex')
}

export const formatScene = (scene: JsonObject) => `${JSON.stringify(scene, null, 2)}\n`

export function identityOf({ scene, meshes = {}, seed }: RunScene): SceneIdentity {
  return { sceneHash: hashScene(scene), meshes, seed }
}

/** The manifest as it belongs to the scene that scene.json holds; undefined where that was edited. A process that was killed while it
 *  replaced the scene leaves the earlier one or the next. */
export function manifestFor({ next, ...manifest }: RunManifest, scene: JsonObject): RunManifest | undefined {
  const hash = hashScene(scene)
  if (hash === manifest.sceneHash) return manifest
  return next && hash === next.sceneHash ? { ...manifest, ...next } : undefined
}

/** For code that computes frames again: it needs the scene that the run was computed with. */
export function requireOwnScene({ path, manifest, scene }: { path: string; manifest: RunManifest; scene: JsonObject }): void {
  if (!manifestFor(manifest, scene)) throw wasEdited(path)
}

/** What a run is continued with, its manifest with the identity of that, and whether it differs from what the run was computed with. */
export interface AgreedScene {
  readonly scene: JsonObject
  readonly manifest: RunManifest
  readonly isChanged: boolean
}

/** Refuses what the run cannot be continued with; `hasState`: a state of the run will be used. */
export async function agreeOnScene(
  path: string,
  found: RunManifest,
  expected: RunScene | undefined,
  force: boolean,
  hasState: boolean,
): Promise<AgreedScene> {
  const isTheRunsOwn = (manifest: RunManifest) => expected !== undefined && identityOf(expected).sceneHash === manifest.sceneHash
  // Forced with the true scene: a scene.json that was edited or lost is restored.
  const before = force && isTheRunsOwn(found) ? expected!.scene : await readScene(path)
  const manifest = manifestFor(found, before)
  if (!manifest) throw wasEdited(path)
  if (!expected) return { scene: before, manifest, isChanged: false }
  const changes = [
    ...compareScenes({ ...before, seed: manifest.seed }, { ...expected.scene, seed: expected.seed }),
    ...compareScenes(manifest.meshes, expected.meshes ?? {}, 'content of meshes'),
  ]
  if (changes.length === 0) return { scene: before, manifest, isChanged: false }
  const fixed = hasState ? changes.filter(({ path: key }) => isFixed(key)) : []
  if (force && fixed.length > 0)
    throw new InputError(
      `${path} cannot continue with a changed scene: ${describeChanges(fixed)} would invalidate its frames; ` +
        'start in a new folder, or compute all frames again with --from-frame 0.',
    )
  if (!force)
    throw new InputError(
      `${path} was started with another scene: ${describeChanges(changes)}; ` +
        `start in a new folder${fixed.length > 0 ? '' : ' or use --force'}.`,
    )
  return { scene: expected.scene, manifest: { ...manifest, ...identityOf(expected) }, isChanged: true }
}

function wasEdited(path: string): InputError {
  return new InputError(`${join(path, SCENE_FILE)} was changed since the run began; restore it or start in a new folder.`)
}
