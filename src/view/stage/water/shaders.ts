/** Shaders of screen-space water, in the order in which they run. Depths are distances along the axis of the camera in metres, 0 where
 *  there is no liquid. */
import { SURFACE_WAY } from '../../../paint/rendering-constants.js'
import { ENCODE, SKY, SOFT_WHITE } from '../shading.js'
import { GROUND_COLOUR, VIEW } from '../space/surroundings-shaders.js'
import { BALL_RADIUS } from './balls.js'

/** How far the surface that a ball touches must face away from the eye, from 0 to 1, to be certainly hidden. */
const FAR_SIDE = 0.25

/** Width of points at least: smaller ones would miss the middles of pixels. */
const MIN_PIXELS = '2.0'

/** Balls that touch the far side of liquid are behind its near side: they are left out. */
export const BALL_VERTEX = /* glsl */ `
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform float screenHeight;
uniform float spacing;
in vec3 position;
in vec3 outward;
flat out float middle;
void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  middle = seen.z;
  gl_Position = projectionMatrix * seen;
  gl_PointSize = screenHeight * projectionMatrix[1][1] * ${BALL_RADIUS} * spacing / gl_Position.w;
  bool isHidden = dot(mat3(modelViewMatrix) * outward, seen.xyz) > ${FAR_SIDE} * length(seen.xyz);
  if (isHidden) gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
}
`

export const BALL_DEPTH = /* glsl */ `
uniform mat4 projectionMatrix;
uniform float spacing;
flat in float middle;
out vec4 depth;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float squared = dot(p, p);
  if (squared > 1.0) discard;
  float z = middle + ${BALL_RADIUS} * spacing * sqrt(1.0 - squared);
  // Depth of the clip space depends on z alone.
  gl_FragDepth = 0.5 - 0.5 * (projectionMatrix[2][2] + projectionMatrix[3][2] / z);
  depth = vec4(-z, 0.0, 0.0, 1.0);
}
`

/** Points whose thickness adds up to their volume. */
export const THICKNESS_VERTEX = /* glsl */ `
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform float screenHeight;
in vec3 position;
in vec2 spread;
flat out float most;
void main() {
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
  float pixels = screenHeight * projectionMatrix[1][1] * spread.y / gl_Position.w;
  gl_PointSize = max(pixels, ${MIN_PIXELS});
  float reach = spread.y * gl_PointSize / pixels;
  most = 2.0 * spread.x / (3.14159265 * reach * reach);
}
`

export const THICKNESS = /* glsl */ `
flat in float most;
out vec4 thickness;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  thickness = vec4(most * max(1.0 - dot(p, p), 0.0), 0.0, 0.0, 1.0);
}
`

/** The narrow-range filter of Truong and Yuksel 2018, along one axis of the screen. Depths much nearer than the pixel are left
 *  out, depths much farther count as slightly behind it; the range follows the surface outwards, so that slopes are smoothed
 *  like level water. */
export const NARROW_RANGE = /* glsl */ `
uniform sampler2D depths;
uniform ivec2 along;
uniform float pixelsPerMetre;
uniform float spacing;
uniform int longest;
uniform bool closesHoles;
uniform sampler2D thickness;
uniform vec2 screen;
uniform float farthest;
out vec4 smoothed;

/** A pixel between two that are much nearer and not half a cell apart looks through a gap between particles: it becomes like them. */
float withoutHole(ivec2 here, float z, float range) {
  int reach = clamp(int(pixelsPerMetre * 0.5 * spacing / z), 1, 8);
  vec2 sides = vec2(0.0);
  for (int step = 1; step <= reach; step++) {
    vec2 there = vec2(texelFetch(depths, here + step * along, 0).r, texelFetch(depths, here - step * along, 0).r);
    for (int side = 0; side < 2; side++)
      if (sides[side] == 0.0 && there[side] > 0.0 && there[side] < z - range) sides[side] = there[side];
  }
  return sides.x > 0.0 && sides.y > 0.0 ? 0.5 * (sides.x + sides.y) : z;
}

void main() {
  ivec2 here = ivec2(gl_FragCoord.xy);
  float z = texelFetch(depths, here, 0).r;
  // Where liquid is thick, gaps between particles look at its far side, of which no balls are drawn.
  bool seesFarSide = z <= 0.0 && closesHoles && texture(thickness, gl_FragCoord.xy / screen).r > 2.0 * spacing;
  if (seesFarSide) z = withoutHole(here, farthest, 2.2 * spacing);
  if (z <= 0.0 || (seesFarSide && z == farthest)) {
    smoothed = vec4(0.0);
    return;
  }
  float deviation = max(pixelsPerMetre * 0.65 * spacing / z, 0.5);
  int count = min(int(ceil(2.2 * deviation)), longest);
  float falloff = 0.5 / (deviation * deviation);
  float range = 2.2 * spacing;
  if (closesHoles) z = withoutHole(here, z, range);
  vec2 last = vec2(z);
  // Along the screen 1/z of a plane is linear, so that its mean over both sides leaves planes as they are; that of z does not.
  float sum = 1.0 / z;
  float weights = 1.0;
  for (int step = 1; step <= count; step++) {
    vec2 there = vec2(texelFetch(depths, here + step * along, 0).r, texelFetch(depths, here - step * along, 0).r);
    bvec2 isThere = greaterThan(there, vec2(0.0));
    float weight = exp(-float(step * step) * falloff);
    // Across an edge there is nothing to smooth with. The pixel itself replaces both sides: one alone would pull it to its side.
    bool isSame = all(isThere) && all(lessThan(abs(there - last), vec2(range)));
    sum += weight * (isSame ? 1.0 / there.x + 1.0 / there.y : 2.0 / z);
    if (isSame) last = there;
    weights += 2.0 * weight;
  }
  smoothed = vec4(weights / sum, 0.0, 0.0, 1.0);
}
`

/** Behind liquid: refraction of the scene, absorption (Beer and Lambert), light scattered back, a mirrored sky (Schlick's Fresnel term). */
export const COMPOSE = /* glsl */ `
uniform sampler2D light;
uniform sampler2D sceneDepth;
uniform sampler2D depths;
uniform sampler2D thickness;
uniform vec4 absorbed;
uniform vec3 scattered;
uniform float spacing;
out vec4 colour;
${SKY}
${ENCODE}
${SOFT_WHITE}
${VIEW}
${GROUND_COLOUR}

vec3 seenAt(ivec2 pixel, float z) {
  return throughPixel(vec2(pixel) + 0.5) * z;
}

float depthAt(ivec2 pixel) {
  return texelFetch(depths, pixel, 0).r;
}

/** Along one axis of the screen: the difference over both neighbours, or to the nearer one if the other is across an edge. */
vec3 slope(ivec2 pixel, ivec2 step, vec3 here, float z) {
  float after = depthAt(pixel + step);
  float before = depthAt(pixel - step);
  bool isAfter = after > 0.0 && abs(after - z) < 2.0 * spacing;
  bool isBefore = before > 0.0 && abs(before - z) < 2.0 * spacing;
  if (isAfter && isBefore) return seenAt(pixel + step, after) - seenAt(pixel - step, before);
  if (isAfter) return 2.0 * (seenAt(pixel + step, after) - here);
  if (isBefore) return 2.0 * (here - seenAt(pixel - step, before));
  return 2.0 * (seenAt(pixel + step, z) - here);
}

float sceneAway(vec2 uv) {
  return 1.0 / (projectionInverse[2][3] * (2.0 * texture(sceneDepth, uv).r - 1.0) + projectionInverse[3][3]);
}

vec3 environment(vec3 from, vec3 direction) {
  if (direction.y >= -0.02) return sky(direction);
  vec3 hit = from - direction * (from.y / direction.y);
  return mix(sky(direction), vec3(0.62, 0.78, 0.88) * groundAt(hit.xz, 0.02 * size.x), smoothstep(0.02, 0.2, -direction.y));
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec2 uv = gl_FragCoord.xy / screen;
  vec3 scene = texelFetch(light, pixel, 0).rgb;
  float z = depthAt(pixel);
  if (z <= 0.0 || sceneAway(uv) < z) {
    colour = vec4(encode(scene), 1.0);
    return;
  }
  vec3 here = seenAt(pixel, z);
  vec3 normal = normalize(cross(slope(pixel, ivec2(1, 0), here, z), slope(pixel, ivec2(0, 1), here, z)));
  vec3 look = normalize(here);
  if (dot(normal, look) > -0.02) normal = normalize(normal - look * (dot(normal, look) + 0.02));
  float thick = texture(thickness, uv).r;

  vec2 shift = -normal.xy * min(thick, 0.35 * size.x) * 0.35 / z / vec2(projectionInverse[0][0], projectionInverse[1][1]) * 0.5;
  vec2 bent = clamp(uv + shift, vec2(0.001), vec2(0.999));
  if (sceneAway(bent) < z) bent = uv;
  // Liquid stays visible where it ends abruptly: its surface alone absorbs some light.
  float surfaceWay = ${SURFACE_WAY.toFixed(4)} * pow(size.x * size.y * size.z, 1.0 / 3.0);
  vec3 passed = exp(-absorbed.rgb * (thick + surfaceWay));
  vec3 worldNormal = mat3(cameraWorld) * normal;
  vec3 worldLook = mat3(cameraWorld) * look;
  float lit = 0.42 + 0.85 * clamp(0.5 + 0.5 * dot(worldNormal, toSun), 0.0, 1.0);
  float murk = 1.0 - 0.94 * exp(-absorbed.a * thick);
  vec3 body = texture(light, bent).rgb * passed + scattered * lit * murk;

  vec3 place = (cameraWorld * vec4(here, 1.0)).xyz;
  vec3 above = environment(place, reflect(worldLook, worldNormal));
  float mirrors = 0.025 + 0.975 * pow(1.0 - clamp(-dot(look, normal), 0.0, 1.0), 4.5);
  float glint = pow(max(dot(worldNormal, normalize(toSun - worldLook)), 0.0), 240.0);
  vec3 water = softWhite(mix(body, above, mirrors) + lamp * 0.6 * glint);
  // Spray that is thinner than a pixel sees is partly air.
  float cover = smoothstep(0.0, 0.16 * spacing, thick);
  colour = vec4(encode(mix(scene, water, cover)), 1.0);
}
`
