/** Materials of what is around liquid. */
import { GLSL3, RawShaderMaterial, type ShaderMaterialParameters } from 'three'
import { TILE_TONE } from '../../../paint/rendering-constants.js'
import type { Uniforms } from '../fields/level-set-textures.js'
import { ENCODE, SCREEN_VERTEX, SKY, SOFT_WHITE } from '../shading.js'

export function createMaterial(
  uniforms: Uniforms,
  vertexShader: string,
  fragmentShader: string,
  more: ShaderMaterialParameters = {},
) {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    uniforms,
    vertexShader: `precision highp float;\nprecision highp int;\n${vertexShader}`,
    fragmentShader: `precision highp float;\nprecision highp int;\nprecision highp sampler3D;\n${fragmentShader}`,
    ...more,
  })
}

export function groundMaterial(uniforms: Uniforms): RawShaderMaterial {
  return createMaterial(uniforms, SCREEN_VERTEX, GROUND, { depthTest: false, depthWrite: false })
}

export function solidMaterial(uniforms: Uniforms): RawShaderMaterial {
  return createMaterial(uniforms, SURFACE_VERTEX, SOLID, { transparent: true, depthWrite: false })
}

export function edgeMaterial(uniforms: Uniforms): RawShaderMaterial {
  return createMaterial(uniforms, EDGE_VERTEX, EDGE, { transparent: true, depthWrite: false })
}

export function ballMaterial(uniforms: Uniforms): RawShaderMaterial {
  return createMaterial(uniforms, SURFACE_VERTEX, BALL)
}

export const VIEW = /* glsl */ `
uniform mat4 cameraWorld;
uniform mat4 projectionInverse;
uniform vec2 screen;

/** From the eye through a pixel, at distance 1 along the axis of the camera, which passes through the middle of the screen. */
vec3 throughPixel(vec2 pixel) {
  return vec3((2.0 * pixel / screen - 1.0) * vec2(projectionInverse[0][0], projectionInverse[1][1]), -1.0);
}
`

/** The ground is the plane y = 0. Its lines are as wide as their footprint in a pixel. */
export const GROUND_COLOUR = /* glsl */ `
uniform vec3 ground;
uniform vec3 groundLine;
uniform vec3 size;

vec3 groundAt(vec2 x, float blur) {
  float longest = max(size.x, size.z);
  vec2 place = (x - 0.5 * size.xz) / (0.125 * longest);
  vec2 line = abs(fract(place - 0.5) - 0.5);
  float thin = 0.014;
  float width = max(thin, blur / (0.125 * longest));
  vec2 drawn = (1.0 - smoothstep(0.5 * width, 1.2 * width, line)) * thin / width;
  // Every other tile is darker, where tiles are wider than what a pixel sees.
  vec2 off = place - 2.0 * floor(0.5 * place + 0.5);
  vec2 side = sign(off) * min(min(abs(off), 1.0 - abs(off)) / width, 1.0) * (1.0 - smoothstep(0.25, 1.0, width));
  float dark = 0.5 - 0.5 * side.x * side.y;
  float away = length(x - 0.5 * size.xz) / longest;
  float near = 1.0 - smoothstep(0.5, 2.2, away);
  float tone = max(max(drawn.x, drawn.y), ${TILE_TONE.toFixed(4)} * dark);
  return mix(horizon, mix(ground, groundLine, tone * near), 1.0 - smoothstep(0.6, 3.2, away));
}
`

const GROUND = /* glsl */ `
uniform highp sampler3D groundLight;
uniform float lightMargin;
uniform float lightPerCell;
uniform float spacing;
uniform vec3 ball;
uniform float ballRadius;
out vec4 colour;
${SKY}
${VIEW}
${GROUND_COLOUR}

vec3 groundLightAt(vec2 x) {
  vec2 place = (x / spacing + lightMargin) * lightPerCell - 0.5;
  ivec2 last = textureSize(groundLight, 0).xy - 1;
  if (any(lessThan(place, vec2(0.0))) || any(greaterThanEqual(place, vec2(last)))) return vec3(1.0);
  ivec2 a = ivec2(place);
  vec2 f = place - vec2(a);
  vec3 lower = mix(texelFetch(groundLight, ivec3(a, 0), 0).rgb, texelFetch(groundLight, ivec3(a.x + 1, a.y, 0), 0).rgb, f.x);
  vec3 upper = mix(texelFetch(groundLight, ivec3(a.x, a.y + 1, 0), 0).rgb, texelFetch(groundLight, ivec3(a + 1, 0), 0).rgb, f.x);
  return mix(lower, upper, f.y);
}

void main() {
  vec3 direction = normalize(mat3(cameraWorld) * throughPixel(gl_FragCoord.xy));
  vec3 eye = cameraWorld[3].xyz;
  vec3 light = backdrop(direction);
  if (direction.y < -1e-4 && eye.y > 0.0) {
    float way = -eye.y / direction.y;
    vec2 x = eye.xz + way * direction.xz;
    float pixel = way * 2.0 * projectionInverse[0][0] / screen.x;
    light = groundAt(x, pixel);
    light *= groundLightAt(x);
    if (ballRadius > 0.0) {
      float offset = length(x - ball.xz) / (ballRadius * (1.2 + ball.y / max(size.y, 1e-6)));
      light *= 1.0 - 0.35 * exp(-2.0 * offset * offset);
    }
  }
  colour = vec4(light, 1.0);
}
`

const SURFACE_VERTEX = /* glsl */ `
uniform mat4 modelMatrix;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;
in vec3 normal;
out vec3 place;
out vec3 outward;
out float away;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  vec4 seen = viewMatrix * world;
  place = world.xyz;
  outward = mat3(modelMatrix) * normal;
  away = -seen.z;
  gl_Position = projectionMatrix * seen;
}
`

/** Objects that are drawn twice: before the liquid, and once more where they are nearer than it, by `slack` metres at worst:
 *  liquid at a wall is as near as the wall. */
const BEFORE_LIQUID = /* glsl */ `
uniform sampler2D waterDepth;
uniform bool isBefore;
uniform float slack;
bool isHidden(float away) {
  if (!isBefore) return false;
  float water = texelFetch(waterDepth, ivec2(gl_FragCoord.xy), 0).r;
  return water <= 0.0 || away >= water + slack;
}
`

/** Seen from inside (the near wall of a container) solids are glass with a rim, from outside they are milky. */
const SOLID = /* glsl */ `
uniform vec3 solidColour;
uniform vec3 solidRim;
in vec3 place;
in vec3 outward;
in float away;
out vec4 colour;
${SKY}
${ENCODE}
${SOFT_WHITE}
uniform mat4 cameraWorld;
${BEFORE_LIQUID}

void main() {
  if (isHidden(away)) discard;
  vec3 normal = normalize(outward);
  vec3 toEye = normalize(cameraWorld[3].xyz - place);
  float facing = dot(normal, toEye);
  float grazing = pow(1.0 - min(abs(facing), 1.0), 3.0);
  vec3 above = sky(reflect(-toEye, gl_FrontFacing ? normal : -normal));
  vec3 light;
  float cover;
  if (gl_FrontFacing) {
    float lit = 0.62 + 0.38 * max(dot(normal, toSun), 0.0) + 0.1 * normal.y;
    light = mix(solidColour * lit, above, 0.04 + 0.4 * grazing);
    cover = 0.42 + 0.3 * grazing;
  } else {
    float shine = smoothstep(0.8, 1.6, above.g);
    light = mix(solidRim, above, 0.35 + 0.5 * shine);
    cover = 0.035 + 0.55 * grazing + 0.10 * shine;
  }
  light = softWhite(light);
  colour = vec4(isBefore ? encode(light) : light, cover);
}
`

const EDGE_VERTEX = /* glsl */ `
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;
out float away;
void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  away = -seen.z;
  gl_Position = projectionMatrix * seen;
}
`

const EDGE = /* glsl */ `
uniform vec3 edge;
uniform sampler2D waterDepth;
uniform bool isBefore;
uniform float slack;
in float away;
out vec4 colour;
${ENCODE}
void main() {
  float water = isBefore ? texelFetch(waterDepth, ivec2(gl_FragCoord.xy), 0).r : 0.0;
  if (water > 0.0 && away >= water + slack) discard;
  colour = vec4(isBefore ? encode(edge) : edge, 0.4);
}
`

const BALL = /* glsl */ `
in vec3 place;
in vec3 outward;
out vec4 colour;
${SKY}
${SOFT_WHITE}
uniform mat4 cameraWorld;
void main() {
  vec3 normal = normalize(outward);
  vec3 toEye = normalize(cameraWorld[3].xyz - place);
  float lit = 0.35 + 0.65 * max(dot(normal, toSun), 0.0) + 0.1 * normal.y;
  float mirrors = 0.04 + 0.5 * pow(1.0 - max(dot(normal, toEye), 0.0), 5.0);
  colour = vec4(softWhite(mix(vec3(0.95, 0.25, 0.07) * lit, sky(reflect(-toEye, normal)), mirrors)), 1.0);
}
`
