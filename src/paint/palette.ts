/** Colours by day and by night, and of several liquids, as screens are given them (0xrrggbb). */
import type { LiquidColours } from '../scene/liquid-colours.js'
import type { Vector } from './vector.js'

export interface Palette extends Surroundings, Liquid {
  /** In flat pictures: the line around liquid. */
  readonly outline: number
}

interface Surroundings {
  /** Air in flat pictures: below and above. */
  readonly air: readonly [number, number]
  readonly horizon: number
  readonly zenith: number
  /** How bright lamps are. */
  readonly lamp: number
  readonly ground: number
  readonly groundLine: number
  /** Edges of the domain. */
  readonly edge: number
  readonly solid: number
  readonly solidRim: number
  readonly stone: readonly [number, number]
  readonly stoneEdge: number
}

interface Liquid {
  /** What it absorbs of red, green and blue light across a domain as wide as high, as powers of e. */
  readonly absorbed: Vector
  /** How soon liquid hides what is behind it, likewise; and what it gives back where it is deep. */
  readonly murk: number
  readonly scattered: number
  /** What it mirrors from above. */
  readonly mirrored: number
  /** In flat pictures: near its surface and far from it, and light along it. */
  readonly shallow: number
  readonly deep: number
  readonly gleam: number
}

const DAY: Surroundings = {
  air: [0xe4ebf2, 0xf8fafc],
  horizon: 0xf1f4f8,
  zenith: 0xc4d7ea,
  lamp: 1.5,
  ground: 0xe9eef3,
  groundLine: 0xc3ceda,
  edge: 0x66788c,
  solid: 0xd3dbe4,
  solidRim: 0x7d8fa3,
  stone: [0x464d5a, 0x626a78],
  stoneEdge: 0xaeb6c2,
}

const NIGHT: Surroundings = {
  air: [0x0c121b, 0x16202d],
  horizon: 0x1a2431,
  zenith: 0x31455d,
  lamp: 1.0,
  ground: 0x161f2a,
  groundLine: 0x2a3848,
  edge: 0x6f8298,
  solid: 0x53647a,
  solidRim: 0xa9bdd2,
  stone: [0x323a46, 0x465160],
  stoneEdge: 0x7c8896,
}

/** Liquids, each with the line around it by day and by night. */
const LIQUIDS = {
  water: {
    ...{ absorbed: [4.2, 1.35, 0.6], murk: 1.9, scattered: 0x0f6fb4, mirrored: 0x5d97cf },
    ...{ shallow: 0x4fb2e6, deep: 0x0b3f88, gleam: 0xe2f6ff, outlines: [0x1560a8, 0x7fd0ff] },
  },
  clear: {
    ...{ absorbed: [0.9, 0.4, 0.3], murk: 0.35, scattered: 0x6f93a8, mirrored: 0x9db8cc },
    ...{ shallow: 0xb9dbe6, deep: 0x5f93ac, gleam: 0xffffff, outlines: [0x4d8299, 0xbfe6f2] },
  },
  algae: {
    ...{ absorbed: [4.0, 1.2, 3.2], murk: 2.2, scattered: 0x2c8a3c, mirrored: 0x86b39a },
    ...{ shallow: 0x7ed17c, deep: 0x145c34, gleam: 0xf0ffe8, outlines: [0x1f7a42, 0x9df2a8] },
  },
  wine: {
    ...{ absorbed: [1.1, 6.5, 5.0], murk: 2.6, scattered: 0x7a0c1e, mirrored: 0xb08a96 },
    ...{ shallow: 0xd8455a, deep: 0x5a0a1c, gleam: 0xffe6e6, outlines: [0x8c1830, 0xff9aa8] },
  },
  honey: {
    ...{ absorbed: [0.5, 1.9, 5.5], murk: 1.8, scattered: 0xc27a10, mirrored: 0xc6ae84 },
    ...{ shallow: 0xf6bf4a, deep: 0x9a5206, gleam: 0xfff6d6, outlines: [0xa96210, 0xffd98a] },
  },
  milk: {
    ...{ absorbed: [5.0, 5.4, 6.2], murk: 16, scattered: 0xe9e4d8, mirrored: 0xcfd6de },
    ...{ shallow: 0xfaf7ef, deep: 0xd5cfc2, gleam: 0xffffff, outlines: [0x9c9686, 0xfffdf5] },
  },
  ink: {
    ...{ absorbed: [9.5, 9.0, 6.0], murk: 7, scattered: 0x0d0e26, mirrored: 0x6a74a8 },
    ...{ shallow: 0x3b3f86, deep: 0x0a0b22, gleam: 0xdfe2ff, outlines: [0x14163c, 0x9298ea] },
  },
} as const satisfies Record<LiquidColours, Liquid & { readonly outlines: readonly [number, number] }>

const palettes = new Map<string, Palette>()

/** The same object for the same choice: painters keep what they have painted with a palette. */
export function paletteOf(colours: LiquidColours = 'water', isDark = false): Palette {
  const key = `${colours} ${isDark}`
  const known = palettes.get(key)
  if (known) return known
  const { outlines, ...liquid } = LIQUIDS[colours]
  const palette = { ...(isDark ? NIGHT : DAY), ...liquid, outline: outlines[isDark ? 1 : 0] }
  palettes.set(key, palette)
  return palette
}

export const LIGHT = paletteOf()
export const DARK = paletteOf('water', true)

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
