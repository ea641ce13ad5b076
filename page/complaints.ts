/** What is wrong with a frame, on a badge over its picture: a solve that did not converge, steps that were too long, a grid too coarse. */
import { type FrameRecord, hasConverged, runWarnings, solvesOf, type TimeOptions } from 'peel'
import type { Moments } from './page.js'
import { SIDES } from './settings.js'
import type { Sides } from './sides.js'

interface Complaint {
  readonly label: string
  readonly text: string
  /** Whether it is also said in the message line: the picture cannot be trusted, and the badge shows few words. */
  readonly isLoud: boolean
}

const LABELS = { overlong: 'steps too long', 'fast walls': 'walls too fast', thin: 'resolution too low' } as const

/** Returns a function that shows the complaints about new moments. Loud ones are said once from the start on. */
export function createComplaints(sides: Sides, say: (sentence: string) => void): (moments: Moments) => void {
  const said = new Set<string>()
  return moments => {
    if ((moments.a ?? moments.b)?.frame.index === 0) said.clear()
    for (const name of SIDES) {
      const { figure, session } = sides.all[name]
      const found = session && complaint(moments[name]?.record, session.scene.time)
      const badge = figure.querySelector<HTMLElement>('.badge')!
      badge.hidden = found === undefined
      badge.textContent = found?.label ?? ''
      badge.title = found?.text ?? ''
      if (!found?.isLoud || said.has(found.label)) continue
      said.add(found.label)
      say(found.text)
    }
  }
}

function complaint(record: FrameRecord | undefined, time: TimeOptions): Complaint | undefined {
  if (!record) return undefined
  const failed = hasConverged(record) ? undefined : solvesOf(record).find(({ status }) => status !== 'converged')
  if (failed) return { label: 'not converged', text: failed.message, isLoud: false }
  const [warning] = runWarnings([record], time)
  return warning && { label: LABELS[warning.kind], text: warning.text, isLoud: warning.kind !== 'thin' }
}
