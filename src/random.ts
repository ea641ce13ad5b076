/** Seeded random numbers without state: each is a hash of a seed and of counters that say what it is for, so the order in
 *  which they are drawn, and the number of threads that draw them, changes nothing. */

/** Uniform in [0, 1) with 53 random bits; a pure function of its arguments. Seed and counters are whole numbers, of which
 *  all 53 bits count; `random(s, 1)`, `random(s, 1, 0)` and `random(s, 0, 1)` are three unrelated numbers. */
export function random(seed: number, ...counters: number[]): number {
  let high = 0x243f6a88 // digits of π: nothing hidden in them
  let low = 0x85a308d3 | 0
  const absorb = (value: number) => {
    const upper = Math.floor(value / 2 ** 32)
    low = mix(low ^ value ^ Math.imul(upper, 0x85ebca6b))
    high = mix((high + low + Math.imul(upper, 0xc2b2ae35)) | 0)
    // Each half has seen the other, so 64 bits of state travel through the chain and not twice the same 32.
    low = (low + Math.imul(high, 0x9e3779b1)) | 0
  }
  absorb(seed)
  for (const counter of counters) absorb(counter)
  low = mix(low)
  high = mix(high ^ low)
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53
}

/** Bijective scrambling of 32 bits, the "lowbias32" constants of Chris Wellons' search for small avalanche bias. */
function mix(value: number): number {
  let x = value
  x ^= x >>> 16
  x = Math.imul(x, 0x7feb352d)
  x ^= x >>> 15
  x = Math.imul(x, 0x846ca68b)
  return x ^ (x >>> 16)
}

export { mix as scramble }
