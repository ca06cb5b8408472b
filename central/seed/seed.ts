import type { Db } from '../db/open.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { PROGRAM_TIME_ZONE } from '../program/repository.ts'
import { REGULAR_OFFER, SEED_COLLECTORS, SEED_REDEMPTION_OFFERS, type SeedCollector } from './collectors.ts'
import { seedFeeds } from './feeds.ts'
import { makeOffers } from './offers.ts'
import { SEED_ISSUANCE_OFFERS, SEED_LOCATIONS, SEED_SPONSORS } from './partners.ts'
import type { StoredOffer } from '../offers/model.ts'

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/**
 * Lays the seed data. What a data folder already has is left as it is, so that a folder of an older version gets what
 * is new and keeps its accounts; the offers move with the calendar at every start. A folder keeps the seed that it
 * began with. `now` in epoch milliseconds.
 */
export function seedProgram(db: Db, ledger: Ledger, seed: number, now: number): void {
  db.transaction(() => {
    const found = db.prepare<[], { value: string }>("SELECT value FROM setting WHERE name = 'seed'").get()
    const kept = found ? Number(found.value) : seed
    if (!found) db.prepare("INSERT INTO setting (name, value) VALUES ('seed', ?)").run(String(seed))
    const offers = makeOffers(kept, now)
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

/** The offers of the seed keep their ids over restarts and move with the calendar. */
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

/** Its window has closed for good: what reversing it says (0080) needs no clock to be moved. */
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
