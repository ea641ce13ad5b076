/** The colours that pictures can give a liquid; what they look like is in the palettes of `paint`. */
export const LIQUID_COLOURS = ['water', 'clear', 'algae', 'wine', 'honey', 'milk', 'ink'] as const
export type LiquidColours = (typeof LIQUID_COLOURS)[number]
