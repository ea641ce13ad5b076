/** Marks of faces: whether a face is open, and whether its velocity is known. */

/** Lanes of the sixteen faces from `at` on that are open, by their open fractions. */
@inline
export function areOpen(at: usize): v128 {
  const zero = v128.splat<f32>(0)
  const low = v128.narrow<i32>(v128.gt<f32>(v128.load(at), zero), v128.gt<f32>(v128.load(at, 16), zero))
  return v128.narrow<i16>(low, v128.narrow<i32>(v128.gt<f32>(v128.load(at, 32), zero), v128.gt<f32>(v128.load(at, 48), zero)))
}
