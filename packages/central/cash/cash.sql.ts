import type { Db } from '../db/database.ts'
import type { RedemptionOffer } from './rules.ts'

export interface Redemption {
  readonly id: number
  readonly confirmationNumber: string
  readonly operationId: number
  readonly collectorNumber: string
  readonly sponsorCode: string
  readonly traceId: string
  readonly offerId: string
  readonly units: number
  readonly unitMiles: number
  readonly unitCents: number
  /** Time of the redemption, in epoch milliseconds. */
  readonly transactedAt: number
  readonly timeZone: string
  readonly state: 'applied' | 'reversed' | 'cancelled'
}

const DAY_MS = 86_400_000

/**
 * Sums the cents that a collector redeemed since midnight, and the units of one redemption offer in the last 24 hours.
 * Reads by an index, so that older redemptions cost nothing.
 */
export const REDEEMED_BY = `
  SELECT coalesce(sum(units * unit_cents) FILTER (WHERE transacted_at >= @midnight), 0) AS cents,
         coalesce(sum(units) FILTER (WHERE offer_id = @offerId AND transacted_at > @dayAgo), 0) AS units
    FROM redemption
   WHERE collector_number = @collectorNumber AND transacted_at BETWEEN min(@midnight, @dayAgo) AND @now
   AND state = 'applied'`

export function createCashRepository(db: Db) {
  const offer = db.prepare<[string], OfferRow>(
    'SELECT id, type, unit_miles, unit_cents, daily_unit_limit, desc_en, desc_fr FROM redemption_offer WHERE id = ?',
  )
  const redeemed = db.prepare<
    [Record<'collectorNumber' | 'offerId', string> & Record<'midnight' | 'dayAgo' | 'now', number>],
    { cents: number; units: number }
  >(REDEEMED_BY)
  const last = db.prepare<[], { id: number }>('SELECT coalesce(max(id), 0) AS id FROM redemption')
  const add = db.prepare(`
    INSERT INTO redemption (confirmation_number, operation_id, collector_number, sponsor_code, trace_id, offer_id,
    units, unit_miles, unit_cents,
                            transacted_at, time_zone, state)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'applied')`)
  const find = db.prepare<[string], RedemptionRow>(`
    SELECT id, confirmation_number, operation_id, collector_number, sponsor_code, trace_id, offer_id, units, unit_miles,
    unit_cents,
           transacted_at, time_zone, state FROM redemption WHERE confirmation_number = ?`)
  const end = db.prepare("UPDATE redemption SET state = ? WHERE id = ? AND state = 'applied'")

  return {
    findOffer(id: string): RedemptionOffer | undefined {
      const row = offer.get(id)
      return row && toOffer(row)
    },
    /**
     * Returns the cents redeemed since midnight over all sponsors and redemption offers, and the units of one of these
     * offers in the last 24 hours. Times are in epoch milliseconds.
     */
    redeemedBy: (
      collectorNumber: string,
      offerId: string,
      midnight: number,
      now: number,
    ): { cents: number; units: number } =>
      redeemed.get({
        collectorNumber,
        offerId,
        midnight,
        dayAgo: now - DAY_MS,
        now,
      }) ?? { cents: 0, units: 0 },
    /** Returns a unique confirmation number: the day in epoch days, then the next row id. */
    nextConfirmationNumber: (now: number): string =>
      `${Math.floor(now / 86_400_000)}${String((last.get()?.id ?? 0) + 1).padStart(7, '0')}`,
    add(made: Omit<Redemption, 'id' | 'state'>): void {
      add.run(
        made.confirmationNumber,
        made.operationId,
        made.collectorNumber,
        made.sponsorCode,
        made.traceId,
        made.offerId,
        made.units,
        made.unitMiles,
        made.unitCents,
        made.transactedAt,
        made.timeZone,
      )
    },
    find(confirmationNumber: string): Redemption | undefined {
      const row = find.get(confirmationNumber)
      return row && toRedemption(row)
    },
    end: (id: number, state: 'reversed' | 'cancelled'): boolean => end.run(state, id).changes === 1,
  }
}

interface OfferRow {
  id: string
  type: 'RGL' | 'SPL'
  unit_miles: number
  unit_cents: number
  daily_unit_limit: number
  desc_en: string
  desc_fr: string
}
interface RedemptionRow {
  id: number
  confirmation_number: string
  operation_id: number
  collector_number: string
  sponsor_code: string
  trace_id: string
  offer_id: string
  units: number
  unit_miles: number
  unit_cents: number
  transacted_at: number
  time_zone: string
  state: Redemption['state']
}

const toOffer = (row: OfferRow): RedemptionOffer => ({
  id: row.id,
  type: row.type,
  unitMiles: row.unit_miles,
  unitCents: row.unit_cents,
  dailyUnitLimit: row.daily_unit_limit,
  descEn: row.desc_en,
  descFr: row.desc_fr,
})

const toRedemption = (row: RedemptionRow): Redemption => ({
  id: row.id,
  confirmationNumber: row.confirmation_number,
  operationId: row.operation_id,
  collectorNumber: row.collector_number,
  sponsorCode: row.sponsor_code,
  traceId: row.trace_id,
  offerId: row.offer_id,
  units: row.units,
  unitMiles: row.unit_miles,
  unitCents: row.unit_cents,
  transactedAt: row.transacted_at,
  timeZone: row.time_zone,
  state: row.state,
})
