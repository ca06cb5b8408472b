import { MINUTE_MS } from './demand.ts'
import type { Played, Window } from './run-scenario.ts'

/** A measured figure of a scenario with its limit. `value` is null if the figure does not apply to the scenario. */
export interface Figure {
  readonly name: string
  readonly value: number | null
  readonly limit: number
  readonly is: 'at most' | 'at least'
  readonly unit: '' | '%' | '×'
  /** False: the figure is shown only for information, because another figure measures the scenario better. */
  readonly isJudged: boolean
}

export interface Result {
  readonly scenario: string
  readonly title: string
  readonly policy: string
  readonly lanes: number
  readonly figures: readonly Figure[]
  readonly facts: Readonly<Record<string, number | null>>
}

export const isMet = ({ value, limit, is, isJudged }: Figure): boolean =>
  !isJudged || value === null || (is === 'at most' ? value <= limit : value >= limit)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
/**
 * Minimum backlog for a meaningful drain time, in seconds of full capacity. In shorter drains, the time over which
 * lanes spread their calls (a minute) dominates.
 */
const WORTH_DRAINING_S = 120

/**
 * Returns Jain’s fairness index (Jain, Chiu and Hawe, DEC-TR-301, 1984): 1 for equal shares, 1/n if one of n has
 * everything.
 */
export const jainOf = (shares: readonly number[]): number =>
  sum(shares) ** 2 / (shares.length * sum(shares.map((share) => share * share)))

export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}

/** Returns the time windows after `from`, without the first minute after each change of the services’ condition. */
function steadyWindows({ scenario, windows }: Played, from: number): Window[] {
  const changes = [0, scenario.startsWithin, ...scenario.changes.map(({ at }) => at)]
  const isFirstMinute = (window: Window): boolean =>
    changes.some((at) => window.at > at && window.at - window.ms < at + MINUTE_MS)
  return windows.filter((window) => window.at > from && !isFirstMinute(window))
}

/**
 * Returns the highest offered load of ten seconds relative to the services’ capacity; during an outage, relative to the
 * usual capacity.
 */
function offeredShare(played: Played): number {
  const usual = Math.max(...played.windows.map(({ capacity }) => capacity))
  return Math.max(
    ...steadyWindows(played, played.scenario.from).map(({ offered, capacity }) => offered / (capacity || usual)),
  )
}

/** Returns the ratio of useful responses to the offered calls that the capacity could serve. */
function goodputOfOffered(played: Played): number | null {
  const open = whileOpen(played)
  return goodputOf(
    open,
    open.map(({ capacity, offered }) => Math.min(capacity, offered)),
  )
}

/**
 * Returns the ratio of useful responses to the full capacity while enough calls wait. With a small backlog,
 * lanes spread their calls and leave the services idle, so the figure would measure that spreading.
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
  return steadyWindows(played, scenario.from).filter((window) => window.capacity > 0 && hasTokens(window))
}

function goodputOf(open: readonly Window[], wanted: readonly number[]): number | null {
  const possible = sum(wanted)
  return possible === 0 ? null : (100 * sum(open.map(({ useful }, at) => Math.min(useful, wanted[at] ?? 0)))) / possible
}

/**
 * Returns the drain time of ideal services, which process live calls first and use all spare capacity for the backlog.
 */
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

/** Returns the 95th percentile of the duration of redemptions that were sent. Without a token no call is sent. */
function redeemMs({ recorder }: Played, from: number, until: number): number | null {
  const sent = recorder.redemptions.filter(({ at, end }) => at >= from && at < until && end !== 'declined')
  return percentile(
    sent.map(({ ms }) => ms),
    0.95,
  )
}

function redeemShare(played: Played): number | null {
  const { scenario } = played
  // During an outage without responses, a redemption takes two timeouts by specification, at any load: measure
  // from the end of the outage.
  const from = scenario.changes.some(({ condition }) => condition.kind === 'silent' || condition.kind === 'closed')
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

/**
 * 95th percentile of the duration of a redemption in normal operation, used for scenarios that do not begin with half
 * an hour of normal operation; measured in the first half hour of the other scenarios.
 */
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
      atLeast('goodput of offered load', goodputOfOffered(played), 95, '%'),
      atMost('drain', drainShare(played), 1.1, '×'),
      atLeast('fairness', fairness, 0.95),
      atMost('redemption p95', redeemShare(played), 2, '×'),
      atMost('Retry-After violations', recorder.tooEarly, 0),
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
