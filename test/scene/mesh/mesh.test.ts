import { describe, expect, it } from 'vitest'
import { box, torus } from '../../../src/grid/shapes.js'
import { InputError } from '../../../src/input-error.js'
import { random } from '../../../src/random.js'
import { parseMesh } from '../../../src/scene/mesh/file.js'
import { inspectMesh } from '../../../src/scene/mesh/report.js'
import { createMeshShape } from '../../../src/scene/mesh.js'
import { boxMesh, toMesh, toObj, toPly, torusMesh, toStl } from './meshes.js'

const ring = torusMesh(1, 0.4, 128, 48)
const exactRing = torus([0, 0, 0], [0, 0, 1], 1, 0.4)
const cube = boxMesh([0, 0, 0], [1, 1, 1])

/** Largest error and number of wrong signs at random points, in cells; signs only farther from the surface than `near`. */
function compare(phi: typeof exactRing, exact: typeof exactRing, spacing: number, near = 0.1, reach = 1.6) {
  let [worst, wrong, farther] = [0, 0, 0]
  for (let n = 0; n < 20_000; n++) {
    const [x, y, z] = [0, 1, 2].map(axis => reach * (2 * random(21, n, axis) - 1))
    const [found, true_] = [phi(x, y, z), exact(x, y, z)]
    if (Math.abs(true_) < 2 * spacing) worst = Math.max(worst, Math.abs(found - true_) / spacing)
    if (Math.abs(true_) > near * spacing && found < 0 !== true_ < 0) wrong++
    farther = Math.max(farther, (Math.abs(found) - Math.abs(true_)) / spacing)
  }
  return { worst, wrong, farther }
}

describe('mesh to signed distance', () => {
  it('is right near the surface and of the right sign everywhere', () => {
    const spacing = 2.8 / 48
    const { phi } = createMeshShape(toMesh(ring), spacing, 'ring')
    const { worst, wrong, farther } = compare(phi, exactRing, spacing)
    expect(wrong).toBe(0)
    expect(worst).toBeLessThan(0.25)
    // Sweeping is of first order and errs to the far side by part of a cell.
    expect(farther).toBeLessThan(1)
  })

  it('does not depend on how triangles are oriented', () => {
    const spacing = 0.07
    const mixed = ring.map(([a, b, c], at) => (random(5, at) < 0.5 ? ([a, b, c] as const) : ([a, c, b] as const)))
    const [phi, same] = [ring, mixed].map(triangles => createMeshShape(toMesh(triangles), spacing, 'ring').phi)
    for (let n = 0; n < 1000; n++) {
      const [x, y, z] = [0, 1, 2].map(axis => 1.5 * (2 * random(22, n, axis) - 1))
      expect(same(x, y, z)).toBeCloseTo(phi(x, y, z), 12)
    }
  })

  it('knows a cube whose corners and edges lie on lattice lines', () => {
    for (const spacing of [0.25, 0.1, 0.125, 0.3]) {
      const { phi } = createMeshShape(toMesh(cube), spacing, 'cube')
      const { wrong } = compare(phi, box([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]), spacing, 1, 1.2)
      expect(wrong).toBe(0)
    }
  })

  it('knows an octahedron whose corners lie on lattice nodes', () => {
    const corner = (axis: number, sign: number) => [0, 1, 2].map(a => (a === axis ? sign : 0)) as [number, number, number]
    const signs = [1, -1]
    const octahedron = signs.flatMap(x => signs.flatMap(y => signs.map(z => [corner(0, x), corner(1, y), corner(2, z)] as const)))
    for (const spacing of [0.5, 0.25, 0.2]) {
      const { phi } = createMeshShape(toMesh(octahedron), spacing, 'octahedron')
      const exact = (x: number, y: number, z: number) => (Math.abs(x) + Math.abs(y) + Math.abs(z) - 1) / Math.sqrt(3)
      expect(compare(phi, exact, spacing, 1, 1.4).wrong).toBe(0)
    }
  })

  it('asks only lines that met no hole, and the winding number where there is none', () => {
    const without = (axes: readonly number[]) =>
      cube.filter(corners => !axes.some(axis => corners.every(corner => corner[axis] === 0)))
    const { phi } = createMeshShape(toMesh(without([0, 1])), 0.1, 'cube')
    expect(phi(0.5, 0.5, 0.5)).toBeLessThan(0)
    expect(phi(1.2, 1.2, 0.5)).toBeGreaterThan(0)
    const half = createMeshShape(toMesh(without([0, 1, 2])), 0.1, 'cube').phi
    expect(half(0.8, 0.8, 0.8)).toBeLessThan(0)
    expect(half(1.2, 0.8, 0.8)).toBeGreaterThan(0)
  })

  it('gives a usable sign where triangles are missing', () => {
    const spacing = 0.08
    // A hole of a few cells in the outer side of the ring, and one below.
    const holes = ring.filter(([[x, y, z]]) => !(x > 1.25 && Math.abs(y) < 0.2 && Math.abs(z) < 0.2) && !(z < -0.38 && y > 0.9))
    expect(holes.length).toBeLessThan(ring.length - 40)
    const { wrong } = compare(createMeshShape(toMesh(holes), spacing, 'ring').phi, exactRing, spacing, 1.5)
    // Only in and near the holes themselves.
    expect(wrong).toBeLessThan(20)
  })

  it('never overestimates far away, and lies in its bounds', () => {
    const { phi, bounds } = createMeshShape(toMesh(ring), 0.1, 'ring')
    for (let n = 0; n < 2000; n++) {
      const [x, y, z] = [0, 1, 2].map(axis => 20 * (2 * random(23, n, axis) - 1))
      expect(phi(x, y, z)).toBeLessThan(exactRing(x, y, z) + 0.1)
      expect(phi(x, y, z)).toBeGreaterThan(0.3 * exactRing(x, y, z) - 0.1)
      const [low, high] = bounds(1)
      if (phi(x, y, z) < 1)
        for (const [axis, value] of [x, y, z].entries()) expect(value >= low[axis] && value <= high[axis]).toBe(true)
    }
  })

  it('takes thousands of triangles at 64 cells a side within a few seconds', () => {
    const mesh = toMesh(ring)
    expect(mesh.triangles.length / 3).toBe(12_288)
    const start = performance.now()
    createMeshShape(mesh, 2.8 / 64, 'ring')
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('refuses a mesh that is too large for its lattice', () => {
    expect(() => createMeshShape(toMesh(cube), 1e-4, 'cube.obj')).toThrow(/cube\.obj is 10000 × 10000 × 10000 cells large/)
  })
})

describe('parseMesh', () => {
  it.each([
    ['ring.obj', toObj],
    ['ring.ply', toPly],
    ['RING.STL', toStl],
  ])('reads %s, and makes equal vertices one', async (name, write) => {
    const small = torusMesh(1, 0.4, 12, 8)
    const mesh = await parseMesh(write(small), name)
    expect(mesh.triangles.length / 3).toBe(small.length)
    expect(mesh.positions.length / 3).toBe(12 * 8)
    expect(await inspectMesh(mesh, 0.01, name)).toMatchObject({ isClosed: true, warnings: [] })
  })

  it('reads OBJ as programs write it: faces of many corners, numbers of textures and normals, numbers from the end', async () => {
    const corners = ['0 0 0', '1 0 0', '1 1 0', '0 1 0', '0 0 1', '1 0 1', '1 1 1', '0 1 1']
    const text = [
      '# a cube',
      'mtllib none.mtl',
      'o cube',
      ...corners.map(corner => `v ${corner} 1.0`),
      'vn 0 0 1',
      'vt 0.5 0.5',
      's off',
      'usemtl wood',
      'f 4 3 2 1',
      'f 5/1/1 6/1/1 7/1/1 8/1/1',
      'f 1//1 2//1 6//1 5//1',
      'f -7 -6 \\',
      ' -2 -3',
      'f 3 4 8 7',
      'f 4 1 5 8',
    ].join('\r\n')
    const mesh = await parseMesh(new TextEncoder().encode(text), 'cube.obj')
    expect(await inspectMesh(mesh, 0.1, 'cube.obj')).toMatchObject({
      triangles: 12,
      vertices: 8,
      isInsideOut: false,
      warnings: [],
    })
  })

  it.each([
    ['empty.obj', '', /empty\.obj is an empty file/],
    ['points.obj', 'v 0 0 0\nv 1 0 0\n', /points\.obj has no triangles/],
    ['words.obj', 'this is no mesh', /words\.obj/],
    ['words.ply', 'this is no mesh', /words\.ply/],
    ['words.stl', 'this is no mesh', /words\.stl/],
    ['nan.obj', 'v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n', /has a coordinate in vertex 1 that is not a finite number/],
    ['bowl.blend', 'BLENDER', /unknown format; give an \.obj, \.ply or \.stl file/],
  ])('refuses %s', async (name, text, message) => {
    const parsing = parseMesh(new TextEncoder().encode(text), name)
    await expect(parsing).rejects.toBeInstanceOf(InputError)
    await expect(parsing).rejects.toThrow(message)
  })

  it('refuses files of random bytes, or reads something', async () => {
    for (const ending of ['obj', 'ply', 'stl'])
      for (let n = 0; n < 20; n++) {
        const bytes = Uint8Array.from({ length: 200 }, (_, at) => Math.floor(256 * random(31, n, at)))
        try {
          await parseMesh(bytes, `noise.${ending}`)
        } catch (error) {
          expect(error).toBeInstanceOf(InputError)
        }
      }
  })
})

describe('inspectMesh', () => {
  const inspect = (triangles: typeof cube, spacing = 0.1) => inspectMesh(toMesh(triangles), spacing, 'mesh')

  it('finds nothing wrong with a cube, inside out or not', async () => {
    expect(await inspect(cube)).toMatchObject({ triangles: 12, vertices: 8, isClosed: true, isInsideOut: false, warnings: [] })
    const turned = cube.map(([a, b, c]) => [a, c, b] as const)
    expect(await inspect(turned)).toMatchObject({ isClosed: true, isInsideOut: true, warnings: [] })
  })

  it('tells where the holes are', async () => {
    const { isClosed, holes, warnings } = await inspect(cube.slice(4))
    expect(isClosed).toBe(false)
    expect(holes).toHaveLength(2)
    expect(holes.map(({ edges }) => edges)).toEqual([4, 4])
    expect(holes.map(({ at }) => at)).toEqual(
      expect.arrayContaining([
        [0.5, 0.5, 0],
        [0.5, 0.5, 1],
      ]),
    )
    expect(warnings[0]).toMatch(/^It is not closed: 2 holes, near \(.*\(0\.5, 0\.5, 1\)/)
  })

  it('tells where triangles face different ways', async () => {
    const [a, b, c] = cube[0]
    const { flippedEdges, isClosed } = await inspect([[a, c, b], ...cube.slice(1)])
    expect(isClosed).toBe(true)
    expect(flippedEdges.count).toBe(3)
    expect(flippedEdges.at).toContainEqual([0.5, 0.5, 0])
  })

  it('tells where too many triangles meet', async () => {
    const two = [...cube, ...boxMesh([1, 1, 0], [2, 2, 1])]
    const { crowdedEdges } = await inspect(two)
    expect(crowdedEdges).toEqual({ count: 1, at: [[1, 1, 0.5]] })
  })

  it('counts triangles without area', async () => {
    const sliver = [
      [0, 0, 0],
      [1, 1, 0],
      [0.5, 0.5, 0],
    ] as const
    const point = [
      [0, 0, 0],
      [0, 0, 0],
      [1, 0, 0],
    ] as const
    const { degenerateTriangles, triangles } = await inspect([...cube, sliver, point])
    expect({ degenerateTriangles, triangles }).toEqual({ degenerateTriangles: 2, triangles: 13 })
  })

  it('tells where it is thinner than a cell', async () => {
    const plate = [...boxMesh([0, 0, 0], [1, 1, 1]), ...boxMesh([3, 0, 0], [4, 1, 0.04])]
    const { thin, warnings } = await inspect(plate)
    expect(thin.count).toBe(4)
    expect(thin.thinnest).toBeCloseTo(0.04, 4)
    for (const [x] of thin.at) expect(x).toBeGreaterThan(3)
    expect(warnings).toHaveLength(1)
    expect((await inspect(plate, 0.03)).thin.count).toBe(0)
  })
})
