/** A comparison with native peers in Markdown: one table, memory bandwidth, goals, and missing contenders. */
import { formatTable } from 'peel/formats'
import { threeDigits } from '../three-digits.js'
import { evaluateGoals, type Goal } from './goals.js'
import { type Entry, median, minimum, PEEL, type PeerRun, peakMb, type Round, reached, timesAsLong } from './results.js'

const COLUMNS = [
  'problem',
  'N',
  'walls',
  'contender',
  'threads',
  'set-up ms',
  'solve ms',
  'total ms (min)',
  'CPU ms',
  'iterations',
  'ns / unknown',
  'peak MB (loaded)',
  'residual 1/s',
  'time ÷ Peel',
]
const BANDWIDTH_COLUMNS = ['problem', 'N', 'threads', 'triad GB/s', 'finest sweep GB/s', 'of triad', 'sweep ns / unknown']
const GOAL_COLUMNS = ['goal', 'problem', 'N', 'wanted', 'measured', 'verdict']

export function formatReport(run: PeerRun): string {
  const goals = evaluateGoals(run)
  const notes = [...collectNotes(run.entries), ...run.missing]
  return [
    `${run.date}, ${run.machine}, load ${run.load.toFixed(1)} at the start. ${describeSetting(run)}`,
    formatEntries(run),
    ...(notes.length > 0 ? [notes.map(note => `- ${note}`).join('\n')] : []),
    ...(run.bandwidths.length > 0 ? [formatBandwidths(run)] : []),
    ...(goals.length > 0 ? [formatGoals(goals)] : []),
  ].join('\n\n')
}

function describeSetting({ entries, tolerance, peel }: PeerRun): string {
  const rounds = entries.reduce((most, entry) => Math.max(most, entry.rounds.length), 0)
  const options = Object.entries(peel).map(([name, value]) => `${name}=${String(value)}`)
  const chosen = options.length > 0 ? ` Peel ran with ${options.join(', ')}.` : ''
  return `Tolerance ${tolerance} 1/s; medians of ${rounds} interleaved round${rounds === 1 ? '' : 's'}.${chosen}`
}

function formatEntries({ entries, tolerance }: PeerRun): string {
  return formatTable(
    COLUMNS,
    inOrder(entries).map(entry => {
      const { problem, size, system, contender, threads, rounds } = entry
      const who = [problem, String(size), system === 'lcp' ? 'separating' : 'sticking', contender, String(threads)]
      if (rounds.length === 0) return [...who, ...Array.from({ length: COLUMNS.length - who.length }, () => '–')]
      const of = (pick: (round: Round) => number) => median(rounds.map(pick))
      const wall = of(round => round.wall)
      const last = rounds[rounds.length - 1]
      const ratio = timesAsLong(entry, peelBeside(entry, entries), tolerance)
      return [
        ...who,
        milliseconds(of(round => round.setup)),
        milliseconds(of(round => round.solve)),
        `${milliseconds(wall)} (${milliseconds(minimum(rounds.map(round => round.wall)))})`,
        milliseconds(of(round => round.cpu)),
        last.outer === last.iterations ? String(last.iterations) : `${last.outer} / ${last.iterations}`,
        ((wall / entry.unknowns) * 1e9).toFixed(0),
        `${peakMb(entry).toFixed(0)} (${entry.loadedMb.toFixed(0)})`,
        `${worstResidual(rounds)}${reached(entry, tolerance) ? '' : ' **not solved**'}`,
        contender === PEEL ? '' : ratio === undefined ? '–' : threeDigits(ratio),
      ]
    }),
  )
}

/** Sorted by walls, then threads, so that compared rows are adjacent. Problems and sizes keep the order in which they ran. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const places = [...new Set(entries.map(place))]
  const rank = (entry: Entry) => 2 * places.indexOf(place(entry)) + (entry.system === 'lcp' ? 0 : 1)
  return [...entries].sort((a, b) => rank(a) - rank(b) || a.threads - b.threads)
}

const place = ({ problem, size }: Entry) => `${problem} ${size}`

/** Peel on the same system with as many threads. */
function peelBeside({ problem, size, system, threads }: Entry, entries: readonly Entry[]): Entry | undefined {
  return entries.find(
    other =>
      other.contender === PEEL &&
      other.problem === problem &&
      other.size === size &&
      other.system === system &&
      other.threads === threads,
  )
}

function worstResidual(rounds: readonly Round[]): string {
  if (rounds.some(({ residual }) => residual === null)) return 'not finite'
  return rounds.reduce((most, { residual }) => Math.max(most, residual!), 0).toExponential(1)
}

function collectNotes(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ problem, size, contender, threads, rounds, failure }) => {
    const said = new Set(rounds.map(({ note }) => note).filter(note => note))
    if (failure !== undefined) said.add(failure)
    const where = `${contender}${threads === 1 ? '' : ` with ${threads} threads`} on ${problem} ${size}`
    return [...said].map(note => `${where}: ${note}`)
  })
}

function formatBandwidths({ bandwidths }: PeerRun): string {
  const rows = bandwidths.flatMap(({ problem, size, triads, sweeps }) => {
    const threads = [...new Set([...triads, ...sweeps].map(figure => figure.threads))].sort((a, b) => a - b)
    return threads.map(count => {
      const triad = triads.find(figure => figure.threads === count)
      const sweep = sweeps.find(figure => figure.threads === count)
      const rate = sweep && (sweep.bytes / sweep.seconds) * 1e-9
      return [
        problem,
        String(size),
        String(count),
        triad ? triad.gigabytesPerSecond.toFixed(1) : '–',
        sweep && rate !== undefined ? `${rate.toFixed(1)} (${sweep.engine})` : '–',
        triad && rate !== undefined ? `${((100 * rate) / triad.gigabytesPerSecond).toFixed(0)} %` : '–',
        sweep ? ((sweep.seconds / sweep.rows) * 1e9).toFixed(2) : '–',
      ]
    })
  })
  return formatTable(BANDWIDTH_COLUMNS, rows)
}

export function formatGoals(goals: readonly Goal[]): string {
  return formatTable(
    GOAL_COLUMNS,
    goals.map(({ what, problem, size, wanted, value, met, missedBy }) => [
      what,
      problem,
      String(size),
      wanted,
      value === undefined ? '–' : threeDigits(value),
      met === undefined ? 'not measured' : met ? 'met' : `missed by a factor of ${threeDigits(missedBy!)}`,
    ]),
  )
}

function milliseconds(seconds: number): string {
  return threeDigits(seconds * 1000)
}
