/** Marks of faces: which are open, and which are open wide enough to have a velocity of their own. */
import { SLIVER } from '../../shared-constants'

/** Lanes of the sixteen faces from `at` on that are open, by their open fractions. */
@inline
export function areOpen(at: usize): v128 {
  return areWider(at, 0)
}

/** Lanes of the sixteen faces from `at` on that are no slivers. */
@inline
export function areWide(at: usize): v128 {
  return areWider(at, <f32>SLIVER)
}

@inline
function areWider(at: usize, open: f32): v128 {
  const least = v128.splat<f32>(open)
  const low = v128.narrow<i32>(v128.gt<f32>(v128.load(at), least), v128.gt<f32>(v128.load(at, 16), least))
  return v128.narrow<i16>(low, v128.narrow<i32>(v128.gt<f32>(v128.load(at, 32), least), v128.gt<f32>(v128.load(at, 48), least)))
}
