/** The classes of grid problems. The tolerance is drawn first, because pockets may be squeezed by more or by less than it. */
import { addFlow, drawDivergence, plantAnswer, setMeans } from './divergences.js'
import { addAir, bodiesOf, type Draft, touchWalls } from './draft.js'
import type { Draw } from './draw.js'
import {
  ANY,
  block,
  comb,
  crumbs,
  cutBall,
  type Geometry,
  hugeRatios,
  maze,
  noise,
  percolation,
  plates,
  rooms,
  serpentine,
  slivers,
  spiral,
} from './geometries.js'

export interface Wish {
  readonly tolerance: number
  readonly large: boolean
}

export type GridClass = (draw: Draw, wish: Wish) => Draft

/** Air, contacts at walls (or everywhere, or here and there), any divergence. */
function open(geometry: Geometry): GridClass {
  return (draw, { large }) => {
    const draft = geometry(draw, large)
    addAir(draft, draw)
    drawContacts(draft, draw)
    drawDivergence(draft, draw)
    return draft
  }
}

function drawContacts(draft: Draft, draw: Draw): void {
  const habit = draw.pick(['walls', 'walls', 'walls', 'some walls', 'anywhere', 'everywhere'])
  const share = draw.unit()
  if (habit === 'walls') touchWalls(draft)
  else if (habit === 'some walls') touchWalls(draft, () => draw.chance(share))
  else
    for (let cell = 0; cell < draft.cells; cell++)
      if (draft.wet[cell] && (habit === 'everywhere' || draw.chance(share))) draft.contact[cell] = 1
}

/** No air; every body gets the mean divergence that `mean` draws, beside a flow that adds up to 0. */
function sealed(mean: (draw: Draw, tolerance: number) => number): GridClass {
  return (draw, { large, tolerance }) => {
    const draft = draw.pick(ANY)(draw, large)
    // Sometimes one body has air, so that there is something to solve besides.
    if (draw.chance(0.3)) addAir(draft, draw, 'one')
    if (draw.chance(0.9)) drawContacts(draft, draw)
    if (draw.chance(0.9)) addFlow(draft, draw, draw.power(-2, 2))
    setMeans(draft, () => mean(draw, tolerance))
    return draft
  }
}

const outside = (draw: Draw, tolerance: number) => (draw.chance(0.3) ? tolerance * draw.between(1.5, 10) : draw.power(-3, 1.5))

/** Nothing but contacts: most are lifted off, few pressed. */
function allPinned(draw: Draw, { large }: Wish): Draft {
  const draft = draw.pick(ANY)(draw, large)
  addAir(draft, draw)
  const pressed = draw.pick([0, 0.02, 0.1, 0.3])
  const [pull, push] = [draw.power(-1, 3), draw.power(-3, 2)]
  for (let cell = 0; cell < draft.cells; cell++) {
    draft.contact[cell] = draft.wet[cell]
    draft.b[cell] = draw.chance(pressed) ? -push * draw.unit() : pull * draw.unit()
  }
  return draft
}

function withContacts(everywhere: boolean): GridClass {
  return (draw, { large }) => {
    const draft = draw.pick(ANY)(draw, large)
    addAir(draft, draw)
    if (everywhere) draft.contact.set(draft.wet)
    drawDivergence(draft, draw)
    return draft
  }
}

function degenerate(draw: Draw, { large }: Wish): Draft {
  const draft = draw.pick(ANY)(draw, large)
  if (draw.chance(0.8)) addAir(draft, draw)
  drawContacts(draft, draw)
  plantAnswer(draft, draw)
  return draft
}

/** Bodies without air of every nature beside each other, and others with air. */
function patchwork(draw: Draw, { large, tolerance }: Wish): Draft {
  const draft = draw.pick([noise, percolation, plates, crumbs, rooms])(draw, large)
  drawContacts(draft, draw)
  addFlow(draft, draw, draw.power(-1, 1))
  for (const body of bodiesOf(draft)) if (draw.chance(0.4)) draft.air[draw.pick(body)] = draw.power(-2, 2)
  setMeans(draft, () => draw.pick([0, outside(draw, tolerance), -outside(draw, tolerance), tolerance * draw.between(-0.9, 0.9)]))
  return draft
}

/** Unknowns whose row is empty: an InputError or a sealed pocket of one cell, both are right. */
function emptyRows(draw: Draw, wish: Wish): Draft {
  const draft = open(draw.pick([noise, block, crumbs]))(draw, wish)
  draft.keepEmpty = true
  for (let cell = 0; cell < draft.cells; cell++) {
    if (!draw.chance(0.05)) continue
    draft.wet[cell] = 1
    draft.air[cell] = 0
    for (let axis = 0; axis < draft.dims; axis++) {
      draft.faces[axis][cell] = 0
      if (cell >= draft.strides[axis]) draft.faces[axis][cell - draft.strides[axis]] = 0
    }
    if (draw.chance(0.5)) draft.b[cell] = 0
  }
  return draft
}

export const GRID_CLASSES: Readonly<Record<string, GridClass>> = {
  tame: open(cutBall),
  noise: open(noise),
  plates: open(plates),
  slivers: open(slivers),
  'huge-ratios': open(hugeRatios),
  comb: open(comb),
  channel: open(serpentine),
  spiral: open(spiral),
  maze: open(maze),
  rooms: open(rooms),
  percolation: open(percolation),
  'sealed-balanced': sealed(() => 0),
  'sealed-expanding': sealed((draw, tolerance) => outside(draw, tolerance)),
  'sealed-squeezed': sealed((draw, tolerance) => -outside(draw, tolerance)),
  'sealed-slight': sealed((draw, tolerance) => tolerance * draw.pick([0.9, 0.7, 0.3, 0.1, -0.1, -0.3, -0.6, -0.7, -0.9])),
  patchwork,
  degenerate,
  'all-contacts': withContacts(true),
  'no-contacts': withContacts(false),
  'all-pinned': allPinned,
  isolated: open(crumbs),
  'empty-rows': emptyRows,
}
