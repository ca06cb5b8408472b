import { describe, expect, test } from 'vitest'
import { CorrectionList, Queue } from '../../../contracts/loyalty/queue.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const DETERGENT = '1021'
const APPLES = '1001'

describe('paying', () => {
  test('cash above the amount due gives change from the rounded amount, and completes the sale', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(DETERGENT)
    expect(sale.totals).toMatchObject({ totalCents: 2259, cashDueCents: 2260 })
    const { body } = await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'cash',
      version: sale.version,
      tenderedCents: 3000,
    })
    expect(body.sale).toMatchObject({
      state: 'completed',
      totals: { dueCents: 0 },
      tenders: [{ kind: 'cash', amountCents: 2259, roundingCents: 1, tenderedCents: 3000, changeCents: 740 }],
    })
    expect(await harness.current()).toBeNull()
  })

  test('a portion in cash and the rest by card completes the sale only when the payments equal the total', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(DETERGENT)
    const partly = (
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'cash',
        version: sale.version,
        tenderedCents: 1000,
      })
    ).body.sale
    expect(partly).toMatchObject({
      state: 'open',
      totals: { dueCents: 1259 },
      tenders: [{ amountCents: 1000, roundingCents: 0, changeCents: 0 }],
    })
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: partly.version,
        amountCents: 1260,
        reference: 'T1',
      }),
    ).toBe('slip-exceeds-due')
    const paid = (
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: partly.version,
        amountCents: 1259,
        reference: 'T1',
      })
    ).body.sale
    expect(paid).toMatchObject({
      state: 'completed',
      tenders: [{ kind: 'cash' }, { kind: 'card', amountCents: 1259, reference: 'T1' }],
    })
  })

  test('a cash amount that coins cannot make, a zero amount, and payment of an empty sale are refused', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(DETERGENT)
    const pay = (body: object) =>
      harness.refused('POST', `/api/sales/${sale.id}/tenders`, { version: sale.version, ...body })
    expect(await pay({ kind: 'cash', tenderedCents: 1001 })).toBe('tender-amount-invalid')
    expect(await pay({ kind: 'cash', tenderedCents: -500 })).toBe('tender-amount-invalid')
    expect(await pay({ kind: 'card', amountCents: 0, reference: 'T1' })).toBe('tender-amount-invalid')
    expect(await pay({ kind: 'card', amountCents: 100, reference: ' ' })).toBe('body-invalid')
    expect(await pay({ kind: 'cheque', amountCents: 100 })).toBe('body-invalid')
    for (const amountCents of [100_000_000, Number.MAX_SAFE_INTEGER]) {
      expect(await pay({ kind: 'card', amountCents, reference: 'T1', confirmed: true })).toBe('body-invalid')
      expect(await pay({ kind: 'cheque', amountCents, reference: '1' })).toBe('body-invalid')
    }
    const empty = (await harness.call('POST', `/api/sales/${sale.id}/lines/1/void`, { version: sale.version })).body
      .sale
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'cash',
        version: empty.version,
        tenderedCents: 500,
      }),
    ).toBe('sale-empty')
    expect((await harness.current())?.tenders).toEqual([])
  })

  test('a card number in place of the approval number is refused, and not stored', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(DETERGENT)
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: sale.version,
        amountCents: 100,
        reference: '4111 1111 1111 1111',
      }),
    ).toBe('reference-is-card')
    expect((await harness.current())?.tenders).toEqual([])
  })

  test('a line cannot be voided if the total would fall below the payments; more items can be rung', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(APPLES)
    const sale = await harness.ring(DETERGENT)
    const partly = (
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: sale.version,
        amountCents: 2000,
        reference: 'T1',
      })
    ).body.sale
    expect(await harness.refused('POST', `/api/sales/${sale.id}/lines/2/void`, { version: partly.version })).toBe(
      'sale-below-tendered',
    )
    expect((await harness.current())?.lines.map((line) => line.voided)).toEqual([false, false])
    expect((await harness.ring(APPLES)).totals.dueCents).toBe(partly.totals.dueCents + 699)
  })

  test('a sale whose total is reduced to its payments by a void is completed', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(APPLES)
    const sale = await harness.ring('1002')
    const partly = (
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: sale.version,
        amountCents: 699,
        reference: 'T1',
      })
    ).body.sale
    const closed = (await harness.call('POST', `/api/sales/${sale.id}/lines/2/void`, { version: partly.version })).body
      .sale
    expect(closed).toMatchObject({ state: 'completed', totals: { totalCents: 699, dueCents: 0 } })
  })

  test('a free sale, whose total is zero, is completed with a receipt and without a tender', async () => {
    const harness = await openTerminalHarness(central, {
      catalog: 'F1,,Free calendar,Calendrier gratuit,0.00,zero-rated,paper,\nF2,,Pencil,Crayon,1.00,zero-rated,paper,',
    })
    const free = await harness.ring('F1', 2)
    expect(free.totals).toMatchObject({ totalCents: 0, dueCents: 0 })
    expect(
      await harness.refused('POST', `/api/sales/${free.id}/tenders`, {
        kind: 'cash',
        version: free.version,
        tenderedCents: 0,
      }),
    ).toBe('nothing-due')
    expect(await harness.refused('POST', `/api/sales/${free.id}/complete`, { version: free.version - 1 })).toBe(
      'sale-stale',
    )
    const done = (await harness.call('POST', `/api/sales/${free.id}/complete`, { version: free.version })).body.sale
    expect(done).toMatchObject({ state: 'completed', tenders: [], totals: { totalCents: 0 } })
    expect((await harness.call('GET', `/api/sales/${free.id}/receipt`)).body.document.blocks).toContainEqual(
      expect.objectContaining({ left: 'TOTAL', right: '$0.00' }),
    )
    await harness.printed(free.id)
    expect(await harness.refused('POST', `/api/sales/${free.id}/complete`, { version: done.version })).toBe(
      'sale-not-open',
    )
  })

  test('a sale of only void lines, or with an amount due, is not completed as free', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(APPLES)
    expect(await harness.refused('POST', `/api/sales/${sale.id}/complete`, { version: sale.version })).toBe('still-due')
    expect((await harness.current())?.version).toBe(sale.version)
    const empty = (await harness.call('POST', `/api/sales/${sale.id}/lines/1/void`, { version: sale.version })).body
      .sale
    expect(await harness.refused('POST', `/api/sales/${sale.id}/complete`, { version: empty.version })).toBe(
      'sale-empty',
    )
    expect((await harness.current())?.state).toBe('open')
  })

  test('ISSUE for a free sale of a collector is confirmed with zero miles', async () => {
    const harness = await openTerminalHarness(central, {
      catalog: 'F1,,Free calendar,Calendrier gratuit,0.00,zero-rated,paper,',
    })
    await harness.ring('F1')
    const sale = await harness.swipe('fine')
    await harness.call('POST', `/api/sales/${sale.id}/complete`, { version: sale.version })
    expect((await harness.until((now) => now.issuance?.state === 'confirmed')).issuance).toMatchObject({ miles: 0 })
  })

  test('cancelling a sale gives back a cash payment in full', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await harness.ring(DETERGENT)
    const partly = (
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'cash',
        version: sale.version,
        tenderedCents: 1000,
      })
    ).body.sale
    const cancelled = (await harness.call('POST', `/api/sales/${sale.id}/cancel`, { version: partly.version })).body
      .sale
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      totals: { tenderedCents: 0 },
      tenders: [
        { kind: 'cash', amountCents: 1000 },
        { kind: 'cash', amountCents: -1000 },
      ],
    })
    expect(await harness.refused('POST', `/api/sales/${sale.id}/cancel`, { version: cancelled.version })).toBe(
      'sale-not-open',
    )
  })
})

describe('paying with miles', () => {
  test('a sale whose rest is paid with miles is completed by the approved redemption', async () => {
    const harness = await openTerminalHarness(central)
    // Miles pay only multiples of ten dollars, so a card pays the rest first.
    await harness.ring(APPLES, 3)
    const known = await harness.swipe('fine')
    const partly = (
      await harness.call('POST', `/api/sales/${known.id}/tenders`, {
        kind: 'card',
        version: known.version,
        amountCents: 97,
        reference: 'T1',
      })
    ).body.sale
    expect(partly.redemptionChoice).toMatchObject({
      maxUnits: 2,
      limitedBy: expect.stringMatching(/basket|due/) as string,
    })
    const before = await central.balances('80000000011')
    const paid = (
      await harness.call('POST', `/api/sales/${known.id}/redemption`, { version: partly.version, units: 2 })
    ).body.sale
    expect(paid).toMatchObject({
      state: 'completed',
      totals: { dueCents: 0 },
      redemption: { state: 'approved', miles: 190 },
    })
    await harness.until((sale) => sale.issuance?.state === 'confirmed')
    const after = await central.balances('80000000011')
    expect(before.cash + before.dream - after.cash - after.dream).toBeLessThanOrEqual(190)
  })

  test('a redemption of more units than possible is refused before a request is sent', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    const sale = await harness.swipe('fine')
    expect(await harness.refused('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 5 })).toBe(
      'redemption-units-invalid',
    )
    expect(await central.requests('/checkout/loyaltycash/redeem')).toEqual([])
  })

  test('after an approved redemption, a second one is neither shown as possible nor accepted', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    const sale = await harness.swipe('fine')
    const redeemed = (
      await harness.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 1 })
    ).body.sale
    expect(redeemed.redemptionChoice).toBeNull()
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/redemption`, { version: redeemed.version, units: 1 }),
    ).toBe('redemption-not-allowed')
    expect(await harness.refused('POST', `/api/sales/${sale.id}/member/remove`, { version: redeemed.version })).toBe(
      'member-tied',
    )
  })

  test('a special redemption offer redeems miles at its own number of miles per unit', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT)
    const sale = await harness.swipe('special')
    expect(sale).toMatchObject({
      member: { offer: { 'en-CA': expect.any(String) as string } },
      redemptionChoice: { unitMiles: 76, unitCents: 1000, maxUnits: 2 },
    })
    const before = await central.balances('80000000077')
    await harness.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 2 })
    expect(before.cash - (await central.balances('80000000077')).cash).toBe(152)
  })
})

describe('a payment of an unlikely amount or with a currency', () => {
  const CATALOG = 'BOOK,,Book,Livre,20.00,zero-rated,books,'
  const payment = (sale: Sale, body: object) => ({
    path: `/api/sales/${sale.id}/tenders`,
    body: { version: sale.version, ...body },
  })

  test('is accepted in cash after a confirmation', async () => {
    const harness = await openTerminalHarness(central, { catalog: CATALOG })
    const sale = await harness.ring('BOOK')
    for (const tenderedCents of [10_000_000, 12_000]) {
      const { path, body } = payment(sale, { kind: 'cash', tenderedCents })
      expect(await harness.refused('POST', path, body)).toBe('cash-unlikely')
    }
    const { path, body } = payment(sale, { kind: 'cash', tenderedCents: 12_000, confirmed: true })
    expect((await harness.call('POST', path, body)).body.sale).toMatchObject({
      state: 'completed',
      tenders: [{ tenderedCents: 12_000, changeCents: 10_000 }],
    })
  })

  test('by card slip above the amount due pays only that amount, is audited and listed for a manager', async () => {
    const harness = await openTerminalHarness(central, { catalog: CATALOG })
    const sale = await harness.ring('BOOK')
    const slip = { kind: 'card', amountCents: 2500, reference: 'T1' }
    const once = payment(sale, slip)
    expect(await harness.refused('POST', once.path, once.body)).toBe('slip-exceeds-due')
    const { path, body } = payment(sale, { ...slip, confirmed: true })
    expect((await harness.call('POST', path, body)).body.sale).toMatchObject({
      state: 'completed',
      tenders: [{ kind: 'card', amountCents: 2000, changeCents: 0, reference: 'T1' }],
    })
    const [entry] = harness.read<{ actor_id: string; detail: string }>(
      "SELECT actor_id, detail FROM audit_entry WHERE kind = 'card-slip-exceeded'",
    )
    expect(entry?.actor_id).toBe('alex')
    expect(JSON.parse(entry?.detail ?? '')).toEqual({
      reference: 'T1',
      slipCents: 2500,
      dueCents: 2000,
      overCents: 500,
    })

    await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
    const queue = async () => Queue.parse((await harness.call('GET', '/api/queue')).body)
    const { slips, summary } = await queue()
    expect(slips).toMatchObject([{ saleId: sale.id, by: 'Alex Tremblay', slipCents: 2500, dueCents: 2000 }])
    expect(summary.attention).toBe(1)
    const settle = { note: 'Refunded on the terminal, slip T2' }
    const url = `/api/queue/slips/${slips[0]?.number}/settle`
    expect((await harness.call('POST', url, settle)).body).toMatchObject({ slips: [], summary: { attention: 0 } })
    expect(await harness.refused('POST', url, settle)).toBe('queue-entry-changed')
    const { corrections } = CorrectionList.parse((await harness.call('GET', '/api/queue/corrections')).body)
    expect(corrections).toMatchObject([
      { what: 'slip-settled', by: 'Sam Okafor', operationId: null, saleId: sale.id, amountCents: 500, ...settle },
    ])
  })

  test('is refused if the request names a currency', async () => {
    const harness = await openTerminalHarness(central, { catalog: CATALOG })
    const sale = await harness.ring('BOOK')
    for (const given of [
      { kind: 'cash', tenderedCents: 2000, currency: 'USD' },
      { kind: 'card', amountCents: 2000, reference: 'T1', currency: 'USD' },
    ]) {
      const { path, body } = payment(sale, given)
      expect(await harness.refused('POST', path, body)).toBe('body-invalid')
    }
  })
})
