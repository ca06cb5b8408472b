import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { HEALTH } from '../lanes/lanes.fixture.ts'
import { openSession, noteHeartbeat, pushFacts } from '../lanes/lanes.sql.ts'
import { createLog } from '../log.ts'
import { readChecked, readWalBytes } from '../metrics/metrics.sql.ts'
import { ALL_TABLES } from '../database.ts'
import { saleBody } from '../testing/fact-bodies.ts'
import { contextOf } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'

const cluster = usePostgres({ fsync: false })
const log = createLog('silent')
const DENIED = { code: '42501' }

const ONLY_GROW = [
  'catalog_import',
  'change_confirmed',
  'database_backup',
  'fact',
  'fact_archive',
  'held_sale_gone',
  'overview_shift',
  'overview_z',
  'proof_key',
  'receipt_line',
  'receipt_payment',
  'seal_key',
  'store_mode',
  'voucher_counted',
  'voucher_issue',
  'voucher_release',
]
const NEVER_REMOVED = [
  'database_identity',
  'device',
  'enrolment_code',
  'lane',
  'overview_original',
  'receipt',
  'receipt_return',
  'stream',
  'stream_awaited',
  'voucher_account',
  'voucher_ledger',
]

async function start(skip: TestContext['skip']) {
  const open = (user: string, url: string) => {
    const database = openPostgres({ url: url.replace(/user=\w+/, `user=${user}`), log })
    onTestFinished(() => database.close())
    return database
  }
  const url = await cluster.database(skip)
  const name = new URL(url).pathname.slice(1)
  const superuser = openPostgres({ url, log })
  onTestFinished(() => superuser.close())
  for (const statement of [
    'CREATE ROLE milepost_owner LOGIN',
    'CREATE ROLE milepost_server LOGIN',
    `ALTER DATABASE ${name} OWNER TO milepost_owner`,
    'ALTER SCHEMA public OWNER TO milepost_owner',
    `ALTER DEFAULT PRIVILEGES FOR ROLE milepost_owner
      GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO milepost_server`,
    'ALTER DEFAULT PRIVILEGES FOR ROLE milepost_owner GRANT USAGE ON SEQUENCES TO milepost_server',
  ])
    await superuser.query(statement)
  const owner = open('milepost_owner', url)
  await migrate(owner, ALL_TABLES)
  return { owner, superuser, server: open('milepost_server', url) }
}

test('the server’s role can add facts but not change them, and can read quarantined facts again', async ({ skip }) => {
  const { owner, superuser, server } = await start(skip)
  const ctx = contextOf(server)
  const [caller, stream] = [{ store: '1001', lane: '01' }, 'a'.repeat(32)]
  await openSession(ctx, caller, { protocol: 1, version: '1', streams: [{ epoch: 1, name: stream }] })
  const fact = { kind: 'sale', subject: 'S1', at: 1, body: saleBody('S1', 2, 500), sealed: null }
  const pushed = await pushFacts(ctx, caller, stream, [
    { ...fact, seq: 1 },
    { ...fact, seq: 2, body: {} },
  ])
  expect(pushed).toMatchObject({ kind: 'applied', applied: 2, quarantined: [{ seq: 2 }] })
  for (const table of ONLY_GROW) {
    await expect(server.query(`DELETE FROM ${table}`), table).rejects.toMatchObject(DENIED)
    await expect(server.query(`TRUNCATE ${table}`), table).rejects.toMatchObject(DENIED)
  }
  for (const change of [
    'UPDATE fact SET body = body',
    "UPDATE fact_aside SET settled_by = 'me'",
    'UPDATE voucher_issue SET amount_cents = 1',
    "UPDATE store_mode SET mode = 'training'",
    "UPDATE proof_key SET fingerprint = ''",
    'INSERT INTO database_backup DEFAULT VALUES',
    `INSERT INTO change_confirmed (stream, seq, confirmed_by, why) VALUES ('${stream}', 1, 'me', 'none')`,
  ])
    await expect(server.query(change), change).rejects.toMatchObject(DENIED)
  for (const table of NEVER_REMOVED)
    await expect(server.query(`DELETE FROM ${table}`), table).rejects.toMatchObject(DENIED)
  await owner.query('UPDATE fact SET body = $1 WHERE seq = 2', [JSON.stringify(saleBody('S1', 2, 500))])
  await owner.query('UPDATE stream SET unread_from = 1')
  await noteHeartbeat(ctx, caller, { health: HEALTH, vector: {} })
  const unread = 'SELECT 1 FROM stream WHERE unread_from IS NOT NULL UNION ALL SELECT 1 FROM fact_aside'
  expect((await owner.query(unread)).rows).toEqual([])

  expect(await readWalBytes(server), 'the size of the log, without the right to read it').toBeNull()
  await superuser.query('GRANT EXECUTE ON FUNCTION pg_ls_waldir() TO milepost_server')
  expect(await readWalBytes(server)).toBeGreaterThan(0)
  expect((await readChecked(server)).backupSeconds).toBeGreaterThanOrEqual(0)
})
