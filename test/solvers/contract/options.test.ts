import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/input-error.js'
import { describeRange, parseOptions } from '../../../src/solvers/contract/options.js'
import { createSolver, solvers } from '../../../src/solvers/registry.js'

const schema = {
  factor: { type: 'number', default: 1.5, min: 0, max: 2, open: true, about: '' },
  count: { type: 'number', default: 3, min: 1, integer: true, about: '' },
  method: { type: 'choice', choices: ['fast', 'safe'], default: 'safe', about: '' },
  exact: { type: 'flag', default: false, about: '' },
  place: { type: 'text', default: 'here', about: '' },
} as const

describe('solver options', () => {
  it('fill in defaults and understand the words of the command line', () => {
    expect(parseOptions('x', schema)).toEqual({ factor: 1.5, count: 3, method: 'safe', exact: false, place: 'here' })
    expect(parseOptions('x', schema, { factor: '1e-1', count: '7', method: 'fast', exact: 'true' })).toEqual({
      factor: 0.1,
      count: 7,
      method: 'fast',
      exact: true,
      place: 'here',
    })
  })

  it.each([
    [{ factr: 1 }, /x has no option "factr" \(did you mean "factor"\?\)/],
    [{ factor: 2 }, /"factor" of x must be a number between 0 and 2, not "2"/],
    [{ factor: 'NaN' }, /not "NaN"/],
    [{ factor: '' }, /a number between/],
    [{ count: 1.5 }, /a whole number from 1/],
    [{ method: 'fats' }, /one of fast, safe \(did you mean "fast"\?\)/],
    [{ exact: 'yes' }, /true or false/],
    [{ place: 3 }, /"place" of x must be text, not "3"/],
    [{ toString: 1 }, /no option "toString"/],
  ])('refuse %o', (given, message) => {
    expect(() => parseOptions('x', schema, given)).toThrow(message)
  })

  it('describe every option of every solver, and every default is allowed', () => {
    for (const { name, options, create, reference } of solvers) {
      expect(reference.length).toBeGreaterThan(5)
      const defaults = Object.fromEntries(Object.entries(options).map(([option, { default: value }]) => [option, String(value)]))
      expect(() => create(defaults), name).not.toThrow()
      for (const { about } of Object.values(options)) expect(about.length).toBeGreaterThan(10)
    }
  })

  it('bound the sweeps of one iteration, which nothing else would end', () => {
    const sweeps = solvers.flatMap(({ name, options }) =>
      Object.keys(options)
        .filter(option => /sweeps/i.test(option))
        .map(option => [name, option]),
    )
    expect(sweeps.length).toBeGreaterThan(2)
    for (const [name, option] of sweeps)
      expect(() => createSolver(name, { [option]: 1e9 }), `${name} ${option}`).toThrow(/must be a whole number from [01] to/)
  })

  it('name the nearest solver', () => {
    expect(() => createSolver('mprg')).toThrow(/Unknown solver "mprg" \(did you mean "mprgp"\?\)/)
    expect(() => createSolver('zzzzzz')).toThrow(/Unknown solver "zzzzzz"; use one of/)
    expect(
      nearest(
        'pi-pgc',
        solvers.map(({ name }) => name),
      ),
    ).toBe('pi-pcg')
  })

  it('put ranges into words', () => {
    expect(describeRange({ type: 'number', default: 0, about: '' })).toBe('a number')
    expect(describeRange({ type: 'number', default: 0, max: 3, about: '' })).toBe('a number up to 3')
  })
})
