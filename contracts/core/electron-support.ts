const DAY_MS = 24 * 60 * 60 * 1000
/** Electron releases a major version every eight weeks and supports its newest three. */
const MAJORS_KEPT = 3
const WEEKS_A_MAJOR = 8
const WARN_DAYS = 28

export interface PinnedMajor {
  readonly major: number
  readonly since: string
}
/** The major version of the Electron runtime that package.json pins, and the release date of its x.0.0. */
export const ELECTRON_MAJOR: PinnedMajor = { major: 45, since: '2026-10-21' }

/**
 * Estimates the day on which a major version loses support: three majors later. The date that Electron publishes has
 * precedence, because a major may be late.
 */
export const supportedUntil = (since: string): string =>
  new Date(Date.parse(since) + MAJORS_KEPT * WEEKS_A_MAJOR * 7 * DAY_MS).toISOString().slice(0, 10)

export interface ElectronSupport {
  readonly major: number
  readonly until: string
  readonly state: 'supported' | 'ends-soon' | 'ended'
}

/** Support status of the pinned major version; `ends-soon` starts four weeks before the end. */
export function electronSupport(now: Date, { major, since }: PinnedMajor = ELECTRON_MAJOR): ElectronSupport {
  const until = supportedUntil(since)
  const daysLeft = Math.ceil((Date.parse(until) - now.getTime()) / DAY_MS)
  return { major, until, state: daysLeft > WARN_DAYS ? 'supported' : daysLeft > 0 ? 'ends-soon' : 'ended' }
}
