/** The painter of frames, for the command line and for pages: 2D frames flat, 3D frames by rays. The same frame and view give the same
 *  pixels for any number of threads. */
import { untilDisposed } from '../checks.js'
import { checkFrame, type Frame } from '../liquid/frame.js'
import { type PaintMachine, paintModule } from '../machine/generated/paint.js'
import { canCompile, startMachine } from '../machine/machine.js'
import { MemoryRefused } from '../machine/memory-limits.js'
import { createFlatPainter } from './compiled/flat.js'
import { createSpacePainter } from './compiled/space.js'
import { paintFlat } from './plain/flat.js'
import { paintSpace } from './plain/space.js'
import { checkFlatView, checkSpaceView, checkView, type FramePainter } from './view.js'

export interface Painter extends FramePainter {
  dispose(): void
}

export interface PainterOptions {
  /** Threads that paint 3D frames, the caller's included; 1 if absent. */
  readonly threads?: number
  /** `compiled` fails where compiled loops cannot run or get no memory; `auto` then paints with the plain ones, which are about twenty times
   *  slower. */
  readonly engine?: 'auto' | 'compiled' | 'plain'
}

export async function createPainter({ threads = 1, engine = 'auto' }: PainterOptions = {}): Promise<Painter> {
  return untilDisposed(checkedPainter(await startPainter(threads, engine)), 'the painter')
}

async function startPainter(threads: number, engine: PainterOptions['engine']): Promise<Painter> {
  if (engine === 'plain' || (engine === 'auto' && !canCompile())) return createPlainPainter()
  try {
    return createCompiledPainter(await startMachine(paintModule, threads))
  } catch (error) {
    if (!(engine === 'auto' && error instanceof MemoryRefused)) throw error
    return createPlainPainter()
  }
}

function checkedPainter({ show, paint, dispose }: Painter): Painter {
  return {
    show(frame) {
      checkFrame(frame, 'show: the frame')
      show(frame)
    },
    paint(view) {
      checkView(view)
      return paint(view)
    },
    dispose,
  }
}

function createCompiledPainter(machine: PaintMachine): Painter {
  let dims: 2 | 3 | undefined
  let painter: FramePainter | undefined
  return {
    show(frame) {
      if (frame.grid.dims !== dims) painter = frame.grid.dims === 2 ? createFlatPainter(machine) : createSpacePainter(machine)
      dims = frame.grid.dims
      painter!.show(frame)
    },
    paint: view => painter?.paint(view) ?? new Uint8ClampedArray(4 * view.width * view.height),
    dispose: () => machine.dispose(),
  }
}

function createPlainPainter(): Painter {
  let shown: Frame | undefined
  return {
    show(frame) {
      shown = frame
    },
    paint(view) {
      if (!shown) return new Uint8ClampedArray(4 * view.width * view.height)
      if (shown.grid.dims === 2) {
        checkFlatView(view)
        return paintFlat(shown, view)
      }
      checkSpaceView(view)
      return paintSpace(shown, view)
    },
    dispose() {
      shown = undefined
    },
  }
}
