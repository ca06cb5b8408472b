import { describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { FINE, REVERSE } from '../../../packages/lab/testing/redemption-harness.ts'
import { openRewritingProxy } from '../../../packages/lab/testing/rewriting-proxy.ts'
import { payBy, sold } from '../../../packages/lab/testing/vouchers.ts'

const central = useCentral()
const INQUIRE = CASH_PATHS.inquire
const DETERGENT = '1021'

const documents = (harness: TerminalHarness): { document: string }[] =>
  harness.read<{ document: string }>(
    "SELECT document FROM print_job WHERE kind = 'payment-back' ORDER BY created_at, rowid",
  )
const printedBack = (harness: TerminalHarness) =>
  harness.event(
    (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
      event.type === 'print-job' && event.paper === 'payment-back' && event.state === 'confirmed',
  )
const takeBack = async (harness: TerminalHarness): Promise<Sale> => {
  const { now, send } = saleActions(harness)
  return (await send('POST', `/tenders/${(await now()).tenders.at(-1)?.number ?? 0}/take-back`, {})).sale
}

describe('giving back one payment of an open sale', () => {
  test('keeps the other payment, prints a slip and audits who gave it back, for card and cash', async () => {
    const harness = await openTerminalHarness(central)
    const { send, trail } = saleActions(harness)
    await harness.ring(DETERGENT)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 500 })
    const { sale } = await send('POST', '/tenders', { kind: 'card', amountCents: 1000, reference: 'T1' })
    const [cash, card] = sale.tenders
    const without = (await send('POST', `/tenders/${card?.number ?? 0}/take-back`, {})).sale
    expect(without).toMatchObject({
      state: 'open',
      version: sale.version + 1,
      tenders: [{ kind: 'cash', number: cash?.number }],
      totals: { tenderedCents: 500, dueCents: 1759 },
    })
    expect((await takeBack(harness)).tenders).toEqual([])
    await printedBack(harness)
    expect(documents(harness).map(({ document }) => document.match(/Card refund|Cash refund|T1/g)?.join())).toEqual([
      'Card refund,T1',
      'Cash refund',
    ])
    expect(trail().filter(({ kind }) => kind === 'tender-taken-back')).toEqual([
      { kind: 'tender-taken-back', actor: 'alex', tender: 2, paidBy: 'card', amountCents: 1000 },
      { kind: 'tender-taken-back', actor: 'alex', tender: 1, paidBy: 'cash', amountCents: 500 },
    ])
    const paid = (await send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T2' })).sale
    await harness.printed(paid.id)
    expect(JSON.stringify((await harness.call('GET', `/api/sales/${paid.id}/receipt`)).body)).not.toMatch(
      /T1|Cash refund/,
    )
    expect((await harness.call('POST', `/api/sales/${paid.id}/reprint`)).status).toBe(200)
  })

  test('is possible once, only in an open sale, and not with a stale version of the sale', async () => {
    const harness = await openTerminalHarness(central)
    const { send } = saleActions(harness)
    const rung = await harness.ring(DETERGENT)
    const { sale } = await send('POST', '/tenders', { kind: 'card', amountCents: 1000, reference: 'T1' })
    const path = `/api/sales/${sale.id}/tenders/1/take-back`
    expect(await harness.refused('POST', path, { version: rung.version })).toBe('sale-stale')
    await harness.call('POST', path, { version: sale.version })
    expect(await harness.refused('POST', path, { version: sale.version + 1 })).toBe('tender-unknown')
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/tenders/2/take-back`, { version: sale.version + 1 }),
      'the row that gave it back',
    ).toBe('tender-unknown')
    const { sale: paid } = await send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T2' })
    expect(await harness.refused('POST', `/api/sales/${sale.id}/tenders/3/take-back`, { version: paid.version })).toBe(
      'sale-not-open',
    )
  })

  test('restores the balance of a gift card', async () => {
    const harness = await openTerminalHarness(central)
    const card = await sold(harness, 2500)
    await payBy(harness, await harness.ring(DETERGENT), card, 1500)
    expect(await takeBack(harness)).toMatchObject({ tenders: [], totals: { dueCents: 2259 } })
    await printedBack(harness)
    expect(documents(harness)[0]?.document).toMatch(/Gift card.*15\.00.*Remaining.*25\.00/)
    await saleActions(harness).send('POST', '/cancel', {})
    expect(
      harness.read(
        `SELECT sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END) AS cents FROM voucher_entry
          WHERE voucher_id = '${card.id}'`,
      ),
    ).toEqual([{ cents: 2500 }])
  })

  test('allows holding the sale when no payment remains', async () => {
    const harness = await openTerminalHarness(central)
    const { send } = saleActions(harness)
    await harness.ring(DETERGENT)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 500 })
    await takeBack(harness)
    expect((await send('POST', '/hold', {})).sale.state).toBe('held')
  })
})

describe('giving back miles by REVERSE', () => {
  const redeemed = async (harness: TerminalHarness): Promise<Sale> => {
    await harness.ring(DETERGENT)
    await harness.swipe('fine')
    return (await saleActions(harness).send('POST', '/redemption', { units: 1 })).sale
  }

  test('allows redeeming another amount on the same sale afterwards', async () => {
    const harness = await openTerminalHarness(central)
    const before = (await central.balances(FINE)).cash
    const paid = await redeemed(harness)
    expect(paid.redemption).toMatchObject({ state: 'approved' })
    const after = await takeBack(harness)
    expect(after).toMatchObject({ state: 'open', tenders: [], totals: { dueCents: 2259 }, redemptionChoice: null })
    expect(['reversing', 'reversed']).toContain(after.redemption?.state)
    expect(after.redemption?.wasApplied).toBe(true)
    const again = await harness.until((sale) => sale.redemption?.state === 'reversed' && sale.redemptionChoice !== null)
    expect((await central.balances(FINE)).cash).toBe(before)
    expect(again.member).toMatchObject({ state: 'known' })
    const second = (await saleActions(harness).send('POST', '/redemption', { units: 2 })).sale
    expect(second).toMatchObject({ tenders: [{ kind: 'miles', amountCents: 2000 }], totals: { dueCents: 259 } })
    expect(before - (await central.balances(FINE)).cash).toBe(190)
    const { sale } = await saleActions(harness).send('POST', '/tenders', {
      kind: 'card',
      amountCents: 259,
      reference: 'T1',
    })
    expect(sale.state).toBe('completed')
  })

  test('allows no second redemption while the reversal is in flight', async () => {
    const harness = await openTerminalHarness(central)
    const paid = await redeemed(harness)
    const before = (await central.balances(FINE)).cash
    await central.faults({ path: REVERSE, occurrence: 1, action: { kind: 'delay', ms: 1_500 } })
    const path = `/api/sales/${paid.id}/tenders/1/take-back`
    const both = await Promise.all([
      harness.call('POST', path, { version: paid.version }),
      harness.call('POST', path, { version: paid.version }),
    ])
    expect(both.map(({ status, body }) => (status === 200 ? 'given back' : body.code)).toSorted()).toEqual([
      'given back',
      'sale-stale',
    ])
    const after = await harness.current()
    expect(after).toMatchObject({
      redemption: { state: 'reversing' },
      redemptionChoice: null,
      member: { availableCashMiles: null, availableCents: null },
    })
    expect(
      await harness.refused('POST', `/api/sales/${paid.id}/redemption`, { version: after?.version, units: 1 }),
    ).toMatch(/inquiry-pending|redemption-not-allowed/)
    expect(
      await harness.refused('POST', `/api/sales/${paid.id}/redemption`, { version: paid.version, units: 1 }),
    ).toMatch(/inquiry-pending|sale-stale/)
    expect(await harness.refused('POST', `/api/sales/${paid.id}/hold`, { version: after?.version })).toBe(
      'sale-paid-on',
    )
    await harness.until((sale) => sale.redemption?.state === 'reversed' && sale.redemptionChoice !== null)
    expect((await central.balances(FINE)).cash).toBe(before + 95)
    expect((await central.requests(REVERSE)).length).toBe(1)
  })

  test('sends INQUIRE again with the basket when the collector card was swiped before any item', async () => {
    const harness = await openTerminalHarness(central)
    await harness.swipe('fine')
    await harness.ring(DETERGENT)
    const asked = await harness.until((sale) => sale.redemptionChoice !== null)
    await saleActions(harness).send('POST', '/redemption', { units: asked.redemptionChoice?.maxUnits })
    await takeBack(harness)
    const again = await harness.until((sale) => sale.redemption?.state === 'reversed' && sale.redemptionChoice !== null)
    expect(again.redemptionChoice).toEqual(asked.redemptionChoice)
    expect((await central.requests(INQUIRE)).map(({ body }) => body['postTaxBasketAmount'])).toEqual([
      '0.00',
      '22.59',
      '22.59',
    ])
    const held = (await saleActions(harness).send('POST', '/hold', {})).sale
    await harness.call('POST', `/api/sales/${held.id}/resume`, { version: held.version })
    await harness.until(
      (sale) => sale.state === 'open' && sale.version > held.version && sale.redemptionChoice !== null,
    )
    expect(await central.requests(INQUIRE)).toHaveLength(4)
  })

  test('sends REVERSE to the configured path only, also after a restart', async () => {
    const seen: string[] = []
    const { url } = await openRewritingProxy(
      central.url,
      ({ path }) => {
        seen.push(path)
        return null
      },
      (path) => (path === '/v2/give-back' ? REVERSE : path),
    )
    const here = { cashUrl: url, reversePath: '/v2/give-back' }
    const first = await openTerminalHarness(central, here)
    const before = (await central.balances(FINE)).cash
    await redeemed(first)
    await central.faults({ path: REVERSE, occurrence: 1, action: { kind: 'hang-before' } })
    await takeBack(first)
    await central.reached(REVERSE, 1)
    await first.close()
    const harness = await openTerminalHarness(central, { ...here, folder: first.folder })
    await harness.reached((sale) => sale.redemption?.state === 'reversed')
    expect((await central.balances(FINE)).cash).toBe(before)
    expect(seen.filter((path) => path !== INQUIRE && path !== CASH_PATHS.redeem && path !== CASH_PATHS.echo)).toEqual([
      '/v2/give-back',
    ])
    const [hung, answered] = await central.requests(REVERSE)
    expect(answered?.sha256).toBe(hung?.sha256)
  })

  test('keeps the sale payable in another form after a failed REVERSE, which is listed for a manager', async () => {
    const harness = await openTerminalHarness(central, { limits: { cashTimeoutMs: 300 } })
    await redeemed(harness)
    await central.faults({ path: REVERSE, action: { kind: 'answer', status: 400, body: { responseCode: '0057' } } })
    expect((await takeBack(harness)).tenders).toEqual([])
    const stuck = await harness.until((sale) => sale.redemption?.state === 'reversal-escalated')
    expect(stuck).toMatchObject({ redemptionChoice: null, totals: { dueCents: 2259 } })
    const paid = (
      await saleActions(harness).send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T1' })
    ).sale
    expect(paid).toMatchObject({ state: 'completed', tenders: [{ kind: 'card' }] })
    await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
    expect(JSON.stringify((await harness.call('GET', '/api/queue')).body)).toContain('reversal-escalated')
  })

  test('repeats a REVERSE without an answer after a restart, and the miles are given back once', async () => {
    const first = await openTerminalHarness(central)
    const before = (await central.balances(FINE)).cash
    await redeemed(first)
    await central.faults({ path: REVERSE, occurrence: 1, action: { kind: 'hang-before' } })
    await takeBack(first)
    await central.reached(REVERSE, 1)
    await first.close()
    const harness = await openTerminalHarness(central, { folder: first.folder })
    const sale = await harness.reached((now) => now.redemption?.state === 'reversed')
    expect(sale).toMatchObject({ state: 'open', tenders: [], totals: { dueCents: 2259 } })
    expect((await central.balances(FINE)).cash).toBe(before)
  })
})
