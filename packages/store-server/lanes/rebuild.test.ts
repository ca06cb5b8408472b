import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { runArchive } from './archive.ts'
import { openPostgres, type Postgres } from '../db/postgres.ts'
import { PROJECTIONS } from '../projections.ts'
import type { Projection } from './projection.ts'
import { createLog } from '../log.ts'
import { operationBody, returnBody, saleBody } from '../testing/fact-bodies.ts'
import { usePostgres } from '../testing/postgres.ts'
import { startVoucherLanes, type VoucherLanes } from '../testing/voucher-lanes.ts'
import { readReceipt } from '../receipts/receipts.sql.ts'
import { createOpenDraws } from '../vouchers/vouchers.ts'
import { rebuild, runRebuild } from './rebuild.ts'

const postgres = usePostgres({ fsync: false })
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(skip: Parameters<typeof postgres.database>[0]) {
  const url = await postgres.database(skip)
  const store = await startVoucherLanes(url, 2)
  const database = openPostgres({ url, log: createLog('silent') })
  closing.push(
    () => store.close(),
    () => database.close(),
  )
  return { store, database }
}

const person = { id: 'sam', name: 'Sam' }
const shift = (id: number) => ({
  id,
  drawerOf: person,
  openedAt: 1,
  openedBy: person,
  floatCents: 100,
  countedAt: 2,
  closedAt: 3,
  closedBy: person,
  closing: { result: { cash: { differenceCents: -5 } } },
})

async function work({ store, database }: { store: VoucherLanes; database: Postgres }): Promise<void> {
  const [one, two, three] = [store.lane('01'), store.lane('02'), store.lane('03')]
  const CODES = ['CODE-AAAA', 'CODE-BBBB', 'CODE-CCCC'] as const
  await one.issued(CODES, 1_000)
  for (const code of CODES) await one.transfer(code, 'handed-over', 900)
  const [taken, open, released, cancelled] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await two.draw(CODES[0], 300, taken)
  await two.transfer(CODES[0], 'drawn', 300, taken)
  await two.entry(CODES[0], 'redeemed', 300)
  await two.draw(CODES[0], 100, open)
  await two.draw(CODES[1], 200, released)
  await two.draw(CODES[1], 250, cancelled)
  await two.cancel(CODES[1], 250, cancelled)
  await two.draw(CODES[1], 5_000)
  await createOpenDraws(database).release(released, 'Sam', 'no paper', true)
  await three.transfer(CODES[2], 'drawn', 400)
  await three.entry(CODES[2], 'redeemed', 350)
  await three.entry(CODES[2], 'given-back', 50)
  await two.entry(CODES[2], 'issued', 2_500)
  await two.transfer(CODES[2], 'handed-over', 2_500)

  await one.fact('sale', 'S1', saleBody('S1', 3, 2_000))
  await one.fact('sale', 'S2', { ...saleBody('S2', 1, 0), state: 'cancelled', tenders: [] })
  const reservation = randomUUID()
  await database.query(
    `INSERT INTO receipt_return (store, id, sale_id, lane, state, at, lines, refunds, total_cents)
      VALUES ('STORE', $1, 'S1', '02', 'claimed', 7, $2, $3, 1000),
        ('STORE', $4, 'S1', '03', 'released', 0, '[]', '[]', 0)`,
    [
      reservation,
      JSON.stringify([{ number: 1, quantity: 1 }]),
      JSON.stringify([{ kind: 'store-credit', paidBy: 'card', amountCents: 1_000, roundingCents: 0 }]),
      randomUUID(),
    ],
  )
  await two.fact('return', 'R1', returnBody('R1', 'S1', reservation, 1))
  await one.fact('return', 'R2', returnBody('R2', 'S1', null, 1))
  await one.fact('operation', 'O1', operationBody('O1', 'S1', 'escalated'))
  await one.fact('operation', 'O1', operationBody('O1', 'S1', 'approved'))
  await one.fact('shift', '1', shift(1))
  expect(await three.fact('sale', 'S3', { id: 'S3' }), 'unreadable').toBe(false)
  expect(await three.fact('sale', 'S4', saleBody('S4', 2, 2_000))).toBe(true)
}

/** Tables whose rows derive only from facts. */
const EMPTIED = [
  'voucher_at_lane',
  'voucher_issue',
  'voucher_counted',
  'voucher_account',
  'receipt_line',
  'receipt_payment',
  'receipt_operation',
  'receipt',
  'overview_amount',
  'overview_sale',
  'overview_call',
  'overview_shift',
  'overview_z',
] as const
const TABLES = [...EMPTIED, 'voucher_ledger', 'voucher_release', 'receipt_return', 'overview_approval', 'fact_aside']

async function tablesOf(database: Postgres): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {}
  for (const table of TABLES) {
    const { rows } = await database.query<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${table} AS t`)
    all[table] = rows.map(({ row }) => row).toSorted()
  }
  return all
}

test('a rebuild gives identical tables from emptied and existing ones, any number of times', async ({ skip }) => {
  const started = await start(skip)
  const { store, database } = started
  await work(started)
  const before = await tablesOf(database)
  for (const table of [...EMPTIED, 'voucher_ledger', 'receipt_return', 'fact_aside'])
    expect(before[table]?.length, table).toBeGreaterThan(table === 'overview_z' ? -1 : 0)
  expect(await store.wrong()).toEqual([])

  for (const table of EMPTIED) await database.query(`DELETE FROM ${table}`)
  await database.query("DELETE FROM voucher_ledger WHERE direction = 'in'")
  const output: string[] = []
  await runRebuild(database, (line) => output.push(line))
  expect(await tablesOf(database)).toEqual(before)
  expect(output.at(-1)).toMatch(/^\d+ facts were read again\. 1 could not be read, 1 before\.\n$/)

  for (let times = 0; times < 2; times += 1) {
    await rebuild(database, PROJECTIONS, () => undefined)
    expect(await tablesOf(database)).toEqual(before)
  }
  expect(await store.wrong()).toEqual([])
  expect(await store.lane('02').draw('CODE-AAAA', 501)).toMatchObject({ kind: 'refused', heldCents: 500 })
  expect(await store.lane('02').draw('CODE-AAAA', 500)).toMatchObject({ kind: 'granted' })
})

test('a rebuild reads facts that an earlier version could not read, and reports them', async ({ skip }) => {
  const started = await start(skip)
  const { database } = started
  await work(started)
  const [stream] = (await database.query<{ stream: string; seq: number }>('SELECT stream, seq FROM fact_aside')).rows
  await database.query('UPDATE fact SET body = $3 WHERE stream = $1 AND seq = $2', [
    stream?.stream,
    stream?.seq,
    JSON.stringify(saleBody('S3', 1, 1_000)),
  ])
  const read: [number, number][] = []
  const {
    facts,
    quarantinedBefore: asideBefore,
    quarantined: aside,
  } = await rebuild(database, PROJECTIONS, (...so) => read.push(so))
  expect([asideBefore, aside]).toEqual([1, 0])
  expect(read.at(-1)).toEqual([facts, facts])
  expect((await database.query("SELECT total_cents FROM receipt WHERE id = 'S3'")).rows).toEqual([
    { total_cents: 1000 },
  ])
})

test('a draw requested during a rebuild is answered after it; facts pushed in the meantime are included', async ({
  skip,
}) => {
  const started = await start(skip)
  const { store, database } = started
  await work(started)
  const during: Promise<unknown>[] = []
  await rebuild(database, PROJECTIONS, () => {
    if (during.length > 0) return
    during.push(
      store.lane('03').draw('CODE-AAAA', 500),
      store.lane('01').entry('CODE-LATE', 'issued', 700),
      store.lane('02').fact('sale', 'S9', saleBody('S9', 1, 0)),
    )
  })
  expect(await Promise.all(during)).toMatchObject([{ kind: 'granted', heldCents: 0 }, undefined, true])
  // PostgreSQL frees the rebuild's table locks before its advisory lock, so the last push may still see the rebuild.
  await store.lane('03').beat(0)
  const after = await tablesOf(database)
  await rebuild(database, PROJECTIONS, () => undefined)
  expect(await tablesOf(database)).toEqual(after)
  expect(await store.wrong()).toEqual([])
})

function duringReading(work: () => Promise<unknown>): Projection {
  let done: Promise<unknown> | null = null
  return {
    kinds: ['sale'],
    async apply() {
      await (done ??= work())
    },
  }
}

test('pushes are answered during a rebuild, which reads their facts before it ends', async ({ skip }) => {
  const started = await start(skip)
  const { store, database } = started
  await work(started)
  const receipts = async (): Promise<unknown> =>
    (await database.query("SELECT id FROM receipt WHERE id IN ('S8', 'S9') ORDER BY id")).rows
  const pushing = duringReading(async () => {
    expect(await store.lane('02').fact('sale', 'S8', saleBody('S8', 1, 0))).toBe(true)
    expect(await store.lane('02').fact('sale', 'S9', saleBody('S9', 1, 0))).toBe(true)
    await store.lane('01').entry('CODE-LATE', 'issued', 700)
    await store.lane('03').beat(0)
    expect(await receipts()).toEqual([])
  })
  await rebuild(database, [...PROJECTIONS, pushing], () => undefined)
  expect(await receipts()).toEqual([{ id: 'S8' }, { id: 'S9' }])
  expect((await database.query('SELECT name FROM stream WHERE unread_from IS NOT NULL')).rows).toEqual([])
  const after = await tablesOf(database)
  await rebuild(database, PROJECTIONS, () => undefined)
  expect(await tablesOf(database)).toEqual(after)
  expect(await store.wrong()).toEqual([])
})

test.for(['push', 'heartbeat of another lane'] as const)(
  'facts pushed during a failed rebuild are read with the next %s',
  async (next, { skip }) => {
    const started = await start(skip)
    const { store, database } = started
    await work(started)
    const pushing = duringReading(async () => {
      await store.lane('02').fact('sale', 'S8', saleBody('S8', 1, 0))
      await store.lane('01').entry('CODE-LATE', 'issued', 700)
    })
    const failing = rebuild(database, [...PROJECTIONS, pushing], () => {
      throw new Error('the power went')
    })
    await expect(failing).rejects.toThrow('the power went')
    const unread = async () =>
      (await database.query('SELECT lane FROM stream WHERE unread_from IS NOT NULL ORDER BY lane')).rows
    expect(await unread()).toEqual([{ lane: '01' }, { lane: '02' }])
    if (next === 'push') {
      await store.lane('01').entry('CODE-LATE', 'redeemed', 100)
      await store.lane('02').fact('return', 'R8', returnBody('R8', 'S8', null, 1))
    } else await store.lane('03').beat(0)
    expect(await unread()).toEqual([])
    expect((await database.query("SELECT lane FROM receipt WHERE id = 'S8'")).rows).toEqual([{ lane: '02' }])
    const after = await tablesOf(database)
    await rebuild(database, PROJECTIONS, () => undefined)
    expect(await tablesOf(database)).toEqual(after)
    expect(await store.wrong()).toEqual([])
  },
)

test('a failed rebuild changes nothing', async ({ skip }) => {
  const started = await start(skip)
  const { database } = started
  await work(started)
  const before = await tablesOf(database)
  const failing = rebuild(database, PROJECTIONS, () => {
    throw new Error('the power went')
  })
  await expect(failing).rejects.toThrow('the power went')
  expect(await tablesOf(database)).toEqual(before)
})

const AGE = `UPDATE fact SET received_at = received_at - make_interval(months => 26 - segment)
  FROM (SELECT stream, seq, ntile(6) OVER (ORDER BY received_at, stream, seq) AS segment FROM fact) AS segments
  WHERE fact.stream = segments.stream AND fact.seq = segments.seq`
const COUNTS = `SELECT (SELECT count(*)::int FROM fact) AS here, (SELECT count(*)::int FROM fact_archive) AS archived`

test('archiving the facts of past months changes neither a receipt nor the result of a rebuild', async ({ skip }) => {
  const started = await start(skip)
  const { store, database } = started
  await work(started)
  await database.query(AGE)
  await rebuild(database, PROJECTIONS, () => undefined)
  const before = await tablesOf(database)
  const receipt = await readReceipt(database, { store: 'STORE', lane: '02' }, 'S1')
  expect(receipt).toMatchObject({ sale: { id: 'S1' } })
  const [all] = (await database.query<{ here: number }>(COUNTS)).rows
  const output: string[] = []
  const write = (line: string): void => void output.push(line)
  await runArchive(database, 13, write)
  const [counts] = (await database.query<{ here: number; archived: number }>(COUNTS)).rows
  expect(counts).toEqual({ here: 0, archived: all?.here })
  expect(output).toEqual([
    expect.stringMatching(/^\d+ facts moved to the tables of 20\d\d-[01]\d to 20\d\d-[01]\d\.\n$/),
  ])
  await runArchive(database, 13, write)
  expect(output.at(-1)).toBe('No fact is old enough to be archived.\n')
  const { rows: months } = await database.query("SELECT 1 FROM pg_class WHERE relname ~ '^fact_20'")
  expect(months.length).toBeGreaterThanOrEqual(6)

  expect(await readReceipt(database, { store: 'STORE', lane: '02' }, 'S1')).toEqual(receipt)
  for (const id of ['01', '02', '03'])
    await store
      .lane(id)
      .sendAgain()
      .catch(() => undefined)
  await rebuild(database, PROJECTIONS, () => undefined)
  expect(await tablesOf(database)).toEqual(before)
  expect(await store.wrong()).toEqual([])
})
