import { describe, expect, it } from 'vitest'
import type { ForceRecord } from '../../../src/io/formats/forces-csv.js'
import { formatForcesCsv } from '../../../src/io/formats.js'
import { refusal } from '../refusal.js'

const record: ForceRecord = {
  index: 3,
  time: 0.125,
  forces: {
    seconds: 0.04,
    solids: [{ name: 'a "gate", red', pivot: [0.5, 0, 0], force: [1e-7, -2.5, 0], torque: [0, 0, Number.NaN] }],
    sides: { top: { force: [0, 7, 0], torque: [0, 0, 3.5] } },
  },
}

describe('forces as CSV', () => {
  it('have a line for every frame and wall, with names in quotes where they need them', () => {
    const text = new TextDecoder().decode(formatForcesCsv([record, { ...record, index: 4 }]))
    expect(text.split('\r\n')).toEqual([
      'frame,time,seconds,wall,name,forceX,forceY,forceZ,torqueX,torqueY,torqueZ,pivotX,pivotY,pivotZ',
      '3,0.125,0.04,solid,"a ""gate"", red",1e-7,-2.5,0,0,0,,0.5,0,0',
      '3,0.125,0.04,side,top,0,7,0,0,0,3.5,0,0,0',
      '4,0.125,0.04,solid,"a ""gate"", red",1e-7,-2.5,0,0,0,,0.5,0,0',
      '4,0.125,0.04,side,top,0,7,0,0,0,3.5,0,0,0',
      '',
    ])
  })

  it('refuse what is no record of forces, by its place', () => {
    const withForces = (forces: object) =>
      formatForcesCsv([{ ...record, forces: { ...record.forces, ...forces } } as ForceRecord])
    expect(refusal(() => formatForcesCsv([{ index: 1, time: 0 } as ForceRecord]))).toMatch(/records\[0\].*forces.* must be/)
    expect(refusal(() => withForces({ sides: { top: { force: [1, 2] } } }))).toMatch(/sides\.top.*force.*length/)
    expect(refusal(() => withForces({ solids: [{ ...record.forces.solids[0], name: 3 }] }))).toMatch(/solids\[0\].*name/)
  })
})
