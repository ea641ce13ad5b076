/** Pictures of a run while it is simulated, and its video at the end. */
import { join } from 'node:path'
import { isThere } from '../../io/files/atomic-file.js'
import { makeFolder } from '../../io/files/folder.js'
import { formatPng } from '../../io/formats/png.js'
import { numbered, readFrame, readRun, writeFileWhole } from '../../io/index.js'
import { type WrittenVideo, writeVideo } from '../../io/video/video.js'
import type { Frame } from '../../liquid/frame.js'
import type { Painter } from '../../paint/painter.js'
import { drawPicture } from '../../paint/picture.js'
import type { LiquidColours } from '../../scene/liquid-colours.js'

const PICTURE_FOLDER = 'pictures'
const VIDEO = 'video.mp4'

export interface RunPainter extends Painter {
  /** Pixels. */
  readonly size: number
  readonly colours: LiquidColours
}

const draw = (painter: RunPainter, frame: Frame) =>
  drawPicture(painter, frame, { size: painter.size, colours: painter.colours, time: true, samples: 2 })

export async function writePicture(run: string, painter: RunPainter, frame: Frame): Promise<void> {
  await makeFolder(join(run, PICTURE_FOLDER))
  await writeFileWhole(pictureFile(run, frame.index), formatPng(draw(painter, frame)))
}

/** Of frames that the run has kept: a process may have been killed between a frame and its picture. */
export async function writeMissingPictures(path: string, painter: RunPainter, every: number): Promise<void> {
  const run = await readRun(path)
  for (const { frame } of run.manifest.frames) {
    if (frame === 0 || frame % every !== 0 || (await isThere(pictureFile(path, frame)))) continue
    await writePicture(path, painter, await readFrame(run, frame))
  }
}

const pictureFile = (run: string, frame: number) => join(run, PICTURE_FOLDER, `${numbered(frame)}.png`)

/** Of all frames that the run has kept, those of earlier times included. */
export async function writeRunVideo(path: string, painter: RunPainter, framesPerSecond: number): Promise<WrittenVideo> {
  const run = await readRun(path)
  async function* pictures() {
    for (const { frame } of run.manifest.frames) yield draw(painter, await readFrame(run, frame))
  }
  return writeVideo(join(path, VIDEO), pictures(), { framesPerSecond })
}
