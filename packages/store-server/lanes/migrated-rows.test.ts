import { expect, onTestFinished, test, type TestContext } from 'vitest'
import type { Fact } from '../../../contracts/store/protocol.ts'
import { migrate, type Migrations } from '../db/migrate.ts'
import { openPostgres, type Postgres } from '../db/postgres.ts'
import { ALL_TABLES } from '../database.ts'
import { PROJECTIONS } from '../projections.ts'
import { createLog } from '../log.ts'
import { giftCardSaleBody, returnBody, saleBody } from '../testing/fact-bodies.ts'
import { usePostgres } from '../testing/postgres.ts'
import { rebuild } from './rebuild.ts'

const cluster = usePostgres({ fsync: false })
const [FIRST, RESTORED, OTHER_LANE, OTHER_STORE] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32))
const STREAMS = [
  [FIRST, '1001', '01'],
  [RESTORED, '1001', '01'],
  [OTHER_LANE, '1001', '02'],
  [OTHER_STORE, '1002', '01'],
] as const

async function openOld(skip: TestContext['skip'], feature: string) {
  const database = openPostgres({ url: await cluster.database(skip), log: createLog('silent') })
  onTestFinished(() => database.close())
  // Omits the scripts of the feature `grants` (SQL permissions), because they name tables of later scripts.
  const all = ALL_TABLES.filter((tables) => tables.feature !== 'grants')
  const before = (tables: Migrations): Migrations =>
    tables.feature === feature ? { feature, scripts: tables.scripts.slice(0, 1) } : tables
  await migrate(database, all.map(before))
  for (const [index, [stream, store, lane]] of STREAMS.entries()) {
    await database.query('INSERT INTO lane (store, lane) VALUES ($1, $2) ON CONFLICT DO NOTHING', [store, lane])
    await database.query('INSERT INTO stream (name, store, lane, epoch, applied) VALUES ($1, $2, $3, $4, 99)', [
      stream,
      store,
      lane,
      index + 1,
    ])
  }
  return {
    database,
    migrateAll: () => migrate(database, all),
    fact: (stream: string | undefined, seq: number, kind: string, subject: string, body: Fact['body']) =>
      database.query('INSERT INTO fact (stream, seq, kind, subject, at, body) VALUES ($1, $2, $3, $4, 1, $5)', [
        stream,
        seq,
        kind,
        subject,
        JSON.stringify(body),
      ]),
    setAside: (stream: string | undefined, seq: number) =>
      database.query("INSERT INTO fact_aside (stream, seq, reason) VALUES ($1, $2, 'unreadable')", [stream, seq]),
  }
}

const rowsOf = async (database: Postgres, sql: string): Promise<readonly unknown[]> => (await database.query(sql)).rows

test('overview amounts written by the previous release migrate to the amounts that a rebuild gives', async ({
  skip,
}) => {
  const { database, migrateAll, fact, setAside } = await openOld(skip, 'overview')
  const rounded = (body: Fact['body'], list: 'tenders' | 'refunds', roundingCents: number): Fact['body'] => {
    const payments = body[list]
    if (!Array.isArray(payments)) throw new Error(`the body has no ${list}`)
    const last = payments.length - 1
    return { ...body, [list]: payments.map((one, at) => (at === last ? { ...Object(one), roundingCents } : one)) }
  }
  const cancelled = (id: string): Fact['body'] => ({ ...saleBody(id, 1, 0), state: 'cancelled', tenders: [] })
  const taxed = { ...returnBody('R1', 'S1', null, 1), taxes: [{ code: 'HST', amountCents: 130 }] }
  await fact(FIRST, 1, 'sale', 'S1', rounded(saleBody('S1', 2, 1_000), 'tenders', -2))
  await fact(FIRST, 2, 'sale', 'G1', giftCardSaleBody('G1', 2_500))
  await fact(FIRST, 3, 'sale', 'C1', cancelled('C1'))
  await fact(FIRST, 4, 'return', 'R1', rounded(taxed, 'refunds', 3))
  await fact(RESTORED, 8, 'sale', 'S1', cancelled('S1'))
  await fact(RESTORED, 9, 'sale', 'G1', giftCardSaleBody('G1', 9_900))
  await setAside(RESTORED, 9)
  await fact(OTHER_LANE, 1, 'sale', 'T1', saleBody('T1', 1, 0))
  await fact(OTHER_STORE, 1, 'sale', 'S1', rounded(saleBody('S1', 1, 0), 'tenders', 1))
  await database.query(`INSERT INTO overview_sale VALUES
    ('1001', 'S1', '01', 'sale', 1, 2000, 0, 2000, 2000), ('1001', 'G1', '01', 'sale', 1, 2500, 0, 2500, 2500),
    ('1001', 'C1', '01', 'cancelled', 1, 0, 0, 0, 0), ('1001', 'R1', '01', 'return', 2, 1000, 0, 1000, 1000),
    ('1001', 'T1', '02', 'sale', 1, 1000, 0, 1000, 1000), ('1002', 'S1', '01', 'sale', 1, 1000, 0, 1000, 1000)`)
  await database.query(`INSERT INTO overview_amount VALUES
    ('1001', 'S1', 'tender', 'card', '01', 1, 1, 1000), ('1001', 'S1', 'tender', 'cash', '01', 1, 1, 1000),
    ('1001', 'G1', 'tender', 'cash', '01', 1, 1, 2500), ('1001', 'R1', 'tax', 'HST', '01', 2, 0, -130),
    ('1001', 'R1', 'tender', 'store-credit', '01', 2, -1, -1000),
    ('1001', 'T1', 'tender', 'card', '02', 1, 0, 0), ('1001', 'T1', 'tender', 'cash', '02', 1, 1, 1000),
    ('1002', 'S1', 'tender', 'card', '01', 1, 0, 0), ('1002', 'S1', 'tender', 'cash', '01', 1, 1, 1000)`)

  await migrateAll()
  const amounts = `SELECT * FROM overview_amount ORDER BY store, sale_id, part, code`
  const migrated = await rowsOf(database, amounts)
  const added = `SELECT store, sale_id AS sale, part, code, count, cents FROM overview_amount
    WHERE part IN ('gift-card', 'tax') OR code = 'cash-rounding' ORDER BY store, sale_id, part`
  expect(await rowsOf(database, added)).toEqual([
    { store: '1001', sale: 'G1', part: 'gift-card', code: '', count: 1, cents: 2_500 },
    { store: '1001', sale: 'R1', part: 'tax', code: 'HST-returned', count: 1, cents: -130 },
    { store: '1001', sale: 'R1', part: 'tender', code: 'cash-rounding', count: 0, cents: -3 },
    { store: '1001', sale: 'S1', part: 'tender', code: 'cash-rounding', count: 0, cents: -2 },
    { store: '1002', sale: 'S1', part: 'tender', code: 'cash-rounding', count: 0, cents: 1 },
  ])
  await rebuild(database, PROJECTIONS, () => undefined)
  expect(await rowsOf(database, 'SELECT stream, seq FROM fact_aside')).toEqual([{ stream: RESTORED, seq: 9 }])
  expect(await rowsOf(database, amounts)).toEqual(migrated)
})

test('a migration fills the register of changes with the values that a rebuild gives', async ({ skip }) => {
  const { database, migrateAll, fact, setAside } = await openOld(skip, 'changes')
  const person = (name: string, clock: unknown): Fact['body'] => ({
    subject: 'jo',
    clock: JSON.parse(JSON.stringify(clock)),
    at: 1,
    by: { id: 'sam', name: 'Sam' },
    seen: {},
    value: { name, role: 'cashier', locale: 'en-CA', active: true, profileEntry: null },
  })
  await fact(FIRST, 1, 'person', 'jo', person('Jo', 7))
  await fact(FIRST, 2, 'person', 'jo', person('Joe', 9))
  await fact(FIRST, 3, 'person', 'jo', person('Joan', '12'))
  await fact(FIRST, 4, 'person', 'jo', person('Joanne', 99))
  await setAside(FIRST, 4)
  await fact(FIRST, 5, 'sale', 'S1', saleBody('S1', 1, 0))
  await fact(OTHER_LANE, 1, 'person', 'jo', person('Jon', 9))
  await fact(OTHER_STORE, 1, 'person', 'jo', person('Jos', 3))
  await migrateAll()
  const registers = 'SELECT store, kind, subject, clock, lane FROM change_register ORDER BY store'
  const migrated = await rowsOf(database, registers)
  expect(migrated).toEqual([
    { store: '1001', kind: 'person', subject: 'jo', clock: 9, lane: '02' },
    { store: '1002', kind: 'person', subject: 'jo', clock: 3, lane: '01' },
  ])
  await database.query('UPDATE fact SET body = $1 WHERE stream = $2 AND seq = 4', ['{}', FIRST])
  await rebuild(database, PROJECTIONS, () => undefined)
  expect(await rowsOf(database, registers)).toEqual(migrated)
})
