/** Colours by day and by night, as screens are given them (0xrrggbb). */
import type { Vector } from './vector.js'

export interface Palette {
  /** Air in flat pictures: below and above. */
  readonly air: readonly [number, number]
  readonly horizon: number
  readonly zenith: number
  /** What water mirrors from above, and how bright lamps in it are. */
  readonly mirrored: number
  readonly lamp: number
  /** What deep water gives back. */
  readonly scattered: number
  readonly ground: number
  readonly groundLine: number
  /** Edges of the domain. */
  readonly edge: number
  readonly solid: number
  readonly solidRim: number
  /** In flat pictures: liquid near its surface and far from it, the line around it, and light along it. */
  readonly shallow: number
  readonly deep: number
  readonly outline: number
  readonly gleam: number
  readonly stone: readonly [number, number]
  readonly stoneEdge: number
}

export const LIGHT: Palette = {
  air: [0xe4ebf2, 0xf8fafc],
  horizon: 0xf1f4f8,
  zenith: 0xc4d7ea,
  mirrored: 0x5d97cf,
  lamp: 1.5,
  scattered: 0x0f6fb4,
  ground: 0xe9eef3,
  groundLine: 0xc3ceda,
  edge: 0x66788c,
  solid: 0xd3dbe4,
  solidRim: 0x7d8fa3,
  shallow: 0x4fb2e6,
  deep: 0x0b3f88,
  outline: 0x1560a8,
  gleam: 0xe2f6ff,
  stone: [0x464d5a, 0x626a78],
  stoneEdge: 0xaeb6c2,
}

export const DARK: Palette = {
  air: [0x0c121b, 0x16202d],
  horizon: 0x1a2431,
  zenith: 0x31455d,
  mirrored: 0x5b86b4,
  lamp: 1.0,
  scattered: 0x0c5ea3,
  ground: 0x161f2a,
  groundLine: 0x2a3848,
  edge: 0x6f8298,
  solid: 0x53647a,
  solidRim: 0xa9bdd2,
  shallow: 0x43b0ec,
  deep: 0x0d4699,
  outline: 0x7fd0ff,
  gleam: 0xd8f3ff,
  stone: [0x323a46, 0x465160],
  stoneEdge: 0x7c8896,
}

/** What deep water absorbs of red, green and blue light across a domain as wide as high, as powers of e. */
export const ABSORBED: Vector = [6.0, 2.1, 0.95]

/** Red, green and blue from 0 to 1, as screens are given them. */
export function screenColour(colour: number): Vector {
  return [((colour >> 16) & 255) / 255, ((colour >> 8) & 255) / 255, (colour & 255) / 255]
}

/** Linear light: what can be added and mixed as light is. */
export function lightOf(colour: number): Vector {
  const [r, g, b] = screenColour(colour)
  return [decoded(r), decoded(g), decoded(b)]
}

function decoded(value: number): number {
  return value < 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

/** From linear light to what screens are given, 0 to 1 (sRGB). */
export function encoded(light: number): number {
  const value = Math.min(Math.max(light, 0), 1)
  return value < 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
}
