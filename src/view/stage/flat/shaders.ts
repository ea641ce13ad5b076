/** 2D frames as one picture over the plane z = 0: liquid and solids with smooth edges from their level sets, or cells coloured by a field. */
import { COLOUR_MAP } from '../fields/colour-map.js'
import { FIELD } from '../fields/field-painter.js'
import { LEVEL_SETS } from '../fields/level-set-textures.js'
import { MARKS } from './marks.js'

/** What is drawn of liquid. */
export const FLAT_STYLE = { water: 0, faint: 1, contours: 2, field: 3 } as const

/** Over all of the canvas. */
export const FLAT_VERTEX = /* glsl */ `
in vec3 position;
void main() {
  gl_Position = vec4(position.xy, 0.5, 1.0);
}
`

/** Over triangles whose corners are given in cells. */
export const CELLS_VERTEX = /* glsl */ `
uniform mat4 projectionMatrix;
uniform mat4 viewMatrix;
uniform float spacing;
in vec2 corner;
void main() {
  gl_Position = projectionMatrix * (viewMatrix * vec4(corner * spacing, 0.0, 1.0));
}
`

/** MARKED, STYLE and HAS_BALL are constants: without a GPU all of a shader is evaluated for every pixel, whatever its
 *  branches. */
export const FLAT = /* glsl */ `
${LEVEL_SETS}
${COLOUR_MAP}
${FIELD}
/** Per cell, m: the level set of liquid, and the distance to the surface, also far from it, where the first only separates inside from outside. */
uniform highp sampler3D levels;
/** Cells, see marks.ts. */
uniform float edgeWidth;
uniform float wallShade;
uniform vec3 air[2];
uniform vec3 stone[2];
uniform vec3 stoneEdge;
uniform vec3 shallow;
uniform vec3 deep;
uniform vec3 outline;
uniform vec3 gleam;
uniform vec3 edge;
uniform vec3 margin;
uniform vec3 ball;
uniform float ballRadius;
/** The lower left corner of the canvas and the side of a pixel, m. Positions computed from these are bit-identical in whatever
 *  triangle a pixel is. */
uniform vec2 origin;
uniform float pixelSide;
out vec4 colour;

const bool hasAir = (MARKED & ${MARKS.air}) != 0;
const bool hasLiquid = (MARKED & ${MARKS.deep | MARKS.shallow}) != 0;
const bool isShallow = (MARKED & ${MARKS.shallow}) != 0;
const bool hasSurface = hasAir && hasLiquid;
const bool isSolid = MARKED == ${MARKS.solid};
const bool hasWall = (MARKED & ${MARKS.solid}) != 0 && !isSolid;

vec4 weightsAt(float t) {
  return 0.5 * vec4(t * (t * (2.0 - t) - 1.0), t * t * (3.0 * t - 5.0) + 2.0, t * (t * (4.0 - 3.0 * t) + 1.0), t * t * (t - 1.0));
}

vec4 slopesAt(float t) {
  return 0.5 * vec4(t * (4.0 - 3.0 * t) - 1.0, t * (9.0 * t - 10.0), t * (8.0 - 9.0 * t) + 1.0, t * (3.0 * t - 2.0));
}

/** Catmull and Rom's cubic between four times four points: contours without corners, and through the values. Slope per cell and value. */
vec3 cubicOf(mat4 rows, vec2 f) {
  vec4 value = weightsAt(f.x) * rows;
  vec4 up = weightsAt(f.y);
  return vec3(dot(slopesAt(f.x) * rows, up), dot(value, slopesAt(f.y)), dot(value, up)) / spacing;
}

/** The points around a place along both axes, and how far it is from the second to the third of them. */
struct Around {
  ivec4 i;
  ivec4 j;
  vec2 f;
};

Around aroundOf(vec2 at, ivec2 last) {
  vec2 p = clamp(at, vec2(0.0), vec2(last));
  ivec2 base = ivec2(p);
  const ivec4 four = ivec4(-1, 0, 1, 2);
  return Around(clamp(base.x + four, 0, last.x), clamp(base.y + four, 0, last.y), p - vec2(base));
}

vec4 solidRow(ivec4 i, int j) {
  return vec4(texelFetch(solid, ivec3(i.x, j, 0), 0).r, texelFetch(solid, ivec3(i.y, j, 0), 0).r,
    texelFetch(solid, ivec3(i.z, j, 0), 0).r, texelFetch(solid, ivec3(i.w, j, 0), 0).r);
}

vec3 wallAt(vec2 x) {
  Around a = aroundOf(x, textureSize(solid, 0).xy - 1);
  return cubicOf(mat4(solidRow(a.i, a.j.x), solidRow(a.i, a.j.y), solidRow(a.i, a.j.z), solidRow(a.i, a.j.w)), a.f);
}

vec2 levelsOf(int i, int j) {
  return texelFetch(levels, ivec3(i, j, 0), 0).rg;
}

void levelRow(ivec4 i, int j, out vec4 liquids, out vec4 depths) {
  vec2 a = levelsOf(i.x, j);
  vec2 b = levelsOf(i.y, j);
  vec2 c = levelsOf(i.z, j);
  vec2 d = levelsOf(i.w, j);
  liquids = vec4(a.r, b.r, c.r, d.r);
  depths = vec4(a.g, b.g, c.g, d.g);
}

void levelsAt(vec2 x, out vec3 phi, out vec3 far) {
  Around a = aroundOf(x - 0.5, textureSize(levels, 0).xy - 1);
  mat4 liquids;
  mat4 depths;
  levelRow(a.i, a.j.x, liquids[0], depths[0]);
  levelRow(a.i, a.j.y, liquids[1], depths[1]);
  levelRow(a.i, a.j.z, liquids[2], depths[2]);
  levelRow(a.i, a.j.w, liquids[3], depths[3]);
  phi = cubicOf(liquids, a.f);
  far = cubicOf(depths, a.f);
}

/** Linear, in cells. */
float depthAt(vec2 x) {
  Around a = aroundOf(x - 0.5, textureSize(levels, 0).xy - 1);
  vec2 left = vec2(levelsOf(a.i.y, a.j.y).g, levelsOf(a.i.y, a.j.z).g);
  vec2 right = vec2(levelsOf(a.i.z, a.j.y).g, levelsOf(a.i.z, a.j.z).g);
  vec2 both = mix(left, right, a.f.x);
  return mix(both.x, both.y, a.f.y) / spacing;
}

/** Share of a pixel with negative distance; level sets are not quite distances, so their slope counts. */
float coverage(vec3 phi, float pixel) {
  return clamp(0.5 - phi.z / max(length(phi.xy) * pixel, 1e-6), 0.0, 1.0);
}

/** A line of so many pixels where the distance is that of the level. */
float lineAt(vec3 phi, float level, float pixel, float width) {
  return clamp(0.5 * width + 0.5 - abs(phi.z - level) / max(length(phi.xy) * pixel, 1e-6), 0.0, 1.0);
}

vec3 waterAt(vec3 far, float height) {
  float longest = max(cells.x, cells.y);
  float inside = max(-far.z, 0.0);
  vec3 body = mix(shallow, deep, 1.0 - exp(-inside / (0.17 * longest)));
  body *= 0.96 + 0.08 * height;
  if (isShallow) {
    // The border as a rounded edge that is lit from above to the left.
    float edgeward = exp(-inside * inside / (edgeWidth * edgeWidth));
    float lit = dot(far.xy / max(length(far.xy), 0.5), normalize(vec2(-0.45, 0.9)));
    body = mix(body, gleam, 0.62 * edgeward * smoothstep(0.0, 1.0, lit));
    body = mix(body, 0.72 * deep, 0.4 * edgeward * smoothstep(0.0, 1.0, -lit));
    float streak = inside / edgeWidth - 2.1;
    body = mix(body, gleam, 0.16 * exp(-4.0 * streak * streak) * smoothstep(0.35, 1.0, lit));
  }
  return body;
}

/** Liquid as bands of depth. */
vec3 bandsAt(vec3 far, float pixel, vec3 behind) {
  float longest = max(cells.x, cells.y);
  float every = longest / 40.0;
  float nearest = round(far.z / every) * every;
  vec3 body = mix(shallow, deep, 1.0 - exp(min(far.z, 0.0) / (0.2 * longest)));
  return mix(mix(behind, body, 0.85), outline, 0.4 * lineAt(far, nearest, pixel, 1.0));
}

/** What is drawn of liquid, before air. */
vec3 liquidColour(vec3 behind, vec2 x, float pixel, float height) {
  vec3 c = behind;
#if STYLE == ${FLAT_STYLE.field}
  ivec2 cell = clamp(ivec2(floor(x)), ivec2(0), ivec2(cells.xy) - 1);
  float value = texelFetch(field, ivec3(cell, 0), 0).r;
  if (isThere(value)) c = mappedColour(value);
#else
  vec3 phi = vec3(0.0);
  vec3 far = vec3(0.0);
  if (isShallow || (hasLiquid && STYLE == ${FLAT_STYLE.contours})) levelsAt(x, phi, far);
  else if (hasLiquid) far.z = depthAt(x);
  if (hasLiquid) {
#if STYLE == ${FLAT_STYLE.faint}
    c = mix(c, shallow, 0.22);
#elif STYLE == ${FLAT_STYLE.contours}
    c = bandsAt(far, pixel, c);
#else
    c = waterAt(far, height);
#endif
  }
  if (hasSurface) {
    c = mix(behind, c, coverage(phi, pixel));
#if STYLE == ${FLAT_STYLE.faint}
    c = mix(c, outline, 0.35 * lineAt(phi, 0.0, pixel, 1.0));
#elif STYLE == ${FLAT_STYLE.contours}
    c = mix(c, outline, lineAt(phi, 0.0, pixel, 2.2));
#else
    c = mix(c, outline, 0.7 * lineAt(phi, 0.0, pixel, 1.2));
#endif
  }
#endif
  return c;
}

void main() {
  vec2 place = origin + gl_FragCoord.xy * pixelSide;
  vec2 x = place / spacing;
  float height = clamp(x.y / cells.y, 0.0, 1.0);
  float pixel = pixelSide / spacing;
  vec3 rock = mix(stone[0], stone[1], height);
  vec3 c = rock;
  if (!isSolid) c = liquidColour(mix(air[0], air[1], height), x, pixel, height);
  if (hasWall) {
    vec3 wall = wallAt(x);
#if STYLE != ${FLAT_STYLE.field}
    c *= 1.0 - 0.26 * exp(-max(wall.z, 0.0) / wallShade);
#endif
    float edgeward = exp(-wall.z * wall.z / max(0.12, 2.0 * pixel * pixel));
    c = mix(c, mix(rock, stoneEdge, 0.85 * edgeward), coverage(wall, pixel));
  }
#if HAS_BALL == 1
  {
    vec2 from = (place - ball.xy) / spacing;
    float away = length(from) - ballRadius / spacing;
    float lit = clamp(0.75 + 0.35 * dot(from, normalize(vec2(-0.5, 0.85))) * spacing / ballRadius, 0.0, 1.1);
    c = mix(c, vec3(0.98, 0.48, 0.22) * lit, clamp(0.5 - away / pixel, 0.0, 1.0));
  }
#endif
  vec2 beyond = max(-x, x - cells.xy);
  float outside = max(beyond.x, beyond.y);
  float rim = 0.8 * clamp(1.1 - abs(outside) / pixel, 0.0, 1.0);
  float beside = clamp(outside / pixel + 0.5, 0.0, 1.0);
  colour = vec4(mix(mix(c, margin, beside), edge, rim), 1.0);
}
`
