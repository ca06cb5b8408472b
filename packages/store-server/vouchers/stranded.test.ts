import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { openPostgres, type Postgres } from '../db/postgres.ts'
import { PROJECTIONS } from '../projections.ts'
import { createLog } from '../log.ts'
import { rebuild } from '../lanes/rebuild.ts'
import { usePostgres } from '../testing/postgres.ts'
import { startVoucherLanes, type VoucherLanes } from '../testing/voucher-lanes.ts'
import { runVouchers } from './command.ts'

const postgres = usePostgres({ fsync: false })
const CODE = 'CODE-ABCD'
const HOUR_MS = 3_600_000
const LANE = { store: 'STORE', lane: '01', by: 'Sam Okafor', why: 'no receipt has it' } as const
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Started {
  readonly store: VoucherLanes
  readonly database: Postgres
  enrol(code: string): Promise<void>
  release(isLaneLost: boolean): Promise<string>
  list(): Promise<string>
}

async function start(skip: Parameters<typeof postgres.database>[0]): Promise<Started> {
  const url = await postgres.database(skip)
  const store = await startVoucherLanes(url)
  const database = openPostgres({ url, log: createLog('silent') })
  closing.push(
    () => store.close(),
    () => database.close(),
  )
  const enrol = async (code: string): Promise<void> => {
    await database.query("UPDATE device SET revoked_at = 1 WHERE lane = '01' AND revoked_at IS NULL")
    await database.query(
      "INSERT INTO device (token_hash, store, lane, lane_key, code_id, since) VALUES ($1, 'STORE', '01', 'KEY', $2, 1)",
      [randomBytes(32), code],
    )
  }
  await enrol('A')
  await store.lane('01~A').entry(CODE, 'issued', 1000)
  return {
    store,
    database,
    enrol,
    release: (isLaneLost) => runVouchers(database, { kind: 'release-lane', ...LANE, isLaneLost }),
    list: () => runVouchers(database, { kind: 'list' }),
  }
}

const booksAreRight = async ({ store }: Started): Promise<void> => expect(await store.wrong()).toEqual([])

test("voucher value at a replaced lane can be released by the owner, after the end of the lane's lease", async ({
  skip,
}) => {
  const started = await start(skip)
  const { store, database, enrol, release, list } = started
  await store.lane('01~A').beat(HOUR_MS)
  await enrol('B')
  await store.lane('01~B').complete()
  expect(await list()).toMatch(/\$10\.00 of gift card …ABCD, .* STORE\/01, replaced 20.*; until 20.* UTC/)
  expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 0 })
  await expect(release(false), 'the old machine may pay until its lease ends').rejects.toThrow(
    'may still report the outcome',
  )
  await database.query(
    "UPDATE voucher_ledger SET lease_until = now() - interval '1 second' WHERE stranded_at IS NOT NULL",
  )
  expect(await release(false)).toBe('$10.00 of …ABCD can be spent again.\n')
  expect(await store.lane('02').draw(CODE, 1000)).toMatchObject({ kind: 'granted' })
  await expect(release(false)).rejects.toThrow('No value of lane STORE/01 waits for its owner')
  await booksAreRight(started)
})

test('the owner can release voucher value before the lease ends by confirming that the old machine is gone', async ({
  skip,
}) => {
  const started = await start(skip)
  const { store, enrol, release } = started
  await store.lane('01~A').beat(HOUR_MS)
  await enrol('B')
  await store.lane('01~B').complete()
  expect(await release(true)).toBe('$10.00 of …ABCD can be spent again.\n')
  expect(await store.lane('01~B').draw(CODE, 1000)).toMatchObject({ kind: 'granted' })
  await booksAreRight(started)
})

test('voucher value stays at a replaced lane while a rebuild leaves facts of that lane unread', async ({ skip }) => {
  const { store, database, enrol, list } = await start(skip)
  await enrol('B')
  await database.query("UPDATE stream SET unread_from = applied + 1 WHERE lane = '01'")
  await store.lane('01~B').complete()
  expect(await list()).not.toContain('STORE/01')
  await database.query('UPDATE stream SET unread_from = NULL')
  await store.lane('01~B').complete()
  expect(await list()).toContain('STORE/01')
})

test("a lane's lease without a known end never expires by itself", async ({ skip }) => {
  const started = await start(skip)
  await started.enrol('B')
  await started.store.lane('01~B').complete()
  expect(await started.list()).toContain('until - the old machine may still pay with it')
  await expect(started.release(false)).rejects.toThrow('may still report the outcome')
  await booksAreRight(started)
})

test("voucher value of a lane that stopped normally moves to the store when the lane's replacement connects", async ({
  skip,
}) => {
  const started = await start(skip)
  const { store, enrol, list } = started
  await store.lane('01~A').beat(HOUR_MS)
  await store.lane('01~A').beat(0)
  await enrol('B')
  await store.lane('01~B').complete()
  expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 1000 })
  expect(await list()).toContain('Nothing is open')
  await booksAreRight(started)
})

test('a rebuild keeps unreleased voucher value at a replaced lane, and released value in the store', async ({
  skip,
}) => {
  const started = await start(skip)
  const { store, database, enrol, release, list } = started
  await store.lane('01~A').entry('CODE-EFGH', 'issued', 500)
  await enrol('B')
  await store.lane('01~B').complete()
  const before = await list()
  await rebuild(database, PROJECTIONS, () => undefined)
  expect(await list()).toBe(before)
  expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 0, at: [] })
  await booksAreRight(started)
  await release(true)
  await rebuild(database, PROJECTIONS, () => undefined)
  expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 1000 })
  expect(await store.lane('02').draw('CODE-EFGH', 500)).toMatchObject({ kind: 'granted' })
  await booksAreRight(started)
})
