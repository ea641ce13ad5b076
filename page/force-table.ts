/** Forces and torques of the last frame on solids and sides of the domain, side by side. */
import { DOMAIN_SIDES, type FrameRecord, type Vector, type WallForces } from 'peel'
import type { Moment } from 'peel/web'

export interface ForceTable {
  show(moments: readonly (Moment | undefined)[]): void
}

/** Of more solids only the first are listed; records have them all. */
const MAX_LISTED = 8

type Row = readonly [name: string, textOf: (forces: WallForces) => string]

export function createForceTable(container: HTMLElement): ForceTable {
  container.innerHTML = `<table><thead><tr><th scope="col"></th><th scope="col" class="a">left</th><th scope="col" class="b">right</th></tr></thead><tbody></tbody></table>`
  const title = container.querySelector('th')!
  const body = container.querySelector('tbody')!
  let listed: string[] = []

  /** Rows stay while the walls do. */
  function list(names: string[]): void {
    if (names.length === listed.length && names.every((name, at) => name === listed[at])) return
    listed = names
    body.replaceChildren()
    for (const name of names) {
      const row = body.insertRow()
      row.innerHTML = '<th scope="row"></th><td></td><td></td>'
      row.cells[0].textContent = name
    }
  }

  return {
    show(moments) {
      const known = moments.find(moment => moment?.record)
      const dims = known?.frame.grid.dims ?? 2
      title.textContent = `Forces, ${dims === 2 ? 'N/m' : 'N'}`
      const rows = known ? forceRows(known.record!, dims) : []
      list(rows.map(([name]) => name))
      for (const [at, [, textOf]] of rows.entries())
        for (const [side, moment] of moments.entries())
          body.rows[at].cells[side + 1].textContent = moment?.record ? textOf(moment.record.forces) : '–'
    },
  }
}

/** Names of the rows, and what they show of a record. */
export function forceRows({ forces: { solids, sides } }: FrameRecord, dims: 2 | 3): Row[] {
  const unit = dims === 2 ? 'N' : 'N m'
  const vector = (parts: Vector | undefined) => (parts ? parts.slice(0, dims).map(short).join(', ') : '–')
  const turning = (parts: Vector | undefined) => (parts ? (dims === 2 ? short(parts[2]) : vector(parts)) : '–')
  return [
    ...solids.slice(0, MAX_LISTED).flatMap(({ name }, at): Row[] => [
      [`force on ${name}`, forces => vector(forces.solids[at]?.force)],
      [`torque on ${name}, ${unit}`, forces => turning(forces.solids[at]?.torque)],
    ]),
    ...DOMAIN_SIDES.filter(side => sides[side]).map(
      (side): Row => [`force on ${side} side`, forces => vector(forces.sides[side]?.force)],
    ),
  ]
}

const short = (value: number) => String(Number(value.toPrecision(3)))
