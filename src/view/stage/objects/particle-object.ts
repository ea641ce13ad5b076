/** Particles of frames as an object for any three.js scene: discs or small balls, coloured by speed. */
import { Points, ShaderMaterial } from 'three'
import { checkNumber, checkOptions, untilDisposed } from '../../../checks.js'
import { checkFrame, type Frame } from '../../../liquid/frame.js'
import { mapColour } from '../../../paint/colour.js'
import { COLOUR_MAP, createColourMap } from '../fields/colour-map.js'
import { steadyBound } from '../fields/field-values.js'
import { createParticleGeometry } from './particle-geometry.js'

export interface ParticleObject {
  readonly object: Points
  /** Speed of the lightest colour, m/s; faster particles have it, too. The darkest colour is rest. */
  readonly fastest: number
  update(frame: Frame): void
  dispose(): void
}

export interface ParticleObjectOptions {
  /** Radius in cells. */
  readonly radius?: number
}

export function createParticleObject(options: ParticleObjectOptions = {}): ParticleObject {
  checkOptions(options, 'createParticleObject: the options')
  const { radius = 0.26 } = options
  checkNumber(radius, 'createParticleObject: radius', 0)
  const particles = createParticleGeometry()
  const uniforms = {
    radius: { value: 0 },
    screenHeight: { value: 1 },
    colourMap: { value: createColourMap(mapColour) },
    low: { value: 0 },
    high: { value: 1 },
  }
  const material = new ShaderMaterial({
    uniforms,
    vertexShader: PARTICLE_VERTEX,
    fragmentShader: PARTICLE_FRAGMENT,
    transparent: true,
  })
  const object = new Points(particles.geometry, material)
  object.frustumCulled = false
  object.onBeforeRender = renderer => {
    const target = renderer.getRenderTarget()
    uniforms.screenHeight.value = target ? target.height : renderer.domElement.height
  }
  const particleObject: ParticleObject = {
    object,
    get fastest() {
      return uniforms.high.value
    },
    update(frame) {
      checkFrame(frame, 'update: the frame')
      particles.update(frame)
      uniforms.radius.value = radius * frame.grid.spacing
      if (frame.particles) uniforms.high.value = steadyBound(highSpeed(frame.particles.velocity), uniforms.high.value)
    },
    dispose() {
      particles.geometry.dispose()
      material.dispose()
      uniforms.colourMap.value.dispose()
    },
  }
  return untilDisposed(particleObject, 'the object')
}

/** The largest, or where few are much faster than all others, what these are far below. */
function highSpeed(velocity: Float32Array): number {
  let largest = 0
  let sum = 0
  for (let at = 0; at < velocity.length; at += 3) {
    const square = velocity[at] ** 2 + velocity[at + 1] ** 2 + velocity[at + 2] ** 2
    sum += square
    if (square > largest) largest = square
  }
  return Math.sqrt(Math.min(largest, (6 * sum) / Math.max(velocity.length / 3, 1)))
}

const PARTICLE_VERTEX = /* glsl */ `
uniform float radius;
uniform float screenHeight;
attribute vec3 velocity;
varying float speed;
varying float pixels;
void main() {
  speed = length(velocity);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  pixels = max(screenHeight * projectionMatrix[1][1] * radius / gl_Position.w, 1.6);
  gl_PointSize = pixels;
}
`

const PARTICLE_FRAGMENT = /* glsl */ `
varying float speed;
varying float pixels;
${COLOUR_MAP}
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float away = length(p);
  float cover = clamp(0.5 * pixels * (1.0 - away) + 0.5, 0.0, 1.0);
  if (cover <= 0.02) discard;
  // As a ball that is lit from above to the left.
  vec3 normal = vec3(p.x, -p.y, sqrt(max(1.0 - away * away, 0.0)));
  float lit = pixels > 3.0 ? 0.72 + 0.34 * dot(normal, normalize(vec3(-0.45, 0.75, 0.5))) : 1.0;
  gl_FragColor = vec4(toLight(mappedColour(speed)) * lit, cover);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}
`
