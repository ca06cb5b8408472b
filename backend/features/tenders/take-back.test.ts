import { describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/api/sales.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { useCentre } from '../../testing/centre.ts'
import { hands } from '../../testing/changing.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'
import { FINE, REVERSE } from '../../testing/redemption-till.ts'
import { openRewritingProxy } from '../../testing/rewriting-proxy.ts'
import { payBy, sold } from '../../testing/vouchers.ts'

const centre = useCentre()
const INQUIRE = CASH_PATHS.inquire
const DETERGENT = '1021' // 22.59 with tax

const papers = (counter: Counter): { document: string }[] =>
  counter.read<{ document: string }>(
    "SELECT document FROM print_job WHERE kind = 'payment-back' ORDER BY created_at, rowid",
  )
const printedBack = (counter: Counter) =>
  counter.event(
    (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
      event.type === 'print-job' && event.paper === 'payment-back' && event.state === 'confirmed',
  )
/** The newest payment of the open sale, given back. */
const takeBack = async (counter: Counter): Promise<Sale> => {
  const { now, send } = hands(counter)
  return (await send('POST', `/tenders/${(await now()).tenders.at(-1)?.number ?? 0}/take-back`, {})).sale
}

describe('one payment is given back, and the sale goes on', () => {
  test('card and cash: the rest stays paid, the paper says what goes back, the trail who gave it', async () => {
    const counter = await openCounter(centre)
    const { send, trail } = hands(counter)
    await counter.ring(DETERGENT)
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
    expect((await takeBack(counter)).tenders).toEqual([])
    await printedBack(counter)
    expect(papers(counter).map(({ document }) => document.match(/Card refund|Cash refund|T1/g)?.join())).toEqual([
      'Card refund,T1',
      'Cash refund',
    ])
    expect(trail().filter(({ kind }) => kind === 'tender-taken-back')).toEqual([
      { kind: 'tender-taken-back', actor: 'alex', tender: 2, paidBy: 'card', amountCents: 1000 },
      { kind: 'tender-taken-back', actor: 'alex', tender: 1, paidBy: 'cash', amountCents: 500 },
    ])
    // The sale can be paid otherwise, and its receipt knows nothing of what was given back.
    const paid = (await send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T2' })).sale
    await counter.printed(paid.id)
    expect(JSON.stringify((await counter.call('GET', `/api/sales/${paid.id}/receipt`)).body)).not.toMatch(
      /T1|Cash refund/,
    )
    expect((await counter.call('POST', `/api/sales/${paid.id}/reprint`)).status).toBe(200)
  })

  test('a payment is given back once, of an open sale, by who has seen it', async () => {
    const counter = await openCounter(centre)
    const { send } = hands(counter)
    const rung = await counter.ring(DETERGENT)
    const { sale } = await send('POST', '/tenders', { kind: 'card', amountCents: 1000, reference: 'T1' })
    const path = `/api/sales/${sale.id}/tenders/1/take-back`
    expect(await counter.refused('POST', path, { version: rung.version })).toBe('sale-stale')
    await counter.call('POST', path, { version: sale.version })
    expect(await counter.refused('POST', path, { version: sale.version + 1 })).toBe('tender-unknown')
    expect(
      await counter.refused('POST', `/api/sales/${sale.id}/tenders/2/take-back`, { version: sale.version + 1 }),
      'the row that gave it back',
    ).toBe('tender-unknown')
    const { sale: paid } = await send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T2' })
    expect(await counter.refused('POST', `/api/sales/${sale.id}/tenders/3/take-back`, { version: paid.version })).toBe(
      'sale-not-open',
    )
  })

  test('a gift card holds again what it had paid', async () => {
    const counter = await openCounter(centre)
    const card = await sold(counter, 2500)
    await payBy(counter, await counter.ring(DETERGENT), card, 1500)
    expect(await takeBack(counter)).toMatchObject({ tenders: [], totals: { dueCents: 2259 } })
    await printedBack(counter)
    expect(papers(counter)[0]?.document).toMatch(/Gift card.*15\.00.*Remaining.*25\.00/)
    // Cancelled after that, it is not given back a second time.
    await hands(counter).send('POST', '/cancel', {})
    expect(
      counter.read(
        `SELECT sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END) AS cents FROM voucher_entry WHERE voucher_id = '${card.id}'`,
      ),
    ).toEqual([{ cents: 2500 }])
  })

  test('with nothing paid any more it may lie on hold', async () => {
    const counter = await openCounter(centre)
    const { send } = hands(counter)
    await counter.ring(DETERGENT)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 500 })
    await takeBack(counter)
    expect((await send('POST', '/hold', {})).sale.state).toBe('held')
  })
})

describe('miles that paid go back by REVERSE', () => {
  const redeemed = async (counter: Counter): Promise<Sale> => {
    await counter.ring(DETERGENT)
    await counter.swipe('fine')
    return (await hands(counter).send('POST', '/redemption', { units: 1 })).sale
  }

  test('and another amount can be redeemed on the same sale when they are back', async () => {
    const counter = await openCounter(centre)
    const before = (await centre.balances(FINE)).cash
    const paid = await redeemed(counter)
    expect(paid.redemption).toMatchObject({ state: 'approved' })
    const after = await takeBack(counter)
    expect(after).toMatchObject({ state: 'open', tenders: [], totals: { dueCents: 2259 }, redemptionChoice: null })
    expect(['reversing', 'reversed']).toContain(after.redemption?.state)
    expect(after.redemption?.wasApplied).toBe(true)
    const again = await counter.until((sale) => sale.redemption?.state === 'reversed' && sale.redemptionChoice !== null)
    expect((await centre.balances(FINE)).cash).toBe(before)
    expect(again.member).toMatchObject({ state: 'known' })
    const second = (await hands(counter).send('POST', '/redemption', { units: 2 })).sale
    expect(second).toMatchObject({ tenders: [{ kind: 'miles', amountCents: 2000 }], totals: { dueCents: 259 } })
    expect(before - (await centre.balances(FINE)).cash).toBe(190)
    const { sale } = await hands(counter).send('POST', '/tenders', { kind: 'card', amountCents: 259, reference: 'T1' })
    expect(sale.state).toBe('completed')
  })

  test('while they are on their way no second redemption is taken, nothing said before is shown or printed, and the older one is not touched', async () => {
    const counter = await openCounter(centre)
    const paid = await redeemed(counter)
    const before = (await centre.balances(FINE)).cash
    await centre.faults({ path: REVERSE, occurrence: 1, action: { kind: 'delay', ms: 1_500 } })
    const path = `/api/sales/${paid.id}/tenders/1/take-back`
    // Two windows at once: one gives it back, the other learns that the sale has moved on.
    const both = await Promise.all([
      counter.call('POST', path, { version: paid.version }),
      counter.call('POST', path, { version: paid.version }),
    ])
    expect(both.map(({ status, body }) => (status === 200 ? 'given back' : body.code)).toSorted()).toEqual([
      'given back',
      'sale-stale',
    ])
    const after = await counter.current()
    expect(after).toMatchObject({
      redemption: { state: 'reversing' },
      redemptionChoice: null,
      member: { availableCashMiles: null, availableCents: null },
    })
    expect(
      await counter.refused('POST', `/api/sales/${paid.id}/redemption`, { version: after?.version, units: 1 }),
    ).toMatch(/inquiry-pending|redemption-not-allowed/)
    expect(
      await counter.refused('POST', `/api/sales/${paid.id}/redemption`, { version: paid.version, units: 1 }),
    ).toMatch(/inquiry-pending|sale-stale/)
    expect(await counter.refused('POST', `/api/sales/${paid.id}/hold`, { version: after?.version })).toBe(
      'sale-paid-on',
    )
    await counter.until((sale) => sale.redemption?.state === 'reversed' && sale.redemptionChoice !== null)
    expect((await centre.balances(FINE)).cash).toBe(before + 95)
    expect((await centre.requests(REVERSE)).length).toBe(1)
  })

  test('of a card that was swiped before anything was rung: INQUIRE is told of the basket again once they are back', async () => {
    const counter = await openCounter(centre)
    await counter.swipe('fine')
    await counter.ring(DETERGENT)
    const asked = await counter.until((sale) => sale.redemptionChoice !== null)
    await hands(counter).send('POST', '/redemption', { units: asked.redemptionChoice?.maxUnits })
    await takeBack(counter)
    const again = await counter.until((sale) => sale.redemption?.state === 'reversed' && sale.redemptionChoice !== null)
    expect(again.redemptionChoice).toEqual(asked.redemptionChoice)
    expect((await centre.requests(INQUIRE)).map(({ body }) => body['postTaxBasketAmount'])).toEqual([
      '0.00',
      '22.59',
      '22.59',
    ])
    // Held and resumed it is asked about once more, and the redemption that was given back stands in nobody's way.
    const held = (await hands(counter).send('POST', '/hold', {})).sale
    await counter.call('POST', `/api/sales/${held.id}/resume`, { version: held.version })
    await counter.until(
      (sale) => sale.state === 'open' && sale.version > held.version && sale.redemptionChoice !== null,
    )
    expect(await centre.requests(INQUIRE)).toHaveLength(4)
  })

  test('by the path that the operator has named, also after a restart, and by no other', async () => {
    const seen: string[] = []
    const { url } = await openRewritingProxy(
      centre.url,
      ({ path }) => {
        seen.push(path)
        return null
      },
      (path) => (path === '/v2/give-back' ? REVERSE : path),
    )
    const here = { cashUrl: url, reversePath: '/v2/give-back' }
    const first = await openCounter(centre, here)
    const before = (await centre.balances(FINE)).cash
    await redeemed(first)
    await centre.faults({ path: REVERSE, occurrence: 1, action: { kind: 'hang-before' } })
    await takeBack(first)
    await centre.reached(REVERSE, 1)
    await first.close()
    const counter = await openCounter(centre, { ...here, folder: first.folder })
    await counter.until((sale) => sale.redemption?.state === 'reversed')
    expect((await centre.balances(FINE)).cash).toBe(before)
    expect(seen.filter((path) => path !== INQUIRE && path !== CASH_PATHS.redeem && path !== CASH_PATHS.echo)).toEqual([
      '/v2/give-back',
    ])
    const [hung, answered] = await centre.requests(REVERSE)
    expect(answered?.sha256).toBe(hung?.sha256)
  })

  test('that find no answer leave the sale as it is: paid otherwise, nothing of it counted twice', async () => {
    const counter = await openCounter(centre, { limits: { cashTimeoutMs: 300 } })
    await redeemed(counter)
    await centre.faults({ path: REVERSE, action: { kind: 'answer', status: 400, body: { responseCode: '0057' } } })
    expect((await takeBack(counter)).tenders).toEqual([])
    const stuck = await counter.until((sale) => sale.redemption?.state === 'reversal-escalated')
    expect(stuck).toMatchObject({ redemptionChoice: null, totals: { dueCents: 2259 } })
    const paid = (await hands(counter).send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T1' }))
      .sale
    expect(paid).toMatchObject({ state: 'completed', tenders: [{ kind: 'card' }] })
    await counter.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
    expect(JSON.stringify((await counter.call('GET', '/api/queue')).body)).toContain('reversal-escalated')
  })

  test('after a crash between the commit and the call the reversal goes out, once', async () => {
    const first = await openCounter(centre)
    const before = (await centre.balances(FINE)).cash
    await redeemed(first)
    await centre.faults({ path: REVERSE, occurrence: 1, action: { kind: 'hang-before' } })
    await takeBack(first)
    await centre.reached(REVERSE, 1)
    await first.close()
    const counter = await openCounter(centre, { folder: first.folder })
    const sale = await counter.until((now) => now.redemption?.state === 'reversed')
    expect(sale).toMatchObject({ state: 'open', tenders: [], totals: { dueCents: 2259 } })
    expect((await centre.balances(FINE)).cash).toBe(before)
  })
})
