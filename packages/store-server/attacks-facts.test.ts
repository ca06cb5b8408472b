import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import type { Fact } from '../../contracts/store/protocol.ts'
import { openPostgres } from './db/postgres.ts'
import { runQuarantine } from './lanes/unread.ts'
import { createLog } from './log.ts'
import { runRebuild } from './lanes/rebuild.ts'
import { entryBody, giftCardSaleBody, operationBody, returnBody, saleBody, zBody } from './testing/fact-bodies.ts'
import { usePostgres } from './testing/postgres.ts'
import { hashOf, startVoucherLanes, type VoucherLane, type VoucherLanes } from './testing/voucher-lanes.ts'

const postgres = usePostgres({ fsync: false })
const CODE = 'CODE-ABCD'
const HASH = hashOf(CODE)
const saleOf = (lane: string, number: number): string => `N101${lane}${String(number).padStart(8, '0')}K7QZ`
const TABLES = [
  'SELECT hash, issued_by, issues, held_cents, issued_cents, redeemed_cents, given_back_cents FROM voucher_account',
  'SELECT hash, lane, cents, paid_cents FROM voucher_at_lane',
  'SELECT id, hash, lane, direction, state, amount_cents FROM voucher_ledger',
  'SELECT hash, lane, amount_cents, subject, source FROM voucher_issue',
  'SELECT lane, kind, subject, at FROM voucher_counted',
  'SELECT id, lane, at, total_cents FROM receipt',
  'SELECT sale_id, number, sold FROM receipt_line',
  'SELECT id, sale_id, lane, state, return_id, lines, refunds FROM receipt_return',
  'SELECT id, lane, sale_id, body FROM receipt_operation',
  'SELECT id, lane, kind, at, total_cents FROM overview_sale',
  'SELECT sale_id, lane, part, code, cents FROM overview_amount',
  'SELECT id, lane, state FROM overview_call',
  'SELECT lane, number, total_cents FROM overview_z',
  'SELECT id, lane, sale, state, claimed_by, resumed_as FROM held_sale',
  'SELECT sale, lane, resumed_as FROM held_sale_gone',
]

/**
 * Starts a store after a month of use. The attacker has the private key of lane 03, so the server accepts facts that it
 * signs.
 */
async function start(skip: TestContext['skip']) {
  const url = await postgres.database(skip)
  const store = await startVoucherLanes(url)
  const owner = openPostgres({ url, log: createLog('silent') })
  onTestFinished(async () => {
    await store.close()
    await owner.close()
  })
  await store.query("UPDATE database_identity SET since = now() - interval '30 days'")
  const rows = async () =>
    Promise.all(TABLES.map(async (sql) => (await store.query(sql)).map((row) => JSON.stringify(row)).toSorted()))
  const thief = store.lane('03')
  async function expectRefused(reason: string, kind: string, subject: string, body: Fact['body']): Promise<void> {
    const before = await rows()
    expect(await thief.fact(kind, subject, body), 'the fact is quarantined').toBe(false)
    expect(await rows()).toEqual(before)
    expect(await store.wrong()).toEqual([])
    const list = await runQuarantine(owner, { kind: 'list' })
    expect(list.split('\n').find((line) => line.includes(`/${thief.sent().length}`))).toContain(reason)
  }
  return { store, owner, rows, thief, expectRefused }
}

const transfer = (id: string, direction: string, amountCents: number): Fact['body'] => {
  const {
    saleId: _sale,
    returnId: _return,
    operationId: _operation,
    kind: _kind,
    ...about
  } = entryBody(HASH, '', 1, {})
  return { ...about, id, direction, amountCents }
}

async function awaitForRevoked({ query }: VoucherLanes): Promise<void> {
  await query(`INSERT INTO stream_awaited (store, stream, heard, put_back, claimed_by, claimed_at)
    VALUES ('STORE', '${'e'.repeat(32)}', 9, false, '02', now() - interval '1 day')`)
  await query(`INSERT INTO device (token_hash, store, lane, lane_key, code_id, since, revoked_at)
    VALUES (sha256('a'), 'STORE', '02', 'key', 'A', 1, extract(epoch FROM now()) * 1000)`)
}

describe('a lane whose private key was stolen', () => {
  test('cannot take the receipt number of another lane, before or after that lane uses it', async ({ skip }) => {
    const { store, expectRefused } = await start(skip)
    const [first, second] = [saleOf('01', 1), saleOf('01', 2)]
    await expectRefused('is an id of lane 01', 'sale', first, saleBody(first, 1, 0))
    expect(await store.lane('01').fact('sale', first, saleBody(first, 2, 0))).toBe(true)
    expect(await store.lane('01').fact('sale', second, saleBody(second, 2, 0))).toBe(true)
    await expectRefused('is an id of lane 01', 'sale', second, saleBody(second, 9, 0))
    const cancelled = { ...saleBody(second, 1, 0), state: 'cancelled', totals: null, tenders: [] }
    await expectRefused('is an id of lane 01', 'sale', second, cancelled)
    expect(await store.lane('01').fact('sale', 'EARLIER-ID', saleBody('EARLIER-ID', 1, 0))).toBe(true)
    await expectRefused('belongs to lane 01', 'sale', 'EARLIER-ID', saleBody('EARLIER-ID', 9, 0))
    await expectRefused('was sent under another id', 'sale', 'OTHER', saleBody(saleOf('03', 1), 1, 0))
  })

  test('repeats its own sale without effect; another sale under that number is quarantined', async ({ skip }) => {
    const { store, thief, expectRefused } = await start(skip)
    const id = saleOf('03', 1)
    expect(await thief.fact('sale', id, saleBody(id, 1, 0))).toBe(true)
    expect(await thief.fact('sale', id, saleBody(id, 1, 0))).toBe(true)
    expect(await store.query('SELECT 1 FROM receipt')).toHaveLength(1)
    await expectRefused('sent different content', 'sale', id, saleBody(id, 2, 0))
  })

  test('cannot create $9,000 of gift-card value without a sale of a gift card', async ({ skip }) => {
    const { store, thief, expectRefused } = await start(skip)
    const none = 'issued a voucher that no'
    await expectRefused(none, 'voucher-entry', '1', entryBody(HASH, 'issued', 900_000, { saleId: 'NO-SALE' }))
    await expectRefused(none, 'voucher-entry', '2', entryBody(HASH, 'issued', 900_000, { returnId: 'NO-RETURN' }))
    const late = { saleId: 'NO-SALE', operationId: 'NO-CALL' }
    await expectRefused(none, 'voucher-entry', '3', entryBody(HASH, 'issued', 900_000, late))
    const [other, own, dear] = [saleOf('01', 1), saleOf('03', 1), saleOf('03', 2)]
    await store.lane('01').fact('sale', other, giftCardSaleBody(other, 5_000))
    await expectRefused(none, 'voucher-entry', '4', entryBody(HASH, 'issued', 5_000, { saleId: other }))
    await thief.fact('sale', own, giftCardSaleBody(own, 5_000))
    await expectRefused(none, 'voucher-entry', '5', entryBody(HASH, 'issued', 900_000, { saleId: own }))
    expect(await thief.fact('voucher-entry', '6', entryBody(HASH, 'issued', 5_000, { saleId: own }))).toBe(true)
    await expectRefused(none, 'voucher-entry', '7', entryBody(HASH, 'issued', 5_000, { saleId: own }))
    await thief.fact('sale', dear, giftCardSaleBody(dear, 900_000))
    await expectRefused(none, 'voucher-entry', '8', entryBody(HASH, 'issued', 900_000, { saleId: dear }))
    await expectRefused('amountCents', 'voucher-entry', '9', entryBody(HASH, 'redeemed', -900_000, { saleId: own }))
    const unpaid = saleOf('03', 3)
    await thief.fact('sale', unpaid, { ...giftCardSaleBody(unpaid, 5_000), tenders: [] })
    await expectRefused(none, 'voucher-entry', '10', entryBody(HASH, 'issued', 5_000, { saleId: unpaid }))
  })

  test('cannot create a voucher of a kind that the store does not know', async ({ skip }) => {
    const { store, thief, expectRefused } = await start(skip)
    const sale = saleOf('03', 1)
    await thief.fact('sale', sale, giftCardSaleBody(sale, 5_000))
    const entry = { ...entryBody(HASH, 'issued', 5_000, { saleId: sale }), voucherKind: 'cash' }
    await expectRefused('Invalid option', 'voucher-entry', '1', entry)
    expect(await store.lane('01').find(CODE)).toEqual({ kind: 'unknown' })
    expect((await thief.vouchersAtLane()).vouchers).toEqual([])
  })

  test("cannot transfer, spend or give back more of a voucher than the voucher's balance", async ({ skip }) => {
    const { store, expectRefused } = await start(skip)
    await store.lane('01').entry(CODE, 'issued', 5_000)
    await store.lane('01').transfer(CODE, 'handed-over', 4_000)
    const id = randomUUID()
    await expectRefused('more than the balance at the lane', 'voucher-transfer', id, transfer(id, 'handed-over', 1))
    await expectRefused(
      'more than the balance at the lane',
      'voucher-entry',
      '1',
      entryBody(HASH, 'redeemed', 1, { saleId: 'S' }),
    )
    await expectRefused('more is given back', 'voucher-entry', '2', entryBody(HASH, 'given-back', 1, { saleId: 'S' }))
    expect(await store.lane('01').find(CODE)).toMatchObject({ heldCents: 4_000, at: [] })
  })

  test('cannot spend a draw that was granted to another lane or never granted', async ({ skip }) => {
    const { store, expectRefused } = await start(skip)
    await store.lane('01').entry(CODE, 'issued', 5_000)
    await store.lane('01').transfer(CODE, 'handed-over', 5_000)
    const [granted, invented] = [randomUUID(), randomUUID()]
    expect(await store.lane('02').draw(CODE, 3_000, granted)).toMatchObject({ kind: 'granted' })
    const reason = 'was not granted to this lane'
    await expectRefused(reason, 'voucher-transfer', granted, transfer(granted, 'drawn', 3_000))
    await expectRefused(reason, 'voucher-transfer', invented, transfer(invented, 'drawn', 2_000))
    await store.lane('02').transfer(CODE, 'drawn', 3_000, granted)
    expect(await store.wrong()).toEqual([])
    await store.query("UPDATE fact SET received_at = received_at - interval '20 days'")
    await store.query('UPDATE database_identity SET since = now()')
    await store.lane('01').entry(CODE, 'issued', 100)
    expect(await store.lane('01').find(CODE)).toMatchObject({ heldCents: 2_000, at: [{ lane: '02', cents: 3_000 }] })
    expect(await store.query('SELECT 1 FROM fact_aside')).toHaveLength(2)
  })

  test("cannot complete another lane's reservation, or return another lane's goods without a reservation", async ({
    skip,
  }) => {
    const { store, thief, expectRefused } = await start(skip)
    const sale = saleOf('01', 1)
    const returned = saleOf('03', 1)
    await expectRefused('id of lane 01', 'return', returned, returnBody(returned, sale, null, 9))
    await store.lane('01').fact('sale', sale, saleBody(sale, 3, 3_000))
    const [others, own] = [randomUUID(), randomUUID()]
    for (const [id, lane] of [
      [others, '02'],
      [own, '03'],
    ])
      await store.query(`INSERT INTO receipt_return (store, id, sale_id, lane, state, at, lines, refunds, total_cents)
        VALUES ('STORE', '${id}', '${sale}', '${lane}', 'claimed', 1, '[{"number": 1, "quantity": 1}]',
          '[{"kind": "store-credit", "paidBy": "card", "amountCents": 1000, "roundingCents": 0}]', 1000)`)
    await expectRefused('belongs to lane 02', 'return', returned, returnBody(returned, sale, others, 1))
    await expectRefused('id of lane 01', 'return', returned, returnBody(returned, sale, null, 1))
    await expectRefused('more than was reserved', 'return', returned, returnBody(returned, sale, own, 2))
    await expectRefused('more than was sold', 'return', returned, returnBody(returned, sale, randomUUID(), 2))
    await expectRefused('negative quantity or amount', 'return', returned, returnBody(returned, sale, own, -1))
    await expectRefused('id of lane 02', 'return', saleOf('02', 1), returnBody(saleOf('02', 1), sale, own, 1))
    expect(await thief.fact('return', returned, returnBody(returned, sale, own, 1))).toBe(true)
  })

  test('cannot return goods with a reservation that was never granted or was already released', async ({ skip }) => {
    const { store, owner, thief, expectRefused } = await start(skip)
    const [sale, returned] = [saleOf('01', 1), saleOf('03', 1)]
    const now = Date.now()
    await store.lane('01').fact('sale', sale, { ...saleBody(sale, 3, 3_000), closedAt: now })
    const invented = randomUUID()
    const reason = 'was not granted'
    const body = (reservation: string, pieces: number, at = now) => ({
      ...returnBody(returned, sale, reservation, pieces),
      at,
    })
    await expectRefused(reason, 'return', returned, body(invented, 1))
    // The forged return has a time before this database existed; its sale is newer than the database.
    await expectRefused(reason, 'return', returned, body(invented, 1, 2))
    const unknown = { ...returnBody(returned, saleOf('01', 2), invented, 1), at: now }
    await expectRefused(reason, 'return', returned, unknown)
    const tombstone = `INSERT INTO receipt_return (store, id, sale_id, lane, state, at, lines, refunds, total_cents)
      VALUES ('STORE', '${invented}', '${sale}', '03', 'released', 0, '[]', '[]', 0)`
    await store.query(tombstone)
    await expectRefused(reason, 'return', returned, body(invented, 9))
    await store.query("UPDATE fact SET received_at = received_at - interval '20 days'")
    await store.query('UPDATE database_identity SET since = now()')
    await runRebuild(owner, () => undefined)
    expect(await store.query("SELECT 1 FROM receipt_return WHERE state = 'returned'")).toEqual([])
    // The lost database may have granted the reservation, but the goods returned cannot exceed the goods sold.
    await expectRefused('more than was sold', 'return', returned, body(invented, 9))
    expect(await thief.fact('return', returned, body(invented, 1))).toBe(true)
    expect(await store.query("SELECT lines FROM receipt_return WHERE state = 'returned'")).toEqual([
      { lines: [{ number: 1, quantity: 1 }] },
    ])
  })

  test('cannot return more goods than were sold with a reservation that it released', async ({ skip }) => {
    const { store, thief, expectRefused } = await start(skip)
    const [sale, returned, reservation] = [saleOf('01', 1), saleOf('03', 1), randomUUID()]
    await store.lane('01').fact('sale', sale, saleBody(sale, 1, 1_000))
    await store.query(`INSERT INTO receipt_return (store, id, sale_id, lane, state, at, lines, refunds, total_cents)
      VALUES ('STORE', '${reservation}', '${sale}', '03', 'released', 1, '[{"number": 1, "quantity": 1}]',
        '[{"kind": "store-credit", "paidBy": "card", "amountCents": 1000, "roundingCents": 0}]', 1000)`)
    await expectRefused('more than was sold', 'return', returned, returnBody(returned, sale, reservation, 2))
    expect(await thief.fact('return', returned, returnBody(returned, sale, reservation, 1))).toBe(true)
  })

  test("cannot end another lane's reservation of a held sale", async ({ skip }) => {
    const { store, expectRefused } = await start(skip)
    const [reservation, held, offered] = [randomUUID(), saleOf('01', 1), saleOf('01', 2)]
    await store.query(`INSERT INTO hold_claim (id, store, lane) VALUES ('${reservation}', 'STORE', '02')`)
    await store.query(`INSERT INTO held_sale (id, store, lane, sale, state, content, claim, claimed_by)
      VALUES ('${randomUUID()}', 'STORE', '01', '${held}', 'claimed', '{}', '${reservation}', '02')`)
    await store.query(`INSERT INTO held_sale (id, store, lane, sale, state, content)
      VALUES ('${randomUUID()}', 'STORE', '01', '${offered}', 'offered', '{}')`)
    const resumed = (sale: string, as = saleOf('03', 1)) => ({ sale, resumedAs: as, by: { id: 'a', name: 'A' } })
    const other = randomUUID()
    await expectRefused('has not reserved', 'held-sale', reservation, resumed(held))
    await expectRefused('has not reserved', 'held-sale', other, resumed(held))
    await expectRefused('has not reserved', 'held-sale', other, resumed(offered))
    await expectRefused('is an id of lane 02', 'held-sale', other, resumed('ANY', saleOf('02', 9)))
    expect(await store.query(`SELECT claimed_by FROM held_sale WHERE sale = '${held}'`)).toEqual([{ claimed_by: '02' }])
  })

  test('cannot mark a held sale as resumed that it never reserved, offered by its lane or not', async ({ skip }) => {
    const { store, owner, expectRefused } = await start(skip)
    const [never, waiting, other] = [saleOf('01', 1), saleOf('01', 2), randomUUID()]
    const now = Date.now()
    await store.query(`INSERT INTO held_sale (id, store, lane, sale, state, held_at, content)
      VALUES ('${randomUUID()}', 'STORE', '01', '${waiting}', 'waiting', ${now}, '{}')`)
    const resumed = (sale: string, as = saleOf('03', 1)) => ({ sale, resumedAs: as, by: { id: 'a', name: 'A' } })
    await store.query("UPDATE database_identity SET since = now() - interval '30 days'")
    await expectRefused('was not granted', 'held-sale', other, resumed(waiting))
    await store.query('UPDATE database_identity SET since = to_timestamp(0)')
    await expectRefused('was not granted', 'held-sale', other, resumed(never))
    // Within days of a restore, lane 03 may report a reservation that the database lost; a rebuild long after accepts
    // that report again.
    await store.query('UPDATE database_identity SET since = now()')
    expect(await store.lane('03').fact('held-sale', other, resumed(never, saleOf('03', 2)))).toBe(true)
    await store.query('UPDATE database_identity SET since = to_timestamp(0)')
    const aside = await store.query('SELECT seq FROM fact_aside')
    await runRebuild(owner, () => undefined)
    expect(await store.query('SELECT seq FROM fact_aside')).toEqual(aside)
    expect(await store.query('SELECT sale FROM held_sale_gone')).toEqual([{ sale: never }])
  })

  test('cannot resume a held sale without a reservation, even if a lane, revoked since, reported lost facts', async ({
    skip,
  }) => {
    const { store, expectRefused } = await start(skip)
    const sale = saleOf('01', 1)
    await store.query(`INSERT INTO held_sale (id, store, lane, sale, state, held_at, content)
      VALUES ('${randomUUID()}', 'STORE', '01', '${sale}', 'offered', 1, '{}')`)
    await awaitForRevoked(store)
    const resumed = { sale, resumedAs: saleOf('03', 1), by: { id: 'a', name: 'A' } }
    await expectRefused('has not reserved', 'held-sale', randomUUID(), resumed)
    expect(await store.query('SELECT state FROM held_sale')).toEqual([{ state: 'offered' }])
  })

  test('cannot hide a negative balance of the store behind lost facts that a revoked lane reported', async ({
    skip,
  }) => {
    const { store } = await start(skip)
    await store.lane('01').entry(CODE, 'issued', 5_000)
    await store.query('UPDATE voucher_account SET held_cents = -100')
    await store.query('UPDATE voucher_at_lane SET cents = 5100')
    await awaitForRevoked(store)
    expect(await store.wrong()).toMatchObject([{ held_cents: -100 }])
    await store.query('UPDATE device SET revoked_at = NULL')
    expect(await store.wrong()).toEqual([])
  })

  test('cannot report a Z report or the calls of another lane', async ({ skip }) => {
    const { store, thief, expectRefused } = await start(skip)
    const [call, sale] = [randomUUID(), saleOf('01', 1)]
    await store.lane('01').fact('sale', sale, saleBody(sale, 1, 0))
    await store.lane('01').fact('operation', call, operationBody(call, sale, 'approved'))
    await expectRefused('Z 1 is of lane 01', 'z-report', '1', zBody('01', 1, 1, 5_000, [0]))
    await expectRefused('belongs to another lane', 'operation', call, operationBody(call, sale, 'reversed'))
    const other = randomUUID()
    await expectRefused('belongs to another lane', 'operation', other, operationBody(other, sale, 'dead'))
    expect(await thief.fact('z-report', '1', zBody('03', 1, 1, 5_000, [0]))).toBe(true)
    await expectRefused('sent different content', 'z-report', '1', zBody('03', 1, 1, 9_000, [0]))
  })
})

const Honest = fc.record({
  by: fc.constantFrom('01', '02'),
  does: fc.constantFrom('issue', 'hand-over', 'pay', 'sell', 'take back', 'close'),
  cents: fc.integer({ min: 100, max: 900 }),
})
const Forged = fc.record({
  by: fc.constant('03'),
  does: fc.constantFrom('issue', 'redeem', 'give back', 'hand over', 'draw', 'sell', 'take back', 'call', 'close'),
  cents: fc.integer({ min: 1, max: 900_000 }),
})
type Step = { readonly by: string; readonly does: string; readonly cents: number }

async function work(lane: VoucherLane, id: string, step: Step, number: number, at: Map<string, number>): Promise<void> {
  const { does, cents } = step
  const here = at.get(id) ?? 0
  const sale = saleOf(id, number)
  const draw = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  if (does === 'issue') {
    await lane.entry(CODE, 'issued', cents)
    at.set(id, here + cents)
  } else if (does === 'hand-over' && here >= cents) {
    await lane.transfer(CODE, 'handed-over', cents, draw)
    at.set(id, here - cents)
  } else if (does === 'pay' && (await lane.draw(CODE, cents, draw)).kind === 'granted') {
    await lane.transfer(CODE, 'drawn', cents, draw)
    await lane.entry(CODE, 'redeemed', cents)
  } else if (does === 'sell') await lane.fact('sale', sale, saleBody(sale, 2, 0))
  else if (does === 'take back') {
    await lane.fact('sale', sale, saleBody(sale, 2, 2_000))
    await lane.fact('return', saleOf(id, number + 500), returnBody(saleOf(id, number + 500), sale, null, 1))
  } else if (does === 'close') await lane.fact('z-report', `${number}`, zBody(id, number, number, cents, [0]))
}

function forge(lane: VoucherLane, { does, cents }: Step, number: number): Promise<boolean> {
  const [id, own, other] = [randomUUID(), saleOf('03', number), saleOf('01', number % 7)]
  const entry = (kind: string) =>
    lane.fact('voucher-entry', `${number}`, entryBody(HASH, kind, cents, { saleId: other }))
  if (does === 'issue') return entry('issued')
  if (does === 'redeem') return entry('redeemed')
  if (does === 'give back') return entry('given-back')
  if (does === 'hand over') return lane.fact('voucher-transfer', id, transfer(id, 'handed-over', cents))
  if (does === 'draw') return lane.fact('voucher-transfer', id, transfer(id, 'drawn', cents))
  if (does === 'sell') return lane.fact('sale', other, saleBody(other, 1, 0))
  if (does === 'take back') return lane.fact('return', other, returnBody(other, own, null, 1))
  if (does === 'call') return lane.fact('operation', id, operationBody(other, own, 'dead'))
  return lane.fact('z-report', `${number}`, zBody('01', number, number, cents, [0]))
}

test('forged facts of one lane do not change what the store server records for other lanes', async ({ skip }) => {
  const outcomes = { forged: 0, sent: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(Honest, Forged), { minLength: 8, maxLength: 24 }), async (steps) => {
      const [with03, without] = [await start(skip), await start(skip)]
      const applied: Step[] = []
      for (const { store } of [with03, without]) {
        const at = new Map<string, number>()
        for (const [index, step] of steps.entries()) {
          if (step.by !== '03') await work(store.lane(step.by), step.by, step, index + 1, at)
          else if (store === with03.store) {
            if (await forge(store.lane('03'), step, index + 1)) applied.push(step)
            outcomes.forged += 1
          }
        }
      }
      expect(applied).toEqual([])
      expect(await with03.rows()).toEqual(await without.rows())
      expect(await with03.store.wrong()).toEqual([])
      outcomes.sent += without.store.lane('01').sent().length
    }),
    { numRuns: 6 },
  )
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(5)
}, 120_000)
