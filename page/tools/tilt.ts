/** Directions of gravity: from a pad under a finger, and from how a device is held. */

type Vector = readonly [number, number, number]

/** `x`, `y` from -1 to 1, from the middle of the pad, y up. In 2D gravity points from the middle to there; in 3D the pad is a tray seen
 *  from above that is tilted towards there. */
export function gravityOfPad(x: number, y: number, strength: number, dims: 2 | 3): Vector {
  const length = Math.hypot(x, y)
  if (dims === 2) return length < 1e-3 ? [0, -strength, 0] : [(strength * x) / length, (strength * y) / length, 0]
  const shorter = length > 1 ? 1 / length : 1
  const [a, b] = [x * shorter, y * shorter]
  return [strength * a, -strength * Math.sqrt(Math.max(0, 1 - a * a - b * b)), -strength * b]
}

/** Where on the pad a gravity is. */
export function padOfGravity([x, y, z]: Vector, dims: 2 | 3): readonly [number, number] {
  const length = Math.hypot(x, y, z) || 1
  return dims === 2 ? [x / length, y / length] : [x / length, -z / length]
}

/** How a device is held: angles of a DeviceOrientationEvent in degrees, and by how far its screen is turned. The screen shows the domain
 *  from the front: x to the right, y up, z out of it. */
export function gravityOfDevice(beta: number, gamma: number, screenAngle: number, strength: number, dims: 2 | 3): Vector {
  const degree = Math.PI / 180
  // Down, in the axes of the device: beta turns about its x, then gamma about its y.
  const x = Math.cos(beta * degree) * Math.sin(gamma * degree)
  const y = -Math.sin(beta * degree)
  const z = -Math.cos(beta * degree) * Math.cos(gamma * degree)
  const [c, s] = [Math.cos(screenAngle * degree), Math.sin(screenAngle * degree)]
  const [u, v] = [c * x - s * y, s * x + c * y]
  return dims === 2 ? [strength * u, strength * v, 0] : [strength * u, strength * v, strength * z]
}
