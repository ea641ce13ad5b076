/** The published tables are whole, and agree with the ratios and sums that their papers print. */
import { describe, expect, it } from 'vitest'
import { PAPERS, type PublishedTable, published, publishedTable, publishedValue } from '../../src/papers/published.js'

const number = (table: PublishedTable, row: number | string, column: string) => {
  const value = publishedValue(table, row, column)
  expect(value, `${table.name}, ${row}, ${column}`).toBeTypeOf('number')
  return value as number
}
const lai = (at: number) => publishedTable(published.lai, `Table ${at}`)
const figure = (paper: (typeof PAPERS)[number], about: string) =>
  published[paper].figures.find(candidate => candidate.about === about)!.value

const everyTable = PAPERS.flatMap(paper => published[paper].tables.map(table => [`${paper} ${table.name}`, table] as const))

describe('published tables', () => {
  it.each(everyTable)('%s has a value in every place', (_, { columns, rows }) => {
    expect(new Set(columns).size).toBe(columns.length)
    expect(new Set(rows.map(({ row }) => row)).size).toBe(rows.length)
    for (const { row, values } of rows) {
      expect(values, String(row)).toHaveLength(columns.length)
      for (const value of values) expect(typeof value === 'string' || value > 0).toBe(true)
    }
  })

  it('are as many as the papers have', () => {
    expect(published.lai.tables.map(({ name }) => name)).toEqual(Array.from({ length: 12 }, (_, at) => `Table ${at + 1}`))
    expect(published.lai.tables.map(({ rows }) => rows.length)).toEqual([4, 4, 4, 4, 4, 4, 3, 3, 4, 4, 4, 4])
    expect(published.mcadams.tables.map(({ rows }) => rows.length)).toEqual([7, 5, 5, 13, 11])
    expect(published['chentanez-mueller'].tables.map(({ rows }) => rows.length)).toEqual([4])
    expect(published.andersen.tables.map(({ rows }) => rows.length)).toEqual([5])
  })

  it('name what is not there', () => {
    expect(publishedValue(lai(1), 512, 'FMG')).toBeUndefined()
    expect(publishedValue(lai(1), 32, 'FMG?')).toBeUndefined()
    expect(() => publishedTable(published.lai, 'Table 13')).toThrow('no Table 13')
  })
})

describe('Lai 2020', () => {
  it('is 30 times faster than FMG at 256³, as the text says', () => {
    const ratio = number(lai(6), 256, 'FMG') / number(lai(6), 256, 'FAS-MG')
    expect(Math.floor(ratio)).toBe(figure('lai', 'FAS-MG against FMG, time at 256³'))
  })

  it.each([
    ['FAS-MG', 5, 5],
    ['FAS-MG', 6, 10],
    ['PI-PCG', 6, 14],
    ['FMG', 5, 7],
    ['FMG', 6, 17],
    ['Newton', 5, 10],
    ['Newton', 6, 25],
  ])('the time of %s grows in Table %d by about %d when the size doubles', (method, at, times) => {
    const sizes = lai(at).rows.filter(({ row }) => publishedValue(lai(at), row, method) !== 'NA')
    const [first, last] = [sizes[0].row, sizes[sizes.length - 1].row]
    const growth = (number(lai(at), last, method) / number(lai(at), first, method)) ** (1 / (sizes.length - 1))
    expect(growth / times).toBeGreaterThan(0.7)
    expect(growth / times).toBeLessThan(1.4)
  })

  it('has the same counts for the unabridged method in Tables 9 and 12', () => {
    for (const { row } of lai(12).rows) expect(number(lai(12), row, 'Ours')).toBe(number(lai(9), row, 'FAS-MG'))
  })

  it('counts fewer outer iterations than iterations, and lets none of its own methods be undone', () => {
    for (const [outer, all] of [
      [3, 1],
      [4, 2],
    ])
      for (const { row } of lai(outer).rows)
        for (const column of lai(outer).columns) {
          if (publishedValue(lai(outer), row, column) === 'NA') expect(publishedValue(lai(all), row, column)).toBe('NA')
          else expect(number(lai(outer), row, column)).toBeLessThan(number(lai(all), row, column))
        }
  })
})

describe('McAdams 2010', () => {
  const parts = published.mcadams.tables.filter(({ name }) => name.startsWith('Table 2'))

  it.each(parts.map(part => [part.name, part] as const))('%s: the speed-up is the ratio of the times', (_, part) => {
    for (const { row } of part.rows) {
      const ratio = number(part, row, '1 core') / number(part, row, '16 cores')
      expect(Math.abs(ratio - number(part, row, 'speed-up')), String(row)).toBeLessThan(0.06)
    }
  })

  it('the lines of an iteration add up to it', () => {
    const part = publishedTable(published.mcadams, 'Table 2, breakdown')
    for (const column of ['1 core', '16 cores']) {
      const lines = ['PCG, line 6', 'PCG, line 8', 'PCG, line 13', 'PCG, line 16'].map(row => number(part, row, column))
      const sum = lines.reduce((a, b) => a + b)
      expect(sum / number(part, 'PCG total', column)).toBeCloseTo(1, 2)
    }
    const whole = publishedTable(published.mcadams, 'Table 2, iteration')
    expect(number(whole, 'smoke past sphere 768x768x768', '1 core')).toBe(number(part, 'PCG total', '1 core'))
  })

  it.each([128, 256, 512])('multigrid beats incomplete Cholesky at %d³ by what the text says', size => {
    const [ic, mg] = ['ICPCG', 'MGPCG'].map(name =>
      number(publishedTable(published.mcadams, `Table 1, ${name}`), 'time to 1e-4', String(size)),
    )
    const said = figure('mcadams', `MGPCG against ICPCG, serial, ${size}³`)
    expect(ic / mg / said).toBeGreaterThan(1)
    expect(ic / mg / said).toBeLessThan(1.12)
  })

  it('takes five vectors of four bytes a cell', () => {
    const cells = 768 * 768 * 1152
    expect((5 * 4 * cells) / 1e9 / figure('mcadams', 'of it for the five vectors')).toBeCloseTo(1.06, 1)
  })
})

describe('Chentanez and Müller 2011', () => {
  const [table] = published['chentanez-mueller'].tables
  it.each(table.rows.map(({ row }) => row))('%s: the difference is that of the times', row => {
    const [without, withLcp] = [number(table, row, 'No LCP'), number(table, row, 'LCP')]
    expect(100 * (withLcp / without - 1)).toBeCloseTo(number(table, row, 'difference'), 1)
  })
})

describe('Andersen 2017', () => {
  it('prints slowdowns within the range it names', () => {
    const values = published.andersen.tables[0].rows.map(({ values: [value] }) => value as number)
    expect(Math.min(...values)).toBe(figure('andersen', 'slowdown, from'))
    expect(Math.max(...values)).toBe(figure('andersen', 'slowdown, to'))
  })
})
