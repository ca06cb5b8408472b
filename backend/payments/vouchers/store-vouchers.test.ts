import { join } from 'node:path'
import { afterEach, describe, expect, test, vi, type TestContext } from 'vitest'
import { eventually } from '../../core/http/testing.ts'
import { openDatabase } from '../../core/db/database.ts'
import { readSchema, whyTooNew } from '../../core/db/migrate.ts'
import { restoreDatabase } from '../../operations/restore/restore.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { startOneWayProxy } from '../../../packages/lab/testing/one-way-proxy.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import {
  APPLES,
  booksAreRight,
  connected,
  heldOf,
  payWith,
  sell,
  sellToStore,
  untilHeld,
} from '../../../packages/lab/testing/store-vouchers.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'
import { payBy, present, saleOf } from '../../../packages/lab/testing/vouchers.ts'
import { backUp } from '../../operations/backups/backups.fixture.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13', '14')

afterEach(() => {
  store.thaw()
})

const open = (skip: TestContext['skip'], laneId: string, more: TerminalHarnessOptions = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, { store: store.place(skip, laneId), laneId, ...more })
const openBoth = (skip: TestContext['skip'], one: string, other: string) =>
  Promise.all([open(skip, one), open(skip, other)])
const codeOf = async (harness: TerminalHarness, code: string): Promise<string> =>
  harness.refused('POST', '/api/vouchers/present', { code })
const draws = (harness: TerminalHarness): string[] =>
  harness.read<{ state: string }>('SELECT state FROM voucher_draw ORDER BY asked_at').map(({ state }) => state)

describe('a gift card of one lane', () => {
  test('pays at another lane, shows the same balance at both, and is refused above the balance', async ({ skip }) => {
    const [first, second] = await openBoth(skip, '01', '02')
    const code = await sellToStore(store, first, 2000)
    await connected(second)
    expect(await present(second, code)).toMatchObject({ kind: 'gift-card', balanceCents: 2000 })
    expect(saleOf(await payWith(second, code, 699))).toMatchObject({
      state: 'completed',
      tenders: [{ kind: 'gift-card', amountCents: 699, leftCents: 1301 }],
    })
    expect(await present(first, code)).toMatchObject({ balanceCents: 1301 })
    expect(saleOf(await payWith(first, code, 699)).tenders[0]).toMatchObject({ leftCents: 602 })
    await connected(first)
    expect((await payWith(second, code, 603)).body).toMatchObject({ code: 'voucher-balance' })
    await Promise.all([connected(first), connected(second)])
    expect(await heldOf(store, code)).toBe(602)
    const [{ id } = { id: '' }] = first.read<{ id: string }>("SELECT id FROM voucher WHERE kind = 'gift-card'")
    expect((await first.call('POST', `/api/vouchers/${id}/reprint`)).body, 'a paper says what is left').toMatchObject({
      code: 'approval-required',
      approval: { balanceCents: 602 },
    })
    await booksAreRight(store)
  })

  test('has its balance again at every lane after a cancelled sale', async ({ skip }) => {
    const [first, second] = await openBoth(skip, '03', '04')
    const code = await sellToStore(store, first, 2000)
    await connected(second)
    const paid = saleOf(await payWith(second, code, 500))
    expect(paid.state).toBe('open')
    const cancelled = await second.call('POST', `/api/sales/${paid.id}/cancel`, { version: paid.version })
    expect(saleOf(cancelled).tenders.at(-1)).toMatchObject({ amountCents: -500, leftCents: 2000 })
    await untilHeld(store, code, 2000)
    expect(await present(first, code)).toMatchObject({ balanceCents: 2000 })
    await connected(second)
    await booksAreRight(store)
  })

  test('keeps a reserve at its own lane; other lanes can spend the rest, and name the lane of the reserve', async ({
    skip,
  }) => {
    const [first, second] = await Promise.all([open(skip, '05', { voucherReserveDollars: 15 }), open(skip, '06')])
    await connected(first)
    const code = await sell(first, 2000)
    await untilHeld(store, code, 500)
    await Promise.all([connected(first), connected(second)])
    expect(await present(second, code)).toMatchObject({
      balanceCents: 2000,
      payableCents: 500,
      reserved: [{ lane: '05', amountCents: 1500 }],
    })
    expect((await payWith(second, code, 600)).body).toMatchObject({ code: 'voucher-reserved' })
    const paid = saleOf(await payWith(second, code, 500))
    expect(paid.tenders[0]).toMatchObject({ leftCents: 1500 })
    expect((await codeOf(second, code)).toString()).toBe('voucher-reserved')
    store.freeze()
    expect(saleOf(await payWith(first, code, 699)).state, 'the reserve pays without the store').toBe('completed')
    store.thaw()
    await Promise.all([connected(first), connected(second)])
    await booksAreRight(store)
  })
})

describe('without the store server', () => {
  test('a lane sells and accepts new gift cards, and refuses those whose value is at the store server', async ({
    skip,
  }) => {
    const [first, second] = await openBoth(skip, '07', '08')
    const known = await sellToStore(store, first, 2000)
    await connected(second)
    store.freeze()
    const own = await sell(first, 1000)
    expect(saleOf(await payWith(first, own, 699)).state).toBe('completed')
    await second.ring(APPLES)
    expect(await codeOf(second, known)).toBe('voucher-store-away')
    expect(await codeOf(first, known), 'all of it was handed over').toBe('voucher-store-away')
    store.thaw()
    await untilHeld(store, own, 301)
    await Promise.all([connected(first), connected(second)])
    expect(saleOf(await payWith(second, own, 301)).state).toBe('open')
    await booksAreRight(store)
  })

  test('a lost answer to a draw takes no value: the payment is refused, and the balance is restored', async ({
    skip,
  }) => {
    const place = store.place(skip, '09')
    const line = await startOneWayProxy(place.url)
    const harness = await open(skip, '09', { store: { ...place, url: line.url } })
    const code = await sellToStore(store, harness, 2000)
    const sale = await harness.ring(APPLES)
    const { id } = await present(harness, code)
    line.dropResponses()
    expect((await payBy(harness, sale, { id }, 699)).body).toMatchObject({ code: 'voucher-unanswered' })
    expect(draws(harness)).toEqual(['asked'])
    await eventually(async () => expect(await heldOf(store, code), 'the server did grant it').toBe(1301))
    line.restore()
    await untilHeld(store, code, 2000)
    await vi.waitFor(() => expect(draws(harness)).toEqual(['cancelled']), { timeout: 60_000 })
    await connected(harness)
    expect(saleOf(await payWith(harness, code, 699)).state).toBe('completed')
    await connected(harness)
    await booksAreRight(store)
  })

  test('a cancelled draw is cancelled again when a restored store server has forgotten the cancellation', async ({
    skip,
  }) => {
    const place = store.place(skip, '13')
    const line = await startOneWayProxy(place.url)
    const before = await open(skip, '13', { store: { ...place, url: line.url } })
    const code = await sellToStore(store, before, 2000)
    const sale = await before.ring(APPLES)
    const { id } = await present(before, code)
    line.dropResponses()
    expect((await payBy(before, sale, { id }, 699)).body).toMatchObject({ code: 'voucher-unanswered' })
    line.restore()
    await vi.waitFor(() => expect(draws(before)).toEqual(['cancelled']), { timeout: 60_000 })
    await before.close()
    const [{ id: draw } = { id: '' }] = before.read<{ id: string }>('SELECT id FROM voucher_draw')
    await store.query(`UPDATE voucher_ledger SET state = 'granted' WHERE id = '${draw}'`)
    await store.query(
      `UPDATE voucher_account SET held_cents = 1301
        WHERE hash = (SELECT hash FROM voucher_ledger WHERE id = '${draw}')`,
    )
    await open(skip, '13', { folder: before.folder })
    await untilHeld(store, code, 2000)
    await booksAreRight(store)
  })

  test('a draw that fails because the store database was killed takes no value', async ({ skip }) => {
    const harness = await open(skip, '10')
    const code = await sellToStore(store, harness, 2000)
    const sale = await harness.ring(APPLES)
    const { id } = await present(harness, code)
    await store.killPostgres()
    const refused = await payBy(harness, sale, { id }, 699)
    await store.restartPostgres()
    // The heartbeat may have failed before the draw, so that nothing was requested.
    expect(['voucher-unanswered', 'voucher-store-away']).toContain(refused.body['code'])
    const drawn = refused.body['code'] === 'voucher-unanswered' ? ['cancelled'] : []
    await vi.waitFor(() => expect(draws(harness)).toEqual(drawn), { timeout: 60_000 })
    await connected(harness)
    expect(saleOf(await payWith(harness, code, 699)).tenders[0]).toMatchObject({ leftCents: 1301 })
    await connected(harness)
    await booksAreRight(store)
  })
})

describe('a restored or new lane', () => {
  test('does not spend a gift card twice with a backup from before its transfer to the store', async ({ skip }) => {
    const place = store.place(skip, '11')
    const line = await startOneWayProxy(place.url)
    const options = { store: { ...place, url: line.url }, staffId: 'sam' } as const
    line.dropResponses()
    const before = await open(skip, '11', options)
    const code = await sell(before, 2000)
    const backup = await backUp(before)
    line.restore()
    await untilHeld(store, code, 2000)
    await connected(before)
    expect(saleOf(await payWith(before, code, 699)).state).toBe('completed')
    await connected(before)
    const late = await sellToStore(store, before, 1000)
    await before.close()

    restoreDatabase(before.folder, join(before.folder, 'backups', backup), null)
    line.dropResponses()
    const after = await open(skip, '11', { ...options, folder: before.folder })
    await after.ring(APPLES)
    expect(await codeOf(after, code), 'its own entries say that it lies here').toBe('voucher-restored')
    line.restore()
    await connected(after)
    await vi.waitFor(async () => expect(await present(after, code)).toMatchObject({ balanceCents: 1301 }), {
      timeout: 60_000,
    })
    expect((await payWith(after, code, 699)).status).toBe(200)
    expect(await present(after, late)).toMatchObject({ balanceCents: 1000 })
    await connected(after)
    await booksAreRight(store)
  })

  test('gets the value of its predecessor even without any backup', async ({ skip }) => {
    const before = await open(skip, '14', { voucherReserveDollars: 50 })
    await connected(before)
    const code = await sell(before, 2000)
    await connected(before)
    await before.close()

    const after = await open(skip, '14', { voucherReserveDollars: 50 })
    await vi.waitFor(async () => expect(await present(after, code)).toMatchObject({ balanceCents: 2000 }), {
      timeout: 60_000,
    })
    expect((await payWith(after, code, 699)).status).toBe(200)
    // A lane keeps a reserve only of gift cards that it sold; this new lane sold none.
    await untilHeld(store, code, 1301)
    await booksAreRight(store)
  })

  test('has a database that a program before schema 3 cannot open once a gift card was shared', async ({ skip }) => {
    const harness = await open(skip, '12')
    const refusal = (): string | null => {
      const db = openDatabase(join(harness.folder, 'terminal.db'))
      try {
        return whyTooNew(readSchema(db), 2)
      } finally {
        db.close()
      }
    }
    await connected(harness)
    expect(refusal()).toBeNull()
    await sellToStore(store, harness, 2000)
    expect(refusal()).toContain('no program older than schema 3 may open it')
    expect(harness.read("SELECT kind FROM audit_entry WHERE kind = 'vouchers-shared'")).toHaveLength(1)
  })
})
