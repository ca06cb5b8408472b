import type { Terminal } from '../../contracts/staff/session.ts'
import { isoOf } from '../core/clock.ts'
import { clockChanges } from '../core/zone.ts'
import type { Foundation } from './foundation.ts'

/** How far back and ahead the screens are told of the store's clocks, in milliseconds: twenty years. */
const YEARS_SHOWN = 20 * 365.25 * 86_400_000

export interface AtStart {
  readonly startedAtMs: number
  /** The sale that this start found open. */
  readonly foundOpen: Terminal['foundOpen']
  readonly servesMembers: boolean
  readonly isToEnrol: () => boolean
}

/** What the screens are told of the terminal itself. */
export function terminalFacts(base: Foundation, at: AtStart): () => Omit<Terminal, 'signedIn'> {
  const { options, profile, lane, clock, outbox } = base
  const startedAt = isoOf(at.startedAtMs)
  const clocks = clockChanges(profile.timeZone, clock.now() - YEARS_SHOWN, clock.now() + YEARS_SHOWN)
  return () => ({
    mode: profile.mode,
    version: options.version,
    store: { id: profile.store.id, name: profile.store.name },
    lane: lane.id,
    region: profile.region,
    timeZone: profile.timeZone,
    clockChanges: clocks,
    defaultLocale: profile.locales.default,
    payments: profile.payments,
    memberHistory: at.servesMembers && options.endpoints.history !== undefined,
    redemptionSeconds: Math.ceil((2 * profile.limits.cashTimeoutMs) / 1000) + 2,
    startedAt,
    foundOpen: at.foundOpen,
    stopped: outbox.failStop.reason,
    toEnrol: at.isToEnrol(),
  })
}
