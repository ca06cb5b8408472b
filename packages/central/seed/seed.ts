import type { Db } from '../db/database.ts'
import type { Ledger } from '../ledger.ts'
import { PROGRAM_TIME_ZONE, type SwitchAnswer } from '../program.ts'
import { makeOffers } from './offers.ts'
import { SEED_ISSUANCE_OFFERS, SEED_LOCATIONS, SEED_SPONSORS } from './partners.ts'
import type { StoredOffer } from '../offers/offers.sql.ts'

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/**
 * Adds the seed data. Keeps existing rows, so that an older folder keeps its accounts and its first seed. Offer dates
 * are recalculated at every start. `now` in epoch milliseconds.
 */
export function seedProgram(db: Db, ledger: Ledger, seed: number, now: number): void {
  db.transaction(() => {
    const found = db.prepare<[], { value: string }>("SELECT value FROM setting WHERE name = 'seed'").get()
    const storedSeed = found ? Number(found.value) : seed
    if (!found) db.prepare("INSERT INTO setting (name, value) VALUES ('seed', ?)").run(String(seed))
    const offers = makeOffers(storedSeed, now)
    seedPartners(db, now)
    seedCollectors(db, ledger, now, [...new Set(offers.map((offer) => offer.categoryId))].sort())
    refreshOffers(db, offers)
    const feed = db.prepare('INSERT INTO feed_mapping (origin_client, parameters) VALUES (?, ?) ON CONFLICT DO NOTHING')
    for (const { originClient, parameters } of seedFeeds(offers)) feed.run(originClient, JSON.stringify(parameters))
  })()
}

function seedPartners(db: Db, now: number): void {
  const sponsor = db.prepare(
    `INSERT INTO sponsor (code, name_en, name_fr, state, location_required, switch_answer) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`,
  )
  for (const { code, nameEn, nameFr, state, locationRequired, switchAnswer } of SEED_SPONSORS)
    sponsor.run(code, nameEn, nameFr, state, Number(locationRequired), switchAnswer ?? null)
  const location = db.prepare(
    `INSERT INTO location (sponsor_code, code, store_id, region, time_zone, description, active)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  for (const { code, storeId, region, timeZone, city, active } of SEED_LOCATIONS)
    location.run('NRTH', code, storeId, region, timeZone, city, Number(active))
  const price = db.prepare(
    `INSERT INTO redemption_offer (id, type, unit_miles, unit_cents, daily_unit_limit, desc_en, desc_fr)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  for (const offer of SEED_REDEMPTION_OFFERS)
    price.run(offer.id, offer.type, offer.unitMiles, offer.unitCents, offer.dailyUnitLimit, offer.descEn, offer.descFr)
  const earning = db.prepare(`
    INSERT INTO issuance_offer (sponsor_code, code, offer_id, description_en, description_fr, rule, valid_from,
    valid_to, unit_miles, max_miles)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  for (const offer of SEED_ISSUANCE_OFFERS) {
    const end = offer.expired ? now - DAY_MS : now + 20 * YEAR_MS
    earning.run(
      'NRTH',
      offer.code,
      offer.offerId,
      offer.descriptionEn,
      offer.descriptionFr,
      JSON.stringify(offer.rule),
      now - YEAR_MS,
      end,
      offer.unitMiles ?? null,
      offer.maxMiles ?? null,
    )
  }
}

function refreshOffers(db: Db, offers: readonly StoredOffer[]): void {
  db.prepare('DELETE FROM offer WHERE imported = 0').run()
  const add = db.prepare('INSERT INTO offer (id, document) VALUES (?, ?) ON CONFLICT DO NOTHING')
  for (const offer of offers) add.run(offer.id, JSON.stringify(offer))
}

function seedCollectors(db: Db, ledger: Ledger, now: number, categories: readonly string[]): void {
  const add = db.prepare(`
    INSERT INTO collector (number, state, balances_suppressed, redemption_allowed, offer_available, redemption_offer_id,
    cash_share_percent, redeemed_elsewhere_cents, issuance_delayed, switch_answer, preferences)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  const prefer = db.prepare("UPDATE collector SET preferences = ? WHERE number = ? AND preferences = '[]'")
  for (const [index, collector] of SEED_COLLECTORS.entries()) {
    const likes = JSON.stringify([0, 2].map((step) => categories[(index + step) % categories.length]))
    const { changes } = add.run(
      collector.number,
      collector.state ?? 'active',
      Number(collector.balancesSuppressed ?? false),
      Number(collector.redemptionAllowed ?? true),
      Number(collector.offerAvailable ?? true),
      collector.redemptionOfferId ?? REGULAR_OFFER,
      collector.cashSharePercent ?? 50,
      collector.redeemedElsewhereCents ?? 0,
      Number(collector.issuanceDelayed ?? false),
      collector.switchAnswer ?? null,
      likes,
    )
    prefer.run(likes, collector.number)
    if (changes === 0) continue
    ledger.post(
      {
        kind: 'OPENING',
        at: now,
        collectorNumber: collector.number,
        sponsorCode: 'NRTH',
        reference: null,
        idempotencyKey: null,
      },
      { cash: collector.cash, dream: collector.dream },
      'opening',
    )
    redeemLongAgo(db, ledger, collector, now)
  }
}

/** Adds an old redemption whose reversal window is closed, so that tests get code 0080 without moving the clock. */
function redeemLongAgo(db: Db, ledger: Ledger, { number, oldRedemption }: SeedCollector, now: number): void {
  if (oldRedemption === undefined) return
  const at = now - 30 * DAY_MS
  const [regular] = SEED_REDEMPTION_OFFERS
  const operationId = ledger.post(
    { kind: 'REDEEM', at, collectorNumber: number, sponsorCode: 'NRTH', reference: 'LONG-AGO', idempotencyKey: null },
    { cash: -regular.unitMiles },
    'redeemed',
  )
  db.prepare(`
    INSERT INTO redemption (confirmation_number, operation_id, collector_number, sponsor_code, trace_id, offer_id,
    units, unit_miles, unit_cents, transacted_at, time_zone, state)
    VALUES (?, ?, ?, 'NRTH', 'LONG-AGO', ?, 1, ?, ?, ?, ?, 'applied')`).run(
    oldRedemption,
    operationId,
    number,
    regular.id,
    regular.unitMiles,
    regular.unitCents,
    at,
    PROGRAM_TIME_ZONE,
  )
}

/**
 * Adds query parameters bound to clients (specification 1 §4.1). The specification does not list which parameters may
 * be bound.
 */
export function seedFeeds(
  offers: readonly StoredOffer[],
): { originClient: string; parameters: Record<string, string> }[] {
  const riverbend = offers.find((offer) => offer.partnerSlug === 'riverbend')
  return [
    { originClient: 'external:web:cardlinked-feed', parameters: { program_type: 'cardlinked', sort: 'endingSoon' } },
    ...(riverbend
      ? [{ originClient: 'external:kiosk:riverbend', parameters: { partner_id: riverbend.partnerId } }]
      : []),
  ]
}

/** A collector of the seed data. Keep the numbers stable: docs/reference-services.md documents them. */
export interface SeedCollector {
  readonly number: string
  readonly role: string
  readonly cash: number
  readonly dream: number
  readonly state?: 'closed' | 'deleted'
  readonly balancesSuppressed?: true
  readonly redemptionAllowed?: false
  readonly offerAvailable?: false
  readonly redemptionOfferId?: string
  readonly redeemedElsewhereCents?: number
  readonly issuanceDelayed?: true
  readonly switchAnswer?: SwitchAnswer
  /** Confirmation number of a redemption of one unit that is dated thirty days before the seed data was added. */
  readonly oldRedemption?: string
  /** Share of issued miles that goes to cash miles, in percent; default 50. */
  readonly cashSharePercent?: number
}

export const REGULAR_OFFER = 'RGL-95'
export const SPECIAL_OFFER = 'SPL-76'

export const SEED_REDEMPTION_OFFERS = [
  {
    id: REGULAR_OFFER,
    type: 'RGL',
    unitMiles: 95,
    unitCents: 1_000,
    dailyUnitLimit: 75,
    descEn: '$10 off for every 95 miles',
    descFr: '10 $ de rabais pour 95 milles',
  },
  {
    id: SPECIAL_OFFER,
    type: 'SPL',
    unitMiles: 76,
    unitCents: 1_000,
    dailyUnitLimit: 20,
    descEn: 'Member days: $10 off for only 76 miles',
    descFr: 'Jours des membres : 10 $ de rabais pour 76 milles seulement',
  },
] as const

/** Do not add collector 80000000099: tests use it as an unknown number. */
export const SEED_COLLECTORS: readonly SeedCollector[] = [
  { number: '80000000011', role: 'fine', cash: 4_750, dream: 12_300 },
  { number: '80000000022', role: 'balances suppressed', cash: 2_850, dream: 6_120, balancesSuppressed: true },
  {
    number: '80000000033',
    role: 'suppressed, may not redeem',
    cash: 1_900,
    dream: 4_400,
    balancesSuppressed: true,
    redemptionAllowed: false,
  },
  { number: '80000000044', role: 'may not redeem', cash: 1_330, dream: 900, redemptionAllowed: false },
  { number: '80000000055', role: 'poor', cash: 40, dream: 310 },
  { number: '80000000066', role: 'near the daily limit', cash: 9_500, dream: 2_075, redeemedElsewhereCents: 73_000 },
  { number: '80000000077', role: 'special offer', cash: 3_800, dream: 1_640, redemptionOfferId: SPECIAL_OFFER },
  { number: '80000000088', role: 'closed', cash: 0, dream: 0, state: 'closed' },
  { number: '80000000101', role: 'deleted', cash: 0, dream: 0, state: 'deleted' },
  { number: '80000000112', role: 'redemption offer unavailable', cash: 2_375, dream: 700, offerAvailable: false },
  { number: '80000000123', role: 'issuances wait', cash: 950, dream: 950, issuanceDelayed: true },
  { number: '80000000134', role: 'daily limit used up', cash: 5_000, dream: 100, redeemedElsewhereCents: 75_000 },
  { number: '80000000145', role: 'all miles to cash', cash: 1_045, dream: 0, cashSharePercent: 100 },
  { number: '80000000156', role: 'the switch times out', cash: 1_900, dream: 500, switchAnswer: '0008' },
  { number: '80000000167', role: 'the server fails', cash: 1_900, dream: 500, switchAnswer: '0096' },
  { number: '80000000178', role: 'redeemed a month ago', cash: 1_140, dream: 250, oldRedemption: '100000000001' },
  { number: '80000000189', role: 'switch outage', cash: 1_900, dream: 500, switchAnswer: '0092' },
]
