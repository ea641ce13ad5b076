/** Surfaces and particles, read back by the loaders of three and judged by Khronos' validator. */
import { WebIO } from '@gltf-transform/core'
import { decode } from 'fast-png'
import validator from 'gltf-validator'
import type { BufferGeometry, Mesh } from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js'
import { PLYLoader } from 'three/addons/loaders/PLYLoader.js'
import { describe, expect, it } from 'vitest'
import { formatGlb } from '../../../src/io/formats/glb.js'
import { formatObj } from '../../../src/io/formats/obj.js'
import { formatMeshPly, formatParticlesPly } from '../../../src/io/formats/ply.js'
import { formatPng } from '../../../src/io/formats/png.js'
import { surfaceMesh } from '../../../src/liquid/surface/surface-mesh.js'
import { random } from '../../../src/random.js'
import { createFrame } from '../../support/frames.js'
import { refusal } from '../refusal.js'

const frame = createFrame({ shape: [12, 11, 10], spacing: 0.03 })
const mesh = surfaceMesh(frame)
const empty = { positions: new Float32Array(0), normals: new Float32Array(0), indices: new Uint32Array(0) }
const bufferOf = (bytes: Uint8Array) => bytes.slice().buffer as ArrayBuffer
const attribute = (geometry: BufferGeometry, name: string) => geometry.getAttribute(name)?.array as Float32Array

describe('PLY', () => {
  it('gives the surface back exactly, normals included', () => {
    const geometry = new PLYLoader().parse(bufferOf(formatMeshPly(mesh)))
    expect(attribute(geometry, 'position')).toEqual(mesh.positions)
    expect(attribute(geometry, 'normal')).toEqual(mesh.normals)
    expect(Uint32Array.from(geometry.getIndex()!.array)).toEqual(mesh.indices)
  })

  it('gives particles and their velocities back exactly', () => {
    const loader = new PLYLoader()
    loader.setCustomPropertyNameMapping({ velocity: ['vx', 'vy', 'vz'] })
    const geometry = loader.parse(bufferOf(formatParticlesPly(frame.particles!)))
    expect(attribute(geometry, 'position')).toEqual(frame.particles!.position)
    expect(Float32Array.from(attribute(geometry, 'velocity'))).toEqual(frame.particles!.velocity)
  })

  it('can be empty', () => {
    expect(attribute(new PLYLoader().parse(bufferOf(formatMeshPly(empty))), 'position').length).toBe(0)
  })
})

describe('OBJ', () => {
  it('gives the surface back to seven digits', () => {
    const group = new OBJLoader().parse(new TextDecoder().decode(formatObj(mesh, 'wave')))
    const [child] = group.children as Mesh[]
    expect(child.name).toBe('wave')
    // The loader repeats the vertices of every triangle.
    const position = attribute(child.geometry, 'position')
    const normal = attribute(child.geometry, 'normal')
    expect(position.length).toBe(3 * mesh.indices.length)
    for (const [slot, vertex] of mesh.indices.entries()) {
      for (let axis = 0; axis < 3; axis++) {
        expect(Math.abs(position[3 * slot + axis] - mesh.positions[3 * vertex + axis])).toBeLessThan(1e-6)
        expect(Math.abs(normal[3 * slot + axis] - mesh.normals[3 * vertex + axis])).toBeLessThan(1e-4)
      }
    }
  })

  it('writes tiny and huge numbers so that they are read', () => {
    const positions = Float32Array.of(1e-9, -2.5e-12, 1e12, 0, 0.1, 1 / 3, 123456.7, -1, 1e-3)
    const text = new TextDecoder().decode(formatObj({ positions, normals: positions, indices: Uint32Array.of(0, 1, 2) }))
    const numbers = [...text.matchAll(/^v (\S+) (\S+) (\S+)$/gm)].flatMap(match => match.slice(1).map(Number))
    for (const [at, value] of numbers.entries())
      expect(Math.abs(value - positions[at])).toBeLessThanOrEqual(1e-6 * Math.abs(positions[at]))
  })
})

describe('GLB', () => {
  it.each([
    ['a surface', mesh],
    ['nothing', empty],
  ])('of %s passes the validator', async (_, given) => {
    const report = await validator.validateBytes(await formatGlb(given))
    expect([report.issues.numErrors, report.issues.numWarnings], JSON.stringify(report.issues.messages)).toEqual([0, 0])
  })

  it('is a surface to the loader of three', async () => {
    // The loader looks for the page's objects by this name.
    Object.assign(globalThis, { self: globalThis })
    const { scene } = await new GLTFLoader().parseAsync(bufferOf(await formatGlb(mesh, 'wave')), '')
    const [child] = scene.children as Mesh[]
    expect(child.name).toBe('wave')
    const position = child.geometry.getAttribute('position')
    const places = Array.from({ length: position.count }, (_, at) => [position.getX(at), position.getY(at), position.getZ(at)])
    expect(Float32Array.from(places.flat())).toEqual(mesh.positions)
    expect(Uint32Array.from(child.geometry.getIndex()!.array)).toEqual(mesh.indices)
  })

  it('gives the surface back exactly', async () => {
    const document = await new WebIO().readBinary(await formatGlb(mesh, 'wave'))
    const [read] = document.getRoot().listMeshes()
    const [primitive] = read.listPrimitives()
    expect(read.getName()).toBe('wave')
    expect(primitive.getAttribute('POSITION')!.getArray()).toEqual(mesh.positions)
    expect(primitive.getAttribute('NORMAL')!.getArray()).toEqual(mesh.normals)
    expect(Uint32Array.from(primitive.getIndices()!.getArray()!)).toEqual(mesh.indices)
  })
})

describe('PNG', () => {
  it('gives the pixels back', () => {
    const pixels = Uint8ClampedArray.from({ length: 4 * 7 * 5 }, (_, at) => 256 * random(1, at))
    const read = decode(formatPng({ width: 7, height: 5, pixels }))
    expect([read.width, read.height, read.channels, read.depth]).toEqual([7, 5, 4, 8])
    expect(Uint8ClampedArray.from(read.data)).toEqual(pixels)
  })

  it('refuses pixels that do not fill the picture', () => {
    expect(refusal(() => formatPng({ width: 2, height: 2, pixels: new Uint8ClampedArray(12) }))).toContain(
      'needs 16 numbers, not 12',
    )
  })
})
