/** Pictures of 2D frames by compiled loops (kernels/flat); plain/flat.ts is their definition. */
import type { Grid } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { FlatLayout } from '../../machine/generated/layouts.js'
import type { PaintMachine } from '../../machine/generated/paint.js'
import { type RecordAt, recordAt } from '../../machine/record.js'
import { edgeWidth, flatColours, wallShade } from '../flat-style.js'
import type { Palette } from '../palette.js'
import { checkFlatView, type FlatView, type FramePainter } from '../view.js'

/** Uses the memory of the machine alone. */
export function createFlatPainter({ kernels, memory, shared }: PaintMachine): FramePainter {
  let frame: Frame | undefined
  /** Whether it is in the memory of the machine. */
  let isTaken = false
  let flat: RecordAt<typeof FlatLayout> | undefined
  let at = 0
  let size: readonly number[] = []
  let pixels = new Uint8ClampedArray(0)

  function setSize({ shape: [nx, ny], spacing }: Grid, width: number, height: number): void {
    const wanted = [nx, ny, spacing, width, height]
    if (wanted.every((value, n) => value === size[n])) return
    kernels.releaseAll()
    at = kernels.createFlat(nx, ny, width, height)
    flat = recordAt(memory, FlatLayout, at)
    size = wanted
    isTaken = false
  }

  function take({ grid, liquid, solid }: Frame): void {
    const [nx, ny] = grid.shape
    const record = flat!
    record.perMetre = 1 / grid.spacing
    record.edgeWidth = edgeWidth(grid)
    record.wallShade = wallShade(grid)
    new Float32Array(memory.buffer, record.givenLiquid, grid.cells).set(liquid)
    // Both layers of nodes are equal.
    const nodes = (nx + 1) * (ny + 1)
    new Float32Array(memory.buffer, record.givenSolid, nodes).set(solid.subarray(0, nodes))
    kernels.takeFlat(at)
    isTaken = true
  }

  function setView({ spacing }: Grid, { camera: { origin, pixel }, palette, ball }: FlatView): void {
    const record = flat!
    record.originX = origin[0] / spacing
    record.originY = origin[1] / spacing
    record.pixel = pixel / spacing
    record.ballX = ball ? ball.centre[0] / spacing : 0
    record.ballY = ball ? ball.centre[1] / spacing : 0
    record.ballRadius = ball ? ball.radius / spacing : 0
    const colours = colourNumbers(palette)
    new Float32Array(memory.buffer, record.colours, colours.length).set(colours)
  }

  return {
    show(next) {
      frame = next
      isTaken = false
    },
    paint(view) {
      const length = 4 * view.width * view.height
      if (!frame) return new Uint8ClampedArray(length)
      checkFlatView(view)
      setSize(frame.grid, view.width, view.height)
      if (!isTaken) take(frame)
      setView(frame.grid, view)
      kernels.paintFlat(at)
      const painted = new Uint8ClampedArray(memory.buffer as ArrayBuffer, flat!.pixels, length)
      if (!shared) return painted
      // No canvas accepts pixels from memory that threads share.
      if (pixels.length !== length) pixels = new Uint8ClampedArray(length)
      pixels.set(painted)
      return pixels
    },
  }
}

/** In the order of kernels/flat/flat.ts. */
function colourNumbers(palette: Palette): readonly number[] {
  const { air, stone, stoneEdge, shallow, deep, outline, gleam, edge, margin, ball } = flatColours(palette)
  return [...air, ...stone, stoneEdge, shallow, deep, outline, gleam, edge, margin, ball].flat()
}
