const DAY_MS = 24 * 60 * 60 * 1000
/** Electron makes a new major every eight weeks and looks after its newest three. */
const MAJORS_KEPT = 3
const WEEKS_A_MAJOR = 8
const WARN_DAYS = 28

interface PinnedMajor {
  readonly major: number
  readonly since: string
}
/** The major of the runtime that package.json pins, and the day on which its x.0.0 came out. */
export const ELECTRON_MAJOR: PinnedMajor = { major: 45, since: '2026-10-21' }

/**
 * The day on which Electron is expected to give a major no more fixes: three majors later. Electron's own word counts
 * before it, since a major may be late.
 */
export const supportedUntil = (since: string): string =>
  new Date(Date.parse(since) + MAJORS_KEPT * WEEKS_A_MAJOR * 7 * DAY_MS).toISOString().slice(0, 10)

/**
 * What whoever makes a package is told from four weeks before that day on, or null. A warning and no more: the same
 * tree builds the same package on every day.
 */
export function supportWarning(now: Date, pinned: PinnedMajor = ELECTRON_MAJOR): string | null {
  const { major, since } = pinned
  const until = supportedUntil(since)
  const daysLeft = Math.ceil((Date.parse(until) - now.getTime()) / DAY_MS)
  if (daysLeft > WARN_DAYS) return null
  const when = daysLeft > 0 ? `gets no more fixes from about ${until} on` : `has had no more fixes since about ${until}`
  return `Electron ${major} ${when}. Pin a newer one before the next package goes to a store (docs/shell-security.md).`
}
