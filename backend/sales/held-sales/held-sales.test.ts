import { describe, expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { HeldSales } from '../../../contracts/sales/held-sales.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { FORGET, HELD } from './held-sales.sql.ts'

const central = useCentral()
const APPLES = '1001'
const DETERGENT = '1021'

type Refused = Extract<TerminalEvent, { type: 'scan-refused' }>

const list = async (harness: TerminalHarness) =>
  HeldSales.parse((await harness.call('GET', '/api/sales/held')).body).sales
const hold = (harness: TerminalHarness, sale: { id: string; version: number }, name?: string) =>
  harness.call('POST', `/api/sales/${sale.id}/hold`, { version: sale.version, ...(name === undefined ? {} : { name }) })

describe('putting a sale on hold for the next customer', () => {
  test('uses a given name or the first free number, and resuming restores the sale unchanged', async () => {
    const harness = await openTerminalHarness(central)
    const first = await harness.ring(APPLES, 2)
    const held = await hold(harness, first, 'Lady with the stroller')
    expect(held.body.sale).toMatchObject({ id: first.id, state: 'held' })
    expect(await harness.current()).toBeNull()
    const second = await harness.ring(APPLES)
    expect(second.id).not.toBe(first.id)
    await hold(harness, second)
    const third = await harness.ring(APPLES)
    await hold(harness, third)
    expect(
      (await list(harness)).map(({ id, name, itemCount, totalCents, cashier }) => [
        id,
        name,
        itemCount,
        totalCents,
        cashier,
      ]),
    ).toEqual([
      [first.id, 'Lady with the stroller', 2, 1398, 'Alex Tremblay'],
      [second.id, '1', 1, 699, 'Alex Tremblay'],
      [third.id, '2', 1, 699, 'Alex Tremblay'],
    ])
    const resumed = await harness.call('POST', `/api/sales/${second.id}/resume`, { version: second.version + 1 })
    expect(resumed.body.sale).toMatchObject({ id: second.id, state: 'open', lines: [{ sku: APPLES, quantity: 1 }] })
    expect((await harness.current())?.id).toBe(second.id)
    await hold(harness, resumed.body.sale)
    expect((await list(harness)).map(({ name }) => name)).toEqual(['Lady with the stroller', '2', '1'])
    expect(
      harness
        .read<{ kind: string }>("SELECT kind FROM audit_entry WHERE kind LIKE 'sale-%' ORDER BY id")
        .map(({ kind }) => kind),
    ).toEqual(['sale-held', 'sale-held', 'sale-held', 'sale-resumed', 'sale-held'])
  })

  test('voids the items that were blocked on hold, shows why, and does not restore them by undo', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    await harness.ring(APPLES)
    await harness.ring(DETERGENT)
    const sale = await harness.ring(DETERGENT)
    await hold(harness, sale, 'Blue coat')
    const found = await harness.call('POST', '/api/catalog/items/search', { q: DETERGENT })
    const { items }: { items: object[] } = found.body as never
    await harness.call('POST', '/api/catalog/items', { how: 'change', item: { ...items[0], blocked: 'Recalled' } })
    const [held] = await list(harness)
    const resumed = await harness.call('POST', `/api/sales/${sale.id}/resume`, { version: held?.version })
    expect(resumed.body.sale).toMatchObject({
      lines: [{ voided: false }, { sku: DETERGENT, voided: true }],
      totals: { subtotalCents: 699 },
    })
    const refused = await harness.event((event): event is Refused => event.type === 'scan-refused')
    expect(refused).toMatchObject({
      code: 'item-blocked',
      messages: { 'en-CA': 'This item must not be sold. Reason: Recalled.' },
    })
    const { version } = resumed.body.sale
    expect(await harness.refused('POST', `/api/sales/${sale.id}/undo`, { version })).toBe('item-blocked')
  })

  test('survives a restart, and resuming sends INQUIRE again for the collector', async () => {
    const before = await openTerminalHarness(central)
    const rung = await before.ring(DETERGENT)
    const known = await before.swipe('fine')
    expect(known.redemptionChoice).not.toBeNull()
    await hold(before, known)
    await before.close()
    const after = await openTerminalHarness(central, { folder: before.folder })
    expect(await after.current()).toBeNull()
    const [held] = await list(after)
    expect(held).toMatchObject({ id: rung.id, memberLast4: '0011' })
    const resumed = await after.call('POST', `/api/sales/${rung.id}/resume`, { version: held?.version })
    expect(resumed.body.sale.member).toMatchObject({ last4: '0011', state: 'pending' })
    const asked = await after.until((sale) => sale.id === rung.id && sale.member?.state === 'known')
    expect(asked.redemptionChoice).toMatchObject({ maxUnits: 2 })
  })

  test('prevents changes of the sale, and keeps it out of the list of earlier sales', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(APPLES)
    await hold(harness, sale)
    const version = sale.version + 1
    expect(await harness.refused('PUT', `/api/sales/${sale.id}/lines/1`, { version, quantity: 2 })).toBe(
      'sale-not-open',
    )
    expect(await harness.refused('POST', `/api/sales/${sale.id}/cancel`, { version })).toBe('sale-not-open')
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/tenders`, { kind: 'cash', version, tenderedCents: 700 }),
    ).toBe('sale-not-open')
    expect(await harness.refused('POST', `/api/sales/${sale.id}/hold`, { version })).toBe('sale-not-open')
    expect((await harness.call('GET', '/api/sales/earlier')).body).toMatchObject({ sales: [] })
  })
})

describe('holding or resuming a sale', () => {
  test('is refused for an empty sale, a stale version of the sale, and a card number as its name', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(APPLES)
    expect(await harness.refused('POST', `/api/sales/${sale.id}/hold`, { version: sale.version - 1 })).toBe(
      'sale-stale',
    )
    for (const name of ['8000 0000 011', '4111 1111 1111 1111'])
      expect(await harness.refused('POST', `/api/sales/${sale.id}/hold`, { version: sale.version, name })).toBe(
        'note-holds-number',
      )
    const { body } = await harness.call('POST', `/api/sales/${sale.id}/lines/1/void`, { version: sale.version })
    expect(await harness.refused('POST', `/api/sales/${sale.id}/hold`, { version: body.sale.version })).toBe(
      'sale-empty',
    )
  })

  test('is refused for a sale with a payment in cash or miles', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(APPLES)
    const paid = await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'cash',
      version: sale.version,
      tenderedCents: 200,
    })
    expect(await harness.refused('POST', `/api/sales/${sale.id}/hold`, { version: paid.body.sale.version })).toBe(
      'sale-paid-on',
    )
    await harness.call('POST', `/api/sales/${sale.id}/cancel`, { version: paid.body.sale.version })
    await harness.ring(DETERGENT)
    const known = await harness.swipe('fine')
    const redeemed = await harness.call('POST', `/api/sales/${known.id}/redemption`, {
      version: known.version,
      units: 1,
    })
    expect(redeemed.body.sale.redemption?.state).toBe('approved')
    expect(await harness.refused('POST', `/api/sales/${known.id}/hold`, { version: redeemed.body.sale.version })).toBe(
      'sale-paid-on',
    )
  })

  test('is refused while another sale is open, and for a sale that was resumed already', async () => {
    const harness = await openTerminalHarness(central)
    const first = await harness.ring(APPLES)
    await hold(harness, first)
    const second = await harness.ring(APPLES)
    const version = first.version + 1
    expect(await harness.refused('POST', `/api/sales/${first.id}/resume`, { version })).toBe('sale-open-already')
    await harness.call('POST', `/api/sales/${second.id}/cancel`, { version: second.version })
    expect(await harness.refused('POST', `/api/sales/${first.id}/resume`, { version: version - 1 })).toBe('sale-stale')
    await harness.call('POST', `/api/sales/${first.id}/resume`, { version })
    expect(await harness.refused('POST', `/api/sales/${first.id}/resume`, { version: version + 1 })).toBe(
      'sale-not-held',
    )
  })
})

describe('the queries of held sales', () => {
  async function planOf(sql: string, ...values: readonly string[]): Promise<string> {
    const db = await openTestDatabase()
    const plan = db.prepare<string[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
    return plan.map(({ detail }) => detail).join('\n')
  }

  test('list held sales by an index, however many sales the lane has', async () => {
    const plan = await planOf(HELD, '01')
    expect(plan).toMatch(/SEARCH sale USING INDEX sale_held/)
    expect(plan).not.toMatch(/SCAN sale|TEMP B-TREE/)
  })

  test('find states to send again among the sales that were ever held, not among all sales', async () => {
    const plan = await planOf(FORGET)
    expect(plan).toMatch(/SEARCH sale USING/)
    expect(plan).not.toMatch(/SCAN sale|LIST SUBQUERY/)
  })
})
