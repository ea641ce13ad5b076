/** Light or dark: as in the system, until the user switches. */

export interface Theme {
  /** Undefined: as the system has it. */
  chosen: boolean | undefined
}

export function applyTheme(button: HTMLElement, onChange: (isDark: boolean) => void): Theme {
  const system = matchMedia('(prefers-color-scheme: dark)')
  let chosen: boolean | undefined
  const isDark = () => chosen ?? system.matches
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
    onChange(isDark())
  }
  const theme: Theme = {
    get chosen() {
      return chosen
    },
    set chosen(value) {
      chosen = value
      apply()
    },
  }
  button.onclick = () => {
    theme.chosen = !isDark()
  }
  system.onchange = apply
  apply()
  return theme
}
