import type { Db } from '../db/open.ts'

export interface Sponsor { readonly code: string, readonly state: 'active' | 'expired', readonly locationRequired: boolean }

export interface Location { readonly code: string, readonly timeZone: string, readonly active: boolean }

export interface Collector {
  readonly number: string
  readonly state: 'active' | 'closed' | 'deleted'
  readonly balancesSuppressed: boolean
  readonly redemptionAllowed: boolean
  /** False: the redemption offer is withdrawn for now (0067). */
  readonly offerAvailable: boolean
  readonly redemptionOfferId: string
  /** Share of issued miles that goes to the cash balance. */
  readonly cashSharePercent: number
  readonly redeemedElsewhereCents: number
  /** True: issuances wait as pending before they are settled. */
  readonly issuanceDelayed: boolean
}

/** The clock of the program itself: days of the daily limit, and stores that are not known. */
export const PROGRAM_TIME_ZONE = 'America/Toronto'

export type ProgramRepository = ReturnType<typeof createProgramRepository>

/** Who takes part in the program: sponsors, their locations, and collectors. */
export function createProgramRepository(db: Db) {
  const sponsor = db.prepare<[string], { code: string, state: Sponsor['state'], location_required: number }>(
    'SELECT code, state, location_required FROM sponsor WHERE code = ?')
  const location = db.prepare<[string, string], LocationRow>('SELECT code, time_zone, active FROM location WHERE sponsor_code = ? AND code = ?')
  const store = db.prepare<[string, string], LocationRow>('SELECT code, time_zone, active FROM location WHERE sponsor_code = ? AND store_id = ?')
  const collector = db.prepare<[string], CollectorRow>(
    `SELECT number, state, balances_suppressed, redemption_allowed, offer_available, redemption_offer_id, cash_share_percent,
            redeemed_elsewhere_cents, issuance_delayed FROM collector WHERE number = ?`)

  const findLocation = (sponsorCode: string, code: string): Location | undefined => {
    const row = location.get(sponsorCode, code)
    return row && toLocation(row)
  }

  return {
    findSponsor(code: string): Sponsor | undefined {
      const row = sponsor.get(code)
      return row && { code: row.code, state: row.state, locationRequired: row.location_required === 1 }
    },
    findLocation,
    /** The time zone of a store named by its own id or its location code; the program's where neither is known. */
    timeZoneOfStore(sponsorCode: string, storeId: string): string {
      return store.get(sponsorCode, storeId)?.time_zone ?? findLocation(sponsorCode, storeId)?.timeZone ?? PROGRAM_TIME_ZONE
    },
    findCollector(number: string): Collector | undefined {
      const row = collector.get(number)
      return row && {
        number: row.number,
        state: row.state,
        balancesSuppressed: row.balances_suppressed === 1,
        redemptionAllowed: row.redemption_allowed === 1,
        offerAvailable: row.offer_available === 1,
        redemptionOfferId: row.redemption_offer_id,
        cashSharePercent: row.cash_share_percent,
        redeemedElsewhereCents: row.redeemed_elsewhere_cents,
        issuanceDelayed: row.issuance_delayed === 1,
      }
    },
  }
}

interface LocationRow { code: string, time_zone: string, active: number }
interface CollectorRow {
  number: string, state: Collector['state'], balances_suppressed: number, redemption_allowed: number, offer_available: number
  redemption_offer_id: string, cash_share_percent: number, redeemed_elsewhere_cents: number, issuance_delayed: number
}

const toLocation = (row: LocationRow): Location => ({ code: row.code, timeZone: row.time_zone, active: row.active === 1 })
