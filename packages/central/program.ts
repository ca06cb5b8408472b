import { randomBytes } from 'node:crypto'
import type { Db } from './db/database.ts'

/** Codes that the switch in front of the services returns itself (specification 3 §7.2). */
export type SwitchAnswer = '0008' | '0092' | '0096'

export interface Sponsor {
  readonly code: string
  readonly nameEn: string
  readonly nameFr: string
  readonly state: 'active' | 'expired'
  readonly locationRequired: boolean
  /** Code that the switch in front of the cash service returns to every call of this sponsor; null: none. */
  readonly switchAnswer: SwitchAnswer | null
}

export interface Location {
  readonly code: string
  readonly timeZone: string
  readonly description: string
  readonly active: boolean
}

export interface Collector {
  readonly number: string
  readonly state: 'active' | 'closed' | 'deleted'
  readonly balancesSuppressed: boolean
  readonly redemptionAllowed: boolean
  /** False if the redemption offer is withdrawn (code 0067). */
  readonly offerAvailable: boolean
  readonly redemptionOfferId: string
  /** Share of issued miles that goes to the cash balance, in percent. */
  readonly cashSharePercent: number
  readonly redeemedElsewhereCents: number
  readonly issuanceDelayed: boolean
  /** Code that the switch returns to every cash and transaction-history call for this account; null: none. */
  readonly switchAnswer: SwitchAnswer | null
  readonly pin: string
  /** Offer categories that the collector prefers, preferred first. */
  readonly preferences: readonly string[]
  /** The program's internal account number (specification 2 §2.3). */
  readonly memberId: number
}

export const PROGRAM_TIME_ZONE = 'America/Toronto'

export type ProgramRepository = ReturnType<typeof createProgramRepository>

export function createProgramRepository(db: Db) {
  const sponsor = db.prepare<[string], SponsorRow>(
    'SELECT code, name_en, name_fr, state, location_required, switch_answer FROM sponsor WHERE code = ?',
  )
  const location = db.prepare<[string, string], LocationRow>(
    'SELECT code, time_zone, description, active FROM location WHERE sponsor_code = ? AND code = ?',
  )
  const store = db.prepare<[string, string], LocationRow>(
    'SELECT code, time_zone, description, active FROM location WHERE sponsor_code = ? AND store_id = ?',
  )
  const collector = db.prepare<[string], CollectorRow>(
    `SELECT number, state, balances_suppressed, redemption_allowed, offer_available, redemption_offer_id,
      cash_share_percent,
            redeemed_elsewhere_cents, issuance_delayed, switch_answer, pin, preferences, rowid AS member_id
            FROM collector WHERE number = ?`,
  )

  const otherActive = db
    .prepare<[string], string>(
      "SELECT number FROM collector WHERE state = 'active' AND number <> ? ORDER BY number LIMIT 1",
    )
    .pluck()

  const findLocation = (sponsorCode: string, code: string): Location | undefined => {
    const row = location.get(sponsorCode, code)
    return row && toLocation(row)
  }

  const findCollector = (number: string): Collector | undefined => {
    const row = collector.get(number)
    return row && toCollector(row)
  }

  return {
    findSponsor(code: string): Sponsor | undefined {
      const row = sponsor.get(code)
      return row && toSponsor(row)
    },
    findLocation,
    timeZoneOfStore(sponsorCode: string, storeId: string): string {
      return (
        store.get(sponsorCode, storeId)?.time_zone ?? findLocation(sponsorCode, storeId)?.timeZone ?? PROGRAM_TIME_ZONE
      )
    },
    findCollector,
    findOtherActive(number: string): Collector | undefined {
      const other = otherActive.get(number)
      return other === undefined ? undefined : findCollector(other)
    },
  }
}

interface SponsorRow {
  code: string
  name_en: string
  name_fr: string
  state: Sponsor['state']
  location_required: number
  switch_answer: SwitchAnswer | null
}
interface LocationRow {
  code: string
  time_zone: string
  description: string
  active: number
}
interface CollectorRow {
  number: string
  state: Collector['state']
  balances_suppressed: number
  redemption_allowed: number
  offer_available: number
  redemption_offer_id: string
  cash_share_percent: number
  redeemed_elsewhere_cents: number
  issuance_delayed: number
  switch_answer: SwitchAnswer | null
  pin: string
  preferences: string
  member_id: number
}

const toLocation = (row: LocationRow): Location => ({
  code: row.code,
  timeZone: row.time_zone,
  description: row.description,
  active: row.active === 1,
})

const toSponsor = (row: SponsorRow): Sponsor => ({
  code: row.code,
  nameEn: row.name_en,
  nameFr: row.name_fr,
  state: row.state,
  locationRequired: row.location_required === 1,
  switchAnswer: row.switch_answer,
})

const toCollector = (row: CollectorRow): Collector => ({
  number: row.number,
  state: row.state,
  balancesSuppressed: row.balances_suppressed === 1,
  redemptionAllowed: row.redemption_allowed === 1,
  offerAvailable: row.offer_available === 1,
  redemptionOfferId: row.redemption_offer_id,
  cashSharePercent: row.cash_share_percent,
  redeemedElsewhereCents: row.redeemed_elsewhere_cents,
  issuanceDelayed: row.issuance_delayed === 1,
  switchAnswer: row.switch_answer,
  pin: row.pin,
  preferences: JSON.parse(row.preferences) as string[],
  memberId: row.member_id,
})

export interface Settings {
  get(name: string): string | undefined
  once(name: string, make: () => string): string
}

export function createSettings(db: Db): Settings {
  const read = db.prepare<[string], { value: string }>('SELECT value FROM setting WHERE name = ?')
  const write = db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)')
  return {
    get: (name) => read.get(name)?.value,
    once(name, make) {
      const stored = read.get(name)?.value
      if (stored !== undefined) return stored
      const made = make()
      write.run(name, made)
      return made
    },
  }
}

export interface PartnerClient {
  readonly clientId: string
  readonly clientSecret: string
}

/** Returns the only partner of training mode. The partner's secret is generated once per data folder. */
export function partnerClient(settings: Settings): PartnerClient {
  return {
    clientId: 'milepost-training',
    clientSecret: settings.once('partner.client-secret', () => randomBytes(24).toString('base64url')),
  }
}
