/** Constants of pictures that their definition in TypeScript and their kernels share. */

/** Layers of cells that liquid is continued into solids; interpolation looks one cell far, normals two. */
export const CONTINUED_LAYERS = 3

/** Rounds of smoothing of the depth of 2D liquid: ridges of the distance would be seen as creases in the light. */
export const DEPTH_SMOOTHINGS = 2

/** To the middle of the large lamp; of length 1. */
export const TO_LAMP_X = -0.4186473
export const TO_LAMP_Y = 0.8372946
export const TO_LAMP_Z = 0.3516637

/** Share of the light on the ground that comes from the large lamp; the rest comes from all around. */
export const LAMP_SHARE = 0.42

/** How much darker every other tile of the ground is: this far from its colour to that of its lines. Without tiles there is nothing to see
 *  that liquid bends. */
export const TILE_TONE = 0.3

/** Share of the longer side of the ground over which shadows fade. */
export const SHADOW_SOFTNESS = 0.07

/** Power of e by which light falls off below liquid as high as the longer side of the ground. */
export const SHADOW_STRENGTH = 3.2

/** Edges of the domain begin this far before the eye, in cells. */
export const BEFORE_EYE = 0.05

/** Pixels to both sides of the surface, and of the sides of the domain, in which the line along them is visible. */
export const LINE_PIXELS = 1.1

/** A slope of 1 in the bytes of slopes. */
export const UNIT_SLOPE = 32

/** Normals of solids are differences between places this many cells off along every axis. */
export const NORMAL_REACH = 0.5

/** Level sets are clamped here, in cells; NaN becomes this. */
export const MAX_LEVEL = 64

/** Steps along a ray are this many cells longer than the level set, so that they end behind the surface at once: within, deep
 *  in and behind the first liquid. Thinner liquid may be missed. */
export const BEYOND_WITHIN = 0.3
export const BEYOND_DEEP = 0.6
export const BEYOND_BEHIND = 0.6

/** Level sets of frames are as deep as this, or nearly, wherever no surface is near. */
export const DEEP_LEVEL = -0.9

/** Steps towards walls are this many cells longer than the distance, so that they end behind the wall at once; thinner solids
 *  may be missed. */
export const BEYOND_WALL_STEP = 0.2

/** Likewise where the distance grows. */
export const BEYOND_AWAY = 0.5

/** Cells from a wall that are near enough. */
export const NEAR_WALL = 0.01

/** Of water. */
export const REFRACTIVE_INDEX = 1.333

/** Ways through liquid, as shares of the domain: where it ends all at once it still shows, since its surface alone absorbs as much as this
 *  way does; and light that its far surface mirrors back has come a long way. */
export const SURFACE_WAY = 0.053
export const MIRRORED_WAY = 0.29

/** Brightness of light that a surface mirrors back into thin liquid, relative to light that deep liquid scatters, and the
 *  share of it that comes from the studio. */
export const MIRRORED_INSIDE = 1.3
export const MIRRORED_STUDIO = 0.4

/** Brightness of the line along which liquid ends on a wall, and cells over which it fades. */
export const CONTACT_LINE = 0.4
export const CONTACT_WIDTH = 0.2

/** Cells of liquid that hide what is behind as a surface does. Thinner spray is partly air. */
export const COVERING_DEPTH = 0.1

/** Cells of liquid that are measured for every pixel, also where it is deep, so that drops before it are sharp. */
export const SHARP_DEPTH = 1

/** Cells of liquid behind thin liquid that are visible as such. */
export const APART_DEPTH = 0.3
