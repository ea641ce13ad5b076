export function setUp(options: { root: string }): Promise<void>
export function report(error: unknown): 1
export function checkNode(version: string): void
export function installHash(root: string): string
