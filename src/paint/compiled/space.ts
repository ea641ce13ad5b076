/** Pictures of 3D frames by compiled loops (kernels/space) on all threads of a machine; plain/space.ts is their definition. What does not
 *  change from picture to picture (the ground without shadows, walls of solids along rays) is kept. */
import type { Grid } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { SpaceLayout } from '../../machine/generated/layouts.js'
import type { PaintMachine } from '../../machine/generated/paint.js'
import { type RecordAt, recordAt } from '../../machine/record.js'
import { createGroundLight, groundMapOf } from '../ground/ground-light.js'
import { encoded, type Palette } from '../palette.js'
import { spaceColours, thinCells } from '../space-colours.js'
import { dot, scale } from '../vector.js'
import { type Ball, checkSpaceView, type FramePainter, type SpaceView, soundCamera } from '../view.js'
import { SPACE_CODES, SPACE_COLOURS } from './space-tables.js'

type SpaceField = keyof typeof SpaceLayout.fields

/** Uses the memory of the machine alone. */
export function createSpacePainter({ kernels, memory }: PaintMachine): FramePainter {
  let space = 0
  let frame: Frame | undefined
  let isTaken = false
  /** What memory was reserved for, and what it was painted with. */
  let sizes: readonly number[] = []
  let known: readonly unknown[] = []
  let pixels = new Uint8ClampedArray(0)
  const lightGround = createGroundLight()
  let isGroundLit = false

  let record: RecordAt<typeof SpaceLayout> | undefined
  const address = (field: SpaceField) => record![field]
  const setAll = (fields: readonly SpaceField[], values: readonly number[]) =>
    fields.forEach((field, at) => {
      record![field] = values[at]
    })

  function makeRoom({ grid: { shape } }: Frame, { width, height }: SpaceView): void {
    const wanted = [...shape, width, height]
    if (areSame(wanted, sizes)) return
    kernels.releaseAll()
    const light = groundMapOf(shape)
    space = kernels.createSpace(shape[0], shape[1], shape[2], width, height, light.width, light.height)
    record = recordAt(memory, SpaceLayout, space)
    setAll(['lightPerCell', 'lightMargin'], [light.perCell, light.margin])
    new Uint8Array(memory.buffer, address('codes'), SPACE_CODES + 1).set(screenCodes())
    pixels = new Uint8ClampedArray(4 * width * height)
    sizes = wanted
    known = []
    isTaken = false
  }

  /** Returns whether solids have changed. */
  function take({ grid, liquid, solid }: Frame): boolean {
    setAll(['spacing'], [grid.spacing])
    new Float32Array(memory.buffer, address('givenLiquid'), liquid.length).set(liquid)
    new Float32Array(memory.buffer, address('givenSolid'), solid.length).set(solid)
    isTaken = true
    isGroundLit = false
    return kernels.takeSpaceFrame(space) !== 0
  }

  function setColours({ grid }: Frame, palette: Palette): void {
    const colours = spaceColours(palette, grid.shape)
    const numbers = SPACE_COLOURS.flatMap(name => [...colours[name], 0].slice(0, 4))
    new Float32Array(memory.buffer, address('colours'), numbers.length).set(numbers)
    isGroundLit = false
  }

  function setGroundLight(shown: Frame, palette: Palette): void {
    const [red, green, blue] = spaceColours(palette, shown.grid.shape).absorbed
    const { values } = lightGround(shown, [red, green, blue])
    new Float32Array(memory.buffer, address('groundLight'), values.length).set(values)
    isGroundLit = true
  }

  return {
    show(next) {
      frame = next
      isTaken = false
    },
    paint(view) {
      checkSpaceView(view)
      if (!frame || view.width * view.height === 0) return new Uint8ClampedArray(4 * view.width * view.height)
      makeRoom(frame, view)
      const hasNewSolids = !isTaken && take(frame)
      const looks = lookOf(view, frame.grid)
      const now = [...looks, view.palette]
      const hasNewView = !areSame(now, known)
      if (hasNewView) {
        setAll(LOOK, looks)
        setColours(frame, view.palette)
        kernels.paintSpaceBackdrop(space)
        known = now
      }
      if (!isGroundLit) setGroundLight(frame, view.palette)
      if (hasNewView || hasNewSolids) kernels.findSpaceWalls(space)
      setAll(['ballX', 'ballY', 'ballZ', 'ballRadius'], ballIn(view.ball, frame.grid.spacing))
      kernels.paintSpace(space)
      pixels.set(new Uint8ClampedArray(memory.buffer, address('pixels'), pixels.length))
      return pixels
    },
  }
}

const LOOK = [
  ...(['eyeX', 'eyeY', 'eyeZ', 'forwardX', 'forwardY', 'forwardZ'] as const),
  ...(['rightX', 'rightY', 'rightZ', 'upX', 'upY', 'upZ', 'perRight', 'perUp'] as const),
  ...(['left', 'top', 'wholeWidth', 'wholeHeight', 'perColumn', 'perRow', 'lineWidth', 'thin'] as const),
]

/** In cells and pixels, in the order of LOOK. */
function lookOf({ camera, width, height, window, lineWidth = 1 }: SpaceView, { spacing, shape }: Grid): number[] {
  const { eye, forward, right, up } = soundCamera(camera)
  const whole = window ?? { left: 0, top: 0, width, height }
  return [
    ...[...scale(eye, 1 / spacing), ...forward, ...right, ...up, 1 / dot(right, right), 1 / dot(up, up)],
    ...[whole.left, whole.top, whole.width, whole.height, 1 / whole.width, 1 / whole.height, lineWidth, thinCells(shape)],
  ]
}

function ballIn(ball: Ball | null | undefined, spacing: number): number[] {
  return ball ? [...ball.centre, ball.radius].map(length => length / spacing) : [0, 0, 0, 0]
}

/** Bytes for the screen by light from 0 to 1. */
function screenCodes(): Uint8Array {
  return Uint8Array.from({ length: SPACE_CODES + 1 }, (_, at) => Math.round(255 * encoded(at / SPACE_CODES)))
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at])
}
