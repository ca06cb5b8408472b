import { afterEach, describe, expect, test } from 'vitest'
import { OVERVIEW_PATHS, StoreDay } from '../../../contracts/store/overview.ts'
import { STORE_PATHS, STORE_PROTOCOL, type LaneHealth } from '../../../contracts/store/protocol.ts'
import { makeAuthority } from '../certificate/self-signed.ts'
import { type Postgres } from '../db/postgres.ts'
import { revokeDevices } from '../enrolment/enrolment.sql.ts'
import { PRICE, saleBody, zBody } from '../testing/fact-bodies.ts'
import { usePostgres } from '../testing/postgres.ts'
import { RECONCILIATION_SQL } from './reconciliation.ts'
import { OVERVIEW_SQL } from './overview.sql.ts'
import { fillStore } from './testing.ts'
import { HEALTH } from '../lanes/lanes.fixture.ts'
import { STORE_ROUTES } from '../app.ts'
import { openDatabase } from '../database.ts'
import { createLog } from '../log.ts'
import { contextOf, openRoutes } from '../testing/context.ts'

const postgres = usePostgres({ fsync: false })
const streamOf = (lane: string): string => lane.padStart(32, 'a')
const HOUR = 3_600_000
const FROM = Date.parse('2026-11-20T05:00:00Z')
const DAY = { from: FROM, before: FROM + 24 * HOUR }
const AT = FROM + 6 * HOUR

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(
  skip: Parameters<typeof postgres.database>[0],
  { url, authority = null }: { readonly url?: string; readonly authority?: string | null } = {},
) {
  const on = url ?? (await postgres.database(skip))
  const log = createLog('silent')
  const database = await openDatabase(on, { log })
  const ctx = contextOf(database, { log, settings: { authority } })
  const app = await openRoutes(ctx, Object.values(STORE_ROUTES), ({ headers }) => {
    const lane = headers.authorization?.slice('Bearer '.length)
    return lane === undefined ? null : { store: lane === '09' ? 'OTHER' : 'STORE', lane }
  })
  closing.push(async () => {
    await app.close()
    await database.close()
  })
  const call = async (lane: string | null, url: string, body: object = {}) => {
    const headers = lane === null ? {} : { authorization: `Bearer ${lane}` }
    const answer = await app.inject({ method: 'POST', url, headers, payload: { protocol: STORE_PROTOCOL, ...body } })
    return { status: answer.statusCode, body: answer.json() }
  }
  const shown = new Map<string, number>()
  const send = async (
    lane: string,
    ...facts: readonly { kind: string; subject: string; body: object; at?: number }[]
  ) => {
    const stream = streamOf(lane)
    const before = shown.get(lane) ?? 0
    if (before === 0) await call(lane, STORE_PATHS.hello, { version: '1.0.0', streams: [{ epoch: 1, name: stream }] })
    shown.set(lane, before + facts.length)
    const numbered = facts.map((fact, index) => ({ seq: before + index + 1, at: AT, sealed: null, ...fact }))
    return call(lane, STORE_PATHS.facts, { stream, epoch: 1, facts: numbered })
  }
  const heartbeat = (lane: string, health: Partial<LaneHealth> = {}) =>
    call(lane, STORE_PATHS.heartbeat, { health: { ...HEALTH, ...health }, vector: {}, waitMs: 0 })
  return { url: on, database, call, send, heartbeat }
}

test.for([
  { when: 'in one year', years: 1, authorityEnds: expect.stringMatching(/^\d{4}-/) },
  { when: 'in three years', years: 3, authorityEnds: null },
])(
  'the expiry of the authority that lanes pin is announced two years ahead, not earlier (expiry $when)',
  async ({ years, authorityEnds }, { skip }) => {
    const { certificate: authority } = await makeAuthority(new Date(), years)
    const { call } = await start(skip, { authority })
    expect((await call('01', OVERVIEW_PATHS.lanes)).body).toMatchObject({ authorityEnds })
  },
)

const operation = (id: string, over: object = {}) => ({
  kind: 'operation',
  subject: id,
  body: {
    id,
    kind: 'redemption',
    type: 'redeem',
    saleId: 'S1',
    state: 'escalated',
    createdAt: AT,
    changedAt: AT,
    approvedOnAttempt: null,
    units: 1,
    amountCents: 10_00,
    miles: 95,
    pendingMiles: null,
    rejectedMiles: null,
    confirmationNumber: null,
    transDateTime: null,
    responseCode: null,
    outcome: null,
    found: null,
    ...over,
  },
})
const approved = (uuid: number, lane: string, businessDay: string, over: object = {}, shown: object = {}) => {
  const id = `00000000-0000-4000-8000-${String(uuid).padStart(12, '0')}`
  const row = {
    operationId: id,
    saleId: 'N1010100000038K7Q2',
    lane,
    storeId: 'STORE',
    sponsorCode: 'NRTH',
    deviceId: 'D1',
    traceId: 'T1',
    idempotencyKey: 'K1',
    confirmationNumber: 'C1',
    dateTime: '2026-11-20T06:00:00-05:00',
    transDateTime: '2026-11-20T06:00:00',
    approvedAt: `${businessDay}T15:00:00.000Z`,
    collector: '•••• ••• 0145',
    units: 1,
    amountCents: 10_00,
    miles: 95,
    responseCode: '0000',
    state: 'approved',
    ...shown,
  }
  return operation(id, { state: 'approved', approvedOnAttempt: 2, approval: { businessDay, row }, ...over })
}

describe('the list of all lanes', () => {
  test("shows each lane's last status, its last contact, and the number of its facts in quarantine", async ({
    skip,
  }) => {
    const { call, send, heartbeat, database } = await start(skip)
    await send('01', { kind: 'sale', subject: 'S1', body: { unreadable: 'its row is not there' } })
    await heartbeat('01', { troubles: ['printer'], untold: 3 })
    await send('02')
    await heartbeat('02')
    await database.query("UPDATE lane SET seen_at = now() - interval '1 hour' WHERE lane = '02'")
    await send('09')
    const { body } = await call('01', OVERVIEW_PATHS.lanes)
    expect(body.lanes).toMatchObject([
      { lane: '01', connected: true, aside: 1, version: '1.0.0', health: { troubles: ['printer'], untold: 3 } },
      { lane: '02', connected: false, aside: 0 },
    ])
    expect(Date.now() - Date.parse(body.lanes[1].heardAt)).toBeGreaterThan(HOUR - 60_000)
  })

  test('shows a lane as not connected if it sends hellos but no heartbeats', async ({ skip }) => {
    const { call, send, heartbeat, database } = await start(skip)
    const hello = (lane: string) =>
      call(lane, STORE_PATHS.hello, { version: '2', streams: [{ epoch: 1, name: streamOf(lane) }] })
    await send('01')
    await heartbeat('01')
    await database.query("UPDATE lane SET seen_at = now() - interval '1 hour'")
    await hello('01')
    await hello('02')
    const before = Date.now() - HOUR / 2
    expect((await call('01', OVERVIEW_PATHS.lanes)).body.lanes).toMatchObject([
      { lane: '01', version: '2', connected: false },
      { lane: '02', version: '2', connected: false, heardAt: null, health: null },
    ])
    expect((await call('01', OVERVIEW_PATHS.day, { from: before - HOUR, before })).body.incomplete).toEqual([
      '01',
      '02',
    ])
  })

  test('shows a lane as not connected until its next heartbeat if the clock was ahead at its last heartbeat', async ({
    skip,
  }) => {
    const { call, send, heartbeat, database } = await start(skip)
    await send('01')
    await send('02')
    await heartbeat('01')
    await heartbeat('02')
    await database.query("UPDATE lane SET seen_at = now() + interval '3 hours' WHERE lane = '02'")
    expect((await call('01', OVERVIEW_PATHS.lanes)).body.lanes).toMatchObject([
      { lane: '01', connected: true },
      { lane: '02', connected: false },
    ])
    const before = Date.now() + HOUR
    const { body } = await call('01', OVERVIEW_PATHS.day, { from: before - 24 * HOUR, before })
    expect(body.incomplete).toEqual(['02'])
    await heartbeat('02')
    expect((await call('01', OVERVIEW_PATHS.lanes)).body.lanes).toMatchObject([{}, { lane: '02', connected: true }])
  })

  test('is sent only to lanes of the same store', async ({ skip }) => {
    const { call, send } = await start(skip)
    await send('01', operation('00000000-0000-4000-8000-000000000001'))
    await send('09')
    expect((await call('09', OVERVIEW_PATHS.queue)).body).toEqual({ lanes: [], calls: [] })
    for (const path of Object.values(OVERVIEW_PATHS)) {
      expect(await call(null, path), path).toMatchObject({ status: 401, body: { refused: 'token' } })
      expect((await call('01', path, { protocol: STORE_PROTOCOL + 2 })).status, path).not.toBe(200)
    }
  })
})

const sold = (id: string, over: object = {}) => ({
  kind: 'sale',
  subject: id,
  body: { ...saleBody(id, 2, 5_00), closedAt: AT, ...over },
})

const zOf = (number: number, totalCents: number, ...differences: readonly number[]) => ({
  kind: 'z-report',
  subject: String(number),
  body: zBody('01', number, AT, totalCents, differences),
})

describe("the overview of a store's day", () => {
  test('keeps a completed sale that its restored lane cancels later', async ({ skip }) => {
    const { call, send } = await start(skip)
    await send('01', sold('S1'))
    await send('01', sold('S1', { state: 'cancelled', totals: null, tenders: [] }))
    const { body } = await call('02', OVERVIEW_PATHS.day, DAY)
    expect(body.lanes).toMatchObject([{ lane: '01', summary: { sales: 1, totalCents: 20_00 } }])
  })

  test('keeps the first completed version of a sale that is sent as sold and as cancelled, with its payments', async ({
    skip,
  }) => {
    const { call, send } = await start(skip)
    const cancelled = sold('S1', { state: 'cancelled', totals: null, tenders: [] })
    const otherwise = sold('S1', { ...saleBody('S1', 3, 8_00), closedAt: AT })
    await send('01', sold('S1'), cancelled)
    await send('01', otherwise)
    const { body } = await call('02', OVERVIEW_PATHS.day, DAY)
    expect(body.lanes).toMatchObject([
      {
        summary: { sales: 1, totalCents: 20_00 },
        tenders: [
          { id: 'card', cents: 5_00 },
          { id: 'cash', cents: 15_00 },
        ],
      },
    ])
  })

  test('can be read, like the exceptions queue, after extreme times and sums from a lane were quarantined', async ({
    skip,
  }) => {
    const { call, send } = await start(skip)
    const [odd = '', fine = ''] = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
    const rest = { grossCents: 20_00, discountCents: 0, netCents: 20_00, taxes: [] }
    const huge = { ...rest, totalCents: Number.MAX_SAFE_INTEGER }
    const shown = await send(
      '01',
      operation(odd, { changedAt: Number.MAX_SAFE_INTEGER }),
      operation(odd, { state: 'confirmed', kind: 'issuance', miles: Number.MAX_SAFE_INTEGER }),
      sold('S1', { totals: huge }),
      sold('S2', { totals: huge }),
      operation(fine),
      sold('S3'),
      zOf(1, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      zOf(2, Number.MAX_SAFE_INTEGER),
      zOf(3, 10_00, 5, -2),
    )
    expect(shown.body.aside).toEqual([1, 2, 3, 4, 7, 8])
    expect((await call('02', OVERVIEW_PATHS.queue)).body.calls).toMatchObject([{ id: fine }])
    const day = StoreDay.parse((await call('02', OVERVIEW_PATHS.day, DAY)).body)
    expect(day.lanes).toMatchObject([{ summary: { sales: 1 } }])
    expect(day.zs).toMatchObject([{ number: 3, totalCents: 10_00, differenceCents: 3 }])
  })
})

describe('the exceptions queue of the store', () => {
  test('contains operations of all lanes that need a person, until their outcome is known', async ({ skip }) => {
    const { call, send } = await start(skip)
    const ids = [1, 2, 3, 4].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
    const [lost = '', dead = '', refused = '', fine = ''] = ids
    await send('01', operation(lost), operation(fine, { state: 'confirmed', kind: 'issuance', type: 'issue' }))
    await send('02', operation(dead, { state: 'dead', kind: 'issuance', type: 'issue', changedAt: AT + 1 }))
    await send('02', operation(refused, { state: 'rejected', outcome: 'expected-refusal' }))
    const { body } = await call('01', OVERVIEW_PATHS.queue)
    expect(body.lanes).toEqual([
      { lane: '01', attention: 1 },
      { lane: '02', attention: 1 },
    ])
    expect(body.calls).toMatchObject([
      { id: dead, lane: '02', type: 'issue', state: 'dead' },
      { id: lost, lane: '01', type: 'redeem', state: 'escalated', amountCents: 10_00 },
    ])
    await send('01', operation(lost, { found: 'not-at-central' }))
    expect((await call('02', OVERVIEW_PATHS.queue)).body.lanes).toEqual([{ lane: '02', attention: 1 }])
  })
})

describe('the reconciliation of the store', () => {
  const today = '2026-11-22'
  const day = (date: string) => ({ day: date, from: FROM, before: DAY.before })
  const make = { ...day('2026-11-20'), by: 'Sam Okafor' }

  test('contains each approval in exactly one original report, also with concurrent lanes and servers', async ({
    skip,
  }) => {
    const first = await start(skip)
    const second = await start(skip, { url: first.url })
    await first.send('01', approved(1, '01', '2026-11-20'))
    await second.send('02', approved(2, '02', '2026-11-20'), approved(3, '02', '2026-11-21'))
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? first : second).call('01', OVERVIEW_PATHS.reconciliationExport, make),
      ),
    )
    expect(made.map(({ body }) => body.status).filter((status) => status === 'original')).toHaveLength(1)
    expect(made.map(({ body }) => Number(body.copy)).toSorted((one, other) => one - other)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ])
    for (const { body } of made) expect(body.totals).toEqual({ rows: 2, units: 2, amountCents: 20_00, miles: 190 })
    await first.send('03', approved(4, '03', '2026-11-20'))
    expect((await first.call('01', OVERVIEW_PATHS.reconciliation, { today })).body.days).toMatchObject([
      { businessDay: '2026-11-21', state: 'due', totals: { rows: 2 } },
      { businessDay: '2026-11-20', state: 'exported', totals: { rows: 2 }, copies: 7, exportedBy: 'Sam Okafor' },
    ])
    const next = { ...make, day: '2026-11-21' }
    const { body } = await first.call('02', OVERVIEW_PATHS.reconciliationExport, next)
    expect(body).toMatchObject({ status: 'original', rows: [{ lane: '03' }, { lane: '02' }] })
    const rows = await first.database.query(
      'SELECT original, count(*)::int FROM overview_approval GROUP BY 1 ORDER BY 1',
    )
    expect(rows.rows).toEqual([
      { original: '2026-11-20', count: 2 },
      { original: '2026-11-21', count: 2 },
    ])
  })

  test('marks a reversal that came later on a copy of the report, and keeps the original unchanged', async ({
    skip,
  }) => {
    const { call, send } = await start(skip)
    await send('01', approved(1, '01', '2026-11-20'))
    await call('01', OVERVIEW_PATHS.reconciliationExport, make)
    expect((await call('01', OVERVIEW_PATHS.reconciliationExport, make)).body).toMatchObject({ sameAsOriginal: true })
    await send('01', approved(1, '01', '2026-11-20', { state: 'reversed' }))
    const copy = await call('01', OVERVIEW_PATHS.reconciliationExport, make)
    expect(copy.body).toMatchObject({ status: 'copy', copy: 2, sameAsOriginal: false, rows: [{ state: 'reversed' }] })
    const original = await call('01', OVERVIEW_PATHS.reconciliationOriginal, day('2026-11-20'))
    expect(original.body).toMatchObject({ status: 'original', copy: 0, rows: [{ state: 'approved' }] })
  })

  test('can be read when a call has a state of a later release', async ({ skip }) => {
    const { call, send } = await start(skip)
    await send('01', approved(1, '01', '2026-11-20'))
    await send('01', approved(1, '01', '2026-11-20', { state: 'reversed-in-part' }))
    const { body } = await call('02', OVERVIEW_PATHS.reconciliation, { today })
    expect(body.days).toMatchObject([{ businessDay: '2026-11-20', totals: { rows: 1 } }])
    expect((await call('02', OVERVIEW_PATHS.reconciliationDay, day('2026-11-20'))).body.rows).toMatchObject([
      { state: 'approved' },
    ])
  })

  test('can be read and created after extreme sums from a lane were quarantined', async ({ skip }) => {
    const { call, send } = await start(skip)
    const shown = await send(
      '01',
      approved(1, '01', '2026-11-20'),
      ...['units', 'amountCents', 'miles'].map((field) =>
        approved(2, '01', '2026-11-20', {}, { [field]: Number.MAX_SAFE_INTEGER }),
      ),
    )
    expect(shown.body.aside).toEqual([2, 3, 4])
    expect((await call('02', OVERVIEW_PATHS.reconciliation, { today })).body.days).toMatchObject([
      { businessDay: '2026-11-20', totals: { rows: 1, amountCents: 10_00 } },
    ])
    expect((await call('02', OVERVIEW_PATHS.reconciliationExport, make)).body).toMatchObject({ status: 'original' })
  })

  test('lists the lanes that have not sent all facts, and creates no original for a day without approvals', async ({
    skip,
  }) => {
    const { call, send, heartbeat, database } = await start(skip)
    await send('01', approved(1, '01', '2026-11-20'))
    await heartbeat('01')
    await send('02')
    await heartbeat('02', { untold: 4 })
    await send('03')
    await heartbeat('03')
    await database.query("UPDATE lane SET seen_at = to_timestamp($1::float8 / 1000) WHERE lane = '03'", [AT])
    expect((await call('01', OVERVIEW_PATHS.reconciliationDay, day('2026-11-20'))).body).toMatchObject({
      status: 'preview',
      missing: ['02', '03'],
      totals: { rows: 1 },
    })
    const none = await call('01', OVERVIEW_PATHS.reconciliationExport, { ...make, day: '2026-11-19' })
    expect(none).toMatchObject({ status: 404, body: { refused: 'not-found' } })
    expect((await database.query('SELECT 1 FROM overview_original')).count).toBe(0)
    expect((await call('01', OVERVIEW_PATHS.reconciliationExport, make)).body.missing).toEqual(['02', '03'])
  })
})

describe('a lane with all facts of a day', () => {
  const incomplete = async ({ call }: Awaited<ReturnType<typeof start>>, span: object) =>
    (await call('01', OVERVIEW_PATHS.day, span)).body.incomplete
  const soldAt = (id: string, at: number) => ({ kind: 'sale', subject: id, body: saleBody(id, 1, PRICE), at })
  const TODAY = { from: DAY.before, before: DAY.before + 24 * HOUR }

  test('is a lane that has sent a sale of a later day, even if newer facts are unsent', async ({ skip }) => {
    const store = await start(skip)
    const { send, heartbeat, call } = store
    await send('01', approved(1, '01', '2026-11-20'), soldAt('S1', DAY.before + HOUR))
    await heartbeat('01', { untold: 1 })
    await send('02', soldAt('S2', AT))
    await heartbeat('02', { untold: 1 })
    expect(await incomplete(store, DAY)).toEqual(['02'])
    expect(await incomplete(store, TODAY)).toEqual(['01', '02'])
    const make = { day: '2026-11-20', ...DAY, by: 'Sam Okafor' }
    expect((await call('01', OVERVIEW_PATHS.reconciliationExport, make)).body.missing).toEqual(['02'])
  })

  test('is a revoked lane, for each day after its revocation; the list shows it as revoked', async ({ skip }) => {
    const store = await start(skip)
    const { call, send, heartbeat, database } = store
    for (const lane of ['01', '02']) {
      await send(lane, soldAt(`S${lane}`, AT))
      await heartbeat(lane)
      await database.query(
        `INSERT INTO device (token_hash, store, lane, lane_key, code_id, since)
          VALUES (sha256($1::bytea), 'STORE', $2, 'its key', 'its code', 0)`,
        [lane, lane],
      )
    }
    const seen = 'UPDATE lane SET seen_at = to_timestamp($1::bigint / 1000) WHERE lane = $2'
    await database.query(seen, [AT, '02'])
    expect(await incomplete(store, DAY)).toEqual(['02'])
    expect(await incomplete(store, TODAY)).toEqual(['02'])
    await revokeDevices(database, { store: 'STORE', lane: '02' }, DAY.before - HOUR)
    expect(await incomplete(store, DAY), 'what it sold on its last day never came').toEqual(['02'])
    expect(await incomplete(store, TODAY)).toEqual([])
    expect((await call('01', OVERVIEW_PATHS.lanes)).body.lanes).toMatchObject([
      { lane: '01', refused: null },
      { lane: '02', refused: 'revoked' },
    ])
  })
})

const planOf = async (database: Postgres, sql: string, params: readonly unknown[]): Promise<string> =>
  (await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, params)).rows
    .map((row) => row['QUERY PLAN'])
    .join('\n')

test('every list and sum of the overview uses an index, in a store with many days', async ({ skip }) => {
  const { database } = await start(skip)
  await fillStore(database, { lanes: 2, days: 365, sales: 40, from: FROM })
  const span = ['STORE', FROM, FROM + 24 * HOUR]
  for (const name of ['sales', 'amounts', 'redeemed', 'issued', 'zs', 'shifts'] as const) {
    const plan = await planOf(database, OVERVIEW_SQL[name], span)
    expect(plan, name).toMatch(/Index (Only )?Scan (on|using) overview_(sale|amount|z|shift)_by_time/)
    expect(plan, name).not.toContain('Seq Scan')
  }
  for (const name of ['calls', 'attention'] as const)
    expect(await planOf(database, OVERVIEW_SQL[name], ['STORE']), name).toContain('overview_call_attention')
  expect(await planOf(database, RECONCILIATION_SQL.waiting, ['STORE'])).toContain('overview_approval_waiting')
  expect(await planOf(database, RECONCILIATION_SQL.reported, ['STORE', '2026-11-20'])).toContain(
    'overview_approval_of_original',
  )
  expect(await planOf(database, RECONCILIATION_SQL.originals, ['STORE'])).toMatch(/overview_original/)
})
