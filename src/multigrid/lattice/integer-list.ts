/** Lists of integers of unknown length, in buffers that are used again by the next solve. */
import type { Buffers } from '../../sparse/buffers.js'

/** The buffer keeps its length when the list is emptied. */
export class IntegerList {
  values: Int32Array
  length = 0

  constructor(
    private readonly buffers: Buffers,
    private readonly name: string,
  ) {
    this.values = buffers.i32(name, 1024)
  }

  push(...numbers: number[]): void {
    if (this.length + numbers.length > this.values.length) {
      const longer = this.buffers.i32(this.name, 2 * this.values.length)
      longer.set(this.values)
      this.values = longer
    }
    for (let n = 0; n < numbers.length; n++) this.values[this.length++] = numbers[n]
  }
}

export function concatenate(lists: readonly IntegerList[], buffers: Buffers, name: string): Int32Array {
  const whole = buffers.i32(
    name,
    lists.reduce((sum, list) => sum + list.length, 0),
  )
  let at = 0
  for (const list of lists) {
    whole.set(list.values.subarray(0, list.length), at)
    at += list.length
  }
  return whole
}
