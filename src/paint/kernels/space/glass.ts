/** Walls of a pixel as one pane: what it adds, and what it leaves of the light behind. */
import { NO_HIT, Space } from './space'

/** The light of a pixel seen through its walls. */
@inline
export function behindGlass(space: Space, pixel: usize, light: v128): v128 {
  if (space.hasSolid) {
    const glass = v128.load(space.glass + (pixel << 4))
    light = f32x4.add(f32x4.mul(light, f32x4.splat(f32x4.extract_lane(glass, 3))), glass)
  }
  return f32x4.replace_lane(light, 3, NO_HIT)
}
