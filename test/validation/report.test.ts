import { describe, expect, it } from 'vitest'
import { absoluteCheck, hasPassed, relativeCheck } from '../../src/validation/case.js'
import { chooseCases, VALIDATION_CASES } from '../../src/validation/cases.js'
import { checkTable, formatPage, summarySentence } from '../../src/validation/report.js'
import type { ValidationResult } from '../../src/validation/validate.js'

const result: ValidationResult = {
  name: 'fall',
  title: 'A fall',
  about: 'What falls.',
  checks: [relativeCheck('way, 2D', 'm', 2.01, 2, 0.01), absoluteCheck('noise', 'cells', 0.3, 0, 0.02)],
  figures: [
    {
      name: 'way',
      title: 'Way over time',
      x: 'time (s)',
      y: 'way (m)',
      curves: [
        {
          name: 'theory',
          kind: 'theory',
          points: [
            [0, 0],
            [1, 0.0123456],
          ],
        },
        { name: 'published', kind: 'data', points: [[0.5, 0.005]] },
        {
          name: '2D FLIP',
          kind: 'measured',
          points: [
            [0, 0],
            [0.3, Number.NaN],
            [1, 0.012],
          ],
        },
      ],
    },
  ],
}

describe('the page of a validation', () => {
  it('has measured, theory, error, bound and verdict of every check', () => {
    expect(checkTable(result.checks).split('\n').slice(2)).toEqual([
      '| way, 2D  |    2.01 m |     2 m |     0.5 % |        1 % | yes    |',
      '| noise    | 0.3 cells | 0 cells | 0.3 cells | 0.02 cells | **no** |',
    ])
    expect(summarySentence([result])).toBe('1 of 2 checks misses its bound.')
  })

  it('links every figure, and draws theory, data and measurement', () => {
    const { markdown, figures } = formatPage([result], 'full', 'peel validate')
    expect(markdown).toContain('| [A fall](#a-fall) |')
    expect(markdown).toContain('![Way over time](validation/fall-way.svg)')
    expect(figures.map(({ file }) => file)).toEqual(['fall-way.svg'])
    const [{ svg }] = figures
    for (const text of ['stroke-dasharray', '<circle', '○ published', '— 2D FLIP', 'aria-label="Way over time"', '0.012'])
      expect(svg).toContain(text)
    expect(svg).not.toContain('NaN')
    expect(svg).not.toMatch(/="[^"]*\d\.\d\d/)
  })

  it('is the same twice', () => {
    expect(formatPage([result], 'full', 'x')).toEqual(formatPage([result], 'full', 'x'))
  })
})

describe('checks', () => {
  it('never pass by NaN', () => {
    expect(hasPassed(absoluteCheck('x', '', Number.NaN, 0, 1))).toBe(false)
    expect(hasPassed(relativeCheck('x', '', 1, 0, 1))).toBe(false)
  })
})

describe('cases', () => {
  it('have names, titles and figures of their own', () => {
    for (const key of ['name', 'title'] as const)
      expect(new Set(VALIDATION_CASES.map(one => one[key])).size).toBe(VALIDATION_CASES.length)
  })

  it('are chosen by name, in the order of the page', () => {
    expect(chooseCases([])).toBe(VALIDATION_CASES)
    expect(chooseCases(['sources', 'free-fall']).map(({ name }) => name)).toEqual(['free-fall', 'sources'])
    expect(() => chooseCases(['falling'])).toThrow('There is no validation "falling"; there are hydrostatics, archimedes,')
  })
})
