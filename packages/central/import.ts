import type { Db } from './db/database.ts'
import type { Ledger } from './ledger.ts'
import { type ImportData, ImportError, type ImportName, type Read } from './import-files.ts'

/**
 * Imports the user's own data: an entry replaces one with the same key. An existing collector keeps the balances in the
 * ledger. Imports all or nothing: throws ImportError with a line for every reference to a missing entry. Returns the
 * number of entries. `now` is in epoch milliseconds.
 */
export function applyImport(db: Db, ledger: Ledger, { data, placeOf }: Read, now: number): number {
  let entryCount = 0
  const problems: string[] = []
  const run: ImportRun = {
    db,
    problems,
    each(name, insert) {
      data[name]?.forEach((entry, index) => {
        try {
          insert(entry, (field) => placeOf(name, index, field))
          entryCount += 1
        } catch (error) {
          problems.push(`${placeOf(name, index)}: ${error instanceof Error ? error.message : String(error)}`)
        }
      })
    },
  }
  db.transaction(() => {
    importSponsors(run)
    importCollectors(run, ledger, now)
    importIssuanceOffers(run)
    importOffers(run)
    if (problems.length > 0) throw new ImportError(problems)
  })()
  return entryCount
}

interface ImportRun {
  readonly db: Db
  readonly problems: string[]
  readonly each: <Name extends ImportName>(
    name: Name,
    insert: (entry: NonNullable<ImportData[Name]>[number], place: (field: string) => string) => void,
  ) => void
}

const has = (db: Db, sql: string, ...keys: readonly string[]): boolean =>
  db.prepare<string[]>(sql).get(...keys) !== undefined

function importSponsors({ db, problems, each }: ImportRun): void {
  const sponsor = db.prepare(`INSERT INTO sponsor (code, name_en, name_fr, state, location_required, switch_answer)
      VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE
    SET name_en = excluded.name_en, name_fr = excluded.name_fr, state = excluded.state,
    location_required = excluded.location_required, switch_answer = excluded.switch_answer`)
  each('sponsors', (one) => {
    sponsor.run(one.code, one.nameEn, one.nameFr, one.state, Number(one.locationRequired), one.switchAnswer ?? null)
  })

  const location =
    db.prepare(`INSERT INTO location (sponsor_code, code, store_id, region, time_zone, description, active)
      VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (sponsor_code, code) DO UPDATE
    SET store_id = excluded.store_id, region = excluded.region, time_zone = excluded.time_zone,
    description = excluded.description, active = excluded.active`)
  each('locations', (one, place) => {
    if (!has(db, 'SELECT 1 FROM sponsor WHERE code = ?', one.sponsorCode))
      problems.push(`${place('sponsorCode')}: there is no sponsor ${one.sponsorCode}`)
    else
      location.run(
        one.sponsorCode,
        one.code,
        one.storeId ?? null,
        one.region,
        one.timeZone,
        one.description,
        Number(one.active),
      )
  })

  const price =
    db.prepare(`INSERT INTO redemption_offer (id, type, unit_miles, unit_cents, daily_unit_limit, desc_en, desc_fr)
      VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE
    SET type = excluded.type, unit_miles = excluded.unit_miles, unit_cents = excluded.unit_cents,
    daily_unit_limit = excluded.daily_unit_limit, desc_en = excluded.desc_en, desc_fr = excluded.desc_fr`)
  each('redemption-offers', (one) => {
    price.run(one.id, one.type, one.unitMiles, one.unitCents, one.dailyUnitLimit, one.descEn, one.descFr)
  })
}

function importCollectors({ db, problems, each }: ImportRun, ledger: Ledger, now: number): void {
  const collector = db.prepare(`
    INSERT INTO collector (number, state, balances_suppressed, redemption_allowed, offer_available,
    redemption_offer_id, cash_share_percent, redeemed_elsewhere_cents, issuance_delayed, switch_answer, pin,
    preferences)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE
    SET state = excluded.state, balances_suppressed = excluded.balances_suppressed,
    redemption_allowed = excluded.redemption_allowed, offer_available = excluded.offer_available,
      redemption_offer_id = excluded.redemption_offer_id, cash_share_percent = excluded.cash_share_percent,
      redeemed_elsewhere_cents = excluded.redeemed_elsewhere_cents,
      issuance_delayed = excluded.issuance_delayed, switch_answer = excluded.switch_answer, pin = excluded.pin,
      preferences = excluded.preferences`)
  const anySponsor =
    db.prepare<[], { code: string }>('SELECT code FROM sponsor ORDER BY code LIMIT 1').get()?.code ?? ''
  each('collectors', (one, place) => {
    if (!has(db, 'SELECT 1 FROM redemption_offer WHERE id = ?', one.redemptionOfferId)) {
      problems.push(`${place('redemptionOfferId')}: there is no redemption offer ${one.redemptionOfferId}`)
      return
    }
    const isNew = !has(db, 'SELECT 1 FROM collector WHERE number = ?', one.number)
    collector.run(
      one.number,
      one.state,
      Number(one.balancesSuppressed),
      Number(one.redemptionAllowed),
      Number(one.offerAvailable),
      one.redemptionOfferId,
      one.cashSharePercent,
      one.redeemedElsewhereCents,
      Number(one.issuanceDelayed),
      one.switchAnswer ?? null,
      one.pin,
      JSON.stringify(one.preferences),
    )
    if (isNew && one.cash + one.dream > 0) {
      ledger.post(
        {
          kind: 'OPENING',
          at: now,
          collectorNumber: one.number,
          sponsorCode: anySponsor,
          reference: null,
          idempotencyKey: null,
        },
        { cash: one.cash, dream: one.dream },
        'opening',
      )
    }
  })
}

function importIssuanceOffers({ db, problems, each }: ImportRun): void {
  const earning = db.prepare(`
    INSERT INTO issuance_offer (sponsor_code, code, offer_id, description_en, description_fr, rule, valid_from,
    valid_to, unit_miles, max_miles) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE
    SET offer_id = excluded.offer_id, description_en = excluded.description_en,
    description_fr = excluded.description_fr, rule = excluded.rule,
      valid_from = excluded.valid_from, valid_to = excluded.valid_to, unit_miles = excluded.unit_miles,
      max_miles = excluded.max_miles`)
  each('issuance-offers', (one, place) => {
    if (!has(db, 'SELECT 1 FROM sponsor WHERE code = ?', one.sponsorCode)) {
      problems.push(`${place('sponsorCode')}: there is no sponsor ${one.sponsorCode}`)
      return
    }
    earning.run(
      one.sponsorCode,
      one.code,
      one.offerId,
      one.descriptionEn,
      one.descriptionFr,
      JSON.stringify(one.rule),
      Date.parse(one.validFrom),
      Date.parse(one.validTo),
      one.unitMiles ?? null,
      one.maxMiles ?? null,
    )
  })
}

function importOffers({ db, each }: ImportRun): void {
  const offer = db.prepare(
    `INSERT INTO offer (id, document, imported) VALUES (?, ?, 1) ON CONFLICT DO UPDATE
      SET document = excluded.document, imported = 1`,
  )
  each('offers', (one) => {
    const id = one.id.toLowerCase()
    offer.run(id, JSON.stringify({ ...one, id }))
  })

  const feed = db.prepare(
    `INSERT INTO feed_mapping (origin_client, parameters) VALUES (?, ?) ON CONFLICT DO UPDATE
      SET parameters = excluded.parameters`,
  )
  each('feeds', (one) => {
    feed.run(one.originClient, JSON.stringify(one.parameters))
  })
}
