import { expect, test } from 'vitest'
import { usePostgres } from '../testing/postgres.ts'
import { fact, HEALTH, OTHER, PROOFS, startLanes, STREAM } from './lanes.fixture.ts'
import { migrate } from '../db/migrate.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { HOLDS_TABLES } from '../holds/holds.ts'
import { LANES_TABLES } from './lanes.ts'

const postgres = usePostgres({ fsync: false })
const FOLLOWED = ['person', 'held-sale']
const LANES = Array.from({ length: 30 }, (_, index) => `${index + 10}`)
const BUSY = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'
  AND pid <> pg_backend_pid()`
const beat = (vector: object, waitMs: number, more: object = {}) => ({
  health: HEALTH,
  vector,
  kinds: FOLLOWED,
  waitMs,
  ...more,
})

test('an idle heartbeat uses one transaction and writes no row', async ({ skip }) => {
  const { call, hello, database, spent } = await startLanes(postgres, skip)
  await hello('01')
  await hello('02', OTHER)
  await call('02', 'heartbeat', beat({}, 0))
  const row = 'SELECT xmin::text, seen_at FROM lane WHERE lane = $1'
  const before = (await database.query(row, ['02'])).rows
  spent()
  expect((await call('02', 'heartbeat', beat({}, 1))).status).toBe(200)
  expect(spent()).toBe(1)
  expect((await database.query(row, ['02'])).rows).toEqual(before)

  await database.query("UPDATE lane SET seen_at = now() - interval '9 seconds' WHERE lane = '02'")
  await call('02', 'heartbeat', beat({}, 0))
  const { rows } = await database.query(
    "SELECT seen_at > now() - interval '5 seconds' AS seen FROM lane WHERE lane = '02'",
  )
  expect(rows, 'the row is written at least every 8 seconds').toEqual([{ seen: true }])
  await call('02', 'heartbeat', beat({}, 0, { health: { ...HEALTH, untold: 3 } }))
  const changed = await database.query("SELECT health ->> 'untold' AS untold FROM lane WHERE lane = '02'")
  expect(changed.rows, 'a change is written at once').toEqual([{ untold: '3' }])
})

test('a sale ends no waiting heartbeat of thirty lanes, and a change of the staff ends all of them', async ({
  skip,
}) => {
  const { call, hello, push, spent, database } = await startLanes(postgres, skip)
  await hello('01')
  for (const [index, lane] of LANES.entries()) await hello(lane, `${index + 10}`.padStart(32, 'c'))
  spent()
  const held = Promise.all(LANES.map((lane) => call(lane, 'heartbeat', beat({}, 10_000))))
  await expect.poll(spentSoFar(spent)).toBe(LANES.length)
  await expect.poll(async () => (await database.query(BUSY)).count).toBe(0)
  await push('01', [fact(1, { kind: 'sale-note' }), fact(2, { kind: 'sale-note' })])
  await expect.poll(spentSoFar(spent)).toBe(2)
  await push('01', [fact(3, { kind: 'person' }), fact(4, { kind: 'sale-note' })])
  for (const { body } of await held) expect(body.heads).toEqual({ [STREAM]: 3 })
  await expect.poll(spentSoFar(spent)).toBe(2 + LANES.length)
})

test('a heartbeat returns proofs also for streams without facts of the kinds that the lane follows', async ({
  skip,
}) => {
  const { call, hello, push } = await startLanes(postgres, skip)
  await hello('01')
  await hello('02', OTHER)
  await push('01', [fact(1, { kind: 'person' }), fact(2)])
  const { body } = await call('02', 'heartbeat', beat({}, 0))
  const proven = { [STREAM]: { seq: 2, proof: PROOFS.of('STORE', STREAM, 2) } }
  expect(body).toMatchObject({ heads: { [STREAM]: 1 }, proven })
  const again = await call('02', 'heartbeat', beat({ [STREAM]: 1 }, 1, { heard: proven }))
  expect(again.body).toMatchObject({ heads: {}, proven: {} })
})

test('a waiting heartbeat ends when held sales change, and returns their version only if the lane requests it', async ({
  skip,
}) => {
  const { call, hello, spent, database } = await startLanes(postgres, skip)
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES, HOLDS_TABLES])
  await hello('01')
  const { holds } = (await call('01', 'heartbeat', beat({}, 10_000, { holds: '' }))).body
  expect(holds).toMatch(/./)
  spent()
  expect((await call('01', 'heartbeat', beat({}, 1, { holds }))).body.holds).toBe(holds)
  expect(spent()).toBe(1)
  await database.query(`INSERT INTO held_sale (id, store, lane, sale, state, held_at, content)
    VALUES (gen_random_uuid(), 'STORE', '02', 'S', 'waiting', 1, '{}')`)
  const changed = (await call('01', 'heartbeat', beat({}, 10_000, { holds }))).body.holds
  expect(changed).toMatch(/./)
  expect(changed).not.toBe(holds)
  expect((await call('01', 'heartbeat', beat({}, 1))).body).not.toHaveProperty('holds')
})

test('a waiting heartbeat returns facts of a followed kind that another server of the database received', async ({
  skip,
}) => {
  const first = await startLanes(postgres, skip)
  const second = await startLanes(postgres, skip, first.url)
  await first.hello('01')
  await second.hello('02', OTHER)
  second.spent()
  const held = second.call('02', 'heartbeat', beat({}, 10_000))
  await expect.poll(spentSoFar(second.spent)).toBeGreaterThan(0)
  await first.push('01', [fact(1)])
  await first.push('01', [fact(2, { kind: 'held-sale' })])
  expect((await held).body.heads).toEqual({ [STREAM]: 2 })
})

function spentSoFar(spent: () => number): () => number {
  let sum = 0
  return () => (sum += spent())
}
