import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AXES, cellIndex, faceShape } from '../../../src/grid/grid.js'
import { formatPvd, formatVti, formatVtp } from '../../../src/io/formats/vtk.js'
import type { Frame } from '../../../src/liquid/frame.js'
import { inTemporaryFolder } from '../../cli/run.js'
import { createFrame } from '../../support/frames.js'
import { findVtkPython, VTK_REQUIRED } from './vtk-python.js'

interface Read {
  readonly header: string
  readonly arrays: Record<string, { type: string; components: number; section: string; values: number[] }>
}

const TYPES = { Float32: Float32Array, UInt8: Uint8Array, Int64: BigInt64Array } as const

/** Reads as the format says, and takes every number of it literally: offsets, lengths, and that nothing is left over. */
function readAppended(bytes: Uint8Array): Read {
  const text = new TextDecoder('latin1').decode(bytes)
  const marker = '<AppendedData encoding="raw">\n_'
  const start = text.indexOf(marker) + marker.length
  const header = text.slice(0, start - marker.length)
  expect(header).toMatch(
    /^<\?xml version="1\.0"\?>\n<VTKFile type="\w+" version="1\.0" byte_order="LittleEndian" header_type="UInt64">\n/,
  )
  expectBalanced(`${header}</VTKFile>`)
  const arrays: Read['arrays'] = {}
  let end = 0
  for (const match of header.matchAll(/<DataArray ([^>]*)\/>/g)) {
    const attributes = Object.fromEntries([...match[1].matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]))
    expect(attributes.format).toBe('appended')
    const offset = Number(attributes.offset)
    expect(offset).toBe(end)
    const length = Number(new DataView(bytes.buffer, start + offset, 8).getBigUint64(0, true))
    end = offset + 8 + length
    const ArrayType = TYPES[attributes.type as keyof typeof TYPES]
    const values = new ArrayType(bytes.slice(start + offset + 8, start + end).buffer)
    const sections = [...header.slice(0, match.index).matchAll(/<(CellData|PointData|Points|Verts)\b/g)]
    const components = Number(attributes.NumberOfComponents)
    arrays[attributes.Name] = {
      type: attributes.type,
      components,
      section: sections.at(-1)![1],
      values: Array.from(values, Number),
    }
  }
  expect(text.slice(start + end)).toBe('\n</AppendedData>\n</VTKFile>\n')
  return { header, arrays }
}

function expectBalanced(xml: string): void {
  const open: string[] = []
  for (const [, closing, name, alone] of xml.matchAll(/<(\/?)(\w+)[^>?]*?(\/?)>/g)) {
    if (closing) expect(open.pop()).toBe(name)
    else if (!alone) open.push(name)
  }
  expect(open).toEqual([])
}

const shapes = { '3D': [4, 3, 5], '2D': [4, 3] }
const frames = Object.entries(shapes).map(([name, shape]) => [name, createFrame({ shape, spacing: 0.25, index: 6 })] as const)

describe.each(frames)('fields of a %s frame', (_, frame) => {
  const { header, arrays } = readAppended(formatVti(frame))
  const [nx, ny, nz] = frame.grid.shape

  it('stand in cells of the right extent', () => {
    expect(header).toContain(`<ImageData WholeExtent="0 ${nx} 0 ${ny} 0 ${nz}" Origin="0 0 0" Spacing="0.25 0.25 0.25">`)
    expect(header).toContain(`<Piece Extent="0 ${nx} 0 ${ny} 0 ${nz}">`)
    expect(header).toContain('Name="TimeValue" NumberOfTuples="1" format="ascii">0.25<')
    for (const [name, section, type, data] of [
      ['liquid', 'CellData', 'Float32', frame.liquid],
      ['pressure', 'CellData', 'Float32', frame.fields!.pressure],
      ['kind', 'CellData', 'UInt8', frame.fields!.kind],
      ['solid', 'PointData', 'Float32', frame.solid],
    ] as const)
      expect(arrays[name]).toEqual({ type, components: 1, section, values: Array.from(data) })
  })

  it('have the velocity of a cell between those of its faces', () => {
    const { components, section, values } = arrays.velocity
    expect([components, section, values.length]).toEqual([3, 'CellData', 3 * frame.grid.cells])
    for (let k = 0; k < nz; k++)
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++)
          for (const axis of AXES) {
            const side = faceShape(frame.grid, axis)
            const face = (p: number, q: number, r: number) => frame.fields!.velocity[axis][p + side[0] * (q + side[1] * r)]
            const upper = [i, j, k].map((place, other) => place + (other === axis ? 1 : 0)) as [number, number, number]
            const mean = (face(i, j, k) + face(...upper)) / 2
            expect(values[3 * cellIndex(frame.grid, i, j, k) + axis]).toBeCloseTo(mean, 6)
          }
  })
})

it('fields that a run did not keep are left out', () => {
  const { arrays } = readAppended(formatVti(createFrame({ fields: false })))
  expect(Object.keys(arrays)).toEqual(['liquid', 'solid'])
})

it('particles are points with velocities, each a vertex', () => {
  const frame = createFrame({ particles: 5 })
  const { header, arrays } = readAppended(formatVtp(frame))
  expect(header).toContain('<Piece NumberOfPoints="5" NumberOfVerts="5" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0">')
  expect(arrays.position).toMatchObject({ components: 3, section: 'Points', values: Array.from(frame.particles!.position) })
  expect(arrays.velocity).toMatchObject({ components: 3, section: 'PointData', values: Array.from(frame.particles!.velocity) })
  expect(arrays.connectivity).toMatchObject({ type: 'Int64', section: 'Verts', values: [0, 1, 2, 3, 4] })
  expect(arrays.offsets).toMatchObject({ type: 'Int64', section: 'Verts', values: [1, 2, 3, 4, 5] })
})

it('a series lists its files with their times', () => {
  const text = new TextDecoder().decode(
    formatPvd([
      { time: 0.5, file: 'a_000001.vti' },
      { time: 1, file: 'a&"b.vti' },
    ]),
  )
  expectBalanced(text)
  expect(text).toContain('<DataSet timestep="0.5" part="0" file="a_000001.vti"/>')
  expect(text).toContain('<DataSet timestep="1" part="0" file="a&amp;&quot;b.vti"/>')
})

const python = findVtkPython()

const SCRIPT = `
import sys, json
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader
from vtkmodules.util.numpy_support import vtk_to_numpy
def read(reader, path):
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()
def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).ravel().tolist() for i in range(data.GetNumberOfArrays())}
image = read(vtkXMLImageDataReader(), sys.argv[1])
poly = read(vtkXMLPolyDataReader(), sys.argv[2])
print(json.dumps({
    'dimensions': image.GetDimensions(), 'spacing': image.GetSpacing(), 'cells': arrays(image.GetCellData()),
    'points': arrays(image.GetPointData()), 'time': image.GetFieldData().GetArray('TimeValue').GetValue(0),
    'position': vtk_to_numpy(poly.GetPoints().GetData()).ravel().tolist(), 'velocity': arrays(poly.GetPointData())['velocity'],
    'verts': poly.GetNumberOfVerts()}))
`

it.skipIf(!VTK_REQUIRED)('a Python with VTK is there, as the environment demands', () => {
  expect(python).toBeDefined()
})

it.skipIf(python === undefined).each(frames)('VTK itself reads a %s frame', (_, frame: Frame) =>
  inTemporaryFolder(async folder => {
    const [vti, vtp] = ['f.vti', 'p.vtp'].map(name => join(folder, name))
    writeFileSync(vti, formatVti(frame))
    writeFileSync(vtp, formatVtp(frame))
    const read = JSON.parse(execFileSync(python!, ['-c', SCRIPT, vti, vtp], { encoding: 'utf8' }))
    expect(read.dimensions).toEqual(frame.grid.shape.map(side => side + 1))
    expect(read.spacing).toEqual([0.25, 0.25, 0.25])
    expect(read.time).toBe(frame.time)
    expect(read.cells.liquid).toEqual(Array.from(frame.liquid))
    expect(read.cells.kind).toEqual(Array.from(frame.fields!.kind))
    expect(read.cells.velocity.length).toBe(3 * frame.grid.cells)
    expect(read.points.solid).toEqual(Array.from(frame.solid))
    expect(read.position).toEqual(Array.from(frame.particles!.position))
    expect(read.velocity).toEqual(Array.from(frame.particles!.velocity))
    expect(read.verts).toBe(frame.particles!.position.length / 3)
  }),
)
