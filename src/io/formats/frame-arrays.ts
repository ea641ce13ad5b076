/** Frames as .npz files for NumPy. Arrays on the grid have the shape (nz, ny, nx), or (ny, nx) in 2D; nodes and faces one more per axis. */
import { AXES, type Axis, faceShape, type Grid, nodeShape } from '../../grid/grid.js'
import type { Frame, FrameParticles } from '../../liquid/frame.js'
import { gridArrayShape } from '../problem/grid-problem.js'
import type { NpyData } from './npy.js'
import { formatNpz } from './npz.js'

type Entry = readonly [string, { readonly data: NpyData; readonly shape: readonly number[] }]

const VELOCITIES = ['velocity_x', 'velocity_y', 'velocity_z'] as const

/** `liquid` at cells and `solid` at nodes; `pressure`, `kind` and `velocity_x` … on faces where the run kept them. */
export function formatFieldsNpz(frame: Frame): Uint8Array {
  const { grid, liquid, solid, fields } = frame
  const cells = (data: NpyData) => ({ data, shape: gridArrayShape(grid) })
  const entries: Entry[] = [['liquid', cells(liquid)], ['solid', plane(grid, solid, nodeShape(grid))], ...moment(frame)]
  if (fields) {
    entries.push(['pressure', cells(fields.pressure)], ['kind', cells(fields.kind)])
    for (const axis of AXES.slice(0, grid.dims) as Axis[])
      entries.push([VELOCITIES[axis], plane(grid, fields.velocity[axis], faceShape(grid, axis))])
  }
  return formatNpz(entries)
}

/** `position` and `velocity`, one row of three per particle. */
export function formatParticlesNpz(frame: Frame, { position, velocity }: FrameParticles): Uint8Array {
  const shape = [position.length / 3, 3]
  return formatNpz([['position', { data: position, shape }], ['velocity', { data: velocity, shape }], ...moment(frame)])
}

function moment({ grid, index, time }: Frame): Entry[] {
  const scalar = (value: number) => ({ data: Float64Array.of(value), shape: [] })
  return [
    ['spacing', scalar(grid.spacing)],
    ['frame', scalar(index)],
    ['time', scalar(time)],
  ]
}

/** In 2D one of the layers, which are equal. */
function plane({ dims }: Grid, data: Float32Array, [nx, ny, nz]: readonly [number, number, number]) {
  return dims === 3 ? { data, shape: [nz, ny, nx] } : { data: data.subarray(0, nx * ny), shape: [ny, nx] }
}
