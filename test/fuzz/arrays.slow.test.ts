/** Damaged .npy and .npz files, grid problems and pressures. */
import { deflateSync } from 'fflate'
import { formatNpy, parseNpy } from '../../src/io/formats/npy.js'
import { formatNpz, parseNpz } from '../../src/io/formats/npz.js'
import { formatGridProblem, parseGridProblem } from '../../src/io/problem/grid-problem.js'
import { parsePressure } from '../../src/io/problem/pressure-array.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { measure } from '../../src/pressure/residual.js'
import { buildZip } from '../io/formats/zip-builder.js'
import { type Draw, fuzz } from './fuzz.js'
import { mutateBytes } from './mutate.js'

const shapes = [[], [3], [2, 3], [2, 2, 3], [0, 4], [1]]
const arrays = shapes.flatMap(shape => {
  const count = shape.reduce((product, side) => product * side, 1)
  const values = Array.from({ length: count }, (_, at) => at - 2)
  return [Float64Array, Float32Array, Int32Array, Uint8Array].map(Type => formatNpy(Type.from(values), shape))
})
const flat = galleryProblem('half-ball', { size: 6, dims: 2 }).problem as PressureProblem
const space = galleryProblem('half-ball', { size: 6, dims: 3 }).problem as PressureProblem
const problems = [flat, space].map(formatGridProblem)
const archives = [
  ...problems,
  formatNpz([['a', { data: Float64Array.of(1, 2), shape: [2] }]], { compress: true }),
  formatNpz([
    ['a', { data: Uint8Array.of(1, 2), shape: [2] }],
    ['b', { data: Float32Array.of(1), shape: [] }],
  ]),
]

/** An archive that is whole as an archive, of damaged arrays, with fields that may lie. */
function archive(draw: Draw, names: readonly string[], valid: readonly Uint8Array[]): Uint8Array {
  const parts = names.flatMap(name => {
    if (draw.chance(0.03)) return []
    const data = draw.chance(0.3) ? mutateBytes(draw, valid) : draw.pick(valid)
    const lies = {
      ...(draw.chance(0.03) && { size: draw.pick([0, 1, data.length + 1, 2 ** 31, 2 ** 32 - 1, 1032 * data.length]) }),
      ...(draw.chance(0.02) && { crc: draw.below(2 ** 31) }),
      ...(draw.chance(0.02) && { packedSize: draw.below(2 ** 20) }),
      ...(draw.chance(0.02) && { localStart: draw.below(2 ** 20) }),
      ...(draw.chance(0.02) && { flags: draw.below(2 ** 16) }),
      ...(draw.chance(0.1) && { zip64: true }),
    }
    const packed = draw.chance(0.4)
      ? { packed: draw.chance(0.9) ? deflateSync(data) : mutateBytes(draw, [deflateSync(data)]), method: 8 }
      : {}
    return [{ name: `${draw.chance(0.02) ? draw.pick(['__proto__', '', 'b', '/']) : name}.npy`, data, ...packed, ...lies }]
  })
  return buildZip(parts, { zip64: draw.chance(0.1), reverseDirectory: draw.chance(0.1), comment: draw.chance(0.1) ? 'PK' : '' })
}

fuzz('npy', 16_000, draw => {
  parseNpy(mutateBytes(draw, arrays), 'a.npy')
})
fuzz('npz', 12_000, draw => {
  parseNpz(draw.chance(0.5) ? mutateBytes(draw, archives) : archive(draw, ['a', 'b'], arrays), 'a.npz')
})
fuzz('grid problem', 10_000, draw => {
  if (draw.chance(0.2)) return void parseGridProblem(mutateBytes(draw, problems), 'p.npz')
  const given = draw.pick([flat, space])
  const numbers = (values: Float64Array) => {
    const changed = values.slice()
    for (let n = draw.chance(0.2) ? 1 + draw.below(2) : 0; n > 0; n--)
      changed[draw.below(changed.length)] = draw.pick([Number.NaN, Infinity, -0, 0, -1, 1e308, 5e-324, 1e-30])
    return draw.chance(0.1) ? Float32Array.from(changed) : changed
  }
  const shape = given.grid.shape.slice(0, given.grid.dims).reverse()
  const named = [
    ['diag', numbers(given.diagonal)],
    ...['east', 'north', 'up'].map((name, axis) => [name, numbers(given.links[axis])] as const),
    ['b', numbers(given.b)],
    ['separating', Uint8Array.from(given.kind, kind => (draw.chance(0.01) ? draw.below(256) : kind === 2 ? 1 : 0))],
    ['spacing', Float64Array.of(draw.chance(0.9) ? 0.1 : draw.pick([0, -1, Number.NaN, 1e308, 5e-324]))],
  ] as const
  const parts = named
    .filter(([name]) => !(name === 'up' && given.grid.dims === 2 && draw.chance(0.95)) && draw.chance(0.98))
    .map(([name, data]) => {
      const sides = name === 'spacing' ? [] : draw.chance(0.02) ? [data.length] : shape
      const npy = formatNpy(data, sides)
      return { name: `${name}.npy`, data: draw.chance(0.03) ? mutateBytes(draw, [npy, ...arrays]) : npy }
    })
  const problem = parseGridProblem(buildZip(parts), 'p.npz')
  measure(problem, new Float64Array(problem.b.length))
})
fuzz('pressure', 3000, draw => {
  parsePressure(mutateBytes(draw, [formatNpy(flat.b, [...flat.grid.shape.slice(0, 2)].reverse())]), 'p.npy', flat)
})
