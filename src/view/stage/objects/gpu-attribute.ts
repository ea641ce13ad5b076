/** Numbers in GPU memory that is rewritten every frame. */
import { BufferAttribute, DynamicDrawUsage } from 'three'

type Numbers = Float32Array | Uint32Array | Int8Array

/** Those of 8 bits reach from -1 to 1 in shaders. */
export function createAttribute(array: Numbers, itemSize: number): BufferAttribute {
  return new BufferAttribute(array, itemSize, array instanceof Int8Array).setUsage(DynamicDrawUsage)
}

/** Marks the first numbers of the attribute as changed; only those are uploaded. */
export function send(attribute: BufferAttribute, count: number): void {
  attribute.clearUpdateRanges()
  attribute.addUpdateRange(0, count)
  attribute.needsUpdate = true
}

/** Writes `values` to the beginning of an attribute. */
export function fill(attribute: BufferAttribute, values: Numbers): void {
  attribute.array.set(values)
  send(attribute, values.length)
}
