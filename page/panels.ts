/** Which panels of the page are open, by names that links store. */
import type GUI from 'lil-gui'

export interface Panels {
  /** Names of those that are unfolded. Unknown ones are left out. */
  unfolded: readonly string[]
}

interface Panel {
  readonly name: string
  isOpen: boolean
}

/** The controls with their folders, and what can be unfolded below the liquid. */
export function createPanels(controls: GUI, tools: HTMLElement): Panels {
  const panels: readonly Panel[] = [
    ...[controls, ...controls.folders].map(folder => ({
      name: folder._title.toLowerCase(),
      get isOpen() {
        return !folder._closed
      },
      set isOpen(isOpen) {
        folder.open(isOpen)
      },
    })),
    ...[...tools.querySelectorAll('details')].map(details => ({
      name: details.className,
      get isOpen() {
        return details.open
      },
      set isOpen(isOpen) {
        details.open = isOpen
      },
    })),
  ]
  return {
    get unfolded() {
      return panels.filter(({ isOpen }) => isOpen).map(({ name }) => name)
    },
    set unfolded(names) {
      for (const panel of panels) panel.isOpen = names.includes(panel.name)
    },
  }
}
