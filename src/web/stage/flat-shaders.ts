/** 2D frames as one picture over the plane z = 0: liquid and solids with smooth edges from their level sets, or cells coloured by a field. */
import { COLOUR_MAP } from './colour-map.js'
import { FIELD } from './field-painter.js'
import { LEVEL_SETS } from './level-set-textures.js'

/** What is drawn of liquid. */
export const FLAT_STYLE = { water: 0, faint: 1, contours: 2, field: 3 } as const

export const FLAT_VERTEX = /* glsl */ `
uniform mat4 projectionMatrix;
uniform mat4 cameraWorld;
uniform mat4 projectionInverse;
in vec3 position;
out vec2 place;
void main() {
  gl_Position = vec4(position.xy, 0.5, 1.0);
  place = (cameraWorld * (projectionInverse * vec4(position.xy, 0.0, 1.0))).xy;
}
`

export const FLAT = /* glsl */ `
${LEVEL_SETS}
${COLOUR_MAP}
${FIELD}
/** Distance to the surface, also far from it, where that of the liquid only tells inside from outside. */
uniform highp sampler3D depth;
uniform int style;
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
in vec2 place;
out vec4 colour;

/** Catmull and Rom's cubic between the points of a plane: contours without corners, and through the values. Slope per cell and value. */
vec3 cubicAt(highp sampler3D values, vec2 at) {
  ivec2 last = textureSize(values, 0).xy - 1;
  vec2 p = clamp(at, vec2(0.0), vec2(last));
  ivec2 base = ivec2(p);
  vec2 f = p - vec2(base);
  mat2x4 w;
  mat2x4 d;
  for (int axis = 0; axis < 2; axis++) {
    float t = f[axis];
    w[axis] = 0.5 * vec4(t * (t * (2.0 - t) - 1.0), t * t * (3.0 * t - 5.0) + 2.0, t * (t * (4.0 - 3.0 * t) + 1.0), t * t * (t - 1.0));
    d[axis] = 0.5 * vec4(t * (4.0 - 3.0 * t) - 1.0, t * (9.0 * t - 10.0), t * (8.0 - 9.0 * t) + 1.0, t * (3.0 * t - 2.0));
  }
  vec3 sum = vec3(0.0);
  for (int j = 0; j < 4; j++) {
    int y = clamp(base.y + j - 1, 0, last.y);
    vec2 row = vec2(0.0);
    for (int i = 0; i < 4; i++)
      row += vec2(d[0][i], w[0][i]) * texelFetch(values, ivec3(clamp(base.x + i - 1, 0, last.x), y, 0), 0).r;
    sum += vec3(row.x * w[1][j], row.y * d[1][j], row.y * w[1][j]);
  }
  return sum / spacing;
}

/** The cubic where it matters, within reach (cells) of the contour. */
vec3 nearCubicAt(highp sampler3D values, vec2 at, float reach) {
  float value = between(values, vec3(at, 0.0)) / spacing;
  return abs(value) < reach ? cubicAt(values, at) : vec3(0.0, 0.0, value);
}

/** Share of a pixel with negative distance; level sets are not quite distances, so their slope counts. */
float coverage(vec3 phi, float pixel) {
  return clamp(0.5 - phi.z / max(length(phi.xy) * pixel, 1e-6), 0.0, 1.0);
}

/** A line of so many pixels where the distance is that of the level. */
float lineAt(vec3 phi, float level, float pixel, float width) {
  return clamp(0.5 * width + 0.5 - abs(phi.z - level) / max(length(phi.xy) * pixel, 1e-6), 0.0, 1.0);
}

/** Cells over which the border of liquid looks rounded. */
float edgeWidth() {
  return max(0.012 * max(cells.x, cells.y), 0.7);
}

vec3 waterAt(float inside, vec2 outward, float height) {
  float longest = max(cells.x, cells.y);
  vec3 body = mix(shallow, deep, 1.0 - exp(-inside / (0.17 * longest)));
  body *= 0.96 + 0.08 * height;
  // The border as a rounded edge that is lit from above to the left.
  float width = edgeWidth();
  float edgeward = exp(-inside * inside / (width * width));
  float lit = dot(outward, normalize(vec2(-0.45, 0.9)));
  body = mix(body, gleam, 0.62 * edgeward * smoothstep(0.0, 1.0, lit));
  body = mix(body, 0.72 * deep, 0.4 * edgeward * smoothstep(0.0, 1.0, -lit));
  float streak = inside / width - 2.1;
  return mix(body, gleam, 0.16 * exp(-4.0 * streak * streak) * smoothstep(0.35, 1.0, lit));
}

void main() {
  vec2 x = place / spacing;
  vec2 beyond = max(-x, x - cells.xy);
  float outside = max(beyond.x, beyond.y);
  float pixel = max(fwidth(x.x), fwidth(x.y));
  float height = clamp(x.y / cells.y, 0.0, 1.0);
  vec3 phi = nearCubicAt(liquid, x - 0.5, max(0.95, 3.0 * pixel));
  vec3 wall = nearCubicAt(solid, x, max(1.5, 3.0 * pixel));
  float covered = coverage(phi, pixel);
  vec3 far = nearCubicAt(depth, x - 0.5, style == ${FLAT_STYLE.contours} ? 1e9 : 4.0 * edgeWidth());

  vec3 c = mix(air[0], air[1], height);
  if (style == ${FLAT_STYLE.field}) {
    ivec2 cell = clamp(ivec2(floor(x)), ivec2(0), ivec2(cells.xy) - 1);
    float value = texelFetch(field, ivec3(cell, 0), 0).r;
    if (isThere(value)) c = mappedColour(value);
  } else if (style == ${FLAT_STYLE.faint}) {
    c = mix(c, mix(c, shallow, 0.22), covered);
    c = mix(c, outline, 0.35 * lineAt(phi, 0.0, pixel, 1.0));
  } else if (style == ${FLAT_STYLE.contours}) {
    float every = max(cells.x, cells.y) / 40.0;
    float nearest = round(far.z / every) * every;
    c = mix(c, mix(shallow, deep, 1.0 - exp(min(far.z, 0.0) / (0.2 * max(cells.x, cells.y)))), 0.85 * covered);
    c = mix(c, outline, 0.4 * covered * lineAt(far, nearest, pixel, 1.0));
    c = mix(c, outline, lineAt(phi, 0.0, pixel, 2.2));
  } else {
    c = mix(c, waterAt(max(-far.z, 0.0), far.xy / max(length(far.xy), 0.5), height), covered);
    c = mix(c, outline, 0.7 * lineAt(phi, 0.0, pixel, 1.2));
  }

  float stony = coverage(wall, pixel);
  if (style != ${FLAT_STYLE.field}) c *= 1.0 - 0.26 * exp(-max(wall.z, 0.0) / max(0.008 * cells.x, 0.5));
  vec3 rock = mix(mix(stone[0], stone[1], height), stoneEdge, 0.85 * exp(-wall.z * wall.z / max(0.12, 2.0 * pixel * pixel)));
  c = mix(c, rock, stony);

  if (ballRadius > 0.0) {
    vec2 from = (place - ball.xy) / spacing;
    float away = length(from) - ballRadius / spacing;
    float lit = clamp(0.75 + 0.35 * dot(from, normalize(vec2(-0.5, 0.85))) * spacing / ballRadius, 0.0, 1.1);
    c = mix(c, vec3(0.98, 0.48, 0.22) * lit, clamp(0.5 - away / pixel, 0.0, 1.0));
  }
  c = mix(c, margin, clamp(outside / pixel + 0.5, 0.0, 1.0));
  colour = vec4(mix(c, edge, 0.8 * clamp(1.1 - abs(outside) / pixel, 0.0, 1.0)), 1.0);
}
`
