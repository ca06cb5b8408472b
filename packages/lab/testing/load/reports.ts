import { setImmediate, setTimeout as pause } from 'node:timers/promises'
import { JournalQuery } from '../../../../contracts/day/search.ts'
import { systemClock, systemRng } from '../../../../backend/core/clock.ts'
import type { Database } from '../../../../backend/core/db/database.ts'
import { createPlainTransact } from '../../../../backend/core/db/transact.ts'
import { localDateTimeAt, dayAfter } from '../../../../backend/core/zone.ts'
import { indexerOf } from '../../../../backend/day/search/search-index.ts'
import { journalSearchOf } from '../../../../backend/day/search/journal-search.ts'
import { readReportInWorker } from '../../../../backend/day/reports/read-in-worker.ts'
import { MASTER_KEY, filesOf, openTestDatabase } from './terminal.ts'
import { type CatalogService, catalogOf } from '../../../../backend/catalog/catalog.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'
import { createLogger } from '../../../../backend/core/log.ts'
import type { Outbox } from '../../../../backend/core/outbox/outbox.ts'
import { plainTransactOf } from '../../../../backend/core/record.ts'
import { type Sales, salesOf } from '../../../../backend/sales/sales.ts'
import { laneContext } from '../lane-context.ts'
import { trainingStore } from './store.ts'

export interface ReportsRound {
  readonly searchMs: Readonly<Record<string, readonly number[]>>
  readonly reportMs: Readonly<Record<'day' | 'month' | 'year', number>>
  /** Longest stall of the lane's thread while reports are read. */
  readonly stalledMs: number
  /** Longest stall of the lane’s thread without reports, caused by the machine. */
  readonly idleStalledMs: number
  readonly sales: number
  /** Microseconds to index one entry of the electronic journal for the search, outside of the sale’s transaction. */
  readonly indexUs: number
  /** Longest transaction of the search indexing in milliseconds, measured without disk syncs. */
  readonly longestStepMs: number
  /** Microseconds that a sale’s own commit needs for the search queue. */
  readonly waitingUs: number
}

const ZONE = 'America/Toronto'
const LANE = '01'
const YEAR = 365
const DAY_MS = 86_400_000
const LINES = 5
const PEOPLE = 6
const ITEMS = 5_000
const NOUNS = ['Milk', 'Bread', 'Coffee', 'Apples', 'Detergent', 'Towels', 'Chocolate', 'Rice', 'Soap', 'Novel']
const FRENCH = ['Lait', 'Pain', 'Café', 'Pommes', 'Détersif', 'Essuie-tout', 'Chocolat', 'Riz', 'Savon', 'Roman']
const SEARCHES_EACH = 20
const ADDED = 500
const IDLE_MS = 5_000

function insertYear(db: Database, count: number, untilMs: number): void {
  const names = Array.from({ length: ITEMS }, (_, item) =>
    JSON.stringify({
      'en-CA': `${NOUNS[item % NOUNS.length]} number ${item}`,
      'fr-CA': `${FRENCH[item % FRENCH.length]} numéro ${item}`,
    }),
  )
  const person = db.prepare("INSERT INTO staff (id, name, role, locale) VALUES (?, ?, 'cashier', 'en-CA')")
  const shift = db.prepare(
    "INSERT INTO shift (id, lane, opened_at, opened_by, float_cents) VALUES (1, ?, 0, 'person-0', 0)",
  )
  const sale =
    db.prepare(`INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, taxes,
    totals, shift_id, member_last4, member_sealed) VALUES (?, ?, 7, 'completed', ?, ?, ?, ?, '[]', ?, 1, ?, ?)`)
  const line = db.prepare(`INSERT INTO sale_line (sale_id, number, sku, names, quantity, unit_price_cents, tax_category,
    department_id) VALUES (?, ?, ?, ?, 1, ?, 'zero-rated', ?)`)
  const tender = db.prepare(`INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, reference, at,
    shift_id) VALUES (?, 1, ?, ?, ?, 'PAST', ?, 1)`)
  const waiting = db.prepare("INSERT INTO search_waiting (kind, ref) VALUES ('sale', ?)")
  for (let index = 0; index < PEOPLE; index += 1) person.run(`person-${index}`, `Person ${index}`)
  shift.run(LANE)
  for (let number = 1; number <= count; number += 1) {
    const end = ((number * 7_919) % 1_679_616).toString(36).toUpperCase().padStart(4, '0')
    const id = `N10101${String(number).padStart(8, '0')}${end}`
    const at = untilMs - (count - number + 1) * Math.floor((YEAR * DAY_MS) / count)
    const items = Array.from({ length: LINES }, (_, index) => (number * 31 + index * 977) % ITEMS)
    const prices = items.map((item) => 100 + ((item * 37) % 4_000))
    const cents = prices.reduce((sum, price) => sum + price, 0)
    const totals = {
      grossCents: cents,
      discountCents: 0,
      netCents: cents,
      taxes: [{ code: 'HST', amountCents: 0 }],
      totalCents: cents,
      departments: Object.fromEntries([[`department-${number % 12}`, cents]]),
    }
    const last4 = number % 3 === 0 ? String((number * 13) % 10_000).padStart(4, '0') : null
    sale.run(
      id,
      number,
      LANE,
      `person-${number % PEOPLE}`,
      at - 60_000,
      at,
      JSON.stringify(totals),
      last4,
      last4 === null ? null : Buffer.alloc(40),
    )
    for (const [index, item] of items.entries())
      line.run(id, index + 1, `S${item}`, names[item], prices[index], `department-${number % 12}`)
    tender.run(id, number % 2 === 0 ? 'cash' : 'card', cents, cents, at)
    waiting.run(number)
  }
}

export async function openReportsUnderLoad(folder: string, count: number) {
  const db = await openTestDatabase(folder)
  db.pragma('synchronous = OFF')
  const until = systemClock.now()
  db.transaction(() => {
    insertYear(db, count, until)
  }).immediate()
  const plainly = createPlainTransact(db)
  let longestStepMs = 0
  const log = createLogger({ level: 'silent', destination: process.stderr })
  const clock = { ...systemClock, after: () => () => undefined }
  const seal = createSeal(MASTER_KEY)
  const ctx = laneContext({ ...trainingStore(), db, outbox: {} as Outbox, seal, clock, rng: systemRng, log })
  plainTransactOf.provide(ctx, (work) => {
    const from = performance.now()
    const done = plainly(work)
    longestStepMs = Math.max(longestStepMs, performance.now() - from)
    return done
  })
  salesOf.provide(ctx, { currentId: () => null } as Sales)
  catalogOf.provide(ctx, { findByBarcode: (): undefined => undefined } as unknown as CatalogService)
  const indexer = indexerOf(ctx)
  const began = performance.now()
  await indexer.catchUp(Number.MAX_SAFE_INTEGER)
  const indexUs = ((performance.now() - began) / count) * 1_000
  db.pragma('synchronous = FULL')
  db.pragma('wal_checkpoint(TRUNCATE)')
  const search = journalSearchOf(ctx)
  const today = localDateTimeAt(until, ZONE).toPlainDate().toString()
  const seen = db
    .prepare<[], { id: string; last4: string | null; cents: number; person: string }>(
      `SELECT id, member_last4 AS last4, json_extract(totals, '$.totalCents') AS cents, cashier_id AS person FROM sale
        WHERE sequence % ${Math.max(1, Math.floor(count / 97))} = 0`,
    )
    .all()
  let step = 0
  const one = () => seen[(step += 7) % seen.length] ?? { id: 'NONE', last4: null, cents: 1, person: 'person-0' }
  const day = (back: number): string => dayAfter(today, -back)
  const questions: Readonly<Record<string, () => object>> = {
    'no filter': () => ({}),
    'receipt number': () => ({ receipt: one().id }),
    'end of a receipt number': () => ({ receipt: one().id.slice(-4) }),
    'an item number': () => ({ item: `S${(step += 131) % ITEMS}` }),
    'a noun of one sale in ten': () => ({ item: NOUNS[(step += 1) % NOUNS.length] }),
    'three letters': () => ({ item: NOUNS[(step += 1) % NOUNS.length]?.slice(0, 3) }),
    amount: () => ({ amountCents: one().cents }),
    'last four': () => ({ last4: one().last4 ?? '0000' }),
    person: () => ({ person: one().person }),
    'a day': () => ({ from: day((step += 11) % YEAR), to: day(step % YEAR) }),
    'a person, a noun and a month': () => ({
      person: one().person,
      item: 'milk',
      from: day(200 + (step % 100)),
      to: day(170 + (step % 100)),
    }),
    'no match': () => ({ person: one().person, item: 'bread', kind: 'movement' }),
  }

  async function timed(work: () => Promise<unknown>): Promise<number> {
    const from = performance.now()
    await work()
    return performance.now() - from
  }

  return {
    async round(): Promise<ReportsRound> {
      const searchMs: Record<string, number[]> = {}
      for (const [name, question] of Object.entries(questions)) {
        const samples: number[] = []
        for (let asked = 0; asked < SEARCHES_EACH; asked += 1)
          samples.push(await timed(() => search.page(JournalQuery.parse(question()))))
        searchMs[name] = samples
        await setImmediate()
      }
      const idleStalledMs = await stalledDuring(() => pause(IDLE_MS))
      let sales = 0
      const report = (days: number): Promise<number> =>
        timed(async () => {
          const range = { from: day(days - 1), to: today }
          const question = { database: filesOf(folder).database, lane: LANE, range, timeZone: ZONE, until }
          sales = (await readReportInWorker(question, () => undefined).report).summary.now.sales
        })
      const reportMs = { day: 0, month: 0, year: 0 }
      const stalledMs = await stalledDuring(async () => {
        reportMs.day = await report(1)
        reportMs.month = await report(30)
        reportMs.year = await report(YEAR)
      })
      return { searchMs, reportMs, stalledMs, idleStalledMs, sales, indexUs, longestStepMs, waitingUs: waitingUs(db) }
    },
    end(): void {
      db.close()
    },
  }
}

async function stalledDuring(work: () => Promise<unknown>): Promise<number> {
  let stalledMs = 0
  let last = performance.now()
  const watch = setInterval(() => {
    stalledMs = Math.max(stalledMs, performance.now() - last)
    last = performance.now()
  }, 1)
  await work()
  clearInterval(watch)
  return stalledMs
}

function waitingUs(db: Database): number {
  const insert = db.prepare("INSERT INTO search_waiting (kind, ref) VALUES ('sale', ?)")
  let took = 0
  db.transaction(() => {
    insert.run(0)
    const from = performance.now()
    for (let made = 1; made <= ADDED; made += 1) insert.run(made)
    took = performance.now() - from
    db.exec('DELETE FROM search_waiting')
  }).immediate()
  return (took / ADDED) * 1_000
}
