/** What the shaders of this folder have in common: a sky, light, and the way from light to the screen. */

/** Colours in shaders are linear light; screens are given this. */
export const ENCODE = /* glsl */ `
vec3 encode(vec3 light) {
  vec3 c = clamp(light, 0.0, 1.0);
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
`

/** Bright light does not clip but nears white. */
export const SOFT_WHITE = /* glsl */ `
vec3 softWhite(vec3 light) {
  vec3 over = max(light - 0.75, 0.0);
  return min(light, 0.75) + 0.25 * (1.0 - exp(-4.0 * over));
}
`

/** A studio: an even backdrop, a large soft lamp above to the left, a small one behind. `toSun` is the middle of the lamp. */
export const SKY = /* glsl */ `
uniform vec3 horizon;
uniform vec3 zenith;
uniform vec3 mirrored;
uniform vec3 lamp;
const vec3 toSun = normalize(vec3(-0.5, 1.0, 0.42));

vec3 backdrop(vec3 direction) {
  return mix(horizon, zenith, smoothstep(-0.1, 0.9, direction.y));
}

vec3 sky(vec3 direction) {
  float large = smoothstep(0.80, 0.93, dot(direction, toSun));
  float strip = smoothstep(0.05, 0.0, abs(dot(direction, normalize(vec3(0.9, -0.25, 0.35))) - 0.1)) * smoothstep(0.1, 0.35, direction.y);
  return mix(1.05 * horizon, mirrored, smoothstep(0.0, 0.75, direction.y)) + lamp * (large + 0.35 * strip);
}
`

/** Covers the screen, for passes over all pixels. */
export const SCREEN_VERTEX = /* glsl */ `
in vec3 position;
void main() {
  gl_Position = vec4(position.xy, 1.0, 1.0);
}
`
