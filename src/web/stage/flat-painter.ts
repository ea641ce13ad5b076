/** Pictures of 2D frames, painted by the processor: the same as those of flat-shaders. */
import type { OrthographicCamera } from 'three'
import type { Machine } from '../../engine/kernels.js'
import { FLAT_FIELD, type FlatField } from '../../engine/paint-flat-kernels.js'
import type { Grid } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { edgeWidth, wallShade } from './flat-marks.js'
import { flatViewOf } from './flat-view.js'
import type { PaintedView, Painter } from './painter.js'
import { DARK, LIGHT, type Palette, toScreen } from './palette.js'

/** The machine is the painter's own from now on. Pixels are transparent until a frame is shown. */
export function createFlatPainter(machine: Machine): Painter {
  const { kernels, memory } = machine
  let frame: Frame | undefined
  /** Whether it is in the memory of the machine. */
  let isTaken = false
  let at = 0
  let size: readonly number[] = []
  let pixels = new Uint8ClampedArray(0)

  function setSize({ shape: [nx, ny], spacing }: Grid, width: number, height: number): void {
    const wanted = [nx, ny, spacing, width, height]
    if (wanted.every((value, n) => value === size[n])) return
    kernels.releaseAll()
    at = kernels.createFlat(nx, ny, width, height)
    size = wanted
    isTaken = false
  }

  const word = (field: FlatField) => new Uint32Array(memory.buffer, at)[FLAT_FIELD[field]]

  function take({ grid, liquid, solid }: Frame): void {
    const [nx, ny] = grid.shape
    const real = new Float32Array(memory.buffer, at)
    real[FLAT_FIELD.perMetre] = 1 / grid.spacing
    real[FLAT_FIELD.edgeWidth] = edgeWidth(grid)
    real[FLAT_FIELD.wallShade] = wallShade(grid)
    new Float32Array(memory.buffer, word('givenLiquid'), grid.cells).set(liquid)
    // Both layers of nodes are equal.
    const nodes = (nx + 1) * (ny + 1)
    new Float32Array(memory.buffer, word('givenSolid'), nodes).set(solid.subarray(0, nodes))
    kernels.takeFlat(at)
    isTaken = true
  }

  function setView({ spacing }: Grid, { camera, height, dark, ball }: PaintedView): void {
    const real = new Float32Array(memory.buffer, at)
    const { origin, side } = flatViewOf(camera as OrthographicCamera, height)
    real[FLAT_FIELD.originX] = origin[0] / spacing
    real[FLAT_FIELD.originY] = origin[1] / spacing
    real[FLAT_FIELD.pixel] = side / spacing
    real[FLAT_FIELD.ballX] = ball ? ball.centre[0] / spacing : 0
    real[FLAT_FIELD.ballY] = ball ? ball.centre[1] / spacing : 0
    real[FLAT_FIELD.ballRadius] = ball ? ball.radius / spacing : 0
    const colours = dark ? COLOURS.dark : COLOURS.light
    new Float32Array(memory.buffer, word('colours'), colours.length).set(colours)
  }

  return {
    show(next) {
      frame = next
      isTaken = false
    },
    paint(view) {
      const length = 4 * view.width * view.height
      if (!frame) return new Uint8ClampedArray(length)
      setSize(frame.grid, view.width, view.height)
      if (!isTaken) take(frame)
      setView(frame.grid, view)
      kernels.paintFlat(at)
      const painted = new Uint8ClampedArray(memory.buffer as ArrayBuffer, word('pixels'), length)
      if (!machine.shared) return painted
      // No canvas takes pixels from memory that threads share.
      if (pixels.length !== length) pixels = new Uint8ClampedArray(length)
      pixels.set(painted)
      return pixels
    },
    dispose() {
      frame = undefined
      machine.dispose()
    },
  }
}

/** In the order of assembly/paint-flat.ts. */
function coloursOf(palette: Palette): Float32Array {
  const { air, stone, stoneEdge, shallow, deep, outline, gleam, edge } = palette
  const screen = [...air, ...stone, stoneEdge, shallow, deep, outline, gleam, edge, air[0]].flatMap(colour =>
    toScreen(colour).toArray(),
  )
  return Float32Array.of(...screen, ...BALL_COLOUR)
}

const BALL_COLOUR = [0.98, 0.48, 0.22]
const COLOURS = { light: coloursOf(LIGHT), dark: coloursOf(DARK) }
