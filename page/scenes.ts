/** The scenes that come with Peel, bundled with the page. */
import { meshNames, parseMesh, type SceneInput, validateScene } from 'peel'
import type { SessionScene } from 'peel/web'

const files = import.meta.glob<SceneInput>(['../scenes/*.json', '!../scenes/scene.schema.json'], {
  eager: true,
  import: 'default',
})
const meshFiles = import.meta.glob<string>('../scenes/*.obj', { eager: true, query: '?url', import: 'default' })

export interface NamedScene extends SessionScene {
  readonly name: string
  /** How much nearer the camera may be than where it sees the whole box; 1 if absent. */
  readonly nearness?: number
}

export const FLAGSHIP = 'splash'
/** Round containers leave the corners of the box empty. */
const NEARNESS: Readonly<Record<string, number>> = {
  splash: 1.45,
  'lai-sphere': 1.4,
  'lai-sphere-cuboid': 1.4,
  'cm-dam-break-sphere': 1.4,
}

const nameOf = (path: string) =>
  path
    .split('/')
    .pop()!
    .replace(/\.json$/, '')

export const sceneNames: readonly string[] = Object.keys(files).map(nameOf).sort()

export function titleOf(name: string): string {
  const scene = files[`../scenes/${name}.json`]
  return `${scene.title || name} (${scene.domain.size.length}D)`
}

export async function loadShippedScene(name: string): Promise<NamedScene> {
  const scene = files[`../scenes/${name}.json`]
  const names = meshNames(validateScene(scene, name))
  const nearness = NEARNESS[name]
  if (names.length === 0) return { name, scene, nearness }
  const meshes = new Map()
  for (const mesh of names) {
    const response = await fetch(meshFiles[`../scenes/${mesh}`])
    meshes.set(mesh, await parseMesh(new Uint8Array(await response.arrayBuffer()), mesh))
  }
  return { name, scene, meshes, nearness }
}
