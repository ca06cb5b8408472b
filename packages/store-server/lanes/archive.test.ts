import pg from 'pg'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { openPostgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'
import { runRebuild } from './rebuild.ts'
import { readReceipt } from '../receipts/receipts.sql.ts'
import { saleBody } from '../testing/fact-bodies.ts'
import { usePostgres } from '../testing/postgres.ts'
import { startVoucherLanes } from '../testing/voucher-lanes.ts'
import { runArchive } from './archive.ts'

const postgres = usePostgres({ fsync: false })
const MONTH_TABLE = "relname ~ '^fact_20[0-9]{2}_[0-9]{2}$'"
const silent = (): void => undefined

async function start(skip: TestContext['skip']) {
  const url = await postgres.database(skip)
  const store = await startVoucherLanes(url)
  const database = openPostgres({ url, log: createLog('silent') })
  onTestFinished(async () => {
    await store.close()
    await database.close()
  })
  await store.lane('01').entry('CODE-AAAA', 'issued', 1_000)
  await store.lane('01').fact('sale', 'S1', saleBody('S1', 3, 2_000))
  await database.query("UPDATE fact SET received_at = received_at - interval '20 months'")
  return { url, store, database }
}

test('archiving a month does not wait for a backup that reads all tables, and no lane waits for either', async ({
  skip,
}) => {
  const { url, store, database } = await start(skip)
  const backup = new pg.Client(url)
  await backup.connect()
  onTestFinished(() => backup.end())
  await backup.query('BEGIN')
  await backup.query('LOCK TABLE fact, fact_archive IN ACCESS SHARE MODE')
  await runArchive(database, 13, silent)
  expect(await readReceipt(database, { store: 'STORE', lane: '02' }, 'S1')).toMatchObject({
    lane: '01',
  })
  expect(await store.lane('02').fact('sale', 'S2', saleBody('S2', 1, 0))).toBe(true)
  const unattached = await database.query(`SELECT 1 FROM pg_class JOIN pg_index ON indrelid = pg_class.oid
    WHERE ${MONTH_TABLE} AND NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = indexrelid)`)
  expect(unattached.count).toBe(0)
})

test('a superuser who is not the owner cannot archive, because the owner could not back up new tables', async ({
  skip,
}) => {
  const { database } = await start(skip)
  await database.query('CREATE ROLE milepost_owner')
  onTestFinished(() => database.query('DROP OWNED BY milepost_owner CASCADE').then(silent))
  const { rows } = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  for (const { name } of rows) await database.query(`ALTER TABLE ${name} OWNER TO milepost_owner`)
  await expect(runArchive(database, 13, silent)).rejects.toThrow('would belong to this superuser')
  expect((await database.query(`SELECT 1 FROM pg_class WHERE ${MONTH_TABLE}`)).count).toBe(0)
})

test.for(['missing', 'stored twice'] as const)(
  'a rebuild is refused when archived facts of a month are %s',
  async (how, { skip }) => {
    const { store, database } = await start(skip)
    await runArchive(database, 13, silent)
    await store.lane('01').transfer('CODE-AAAA', 'handed-over', 900)
    await database.query(how === 'missing' ? 'DELETE FROM fact_archive' : 'INSERT INTO fact SELECT * FROM fact_archive')
    const before = await store.query('SELECT * FROM voucher_account')
    await expect(runRebuild(database, silent)).rejects.toThrow(
      /^Lane STORE\/01 sent 4 facts, and the tables have [17]\./,
    )
    expect(await store.query('SELECT * FROM voucher_account')).toEqual(before)
  },
)

test.for(['again, under another date', 'as they were'] as const)(
  'archiving is refused and moves nothing while archived facts are also in the table “fact” (sent %s)',
  async (how, { skip }) => {
    const { database } = await start(skip)
    await runArchive(database, 13, silent)
    await database.query('INSERT INTO fact SELECT * FROM fact_archive')
    if (how !== 'as they were') await database.query("UPDATE fact SET received_at = received_at + interval '1 month'")
    await expect(runArchive(database, 13, silent)).rejects.toThrow(
      'The table of a month has 3 facts of lane STORE/01 that the table “fact” has too.',
    )
    expect((await database.query('SELECT 1 FROM fact')).count).toBe(3)
    expect((await database.query('SELECT 1 FROM fact_archive')).count).toBe(3)
  },
)

test('archiving that runs across the end of a month (UTC) archives the facts that were due at its start', async ({
  skip,
}) => {
  const { url, store, database } = await start(skip)
  await store.lane('01').fact('sale', 'S2', saleBody('S2', 1, 0))
  await database.query("UPDATE fact SET received_at = '2026-05-01 00:00+00' WHERE seq <= 2")
  await database.query("UPDATE fact SET received_at = '2026-05-31 23:59:59.999999+00' WHERE seq = 3")
  await database.query("UPDATE fact SET received_at = '2026-06-01 00:00+00' WHERE seq = 4")
  await database.query(`CREATE FUNCTION public.now() RETURNS timestamptz STABLE LANGUAGE sql AS $$
    SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_class WHERE ${MONTH_TABLE}) THEN '2027-08-01 00:00:01+00'::timestamptz
      ELSE '2027-07-31 23:59:59+00' END $$`)
  await database.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`)
  const late = openPostgres({ url, log: createLog('silent') })
  onTestFinished(() => late.close())
  await runArchive(late, 13, silent)
  expect((await database.query('SELECT 1 FROM fact_2026_05')).count).toBe(3)
  await runArchive(late, 13, silent)
  expect((await database.query('SELECT 1 FROM fact_2026_06')).count).toBe(1)
})
