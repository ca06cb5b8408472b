import { expect, onTestFinished, test } from 'vitest'
import { LATEST_AHEAD, LATEST_TIME } from '../../../contracts/store/bounds.ts'
import { CHANGE_PATHS } from '../../../contracts/store/changes.ts'
import { STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import { migrate } from '../db/migrate.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { LANES_TABLES } from '../lanes/lanes.ts'
import { fact, OTHER, startLanes, STREAM } from '../lanes/lanes.fixture.ts'
import { contextOf, openRoutes } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { startVoucherLanes } from '../testing/voucher-lanes.ts'
import { runChanges } from './command.ts'
import { changeRoutes, CHANGES_TABLES } from './changes.ts'

const postgres = usePostgres({ fsync: false })
const BY_OWNER = { by: 'R. Okafor', why: 'asked Sam by phone' }
const AT = Date.parse('2026-11-28T15:00:00Z')

const change = (seq: number, kind: string, subject: string, value: Fact['body']) =>
  fact(seq, { kind, body: { subject, clock: AT + seq, at: AT, by: { id: 'sam', name: 'Sam' }, seen: {}, value } })
const person = (seq: number, subject: string, role: string, active = true) =>
  change(seq, 'person', subject, { name: subject, role, locale: 'en-CA', active, profileEntry: null })

test('the changes CLI command lists changes to confirm, and confirmed changes are reported to the lanes', async ({
  skip,
}) => {
  const { database, hello, push } = await startLanes(postgres, skip)
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES, CHANGES_TABLES])
  const app = await openRoutes(contextOf(database), [changeRoutes], ({ headers: { authorization: store } }) =>
    store === undefined ? null : { store, lane: '02' },
  )
  onTestFinished(() => app.close())
  const confirmed = async (store: string) => {
    const payload = {
      protocol: STORE_PROTOCOL,
      facts: [1, 2, 3].map((seq) => ({ stream: STREAM, seq })),
    }
    const headers = { authorization: store }
    const answer = await app.inject({ method: 'POST', url: CHANGE_PATHS.confirmed, headers, payload })
    expect(answer.statusCode).toBe(200)
    return answer.json().confirmed
  }
  await hello('01')
  expect(await runChanges(database, { kind: 'list' })).toBe('No change needs a confirmation.\n')
  await push('01', [
    person(1, 'jo', 'supervisor'),
    person(2, 'jo', 'manager'),
    change(3, 'person-pin', 'sam', { temporary: false }),
    person(4, 'max', 'cashier'),
    change(5, 'person-pin', 'max', { temporary: false }),
    change(6, 'setting', 'approvals.discountAbovePercent', { rows: [] }),
    change(7, 'setting', 'receipt.footer', { rows: [] }),
  ])
  const listed = await runChanges(database, { kind: 'list' })
  expect(listed.split('\n').slice(0, 4)).toEqual([
    `${STREAM}/2  jo: manager, by Sam at lane STORE/01, 2026-11-28 15:00 UTC`,
    `${STREAM}/3  sam: PIN set, by Sam at lane STORE/01, 2026-11-28 15:00 UTC`,
    `${STREAM}/6  setting approvals.discountAbovePercent: {"rows":[]}, by Sam at lane STORE/01, 2026-11-28 15:00 UTC`,
    '',
  ])
  expect(await confirmed('STORE')).toEqual([])
  const confirm = (seq: number, stream = STREAM) => runChanges(database, { kind: 'confirm', stream, seq, ...BY_OWNER })
  expect(await confirm(2)).toBe(`${STREAM}/2 takes effect at every lane.\n`)
  await expect(confirm(2)).rejects.toThrow('was confirmed before')
  await expect(confirm(1, OTHER)).rejects.toThrow('is not a waiting change')
  expect(await confirmed('STORE')).toEqual([{ stream: STREAM, seq: 2, ...BY_OWNER }])
  expect(await confirmed('OTHER'), 'another store does not receive it').toEqual([])
  expect(await runChanges(database, { kind: 'list' })).not.toContain('jo: manager')
  await push('01', [change(8, 'setting', 'approvals.discountAbovePercent', { rows: ['aside'] })])
  await database.query("INSERT INTO fact_aside (stream, seq, reason) VALUES ($1, 8, '')", [STREAM])
  expect(await runChanges(database, { kind: 'list' })).toContain(`${STREAM}/6  setting`)
})

test('after LATEST_AHEAD, a clock far ahead is refused, so that lanes can still change this and other prices', async ({
  skip,
}) => {
  const store = await startVoucherLanes(await postgres.database(skip))
  onTestFinished(() => store.close())
  const price = (lane: string, sku: string, clock: number) =>
    store.lane(lane).fact('planned-price', `${sku} 1`, {
      subject: `${sku} 1`,
      clock,
      at: AT,
      by: { id: 'sam', name: 'Sam' },
      seen: {},
      value: { sku, fromAt: 1, priceCents: 1 },
    })
  expect(await price('03', 'A', LATEST_TIME)).toBe(false)
  expect(await price('03', 'A', LATEST_AHEAD + 1)).toBe(false)
  expect(await price('03', 'A', LATEST_AHEAD)).toBe(true)
  expect(await price('01', 'A', LATEST_AHEAD + 1)).toBe(true)
  expect(await price('02', 'B', LATEST_AHEAD + 2)).toBe(true)
  expect(await price('03', 'B', LATEST_AHEAD + 5_000)).toBe(false)
  expect(await store.query('SELECT subject, lane FROM change_register ORDER BY subject')).toEqual([
    { subject: 'A 1', lane: '01' },
    { subject: 'B 1', lane: '02' },
  ])
})
