/** Forces on walls over time as a table, one line per frame and wall (RFC 4180). Units as in records: N and N m, in 2D N/m and N. */
import { checkList, checkNumber, checkObject, checkText, checkWhole, listOf, objectWith, optional } from '../../checks.js'
import type { WallForce, WallForces } from '../../liquid/boundary/force-record.js'
import { DOMAIN_SIDES } from '../../pressure/walls.js'

/** The part of the record of a frame that is written. */
export interface ForceRecord {
  readonly index: number
  /** s. */
  readonly time: number
  readonly forces: WallForces
}

const FORCE_VECTORS = ['force', 'torque', 'pivot'] as const
const FORCE_COLUMNS = [
  'frame',
  'time',
  'seconds',
  'wall',
  'name',
  ...FORCE_VECTORS.flatMap(name => ['X', 'Y', 'Z'].map(axis => name + axis)),
]

/** Sides are named as in scenes and have the origin of the domain as their pivot. A number that is not finite is left empty. */
export function formatForcesCsv(records: Iterable<ForceRecord>): Uint8Array {
  const lines = [FORCE_COLUMNS.join()]
  for (const { index, time, forces } of records)
    for (const { wall, name, pivot, force, torque } of wallsOf(forces)) {
      const numbers = [...force, ...torque, ...pivot].map(value => (Number.isFinite(value) ? String(value) : ''))
      lines.push([index, time, forces.seconds, wall, quoted(name), ...numbers].join())
    }
  return new TextEncoder().encode(lines.map(line => `${line}\r\n`).join(''))
}

interface ListedWall extends WallForce {
  readonly wall: 'solid' | 'side'
  readonly name: string
  readonly pivot: readonly number[]
}

function wallsOf({ solids, sides }: WallForces): ListedWall[] {
  const closed = DOMAIN_SIDES.flatMap(name => {
    const force = sides[name]
    return force ? [{ wall: 'side' as const, name, pivot: [0, 0, 0], ...force }] : []
  })
  return [...solids.map(solid => ({ wall: 'solid' as const, ...solid })), ...closed]
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const checkThree = (value: unknown, what: string) => {
  checkList(value, what)
  checkWhole(value.length, `${what}: its length`, 3, 3)
}
const wall = { force: checkThree, torque: checkThree }

export const checkForceRecord = objectWith({
  index: (value, what) => checkWhole(value, what, 0),
  time: (value, what) => checkNumber(value, what, 0),
  forces: objectWith({
    seconds: (value, what) => checkNumber(value, what, 0),
    solids: listOf(objectWith({ name: checkText, pivot: checkThree, ...wall })),
    sides: (value, what) => {
      checkObject(value, what)
      for (const side of DOMAIN_SIDES) optional(objectWith(wall))((value as Record<string, unknown>)[side], `${what}.${side}`)
    },
  }),
})
