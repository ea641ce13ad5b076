/** The light on the ground around liquid, from the map that the host makes of every frame (src/paint/ground/ground-light.ts). */
import { Space } from './space'

/** What there is of red, green and blue light at a point of the ground, relative to ground without liquid. */
export function groundLightAt(space: Space, x: f32, z: f32): v128 {
  const px = (x + space.lightMargin) * space.lightPerCell - <f32>0.5
  const pz = (z + space.lightMargin) * space.lightPerCell - <f32>0.5
  // Beyond the map light is as without liquid.
  if (!(px >= 0 && pz >= 0 && px < <f32>(space.lightWidth - 1) && pz < <f32>(space.lightHeight - 1))) return f32x4.splat(1)
  const i = <i32>px
  const k = <i32>pz
  const row = (<usize>space.lightWidth) << 4
  const at = space.groundLight + ((<usize>i) << 4) + row * <usize>k
  const across = f32x4.splat(px - <f32>i)
  const near = between(v128.load(at), v128.load(at, 16), across)
  const far = between(v128.load(at + row), v128.load(at + row, 16), across)
  return between(near, far, f32x4.splat(pz - <f32>k))
}

@inline
function between(a: v128, b: v128, share: v128): v128 {
  return f32x4.add(a, f32x4.mul(share, f32x4.sub(b, a)))
}
