/** Text beside the pictures: captions of both sides and the message line. */
import { type Settings, SIDES } from './settings.js'
import type { Sides } from './sides.js'

const CAPTIONS = { sticking: 'Sticking walls', separating: 'Separating walls' }

export function writeCaptions(container: HTMLElement, sides: Sides, settings: Settings): void {
  for (const name of SIDES) {
    const { walls, solver } = settings[name]
    const { figure, stage } = sides.all[name]
    figure.querySelector('figcaption')!.innerHTML = `<b>${CAPTIONS[walls]}</b> <span>${solver}</span>`
    stage.setAttribute('role', 'img')
    stage.setAttribute('aria-label', `Liquid, ${CAPTIONS[walls].toLowerCase()}`)
  }
  container.classList.toggle('one', settings.layout === 'one')
}

/** A function that shows a sentence until the next one; an empty one hides the line. */
export function createMessage(line: HTMLElement): (sentence: string) => void {
  return sentence => {
    line.textContent = sentence
    line.hidden = sentence === ''
  }
}
