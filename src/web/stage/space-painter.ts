/** 3D frames painted by the processor: rays through the level sets of liquid and solids, in compiled loops (src/engine/assembly/paint-space*)
 *  on all threads of the machine. What does not change from picture to picture (the ground without shadows, walls of solids along rays) is
 *  kept. */
import type { Camera } from 'three'
import type { Machine } from '../../engine/kernels.js'
import { SPACE_CODES, SPACE_COLOURS, SPACE_FIELD, type SpaceField } from '../../engine/paint-space-kernels.js'
import type { Frame } from '../../liquid/frame.js'
import type { PaintedView, Painter } from './painter.js'
import { ABSORBED, DARK, LIGHT, toLight, toScreen } from './palette.js'
import type { Ball } from './scenery.js'

/** Nothing is scattered where nothing is absorbed; of green light, and a little more. */
const SCATTERED = 1.3 * ABSORBED[1]

/** Owns the machine. */
export function createSpacePainter(machine: Machine): Painter {
  const { kernels, memory } = machine
  let space = 0
  let frame: Frame | undefined
  let isTaken = false
  /** What space was made for, and what it was painted with. */
  let sizes: readonly number[] = []
  let known: readonly number[] = []
  let pixels = new Uint8ClampedArray(0)

  const address = (field: SpaceField) => new Uint32Array(memory.buffer, space)[SPACE_FIELD[field]]
  const setAll = (fields: readonly SpaceField[], values: readonly number[]) => {
    const words = new Float32Array(memory.buffer, space)
    fields.forEach((field, at) => {
      words[SPACE_FIELD[field]] = values[at]
    })
  }

  function makeRoom({ grid: { shape } }: Frame, { width, height }: PaintedView): void {
    const wanted = [...shape, width, height]
    if (areSame(wanted, sizes)) return
    kernels.releaseAll()
    space = kernels.createSpace(shape[0], shape[1], shape[2], width, height)
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
    return kernels.takeSpaceFrame(space) !== 0
  }

  function setColours({ grid }: Frame, isDark: boolean): void {
    const colours = coloursOf(isDark, Math.cbrt(grid.shape[0] * grid.shape[1] * grid.shape[2]))
    new Float32Array(memory.buffer, address('colours'), 4 * SPACE_COLOURS.length).set(
      SPACE_COLOURS.flatMap(name => [...colours[name], 0].slice(0, 4)),
    )
  }

  return {
    show(next) {
      frame = next
      isTaken = false
    },
    paint(view) {
      if (!frame || view.width * view.height === 0) return new Uint8ClampedArray(4 * view.width * view.height)
      makeRoom(frame, view)
      const hasNewSolids = !isTaken && take(frame)
      const looks = lookThrough(view.camera, frame.grid.spacing)
      const now = [...looks, view.dark ? 1 : 0]
      const hasNewView = !areSame(now, known)
      if (hasNewView) {
        setAll(LOOKS, looks)
        setColours(frame, view.dark)
        kernels.paintSpaceBackdrop(space)
        known = now
      }
      if (hasNewView || hasNewSolids) kernels.findSpaceWalls(space)
      setAll(['ballX', 'ballY', 'ballZ', 'ballRadius'], ballIn(view.ball, frame.grid.spacing))
      kernels.paintSpace(space)
      pixels.set(new Uint8ClampedArray(memory.buffer, address('pixels'), pixels.length))
      return pixels
    },
    dispose: () => machine.dispose(),
  }
}

const LOOKS = [
  ...(['eyeX', 'eyeY', 'eyeZ', 'forwardX', 'forwardY', 'forwardZ'] as const),
  ...(['rightX', 'rightY', 'rightZ', 'upX', 'upY', 'upZ', 'perRight', 'perUp'] as const),
]

/** In cells, in the order of LOOKS. The axis of the camera goes through the middle of the picture. */
function lookThrough({ matrixWorld, projectionMatrixInverse }: Camera, spacing: number): number[] {
  const world = matrixWorld.elements
  const wide = projectionMatrixInverse.elements[0]
  const tall = projectionMatrixInverse.elements[5]
  const right = [world[0], world[1], world[2]].map(part => part * wide)
  const up = [world[4], world[5], world[6]].map(part => part * tall)
  return [
    ...[world[12], world[13], world[14]].map(part => part / spacing),
    ...[world[8], world[9], world[10]].map(part => -part),
    ...right,
    ...up,
    1 / squared(right),
    1 / squared(up),
  ]
}

function squared(vector: readonly number[]): number {
  return vector.reduce((sum, part) => sum + part * part, 0)
}

function ballIn(ball: Ball | null, spacing: number): number[] {
  return ball ? [...ball.centre, ball.radius].map(length => length / spacing) : [0, 0, 0, 0]
}

/** `across`: cells across the domain, were it as wide as high. */
function coloursOf(isDark: boolean, across: number): Record<(typeof SPACE_COLOURS)[number], readonly number[]> {
  const palette = isDark ? DARK : LIGHT
  const light = (colour: number) => toLight(colour).toArray()
  return {
    horizon: light(palette.horizon),
    zenith: light(palette.zenith),
    mirrored: light(palette.mirrored),
    lamp: [palette.lamp, palette.lamp, palette.lamp],
    scattered: light(palette.scattered),
    ground: light(palette.ground),
    groundLine: light(palette.groundLine),
    solid: light(palette.solid),
    solidRim: light(palette.solidRim),
    edge: toScreen(palette.edge)
      .toArray()
      .map(part => 255 * part),
    absorbed: [...ABSORBED, SCATTERED].map(power => power / across),
  }
}

/** Bytes for the screen by light from 0 to 1. */
function screenCodes(): Uint8Array {
  return Uint8Array.from({ length: SPACE_CODES + 1 }, (_, at) => {
    const light = at / SPACE_CODES
    return Math.round(255 * (light < 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055))
  })
}

function areSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at])
}
