/** Pictures of a run as it goes, and its video at the end. */
import { join } from 'node:path'
import { makeFolder } from '../io/folder.js'
import { numbered, readFrame, readRun, writeFileWhole } from '../io/index.js'
import { formatPng } from '../io/png.js'
import { type WrittenVideo, writeVideo } from '../io/video.js'
import type { Frame } from '../liquid/frame.js'
import type { FramePainter } from '../render/frame-painter.js'

const FOLDER = 'pictures'
const VIDEO = 'video.mp4'

export interface RunPainter extends FramePainter {
  /** Pixels. */
  readonly size: number
}

const look = ({ size }: RunPainter) => ({ size, time: true, samples: 2 })

export async function writePicture(run: string, painter: RunPainter, frame: Frame): Promise<void> {
  await makeFolder(join(run, FOLDER))
  await writeFileWhole(join(run, FOLDER, `${numbered(frame.index)}.png`), formatPng(painter.draw(frame, look(painter))))
}

/** Of all frames that the run has kept, those of earlier times included. */
export async function writeRunVideo(path: string, painter: RunPainter, framesPerSecond: number): Promise<WrittenVideo> {
  const run = await readRun(path)
  async function* pictures() {
    for (const { frame } of run.manifest.frames) yield painter.draw(await readFrame(run, frame), look(painter))
  }
  return writeVideo(join(path, VIDEO), pictures(), { framesPerSecond })
}
