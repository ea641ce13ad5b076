/** Right-hand sides: what flows apart in each cell before the solve, 1/s. */
import { bodiesOf, type Draft, upper } from './draft.js'
import type { Draw } from './draw.js'

/** Sets b by one of several characters, at a random scale. */
export function drawDivergence(draft: Draft, draw: Draw): void {
  const scale = draw.power(-2, 2.5)
  const character = draw.pick(['noise', 'flow', 'spikes', 'magnitudes', 'pulled apart', 'pressed'])
  if (character === 'flow') addFlow(draft, draw, scale)
  else
    for (let cell = 0; cell < draft.cells; cell++) {
      const value = draw.between(-1, 1)
      if (character === 'noise') draft.b[cell] = scale * value
      else if (character === 'spikes') draft.b[cell] = draw.chance(0.05) ? scale * value : 0
      else if (character === 'magnitudes') draft.b[cell] = scale * Math.sign(value) * draw.power(-6, 0)
      else if (character === 'pulled apart') draft.b[cell] = scale * (value + 0.7)
      else draft.b[cell] = scale * (value - 0.7)
    }
}

/** Net outflow of a velocity that crosses open faces only: sums to 0 over every body, to rounding. */
export function addFlow(draft: Draft, draw: Draw, scale: number): void {
  const steady = [0, 1, 2].map(() => draw.between(-1, 1))
  const noise = draw.pick([0, 0.1, 1])
  for (let cell = 0; cell < draft.cells; cell++) {
    for (let axis = 0; axis < draft.dims; axis++) {
      if (draft.faces[axis][cell] === 0) continue
      const flux = scale * (steady[axis] + noise * draw.between(-1, 1))
      draft.b[cell] += flux
      draft.b[upper(draft, cell, axis)] -= flux
    }
  }
}

/** Gives every body without air the mean that `mean` draws for it. */
export function setMeans(draft: Draft, mean: (body: readonly number[]) => number): void {
  for (const body of bodiesOf(draft)) {
    if (body.some(cell => draft.air[cell] > 0)) continue
    const wanted = mean(body)
    // Twice, because the first time leaves the rounding of a sum of large values.
    for (let pass = 0; pass < 2; pass++) {
      const excess = body.reduce((sum, cell) => sum + draft.b[cell], 0) / body.length - wanted
      for (const cell of body) draft.b[cell] -= excess
    }
  }
}

/** b of an answer that is chosen first: p ≥ 0 at contacts, A p + b = w there, with both 0 in a share of them. Conductances are scaled
 *  afterwards, and the answer with them. */
export function plantAnswer(draft: Draft, draw: Draw): void {
  const scale = draw.power(-2, 2)
  const [touching, lifted] = draw.pick([
    [0.3, 0.3],
    [0, 0],
    [0.5, 0],
    [0, 0.5],
    [0.1, 0.8],
  ])
  // Whole multiples of a power of two, so that most of what should be 0 is exactly 0.
  const grain = 2 ** -10
  const p = new Float64Array(draft.cells)
  for (let cell = 0; cell < draft.cells; cell++) {
    if (!draft.wet[cell]) continue
    const value = Math.round(draw.unit() / grain) * grain
    const lot = draw.unit()
    if (!draft.contact[cell]) p[cell] = draw.chance(0.3) ? -value : value
    else if (lot < touching) p[cell] = value
    else if (lot < touching + lifted) draft.b[cell] = scale * value
  }
  const add = (cell: number, value: number) => {
    draft.b[cell] -= scale * value
  }
  for (let cell = 0; cell < draft.cells; cell++) {
    if (!draft.wet[cell]) continue
    add(cell, draft.air[cell] * p[cell])
    for (let axis = 0; axis < draft.dims; axis++) {
      const other = upper(draft, cell, axis)
      if (draft.faces[axis][cell] === 0 || other < 0) continue
      const flux = draft.faces[axis][cell] * (p[cell] - p[other])
      add(cell, flux)
      add(other, -flux)
    }
  }
}
