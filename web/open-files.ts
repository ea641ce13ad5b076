/** Files that are dropped on the page or chosen: scenes and meshes. */
import { InputError } from '../src/input-error.js'
import { meshesOf } from '../src/scene/prepare.js'
import type { SceneInput } from '../src/scene/schema.js'
import { validateScene } from '../src/scene/validate.js'

/** A scene without meshes, as anybody wrote it. */
export function parseSceneFile(text: string, name: string): SceneInput {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InputError(`${name} is not JSON: ${(error as Error).message}.`)
  }
  const meshes = [...meshesOf(validateScene(value, name)).keys()]
  if (meshes.length > 0)
    throw new InputError(
      `${name} needs the mesh ${meshes.join(', ')}, which a page cannot look for; drop the mesh into a 3D scene instead, or run it with peel.`,
    )
  return value as SceneInput
}

/** Everything that is dropped anywhere on the page. */
export function acceptDrops(target: HTMLElement, take: (file: File) => void): void {
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
    for (const file of event.dataTransfer?.files ?? []) take(file)
  })
}
