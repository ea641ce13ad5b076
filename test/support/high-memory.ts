/** Machines whose arrays begin high up in their memory. What lies below is never touched, so it takes up addresses, but no memory. */
type KernelsModule = typeof import('../../src/machine/machine.js')

export const GIB = 2 ** 30

/** `machine.ts` with machines that leave the first `base()` bytes alone. */
export function withMachinesFrom(original: KernelsModule, base: () => number): KernelsModule {
  return {
    ...original,
    async startMachine(module, threads, bytes = 0, share) {
      const first = base()
      const machine = await original.startMachine(module, threads, bytes + first, share)
      machine.kernels.allocate(first)
      machine.kernels.keepAll()
      return machine
    },
  }
}
