/** Types of format-kernels.mjs, for the test of the format. */
export function kernelSources(): string[]
export function unformattedKernels(): Map<string, string>
