/** "1 substep", "2 substeps". `several` is the plural where it is not formed by an s. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}
