/** Plain text tables: columns aligned, no colours, so that they can be piped and compared. */
export interface Column<Row> {
  readonly title: string
  readonly right?: boolean
  readonly text: (row: Row) => string
}

export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map(row => columns.map(({ text }) => text(row)))]
  const widths = columns.map((_, at) => Math.max(...lines.map(line => line[at].length)))
  return lines
    .map(line =>
      line
        .map((cell, at) => (columns[at].right ? cell.padStart(widths[at]) : cell.padEnd(widths[at])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function scientific(value: number): string {
  return value === 0 ? '0' : value.toExponential(2)
}

export function milliseconds(seconds: number): string {
  const ms = seconds * 1000
  return ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : ms.toFixed(0)
}
