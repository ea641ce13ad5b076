/** The surface that frames show, against shapes that are known. Stirred: shells of a ball turned against each other, so that nothing is left of the
 *  order in which particles start. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGrid, type Grid } from '../../../src/grid/grid.js'
import type { SurfaceMesh } from '../../../src/grid/isosurface.js'
import { sphere } from '../../../src/grid/shapes.js'
import { createCompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import { createCompiledParticles } from '../../../src/liquid/compiled/particles.js'
import type { Frame } from '../../../src/liquid/frame.js'
import { createSimulation } from '../../../src/liquid/simulation.js'
import { pictureSurface } from '../../../src/liquid/surface/picture-surface.js'
import { surfaceMesh } from '../../../src/liquid/surface/surface-mesh.js'
import { type LiquidMachine, liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { random } from '../../../src/random.js'
import { eulerCharacteristic, expectClosedManifold, meshVolume } from '../../support/meshes.js'
import { body, settingOf, solid } from '../../support/settings.js'

let machine: LiquidMachine
beforeAll(async () => {
  machine = await startMachine(liquidModule, 2)
})
afterAll(() => machine.dispose())

type Place = readonly [number, number, number]
type Distance = (x: number, y: number, z: number) => number

const CENTRE: Place = [0.503, 0.497, 0.511]
const RADIUS = 0.31
const ball: Distance = (x, y, z) => Math.hypot(x - CENTRE[0], y - CENTRE[1], z - CENTRE[2]) - RADIUS
const disc: Distance = (x, y) => ball(x, y, CENTRE[2])

interface Placed {
  /** From the particles, as the pressure solve has it. */
  readonly rough: Frame
  /** As frames have it. */
  readonly frame: Frame
  /** m³, of the level set of the pressure solve. */
  readonly volume: number
}

/** Particles at random places of a body that fills a share of the unit box; lengths are in its sides. */
function place(grid: Grid, inside: Distance, wall: Distance = () => 1, moved: (at: Place) => Place = at => at): Placed {
  machine.kernels.releaseAll()
  const liquid = createCompiledLiquid(machine, grid)
  const particles = createCompiledParticles(machine, liquid, false)
  const h = grid.spacing
  const [nx, ny, nz] = grid.shape
  const flat = grid.dims === 2
  const columns: number[][] = [[], [], [], [], [], []]
  for (let k = 0, at = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++)
        for (let part = 0; part < (flat ? 4 : 8); part++, at++) {
          const share = (axis: number) => (((part >> axis) & 1) + random(7, at, axis)) / 2
          const [x, y, z] = [(i + share(0)) * h, (j + share(1)) * h, flat ? 0 : (k + share(2)) * h]
          if (!(inside(x, y, z) < 0 && wall(x, y, z) > 0)) continue
          const to = moved([x, y, z])
          for (let axis = 0; axis < 6; axis++) columns[axis].push(axis < 3 ? (flat && axis === 2 ? 0.5 : to[axis] / h) : 0)
        }
  liquid.setWall(1, { walls: 'separating', linear: [0, 0, 0], angular: [0, 0, 0] })
  const { solid: nodes, owner } = liquid.arrays
  for (let node = 0; node < nodes.length; node++) {
    const [i, j, k] = [node % (nx + 1), Math.floor(node / (nx + 1)) % (ny + 1), Math.floor(node / ((nx + 1) * (ny + 1)))]
    nodes[node] = wall(i * h, j * h, flat ? 0 : k * h) / h
    owner[node] = 1
  }
  liquid.openGeometry()
  particles.append(columns.map(column => Float32Array.from(column)))
  particles.sort()
  liquid.surface(flat ? 4 : 8)
  const inMetres = (values: Float32Array) => values.map(value => value * h)
  const shared = { grid, index: 0, time: 0, solid: inMetres(liquid.arrays.solid.slice()) }
  const rough = { ...shared, liquid: inMetres(liquid.arrays.phi.slice()) }
  const volume = liquid.measureVolume()
  return { rough, frame: { ...shared, liquid: pictureSurface(liquid) }, volume }
}

/** Turns shells about the centre by angles that depend on their radius, about three axes. */
function stir([x, y, z]: Place): Place {
  let [a, b, c] = [x - CENTRE[0], y - CENTRE[1], z - CENTRE[2]]
  for (let n = 0; n < 3; n++) {
    const angle = 40 * Math.hypot(a, b, c) + n
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    ;[a, b, c] = [sin * a + cos * b, c, cos * a - sin * b]
  }
  return [a + CENTRE[0], b + CENTRE[1], c + CENTRE[2]]
}

function stirFlat([x, y]: Place): Place {
  const [a, b] = [x - CENTRE[0], y - CENTRE[1]]
  const angle = 40 * Math.hypot(a, b)
  return [CENTRE[0] + Math.cos(angle) * a - Math.sin(angle) * b, CENTRE[1] + Math.sin(angle) * a + Math.cos(angle) * b, 0]
}

/** rms of the angle between normals at vertices and those of a ball (in 2D of a disc), degrees. */
function normalError({ positions, normals }: SurfaceMesh, dims: number): number {
  let [sum, count] = [0, 0]
  for (let at = 0; at < positions.length; at += 3) {
    const out = [0, 1, 2].map(axis => (axis < dims ? positions[at + axis] - CENTRE[axis] : 0))
    const own = [0, 1, 2].map(axis => (axis < dims ? normals[at + axis] : 0))
    const size = Math.hypot(...out) * Math.hypot(...own)
    // In 2D the mesh is a prism: its caps have no normal in the plane.
    if (!(Math.hypot(...own) > 0.9)) continue
    const cosine = (out[0] * own[0] + out[1] * own[1] + out[2] * own[2]) / size
    sum += Math.acos(Math.min(1, cosine)) ** 2
    count++
  }
  return (Math.sqrt(sum / count) * 180) / Math.PI
}

describe('normals of a ball of particles', () => {
  const errorsOf = (shape: readonly number[], moved?: (at: Place) => Place) => {
    const { rough, frame } = place(createGrid(shape, 1 / shape[0]), shape.length === 2 ? disc : ball, undefined, moved)
    const [before, after] = [rough, frame].map(levels => normalError(surfaceMesh(levels), shape.length))
    return { before, after }
  }

  it.each([
    ['as they start', undefined],
    ['stirred', stir],
  ])('in 3D converge, %s', (_, moved) => {
    const coarse = errorsOf([32, 32, 32], moved)
    const fine = errorsOf([64, 64, 64], moved)
    // Those of the particles themselves do not.
    expect(coarse.before).toBeGreaterThan(4)
    expect(fine.before).toBeGreaterThan(0.9 * coarse.before)
    expect(coarse.after).toBeLessThan(2)
    expect(fine.after).toBeLessThan(0.8 * coarse.after)
  })

  it.each([
    ['as they start', undefined],
    ['stirred', stirFlat],
  ])('in 2D converge, %s', (_, moved) => {
    const errors = [64, 128, 256].map(n => errorsOf([n, n], moved))
    expect(errors[0].before).toBeGreaterThan(4)
    expect(errors[0].after).toBeLessThan(0.5 * errors[0].before)
    expect(errors[2].after).toBeLessThan(0.95 * errors[0].after)
    expect(errors[2].after).toBeLessThan(2)
  })
})

describe('the volume of the mesh', () => {
  it.each([
    ['a ball', ball, [32, 32, 32]],
    ['a stirred ball', ball, [32, 32, 32], stir],
    ['a pool', (_: number, y: number) => y - 0.41, [32, 32, 32]],
    ['a disc', disc, [48, 48]],
  ] as const)('of %s is that of the liquid within half a per cent', (_, inside, shape, moved?: typeof stir) => {
    const { frame, volume } = place(createGrid(shape, 1 / shape[0]), inside, undefined, moved)
    const prism = shape.length === 2 ? shape[0] : 1
    expect(Math.abs((meshVolume(surfaceMesh(frame)) * prism) / volume - 1)).toBeLessThan(0.005)
  })
})

describe('thin liquid', () => {
  const thickness = 1.5 / 32
  const sheet: Distance = (x, y, z) =>
    Math.abs(y - 0.503 - 0.1 * (x - 0.5) - 0.07 * (z - 0.5)) / Math.hypot(1, 0.1, 0.07) - thickness / 2

  it('is one sheet without holes on twice as fine a grid, 1.5 cells thick', () => {
    const { frame, volume } = place(createGrid([32, 32, 32], 1 / 32), sheet)
    const mesh = surfaceMesh(frame, { refine: 2 })
    expectClosedManifold(mesh)
    expect(eulerCharacteristic(mesh)).toBe(2)
    expect(meshVolume(mesh) / volume).toBeGreaterThan(0.97)
  })

  it.each([1, 2, 4])('stays where it is drops of a particle, meshed %d times as fine', refine => {
    const grid = createGrid([24, 24, 24], 1 / 24)
    const drop: Place[] = [4, 8, 12, 16, 20].flatMap(n =>
      [0.1, 0.3, 0.5].map((part): Place => [(n + part) / 24, (n + 0.5) / 24, 0.3 + part]),
    )
    const inDrop: Distance = (x, y, z) => Math.min(...drop.map(at => Math.hypot(x - at[0], y - at[1], z - at[2]))) - 0.6 / 24
    const { rough, frame } = place(grid, inDrop)
    const [before, after] = [surfaceMesh(rough), surfaceMesh(frame, { refine })].map(mesh => eulerCharacteristic(mesh) / 2)
    expect(before).toBeGreaterThan(5)
    expect(after).toBe(before)
  })
})

it('begins as the bodies of the scene: a box has its edges', async () => {
  const side = (axis: number) => (axis === 1 ? 0.21 : 0.23)
  const box: Distance = (x, y, z) => {
    const q = [x, y, z].map((at, axis) => Math.abs(at - 0.507) - side(axis))
    return Math.hypot(...q.map(value => Math.max(value, 0))) + Math.min(Math.max(...q), 0)
  }
  const simulation = await createSimulation(settingOf([32, 32, 32], 1 / 32, { liquid: [body(box)] }), { threads: 1 })
  const mesh = surfaceMesh(simulation.capture())
  const saved = simulation.save()
  const again = await createSimulation(settingOf([32, 32, 32], 1 / 32, { liquid: [body(box)] }), { threads: 1 }, saved)
  expect(again.capture()).toEqual(simulation.capture())
  again.dispose()
  simulation.dispose()
  expectClosedManifold(mesh)
  for (let at = 0; at < mesh.positions.length; at += 3) {
    const [x, y, z] = mesh.positions.subarray(at, at + 3)
    // Triangles between centres cut edges, by no more than half a cell.
    expect(Math.abs(box(x, y, z)) * 32).toBeLessThan(0.5)
  }
  // It has the volume that its particles show, which are a few hundredths of a cell short of the faces.
  expect(Math.abs(meshVolume(mesh) / (8 * 0.23 * 0.21 * 0.23) - 1)).toBeLessThan(0.03)
})

describe('walls', () => {
  /** A wall across the domain at x = 0.5, of so many cells, with liquid on one side up to y = 0.6. */
  const behind =
    (cells: number): Distance =>
    x =>
      Math.abs(x - 0.5) - cells / 64

  it.each([0.6, 1, 1.5, 3])('of %d cells let nothing through', cells => {
    for (const shape of [
      [32, 32],
      [32, 32, 12],
    ]) {
      const wall = behind(cells)
      const half: Distance = (x, y) => Math.max(x - 0.5, y - 0.6)
      const { rough, frame } = place(createGrid(shape, 1 / 32), half, wall)
      const [nx] = shape
      for (let cell = 0; cell < frame.liquid.length; cell++) {
        const x = ((cell % nx) + 0.5) / 32
        if (wall(x, 0, 0) <= 0) continue
        // Air stays air on the dry side, at its full distance, and liquid stays as deep as it is on the other.
        if (x > 0.5) expect(frame.liquid[cell] * 32).toBeGreaterThan(rough.liquid[cell] >= 0 ? 1 : -9)
        else if (rough.liquid[cell] * 32 < -0.9) expect(frame.liquid[cell]).toBeLessThan(0)
      }
    }
  })
})

it.each([2, 3])('a pool at rest does not flicker, in %dD', async dims => {
  const shape = dims === 2 ? [32, 32] : [24, 24, 24]
  const h = 1 / shape[0]
  const floor = solid((_x, y) => y - 0.1)
  const setting = settingOf(shape, h, { liquid: [body((_x, y) => y - 0.52)], solids: [floor] })
  const simulation = await createSimulation(setting, { threads: 1, time: { fps: 24 } })
  let last: Float32Array | undefined
  let [sum, count] = [0, 0]
  for (let n = 0; n < 12; n++) {
    await simulation.advance()
    const { liquid } = simulation.capture()
    for (let cell = 0; last && n > 3 && cell < liquid.length; cell++) {
      if (!(Math.abs(last[cell]) < 0.75 * h)) continue
      sum += ((liquid[cell] - last[cell]) / h) ** 2
      count++
    }
    last = liquid
  }
  simulation.dispose()
  expect(count).toBeGreaterThan(50)
  expect(Math.sqrt(sum / count)).toBeLessThan(0.02)
})

it('has the same bits for any number of threads', async () => {
  const setting = settingOf([24, 20, 22], 1 / 24, { liquid: [body(sphere([0.5, 0.4, 0.45], 0.3))] })
  const frames = []
  for (const threads of [1, 2]) {
    const simulation = await createSimulation(setting, { threads })
    await simulation.advance()
    frames.push(simulation.capture())
    simulation.dispose()
  }
  expect(frames[1]).toEqual(frames[0])
})
