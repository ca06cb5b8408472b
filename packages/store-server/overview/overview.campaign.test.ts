import { expect, test } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { ALL_TABLES } from '../database.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { reconciliationDays } from './reconciliation.ts'
import { dayOf, lanesOf, queueOf } from './overview.sql.ts'
import { fillStore } from './testing.ts'
import { BusinessDay } from '../../../contracts/loyalty/reconciliation.ts'

const postgres = usePostgres({ fsync: false })
const FROM = Date.parse('2026-01-01T05:00:00Z')
const DAY_MS = 86_400_000
const MAX_MS = 300
/**
 * Number of days, with three hundred sales and returns per day at each of thirty lanes: a year in a campaign, else 30.
 */
const DAYS = process.env['MILEPOST_CAMPAIGN'] === '1' ? 365 : 30

test(`the median answer to each manager's page of thirty lanes and ${DAYS} days takes under ${MAX_MS} ms`, async ({
  skip,
}) => {
  const database = openPostgres({ url: await postgres.database(skip), log: createLog('silent') })
  try {
    await migrate(database, ALL_TABLES)
    for (let lane = 1; lane <= 30; lane += 1)
      await database.query('INSERT INTO lane (store, lane, seen_at) VALUES ($1, $2, now())', [
        'STORE',
        String(lane).padStart(2, '0'),
      ])
    await fillStore(database, { lanes: 30, days: DAYS, sales: 300, from: FROM })
    const caller = { store: 'STORE', lane: '01' }
    const span = (day: number) => ({ from: FROM + day * DAY_MS, before: FROM + (day + 1) * DAY_MS })
    const pages = {
      lanes: () => lanesOf(database, caller),
      day: (at: number) => dayOf(database, caller, span(at % DAYS)),
      queue: () => queueOf(database, caller),
      reconciliation: () => reconciliationDays(database, caller, BusinessDay.parse('2027-01-01')),
    }
    for (const [name, ask] of Object.entries(pages)) {
      const took: number[] = []
      for (let times = 0; times < 15; times += 1) {
        const startedAt = performance.now()
        await ask(times * 37)
        took.push(performance.now() - startedAt)
      }
      const [median = 0] = took.toSorted((one, other) => one - other).slice(7)
      console.log(`${name}: median ${median.toFixed(0)} ms, first ${took[0]?.toFixed(0)} ms`)
      expect(median, name).toBeLessThan(MAX_MS)
    }
    const day = await dayOf(database, caller, span(1))
    expect(day.lanes).toHaveLength(30)
    expect(day.lanes[0]?.summary).toMatchObject({ sales: 294, returns: 6, netCents: 294 * 2000 })
  } finally {
    await database.close()
  }
}, 900_000)
