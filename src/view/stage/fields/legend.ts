/** What colours of a view mean: as data, and as an accessible element for pages. */

import { checkList, checkObject, checkText } from '../../../checks.js'
import { shortNumber } from '../../../paint/caption.js'
import { type Colour, mapColour, twoSidedColour } from '../../../paint/colour.js'

export interface Legend {
  readonly title: string
  /** A scale from one number to another, with its unit … */
  readonly scale?: {
    readonly low: number
    readonly high: number
    readonly unit: string
    readonly colourOf: (share: number) => Colour
  }
  /** … or some colours with a word each. */
  readonly words?: readonly { readonly word: string; readonly colour: Colour }[]
}

export const PINNED_COLOURS = {
  liquid: { word: 'liquid', colour: [152, 201, 232] },
  pressed: { word: 'touches a wall', colour: [23, 92, 160] },
  pinned: { word: 'separates from it (p = 0)', colour: [255, 122, 24] },
} as const satisfies Record<string, { readonly word: string; readonly colour: Colour }>

const TITLES = { pressure: ['Pressure', 'Pa'], speed: ['Speed', 'm/s'], divergence: ['Divergence', '1/s'] } as const

export function scaleLegend(what: keyof typeof TITLES, low: number, high: number): Legend {
  const [title, unit] = TITLES[what]
  const colourOf = what === 'divergence' ? (share: number) => twoSidedColour(2 * share - 1) : mapColour
  return { title, scale: { low, high, unit, colourOf } }
}

export const PINNED_LEGEND: Legend = { title: 'Contacts', words: Object.values(PINNED_COLOURS) }

/** One sentence, for screen readers. */
export function describeLegend(legend: Legend): string {
  checkObject(legend, 'describeLegend: the legend', 'a legend of a stage')
  const { title, scale, words } = legend
  checkText(title, 'describeLegend: the title')
  if (scale === undefined) checkList(words, 'describeLegend: words')
  if (scale) return `${title}: colours from ${amount(scale.low, scale.unit)} to ${amount(scale.high, scale.unit)}.`
  return `${title}: ${words?.map(({ word, colour }) => `${word} in ${css(colour)}`).join(', ')}.`
}

export interface LegendElement {
  readonly element: HTMLElement
  update(legend: Legend | undefined): void
}

/** Hidden while there is nothing to explain. It inherits font and colour from the page. */
export function createLegendElement(): LegendElement {
  const element = document.createElement('div')
  element.className = 'peel-legend'
  element.setAttribute('role', 'img')
  element.hidden = true
  let shown = ''
  return {
    element,
    update(legend) {
      const text = legend ? describeLegend(legend) : ''
      if (text === shown) return
      shown = text
      element.hidden = !legend
      element.replaceChildren(...(legend ? partsOf(legend) : []))
      element.setAttribute('aria-label', text)
    },
  }
}

function partsOf({ title, scale, words }: Legend): HTMLElement[] {
  const name = part('span', title)
  name.style.fontWeight = '600'
  if (!scale) return [name, ...(words ?? []).flatMap(({ word, colour }) => [swatch(colour), part('span', word)])]
  const bar = part('span', '')
  const stops = Array.from({ length: 17 }, (_, step) => css(scale.colourOf(step / 16)))
  bar.style.cssText = `display:inline-block;width:8em;height:.8em;border-radius:.2em;margin:0 .5em;vertical-align:-.05em;background:linear-gradient(to right,${stops.join(',')})`
  return [name, part('span', ` ${amount(scale.low, scale.unit)}`), bar, part('span', amount(scale.high, scale.unit))]
}

function swatch(colour: Colour): HTMLElement {
  const square = part('span', '')
  square.style.cssText = `display:inline-block;width:.8em;height:.8em;border-radius:.2em;margin:0 .35em 0 .9em;vertical-align:-.05em;background:${css(colour)}`
  return square
}

function part(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}

function css(colour: Colour): string {
  return `rgb(${colour.map(Math.round).join(' ')})`
}

/** A prefix before "1/s" would be ambiguous. */
function amount(value: number, unit: string): string {
  return unit.startsWith('1/') ? `${Number(value.toPrecision(2))} ${unit}` : shortNumber(value, unit)
}
