/** Warns before a run that would fill its disk. */
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { LoadedScene } from '../../io/index.js'
import { estimateDisk } from '../../io/run/disk-estimate.js'
import { sizeOf } from '../../machine/memory-limits.js'
import { estimateScene } from '../../scene/estimate.js'
import { prepareScene } from '../../scene/prepare.js'
import { printMessage } from '../terminal.js'

export async function warnOfDisk({ scene, meshes }: LoadedScene, output: string): Promise<void> {
  const setting = prepareScene(scene, meshes)
  const diskBytes = estimateDisk(scene, setting, estimateScene(scene, setting))
  const free = await freeBytes(output)
  if (free < diskBytes)
    printMessage(`peel: warning: the run will take about ${sizeOf(diskBytes)}, but only ${sizeOf(free)} are free for ${output}.`)
}

/** Free bytes where a folder is or will be created; Infinity if unknown. */
async function freeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch {
    const above = dirname(resolve(path))
    return above === path ? Infinity : freeBytes(above)
  }
}
