/** Random draws of one problem: a stream that depends on the seed and the number of the problem only, so that every problem can be made
 *  alone. Its own generator (sfc32), so that a change of src/random.ts does not change the problems. */

export interface Draw {
  /** Uniform in [0, 1). */
  unit(): number
  between(low: number, high: number): number
  /** Whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number
  chance(share: number): boolean
  pick<T>(items: readonly T[]): T
  /** 10 to a uniform power. */
  power(low: number, high: number): number
}

export function createDraw(seed: number, problem: number): Draw {
  let a = 0x9e3779b9 ^ seed
  let b = 0x243f6a88 ^ Math.floor(seed / 2 ** 32)
  let c = 0xb7e15162 ^ problem
  let counter = 1
  const bits = () => {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return t >>> 0
  }
  // The first outputs still show the seed.
  for (let skipped = 0; skipped < 16; skipped++) bits()
  const unit = () => (bits() >>> 5) / 2 ** 27
  const between = (low: number, high: number) => low + (high - low) * unit()
  const whole = (low: number, high: number) => low + Math.floor((high - low + 1) * unit())
  return {
    unit,
    between,
    whole,
    chance: share => unit() < share,
    pick: items => items[whole(0, items.length - 1)],
    power: (low, high) => 10 ** between(low, high),
  }
}
