/** A compiled module as the set-up writes it (src/machine/generated). */
export interface KernelModule<Kernels> {
  /** Base64 text, so that Node, bundlers and pages load it the same way, without a file to find. */
  readonly bytes: string
  /** Functions that return an address. */
  readonly addresses: readonly (keyof Kernels & string)[]
}

/** How a module imports its memory: "env", "memory", the kind of import, and as the last byte that it is shared and limited. */
const MEMORY_IMPORT = [3, ...ascii('env'), 6, ...ascii('memory'), 2, 3]
const LIMITED = 1

/** The bytes of a module, for memory that threads share or not: the instructions are the same, since atomic ones work on any memory. */
export function moduleBytes({ bytes }: Pick<KernelModule<never>, 'bytes'>, share: boolean): Uint8Array<ArrayBuffer> {
  const module = Uint8Array.from(atob(bytes), char => char.charCodeAt(0))
  if (share) return module
  const at = module.findIndex((_, from) => MEMORY_IMPORT.every((byte, n) => module[from + n] === byte))
  if (at < 0) throw new Error('The compiled module imports no shared memory.')
  module[at + MEMORY_IMPORT.length - 1] = LIMITED
  return module
}

function ascii(text: string): number[] {
  return [...text].map(char => char.charCodeAt(0))
}
