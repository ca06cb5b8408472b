import { MINUTE_MS } from './demand.ts'
import type { Played, Window } from './play.ts'

/** A figure beside its limit. Null: this scenario has nothing of it to show. */
export interface Figure {
  readonly name: string
  readonly value: number | null
  readonly limit: number
  /** Whether more than the limit is too much, or less is too little. */
  readonly is: 'at most' | 'at least'
  readonly unit: '' | '%' | '×'
  /** False: another figure says it better of this scenario, and this one is shown beside it. */
  readonly isJudged: boolean
}

export interface Result {
  readonly scenario: string
  readonly title: string
  readonly policy: string
  readonly lanes: number
  readonly figures: readonly Figure[]
  /** What has no limit, and explains the others. */
  readonly facts: Readonly<Record<string, number | null>>
}

export const isMet = ({ value, limit, is, isJudged }: Figure): boolean =>
  !isJudged || value === null || (is === 'at most' ? value <= limit : value >= limit)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
/**
 * So much must wait before it means something to drain it: two minutes of the centre's whole work. What spreads lanes
 * over a minute is most of a shorter time.
 */
const WORTH_DRAINING_S = 120

/** Jain, Chiu and Hawe (DEC-TR-301, 1984): 1 where all have the same, 1/n where one has all. */
export const jainOf = (shares: readonly number[]): number =>
  sum(shares) ** 2 / (shares.length * sum(shares.map((share) => share * share)))

export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}

/** Windows from this moment on, but not those of the first minute after something changed. */
function settled({ scenario, windows }: Played, from: number): Window[] {
  const changes = [0, scenario.startsWithin, ...scenario.changes.map(({ at }) => at)]
  const isFirstMinute = (window: Window): boolean =>
    changes.some((at) => window.at > at && window.at - window.ms < at + MINUTE_MS)
  return windows.filter((window) => window.at > from && !isFirstMinute(window))
}

/** The most that was offered in ten seconds, against what can be worked on; where nothing can, what usually could. */
function offeredShare(played: Played): number {
  const usual = Math.max(...played.windows.map(({ capacity }) => capacity))
  return Math.max(
    ...settled(played, played.scenario.from).map(({ offered, capacity }) => offered / (capacity || usual)),
  )
}

/** Answers that were of use, against what of all that came the centre could do. */
function goodputOfOffered(played: Played): number | null {
  const open = whileOpen(played)
  return goodputOf(
    open,
    open.map(({ capacity, offered }) => Math.min(capacity, offered)),
  )
}

/**
 * The same against all that the centre can do while enough waits for it. A lane that has nothing urgent, and spreads
 * it, lets the centre rest: of little that waits this says how soon lanes send it, and not how well it goes.
 */
function goodput(played: Played): number | null {
  const { windows } = played
  const open = whileOpen(played)
  const wanted = open.map((window) => {
    const before = windows[windows.indexOf(window) - 1]?.waiting ?? 0
    const isEnough = window.live + window.born + before >= window.capacity
    return isEnough ? window.capacity : Math.min(window.capacity, window.offered)
  })
  return goodputOf(open, wanted)
}

function whileOpen(played: Played): Window[] {
  const { scenario } = played
  const isTokenScenario = scenario.changes.some(({ of }) => of === 'tokens')
  const hasTokens = ({ at }: Window): boolean => !(isTokenScenario && at > scenario.from && at <= scenario.over)
  return settled(played, scenario.from).filter((window) => window.capacity > 0 && hasTokens(window))
}

function goodputOf(open: readonly Window[], wanted: readonly number[]): number | null {
  const possible = sum(wanted)
  return possible === 0 ? null : (100 * sum(open.map(({ useful }, at) => Math.min(useful, wanted[at] ?? 0)))) / possible
}

/** How long a centre takes that does nothing but what is wanted live and, with all the rest of its time, what waits. */
export function idealDrainMs({ scenario, windows, backlog }: Played): number | null {
  let left = backlog
  for (const { at, ms, capacity, live, born } of windows) {
    if (at <= scenario.over) continue
    const spare = Math.max(0, capacity - live - born)
    if (spare >= left && left >= 0) return at - ms - scenario.over + (spare === 0 ? ms : (ms * left) / spare)
    left -= spare
  }
  return null
}

const isWorthDraining = ({ windows, backlog }: Played): boolean => {
  const perSecond = Math.max(...windows.map(({ capacity, ms }) => capacity / (ms / 1_000)))
  return backlog >= WORTH_DRAINING_S * perSecond
}

function drainShare(played: Played): number | null {
  if (!isWorthDraining(played)) return null
  const ideal = idealDrainMs(played)
  if (played.drained99Ms === null || ideal === null) return Infinity
  return played.drained99Ms / ideal
}

/** Of redemptions that were sent: of one that had no token nothing left the lane. */
function redeemMs({ recorder }: Played, from: number, until: number): number | null {
  const sent = recorder.redemptions.filter(({ at, end }) => at >= from && at < until && end !== 'declined')
  return percentile(
    sent.map(({ ms }) => ms),
    0.95,
  )
}

function redeemShare(played: Played): number | null {
  const { scenario } = played
  // While nobody answers, a redemption takes its two time limits: that is the specification's, and no matter of load.
  const from = scenario.changes.some(({ weather }) => weather.kind === 'silent' || weather.kind === 'closed')
    ? scenario.over
    : scenario.from
  const normal = redeemMs(played, 0, scenario.from) ?? NORMAL_P95_MS
  const now = redeemMs(played, from, Infinity)
  return now === null ? null : now / (normal * scenario.slower)
}

type Of = Pick<Figure, 'name' | 'value' | 'limit' | 'unit' | 'isJudged'>
const of = (name: string, value: number | null, limit: number, unit: Figure['unit'] = ''): Of => ({
  name,
  value,
  limit,
  unit,
  isJudged: true,
})
const atMost = (...figure: Parameters<typeof of>): Figure => ({ ...of(...figure), is: 'at most' })
const atLeast = (...figure: Parameters<typeof of>): Figure => ({ ...of(...figure), is: 'at least' })

/** What a redemption takes where nobody was there before: of the half hours before the other scenarios. */
const NORMAL_P95_MS = 180

export function resultOf(played: Played): Result {
  const { scenario, policy, recorder, windows, backlog, drainedMs, laneDrainMs, lanes } = played
  const since = windows.filter(({ at }) => at > scenario.from)
  const [firsts, repeats] = [sum(since.map((one) => one.firsts)), sum(since.map((one) => one.repeats))]
  const fairness = isWorthDraining(played) ? jainOf(laneDrainMs.map((ms) => 1 / Math.max(1_000, ms))) : null
  const redeemed = recorder.redemptions.filter(({ at }) => at >= scenario.over)
  const ideal = isWorthDraining(played) ? idealDrainMs(played) : null
  return {
    scenario: scenario.id,
    title: scenario.title,
    policy: policy.name,
    lanes,
    figures: [
      atMost('offered load', offeredShare(played), 1.2, '×'),
      { ...atLeast('goodput', goodput(played), 95, '%'), isJudged: isWorthDraining(played) },
      atLeast('of what came', goodputOfOffered(played), 95, '%'),
      atMost('drain', drainShare(played), 1.1, '×'),
      atLeast('fairness', fairness, 0.95),
      atMost('redemption p95', redeemShare(played), 2, '×'),
      atMost('Retry-After broken', recorder.tooEarly, 0),
      atMost('retries', (100 * repeats) / Math.max(1, firsts + repeats), 10, '%'),
      atMost('lost or doubled', played.lost + played.doubled, 0),
    ],
    facts: {
      backlog,
      drained99S: played.drained99Ms === null ? null : played.drained99Ms / 1_000,
      drainedS: drainedMs === null ? null : drainedMs / 1_000,
      idealS: ideal === null ? null : ideal / 1_000,
      oldestS: Math.max(...since.map(({ oldestMs }) => oldestMs)) / 1_000,
      redemptions: redeemed.length,
      notApplied: redeemed.filter(({ end }) => end !== 'approved').length,
      orderedRetries: recorder.ordered,
      askedToWait: recorder.asked,
      heldBack: recorder.heldBack,
      tokenAsks: recorder.tokenAsks,
      escalatedIssues: recorder.escalatedIssues,
      stillWaiting: windows.at(-1)?.waiting ?? 0,
    },
  }
}
