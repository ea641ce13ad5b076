/** Matrix Market text: coordinate (sparse) and array (dense) matrices of real or whole numbers. */
import { InputError } from '../../input-error.js'
import { createScanner, type Scanner } from './mtx-scanner.js'

export interface CoordinateMatrix {
  readonly kind: 'coordinate'
  readonly rows: number
  readonly columns: number
  /** Counted from 0, in file order; a symmetric matrix holds its lower triangle only. */
  readonly entries: { readonly row: Int32Array; readonly column: Int32Array; readonly value: Float64Array }
  readonly symmetry: 'general' | 'symmetric'
}

export interface ArrayMatrix {
  readonly kind: 'array'
  readonly rows: number
  readonly columns: number
  /** Column after column. */
  readonly values: Float64Array
}

export type Field = 'real' | 'integer'

const MAX_SIDE = 2 ** 31 - 1
const MIN_ENTRY_BYTES = 6 // "1 1 1" and a line end
const MIN_VALUE_BYTES = 2
const LINES_PER_CHUNK = 4096 // short-lived lines: millions of them at once would burden the memory

export function parseMatrixMarket(text: string, where: string): CoordinateMatrix | ArrayMatrix {
  const scanner = createScanner(text, where)
  const { kind, field, symmetry } = parseBanner(scanner)
  if (!scanner.nextLine()) throw new InputError(`${where}: the size line is missing.`)
  const rows = scanner.integer('the number of rows', 0, MAX_SIDE)
  const columns = scanner.integer('the number of columns', 0, MAX_SIDE)
  const shape = { rows, columns, field }
  if (kind === 'array') return parseArray(scanner, shape)
  const count = scanner.integer('the number of entries', 0, Number.MAX_SAFE_INTEGER)
  scanner.endLine()
  return parseCoordinate(scanner, { ...shape, count, symmetry })
}

/** Writes shortest decimals that read back as the same numbers. */
export function formatCoordinate(matrix: Omit<CoordinateMatrix, 'kind'>, field: Field = 'real'): string {
  const { row, column, value } = matrix.entries
  const banner = `%%MatrixMarket matrix coordinate ${field} ${matrix.symmetry}\n${matrix.rows} ${matrix.columns} ${value.length}\n`
  return joinLines(banner, value.length, at => `${row[at] + 1} ${column[at] + 1} ${formatNumber(value[at])}\n`)
}

export function formatArray(matrix: Omit<ArrayMatrix, 'kind'>, field: Field = 'real'): string {
  const { rows, columns, values } = matrix
  if (values.length !== rows * columns)
    throw new InputError(`A matrix of ${rows} × ${columns} cannot be written from ${values.length} values.`)
  const banner = `%%MatrixMarket matrix array ${field} general\n${rows} ${columns}\n`
  return joinLines(banner, values.length, at => `${formatNumber(values[at])}\n`)
}

function parseBanner(scanner: Scanner): { kind: 'coordinate' | 'array'; field: Field; symmetry: CoordinateMatrix['symmetry'] } {
  // trim() also removes a byte order mark.
  const [banner, object, kind, field, symmetry, ...rest] = scanner.firstLine().trim().split(/\s+/, 6)
  if (banner.toLowerCase() !== '%%matrixmarket') scanner.fail('must begin with %%MatrixMarket')
  const line = [object, kind, field, symmetry].map(word => word?.toLowerCase())
  if (line[0] !== 'matrix' || rest.length > 0) scanner.fail('must read "%%MatrixMarket matrix", then format, field and symmetry')
  if (line[1] !== 'coordinate' && line[1] !== 'array') scanner.fail('must name the format coordinate or array')
  if (line[2] === 'pattern') scanner.fail('has the field pattern, a matrix without numbers; write it with real values')
  const numbers = line[2] === 'double' ? 'real' : line[2]
  if (numbers !== 'real' && numbers !== 'integer') scanner.fail('must name the field real or integer')
  if (line[1] === 'array' && line[3] !== 'general')
    scanner.fail('must name the symmetry general, the only one read in array format')
  if (line[3] !== 'general' && line[3] !== 'symmetric') scanner.fail('must name the symmetry general or symmetric')
  return { kind: line[1] as 'coordinate' | 'array', field: numbers as Field, symmetry: line[3] as 'general' | 'symmetric' }
}

function parseArray(scanner: Scanner, { rows, columns, field }: { rows: number; columns: number; field: Field }): ArrayMatrix {
  scanner.endLine()
  const count = rows * columns
  // Before the allocation, so that a hostile size line costs nothing.
  if (count * MIN_VALUE_BYTES - 1 > scanner.remaining())
    scanner.fail(`announces ${count} values, but the file is too short for them`)
  const values = new Float64Array(count)
  for (let at = 0; at < count; at++) {
    if (!scanner.nextLine()) scanner.fail(`ends the file after ${at} of ${count} values`)
    values[at] = scanner.number(field)
    scanner.endLine()
  }
  if (scanner.nextLine()) scanner.fail(`follows the ${count} values that the size line announces`)
  return { kind: 'array', rows, columns, values }
}

interface CoordinateSize {
  readonly rows: number
  readonly columns: number
  readonly count: number
  readonly field: Field
  readonly symmetry: CoordinateMatrix['symmetry']
}

function parseCoordinate(scanner: Scanner, { rows, columns, count, field, symmetry }: CoordinateSize): CoordinateMatrix {
  if (count * MIN_ENTRY_BYTES - 1 > scanner.remaining())
    scanner.fail(`announces ${count} entries, but the file is too short for them`)
  if (symmetry === 'symmetric' && rows !== columns) scanner.fail(`gives a symmetric matrix ${rows} rows and ${columns} columns`)
  if (rows * columns > Number.MAX_SAFE_INTEGER) scanner.fail(`announces ${rows} × ${columns} places, more than can be numbered`)
  const row = new Int32Array(count)
  const column = new Int32Array(count)
  const value = new Float64Array(count)
  for (let at = 0; at < count; at++) {
    if (!scanner.nextLine()) scanner.fail(`ends the file after ${at} of ${count} entries`)
    row[at] = scanner.integer('the row', 1, rows) - 1
    column[at] = scanner.integer('the column', 1, columns) - 1
    value[at] = scanner.number(field)
    scanner.endLine()
    if (symmetry === 'symmetric' && column[at] > row[at])
      scanner.fail('has an entry above the diagonal, where a symmetric file must contain only the lower triangle')
  }
  if (scanner.nextLine()) scanner.fail(`follows the ${count} entries that the size line announces`)
  const twice = findDuplicate(row, column, columns)
  if (twice !== undefined) throw new InputError(`${scanner.where}: the entry (${twice.join(', ')}) is given twice.`)
  return { kind: 'coordinate', rows, columns, entries: { row, column, value }, symmetry }
}

/** Row and column, counted from 1, of an entry that occurs twice. */
function findDuplicate(row: Int32Array, column: Int32Array, columns: number): [number, number] | undefined {
  const ascends = (major: Int32Array, minor: Int32Array): boolean => {
    for (let at = 1; at < major.length; at++) {
      if (major[at] < major[at - 1] || (major[at] === major[at - 1] && minor[at] <= minor[at - 1])) return false
    }
    return true
  }
  // Nearly every file is ordered by rows or by columns, and then the sort is spared.
  if (ascends(row, column) || ascends(column, row)) return undefined
  const keys = new Float64Array(row.length)
  for (let at = 0; at < keys.length; at++) keys[at] = row[at] * columns + column[at]
  keys.sort()
  for (let at = 1; at < keys.length; at++) {
    if (keys[at] === keys[at - 1]) return [Math.floor(keys[at] / columns) + 1, (keys[at] % columns) + 1]
  }
  return undefined
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) throw new InputError(`The number ${value} cannot be written as Matrix Market text.`)
  return Object.is(value, -0) ? '-0' : String(value)
}

function joinLines(banner: string, count: number, line: (at: number) => string): string {
  try {
    const chunks = [banner]
    for (let start = 0; start < count; start += LINES_PER_CHUNK) {
      const lines: string[] = []
      for (let at = start; at < Math.min(count, start + LINES_PER_CHUNK); at++) lines.push(line(at))
      chunks.push(lines.join(''))
    }
    return chunks.join('')
  } catch (error) {
    if (error instanceof RangeError) throw new InputError(`A matrix of ${count} entries is too long to be written as text.`)
    throw error
  }
}
