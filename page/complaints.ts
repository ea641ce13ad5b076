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

const LABELS = {
  overlong: 'steps too long',
  'fast liquid': 'steps too long',
  'fast walls': 'walls too fast',
  thin: 'resolution too low',
} as const

/** Returns a function that shows the complaints about new moments. Loud ones are said once from the start on. */
export function createComplaints(sides: Sides, say: (sentence: string) => void): (moments: Moments) => void {
  const said = new Set<string>()
  return moments => {
    if ((moments.a ?? moments.b)?.frame.index === 0) said.clear()
    for (const name of SIDES) {
      const { figure, session } = sides.all[name]
      const found = session ? complaintsAbout(moments[name]?.record, session.scene.time) : []
      const badge = figure.querySelector<HTMLElement>('.badge')!
      badge.hidden = found.length === 0
      badge.textContent = found.map(({ label }) => label).join(', ')
      badge.title = found.map(({ text }) => text).join(' ')
      const unsaid = found.filter(({ isLoud, label }) => isLoud && !said.has(label))
      if (unsaid.length === 0) continue
      for (const { label } of unsaid) said.add(label)
      say(unsaid.map(({ text }) => text).join(' '))
    }
  }
}

function complaintsAbout(record: FrameRecord | undefined, time: TimeOptions): Complaint[] {
  if (!record) return []
  const failed = hasConverged(record) ? undefined : solvesOf(record).find(({ status }) => status !== 'converged')
  return [
    ...(failed ? [{ label: 'not converged', text: failed.message, isLoud: false }] : []),
    ...runWarnings([record], time).map(({ kind, text }) => ({ label: LABELS[kind], text, isLoud: kind !== 'thin' })),
  ]
}
