/** Light or dark: as the system has it, until somebody switches. */

export function applyTheme(button: HTMLElement, onChange: (isDark: boolean) => void): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  let chosen: boolean | undefined
  const isDark = () => chosen ?? system.matches
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
    onChange(isDark())
  }
  button.onclick = () => {
    chosen = !isDark()
    apply()
  }
  system.onchange = apply
  apply()
}
