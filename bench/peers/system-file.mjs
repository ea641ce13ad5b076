// The systems that all contenders solve, as files: written once from the gallery, read by native drivers and by Peel alike.
// The layout is described in system.hpp.
import fs from 'node:fs'
import { createGrid, findPockets, galleryProblem, toSparseProblem } from 'peel'

const MAGIC = 'PEELSYS1'
const HEADER = 32
/** Added to the kind of one cell of every sealed pocket. */
const HELD = 4
/** What Node reads or writes at once. */
const PIECE = 2 ** 30

/** Names that the benchmark has for problems of the gallery. */
const GALLERY_NAMES = { shells: 'two-spheres' }

export const galleryName = name => GALLERY_NAMES[name] ?? name

/** The gallery's problem in units of pressure in which the interior stencil is exactly (6, −1): p is measured in multiples of
 *  density · spacing² / dt, and a density is taken that makes this 1. Divergence stays in 1/s, and so does the natural residual
 *  min(A p + b, diagonal · p): a tolerance in 1/s means the same for everyone, whatever the units of p. */
export function scaledProblem(name, size) {
  const dt = 0.01
  return galleryProblem(galleryName(name), { size, dims: 3, dt, density: dt * size * size }).problem
}

/** Under another name until it is complete. */
export function writeSystem(path, problem) {
  const { grid, diagonal, links, b } = problem
  const kind = markPockets(problem)
  const header = Buffer.alloc(HEADER)
  header.write(MAGIC, 'latin1')
  grid.shape.forEach((side, axis) => {
    header.writeUInt32LE(side, 8 + 4 * axis)
  })
  header.writeDoubleLE(grid.spacing, 24)
  const temporary = `${path}.${process.pid}.tmp`
  const file = fs.openSync(temporary, 'w')
  try {
    for (const array of [header, diagonal, ...links, b, kind]) forPieces(array, piece => fs.writeSync(file, piece))
  } finally {
    fs.closeSync(file)
  }
  fs.renameSync(temporary, path)
}

/** Straight into the arrays of the problem, so that reading leaves no mark on the peak of memory. */
export function readSystem(path) {
  const file = fs.openSync(path, 'r')
  try {
    const header = Buffer.alloc(HEADER)
    fs.readSync(file, header)
    if (header.toString('latin1', 0, 8) !== MAGIC) throw new Error(`${path} is not a system file.`)
    const shape = [8, 12, 16].map(at => header.readUInt32LE(at))
    const grid = createGrid(shape, header.readDoubleLE(24))
    const read = array => {
      forPieces(array, piece => {
        if (fs.readSync(file, piece) !== piece.length) throw new Error(`${path} is truncated.`)
      })
      return array
    }
    const [diagonal, east, north, up, b] = Array.from({ length: 5 }, () => read(new Float64Array(grid.cells)))
    const kind = read(new Uint8Array(grid.cells))
    for (let cell = 0; cell < kind.length; cell++) kind[cell] &= ~HELD
    return { grid, diagonal, links: [east, north, up], b, kind }
  } finally {
    fs.closeSync(file)
  }
}

/** In a sealed pocket A is singular. Peel finds pockets by itself; a linear solver in general breaks down there unless it is told
 *  to hold the pressure of one cell, which changes no velocity. */
function markPockets(problem) {
  const { problem: rows, cells } = toSparseProblem(problem)
  const kind = problem.kind.slice()
  for (const pocket of findPockets(rows)) kind[cells[pocket.rows[pocket.rows.length >> 1]]] += HELD
  return kind
}

function forPieces(array, use) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  for (let at = 0; at < bytes.length; at += PIECE) use(bytes.subarray(at, at + PIECE))
}
