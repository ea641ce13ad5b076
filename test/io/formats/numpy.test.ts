/** NumPy reads what we write and we read what it writes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatNpy, type NpyData, parseNpy } from '../../../src/io/formats/npy.js'
import { formatNpz, parseNpz } from '../../../src/io/formats/npz.js'
import { findNumpyPython, NUMPY_REQUIRED } from './numpy-python.js'

const python = findNumpyPython()
if (python === undefined) console.warn('No python3 with NumPy was found, so NumPy itself does not check the .npy and .npz files.')

const arrays: [string, { data: NpyData; shape: number[] }][] = [
  ['f8', { data: Float64Array.of(0.1, -2e300, 5e-324, 0, 1, 2), shape: [2, 3] }],
  ['f4', { data: Float32Array.of(0.1, -2e30), shape: [2] }],
  ['i4', { data: Int32Array.of(-(2 ** 31), 2 ** 31 - 1, 7, 8), shape: [2, 2, 1] }],
  ['i8', { data: BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n), shape: [1, 2] }],
  ['u1', { data: Uint8Array.of(0, 255), shape: [2, 1] }],
  ['scalar', { data: Float64Array.of(3.5), shape: [] }],
  ['empty', { data: new Float64Array(0), shape: [0, 4] }],
]

/** Reads the file and writes every array again: as little and big endian, C and Fortran order, with and without compression. */
const SCRIPT = `
import sys, numpy as np
folder = sys.argv[1]
read = np.load(folder + '/' + sys.argv[2])
arrays = {name: read[name] for name in read.files}
for name, array in arrays.items():
    assert np.array_equal(np.load(folder + '/' + name + '.npy'), array), name
swapped = {name: array.astype(array.dtype.newbyteorder('>'), order='F') for name, array in arrays.items()}
np.savez(folder + '/stored.npz', **arrays)
np.savez_compressed(folder + '/deflated.npz', **swapped)
`

it.skipIf(!NUMPY_REQUIRED)('a Python with NumPy is there, as the environment demands', () => {
  expect(python).toBeDefined()
})

describe.skipIf(python === undefined)('through NumPy itself', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'peel-numpy-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([false, true])('arrays survive the way there and back, compress: %s', compress => {
    const name = compress ? 'ours-deflated.npz' : 'ours-stored.npz'
    writeFileSync(join(folder, name), formatNpz(arrays, { compress }))
    for (const [array, { data, shape }] of arrays) writeFileSync(join(folder, `${array}.npy`), formatNpy(data, shape))
    execFileSync(python!, ['-c', SCRIPT, folder, name], { stdio: ['ignore', 'ignore', 'inherit'] })
    for (const file of ['stored.npz', 'deflated.npz']) {
      const read = parseNpz(readFileSync(join(folder, file)), file)
      expect([...read].map(([array, { data, shape }]) => [array, { data, shape }])).toStrictEqual(arrays)
    }
    expect(parseNpy(readFileSync(join(folder, 'f8.npy')), 'f8').data).toStrictEqual(arrays[0][1].data)
  })
})
