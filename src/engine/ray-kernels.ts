/** What assembly/ray-calls.ts exports, and how what a picture is drawn from lies in memory. */

export interface RayKernels {
  createRayView(nx: number, ny: number, nz: number, width: number, height: number, keepSurface: number): number
  drawRays(view: number): void
}

/** Words of a view in the order of assembly/ray-view.ts. */
const FIELDS = [
  ...['nx', 'ny', 'nz', 'width', 'height', 'samples', 'hasSolid', 'hasLiquid', 'keepSurface'],
  ...['eyeX', 'eyeY', 'eyeZ', 'forwardX', 'forwardY', 'forwardZ', 'rightX', 'rightY', 'rightZ', 'upX', 'upY', 'upZ'],
  ...['sunX', 'sunY', 'sunZ', 'pixelAngle', 'gridStep', 'absorbR', 'absorbG', 'absorbB'],
  ...['liquid', 'solid', 'pixels', 'surface'],
] as const
export type RayField = (typeof FIELDS)[number]

/** Where in the words of a view a field stands. */
export const RAY_FIELD = Object.fromEntries(FIELDS.map((name, at) => [name, at])) as Readonly<Record<RayField, number>>
