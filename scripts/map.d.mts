/** Types of map.mjs, for the test of the map. */
export const MAP: string
export function mapText(): string
