/** Files that are dropped on the page or chosen: scenes with the meshes that they name, and meshes. */
import { InputError, meshNames, type SceneInput, type TriangleMesh, validateScene } from 'peel'
import { parseJson } from 'peel/formats'
import type { Page } from '../page.js'
import type { NamedScene } from '../scenes.js'
import { readMesh } from './place-mesh.js'

export interface SceneFile {
  readonly name: string
  readonly scene: SceneInput
  /** The meshes of the scene, as it names them, by what their files are called. */
  readonly meshes: ReadonlyMap<string, string>
}

/** A scene from any source. Folders in names of meshes are ignored: a page knows names of files only. */
export function parseSceneFile(text: string, name: string): SceneFile {
  const value = parseJson(text, name)
  const meshes = new Map<string, string>()
  for (const mesh of meshNames(validateScene(value, name))) {
    const file = mesh.split(/[/\\]/).pop()!
    if (meshes.has(file))
      throw new InputError(
        `${name} names two mesh files that are both called ${file}, ${meshes.get(file)} and ${mesh}; rename one.`,
      )
    meshes.set(file, mesh)
  }
  return { name, scene: value as SceneInput, meshes }
}

export interface FileOpenerOptions {
  readonly page: Page
  /** Into the scene that is shown. */
  readonly addMesh: (bytes: Uint8Array, name: string) => Promise<void>
  /** A message that is not an error. */
  readonly note: (sentence: string) => void
}

/** Opens files that are dropped together; a scene waits for meshes that are dropped later, while the page stays unchanged.
 *  Throws if a file is invalid. */
export function createFileOpener({ page, addMesh, note }: FileOpenerOptions): (files: readonly File[]) => Promise<void> {
  let waiting: { readonly file: SceneFile; readonly found: Map<string, TriangleMesh>; readonly shown: NamedScene } | undefined

  return async files => {
    note('')
    const scenes = files.filter(({ name }) => /\.json$/i.test(name))
    if (scenes.length > 1) throw new InputError(`Open one scene at a time, not ${listed(scenes.map(({ name }) => name))}.`)
    // Another file was opened meanwhile: this one is dropped.
    if (waiting?.shown !== page.scene) waiting = undefined
    for (const file of scenes)
      waiting = { file: parseSceneFile(await file.text(), file.name), found: new Map(), shown: page.scene }

    const meshes = files.filter(file => !scenes.includes(file))
    const named = meshes.filter(({ name }) => waiting?.file.meshes.has(name))
    if (!waiting || scenes.length + named.length === 0) {
      const mistaken = meshes.find(({ name }) => waiting && hasLike(waiting.file.meshes, name))
      if (waiting && mistaken)
        throw new InputError(`${mistaken.name} has a different spelling. ${missingSentence(waiting.file, waiting.found)}`)
      for (const file of meshes) await addMesh(await bytesOf(file), file.name)
      return
    }
    const { file, found } = waiting
    const complaints = await readInto(found, named, file)
    if (found.size < file.meshes.size) throw new InputError([...complaints, missingSentence(file, found)].join(' '))
    waiting = undefined
    await page.openScene({ name: 'own', scene: file.scene, meshes: found })
    const others = meshes.filter(mesh => !named.includes(mesh)).map(({ name }) => name)
    note(others.length > 0 ? `${file.name} is open; it does not name ${listed(others)}.` : `${file.name} is open.`)
  }
}

const bytesOf = async (file: File) => new Uint8Array(await file.arrayBuffer())

/** The errors of files that cannot be read. */
async function readInto(found: Map<string, TriangleMesh>, files: readonly File[], { meshes }: SceneFile): Promise<string[]> {
  const complaints: string[] = []
  for (const file of files)
    try {
      found.set(meshes.get(file.name)!, await readMesh(await bytesOf(file), file.name))
    } catch (error) {
      complaints.push((error as Error).message)
    }
  return complaints
}

/** Ignoring case. */
const hasLike = (meshes: ReadonlyMap<string, string>, name: string) =>
  [...meshes.keys()].some(mesh => mesh.toLowerCase() === name.toLowerCase())

function missingSentence({ name, meshes }: SceneFile, found: ReadonlyMap<string, TriangleMesh>): string {
  const missing = [...meshes].filter(([, mesh]) => !found.has(mesh)).map(([file]) => file)
  const [files, them] = missing.length > 1 ? ['files', 'them'] : ['file', 'it']
  return `${name} needs the mesh ${files} ${listed(missing)}: drop ${them} on the page, or choose ${them} with "Open file…", and the scene opens.`
}

const listed = (names: readonly string[]) => [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ')

/** Everything that is dropped anywhere on the page. */
export function acceptDrops(target: HTMLElement, take: (files: readonly File[]) => void): void {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
  target.addEventListener('dragover', event => {
    if (!hasFiles(event)) return
    event.preventDefault()
    target.classList.add('dropping')
  })
  target.addEventListener('dragleave', event => {
    if (event.relatedTarget === null) target.classList.remove('dropping')
  })
  target.addEventListener('drop', event => {
    target.classList.remove('dropping')
    if (!hasFiles(event)) return
    event.preventDefault()
    take([...(event.dataTransfer?.files ?? [])])
  })
}
