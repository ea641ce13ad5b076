/** Shaders of the whole picture, with and without liquid. */
import { ENCODE } from '../shading.js'

/** The scene as it is, without liquid. */
export const COPY = /* glsl */ `
uniform sampler2D light;
out vec4 colour;
${ENCODE}
void main() {
  colour = vec4(encode(texelFetch(light, ivec2(gl_FragCoord.xy), 0).rgb), 1.0);
}
`

/** Smooths steps along edges: where neighbours differ much in brightness, the pixel becomes a mean along the edge. */
export const SMOOTH_EDGES = /* glsl */ `
uniform sampler2D picture;
uniform vec2 screen;
out vec4 colour;

float brightness(vec2 at) {
  return dot(texture(picture, at).rgb, vec3(0.3, 0.59, 0.11));
}

void main() {
  vec2 pixel = 1.0 / screen;
  vec2 at = gl_FragCoord.xy * pixel;
  vec3 here = texture(picture, at).rgb;
  float nw = brightness(at + vec2(-0.5, 0.5) * pixel);
  float ne = brightness(at + vec2(0.5, 0.5) * pixel);
  float sw = brightness(at + vec2(-0.5, -0.5) * pixel);
  float se = brightness(at + vec2(0.5, -0.5) * pixel);
  float middle = dot(here, vec3(0.3, 0.59, 0.11));
  float most = max(middle, max(max(nw, ne), max(sw, se)));
  float least = min(middle, min(min(nw, ne), min(sw, se)));
  colour = vec4(here, 1.0);
  if (most - least < max(0.03, 0.1 * most)) return;
  // The edge is perpendicular to the gradient of brightness.
  vec2 edge = vec2((nw + ne) - (sw + se), (sw + nw) - (se + ne));
  float size = max(abs(edge.x), abs(edge.y));
  if (size < 1e-4) return;
  vec2 along = edge / size * pixel;
  vec3 near = 0.5 * (texture(picture, at + 0.3 * along).rgb + texture(picture, at - 0.3 * along).rgb);
  vec3 wide = 0.5 * near + 0.25 * (texture(picture, at + 1.0 * along).rgb + texture(picture, at - 1.0 * along).rgb);
  float mean = dot(wide, vec3(0.3, 0.59, 0.11));
  colour = vec4(mean < least || mean > most ? near : wide, 1.0);
}
`
