import type { Db } from '../db/open.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { REGULAR_OFFER, SEED_COLLECTORS, SEED_REDEMPTION_OFFERS } from './collectors.ts'
import { makeOffers } from './offers.ts'
import { SEED_ISSUANCE_OFFERS, SEED_LOCATIONS, SEED_SPONSORS } from './partners.ts'

const YEAR_MS = 365 * 86_400_000

/** Lays the seed data in a new data folder; accounts of a folder that has them are left as they are. `now` in epoch milliseconds. */
export function seedProgram(db: Db, ledger: Ledger, seed: number, now: number): void {
  const found = db.prepare<[], { value: string }>("SELECT value FROM setting WHERE name = 'seed'").get()
  if (found) return refreshOffers(db, Number(found.value), now)
  db.transaction(() => {
    const sponsor = db.prepare('INSERT INTO sponsor (code, name_en, name_fr, state, location_required) VALUES (?, ?, ?, ?, ?)')
    for (const { code, nameEn, nameFr, state, locationRequired } of SEED_SPONSORS) sponsor.run(code, nameEn, nameFr, state, Number(locationRequired))
    const location = db.prepare('INSERT INTO location (sponsor_code, code, store_id, region, time_zone, description, active) VALUES (?, ?, ?, ?, ?, ?, ?)')
    for (const { code, storeId, region, timeZone, city, active } of SEED_LOCATIONS) location.run('NRTH', code, storeId, region, timeZone, city, Number(active))
    const price = db.prepare('INSERT INTO redemption_offer (id, type, unit_miles, unit_cents, daily_unit_limit, desc_en, desc_fr) VALUES (?, ?, ?, ?, ?, ?, ?)')
    for (const offer of SEED_REDEMPTION_OFFERS) price.run(offer.id, offer.type, offer.unitMiles, offer.unitCents, offer.dailyUnitLimit, offer.descEn, offer.descFr)
    seedCollectors(db, ledger, now)
    const earning = db.prepare('INSERT INTO issuance_offer (sponsor_code, code, offer_id, description_en, description_fr, rule, valid_from, valid_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    for (const offer of SEED_ISSUANCE_OFFERS) {
      const end = offer.expired ? now - 86_400_000 : now + 20 * YEAR_MS
      earning.run('NRTH', offer.code, offer.offerId, offer.descriptionEn, offer.descriptionFr, JSON.stringify(offer.rule), now - YEAR_MS, end)
    }
    db.prepare("INSERT INTO setting (name, value) VALUES ('seed', ?)").run(String(seed))
  })()
  refreshOffers(db, seed, now)
}

/** The offers keep their ids over restarts and move with the calendar. */
function refreshOffers(db: Db, seed: number, now: number): void {
  db.transaction(() => {
    db.prepare('DELETE FROM offer').run()
    const add = db.prepare('INSERT INTO offer (id, document) VALUES (?, ?)')
    for (const offer of makeOffers(seed, now)) add.run(offer.id, JSON.stringify(offer))
  })()
}

function seedCollectors(db: Db, ledger: Ledger, now: number): void {
  const add = db.prepare(`
    INSERT INTO collector (number, state, balances_suppressed, redemption_allowed, offer_available, redemption_offer_id, cash_share_percent, redeemed_elsewhere_cents, issuance_delayed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  for (const collector of SEED_COLLECTORS) {
    add.run(
      collector.number, collector.state ?? 'active', Number(collector.balancesSuppressed ?? false), Number(collector.redemptionAllowed ?? true),
      Number(collector.offerAvailable ?? true), collector.redemptionOfferId ?? REGULAR_OFFER, collector.cashSharePercent ?? 50,
      collector.redeemedElsewhereCents ?? 0, Number(collector.issuanceDelayed ?? false),
    )
    ledger.post(
      { kind: 'OPENING', at: now, collectorNumber: collector.number, sponsorCode: 'NRTH', reference: null, idempotencyKey: null },
      { cash: collector.cash, dream: collector.dream }, 'opening',
    )
  }
}
