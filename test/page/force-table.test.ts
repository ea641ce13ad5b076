import type { FrameRecord, WallForces } from 'peel'
import { expect, it } from 'vitest'
import { forceRows } from '../../page/force-table.js'

const gate = { name: 'gate', pivot: [0, 0, 0], force: [1234.5, -0.0126, 7], torque: [1, 2, 3.1449] } as const
const forces: WallForces = {
  seconds: 0.1,
  solids: [gate],
  sides: { bottom: { force: [0, -98100, 0], torque: [0, 0, 0] } },
}
const rows = (dims: 2 | 3, shown = forces) =>
  forceRows({ forces } as FrameRecord, dims).map(([name, textOf]) => [name, textOf(shown)])

it('lists forces and torques of solids, and forces on closed sides', () => {
  expect(rows(2)).toEqual([
    ['force on gate', '1230, -0.0126'],
    ['torque on gate, N', '3.14'],
    ['force on bottom side', '0, -98100'],
  ])
  expect(rows(3)).toEqual([
    ['force on gate', '1230, -0.0126, 7'],
    ['torque on gate, N m', '1, 2, 3.14'],
    ['force on bottom side', '0, -98100, 0'],
  ])
})

it('shows a dash for walls that the other run does not have', () => {
  expect(rows(2, { seconds: 0.1, solids: [], sides: {} }).map(([, text]) => text)).toEqual(['–', '–', '–'])
})
