import { expect, it } from 'vitest'
import { formatFieldsNpz, formatParticlesNpz } from '../../../src/io/formats/frame-arrays.js'
import { parseNpz } from '../../../src/io/formats/npz.js'
import { createFrame } from '../../support/frames.js'

const shapesOf = (bytes: Uint8Array) =>
  Object.fromEntries(Array.from(parseNpz(bytes, 'f.npz'), ([name, { shape }]) => [name, shape]))
const scalars = { spacing: [], frame: [], time: [] }

it('fields of a 3D frame have the shapes NumPy users index by', () => {
  const frame = createFrame({ shape: [4, 3, 2], index: 3 })
  const bytes = formatFieldsNpz(frame)
  expect(shapesOf(bytes)).toEqual({
    ...scalars,
    liquid: [2, 3, 4],
    solid: [3, 4, 5],
    pressure: [2, 3, 4],
    kind: [2, 3, 4],
    velocity_x: [2, 3, 5],
    velocity_y: [2, 4, 4],
    velocity_z: [3, 3, 4],
  })
  const arrays = parseNpz(bytes, 'f.npz')
  expect(arrays.get('liquid')!.data).toEqual(frame.liquid)
  expect(arrays.get('velocity_z')!.data).toEqual(frame.fields!.velocity[2])
  expect(arrays.get('time')!.data).toEqual(Float64Array.of(frame.time))
})

it('fields of a 2D frame have two sides', () => {
  const frame = createFrame({ shape: [4, 3] })
  const bytes = formatFieldsNpz(frame)
  expect(shapesOf(bytes)).toEqual({
    ...scalars,
    liquid: [3, 4],
    solid: [4, 5],
    pressure: [3, 4],
    kind: [3, 4],
    velocity_x: [3, 5],
    velocity_y: [4, 4],
  })
  expect(parseNpz(bytes, 'f.npz').get('solid')!.data).toEqual(frame.solid.slice(0, 20))
})

it('particles are rows', () => {
  const frame = createFrame({ particles: 6 })
  const bytes = formatParticlesNpz(frame, frame.particles!)
  expect(shapesOf(bytes)).toEqual({ ...scalars, position: [6, 3], velocity: [6, 3] })
  expect(parseNpz(bytes, 'f.npz').get('velocity')!.data).toEqual(frame.particles!.velocity)
})
