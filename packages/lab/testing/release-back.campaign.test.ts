import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../backend/core/clock.ts'
import { readMigrations } from '../../../backend/core/db/migrate.ts'
import { localDateTimeAt } from '../../../backend/core/zone.ts'
import { examineCopy } from '../../../backend/core/outbox/integrity-check.ts'
import { brokenDayEnd } from '../simulation/day-end-invariants.ts'
import { ITEMS, openShop } from './crashes/crash-store.ts'
import { startLane } from './lane-program.ts'
import { ADDITIVE, TODAY } from './next-release.ts'
import { programOfReleaseBack, programOfToday, type ProgramFolder } from './release-back.ts'
import { checkRecords, playDay, type Day, type Records } from './store-day.ts'

const work = mkdtempSync(join(tmpdir(), 'milepost-release-back-'))
const back = programOfReleaseBack(work)
// Both programs use the profile of the previous release, which refuses the settings of later ones.
const shop = await openShop({ collectors: 4, ...('source' in back && { source: back.source }) })
afterAll(async () => {
  await shop.close()
  rmSync(work, { recursive: true, force: true })
})

const missing = 'missing' in back ? back.missing : null
const releaseBack: ProgramFolder = 'app' in back ? back : { app: '' }
const today = programOfToday()

/**
 * Today’s program with one more migration, which is declared readable from schema `from`. Without `from`, each program
 * that can open today’s database can open the new one.
 */
function nextRelease(name: string, sql: string, from?: number): ProgramFolder {
  const app = join(work, name, 'build/app')
  cpSync(today.app, app, { recursive: true })
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(work, name, 'node_modules'), 'junction')
  const number = String(TODAY + 1).padStart(4, '0')
  const readableFrom = from ?? readMigrations().at(-1)?.readableFrom ?? TODAY
  writeFileSync(
    join(app, `backend/core/db/migrations/${number}_made_up.sql`),
    `-- readable from: ${readableFrom}\n${sql}`,
  )
  return { app }
}

async function dayOf(program: ProgramFolder, data: string): Promise<{ day: Day; records: Records }> {
  const lane = await startLane(program, shop, data)
  try {
    const day = await playDay(lane.window, { sku: ITEMS.partial, cardId: shop.newCollector().cardId })
    const date = localDateTimeAt(systemClock.now(), 'America/Toronto').toPlainDate().toString()
    return { day, records: await checkRecords(lane.window, date) }
  } finally {
    await lane.stop()
  }
}

function books(data: string) {
  const copy = join(work, 'copy.db')
  copyFileSync(join(data, 'terminal.db'), copy)
  const { problem, schema } = examineCopy(copy, Buffer.from(readFileSync(join(data, 'seal.key'), 'utf8'), 'base64'))
  const db = new Sqlite(copy, { readonly: true })
  try {
    const papers = db.prepare<[], string>("SELECT kind FROM print_job WHERE state <> 'confirmed'").pluck().all()
    return { problem, schema, days: brokenDayEnd(db), papers }
  } finally {
    db.close()
  }
}
const SOUND = { audit: null, backup: null, report: 'done' }

describe.skipIf(missing !== null)(`the previous release${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  test('works on data of today’s program, which afterwards verifies all of it', async () => {
    const data = join(work, 'lane')
    const days = [await dayOf(today, data), await dayOf(releaseBack, data), await dayOf(today, data)]
    for (const { records } of days) expect(records).toMatchObject(SOUND)
    expect(days.map(({ day }) => day.z.number)).toEqual([1, 2, 3])
    expect(days[2]?.records.found).toBe(3 * (days[0]?.records.found ?? 0))
    expect(books(data)).toEqual({ problem: null, schema: TODAY, days: [], papers: [] })
    expect(await shop.central.problems()).toEqual([])
  })

  test('fails on a migration that is declared readable but rejects the rows of that release', async () => {
    const data = join(work, 'broken')
    const next = nextRelease(
      'next',
      `${ADDITIVE} CREATE TRIGGER made_up BEFORE INSERT ON tender WHEN NEW.wallet = 'none'
        BEGIN SELECT RAISE(ABORT, 'a payment names its wallet'); END;`,
    )
    const lane = await startLane(next, shop, data)
    await lane.stop()
    await expect(dayOf(releaseBack, data)).rejects.toThrow(/tenders: 500/)
  })
})

test('today’s program restores its database from before the update if the next release made no sales', async () => {
  const data = join(work, 'untouched')
  const signIn = { staffId: 'sam', pin: '9999' }
  const before = await startLane(today, shop, data)
  await before.window.call('POST', '/api/sign-in', signIn)
  const { body } = await before.window.call('POST', '/api/sales/current/lines', { sku: ITEMS.partial, quantity: 1 })
  await before.stop()
  const next = nextRelease('unread', 'CREATE TABLE made_up (a TEXT) STRICT;', TODAY + 1)
  await (await startLane(next, shop, data)).stop()
  expect(books(data)).toMatchObject({ problem: null, schema: TODAY + 1 })
  const after = await startLane(today, shop, data)
  await after.window.call('POST', '/api/sign-in', signIn)
  expect((await after.window.current())?.id).toBe(body.sale.id)
  await after.stop()
  expect(books(data)).toMatchObject({ problem: null, schema: TODAY })
})
