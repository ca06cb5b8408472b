import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Voucher } from '../../../contracts/payments/vouchers.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { groupedCode, voucherCodeOf } from '../../core/scan-codes.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { APPLES, buy, DETERGENT, formsOf, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { codesOf, giftCard, payBy, payCash, present, saleOf, sold } from '../../../packages/lab/testing/vouchers.ts'

const central = useCentral()

test('an unknown voucher is refused with the message that another lane issued it', async () => {
  const harness = await openTerminalHarness(central)
  const { status, body } = await harness.call('POST', '/api/vouchers/present', {
    code: voucherCodeOf('5f0c9f0e-3b1d-4c55-9a77-0123456789ab'),
  })
  expect([status, body.code]).toEqual([404, 'voucher-unknown'])
  expect(JSON.stringify(body)).toMatch(
    /Another lane issued it.*take another payment.*Une autre caisse l’a émis.*payez autrement/,
  )
})

test('a gift receipt lists only goods that may be returned: no gift card, and none returned already', async () => {
  const harness = await openTerminalHarness(central)
  await giftCard(harness, 2500)
  const sale = await buy(harness, [
    [APPLES, 2],
    [DETERGENT, 1],
  ])
  const documents = (): string[] =>
    harness
      .read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'gift' ORDER BY created_at, rowid")
      .map(({ document }) => document)
  await harness.call('POST', `/api/sales/${sale.id}/gift-receipt`)
  expect(documents().at(-1)).toMatch(/Apples.*detergent/)
  expect(documents().at(-1)).not.toMatch(/"Gift card|25\.00/)
  await returnPieces(harness, sale, [3, 1], [2, 1])
  await harness.call('POST', `/api/sales/${sale.id}/gift-receipt`)
  expect(documents()[1]).toContain('Apples')
  expect(documents()[1]).not.toMatch(/detergent|Quantity|×/)
  const returnable = await harness.call('GET', `/api/sales/${sale.id}/returnable`)
  expect(returnable.body).toMatchObject({
    lines: [
      { kept: true, leftQuantity: 0 },
      { kept: false, leftQuantity: 1 },
      { kept: false, leftQuantity: 0 },
    ],
  })
  const alone = await payCash(harness, await giftCard(harness, 2500))
  expect(await harness.refused('POST', `/api/sales/${alone.id}/gift-receipt`)).toBe('gift-receipt-empty')
})

describe('a gift card', () => {
  test('is sold without tax and miles, and has its value once its sale is paid', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT)
    await giftCard(harness, 5000)
    const sale = await harness.swipe('fine')
    expect(sale.totals).toMatchObject({ subtotalCents: 6999, totalCents: 7259 })
    expect(codesOf(harness), 'nothing before it is paid').toEqual([])
    await payCash(harness, sale)
    await harness.untilOperation('issue', 'confirmed')
    expect((await central.requests(ISSUANCE_PATHS.issue))[0]?.body).toMatchObject({
      basketPreTaxAmount: 19.99,
      basketPostTaxAmount: 22.59,
      items: [{ id: DETERGENT }],
    })
    const [code = ''] = codesOf(harness)
    expect(await present(harness, groupedCode(code).toLowerCase())).toMatchObject({
      kind: 'gift-card',
      balanceCents: 5000,
      last4: code.slice(-4),
    })
    const [job] = harness.read<{ document: string }>('SELECT document FROM print_job WHERE voucher_id IS NOT NULL')
    expect(job?.document).toContain('$50.00')
    expect(job?.document, 'stored without its code').not.toContain(code)
  })

  test('earns nothing when sold alone, and no purchase is sent to the program', async () => {
    const harness = await openTerminalHarness(central)
    await giftCard(harness, 2500)
    const sale = await harness.swipe('fine')
    const paid = await payCash(harness, sale)
    expect(paid).toMatchObject({ state: 'completed', issuance: null })
    expect(harness.operations()).toEqual([])
  })

  test('is never issued for a void line or a cancelled sale, and each gift card has its own line', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(APPLES)
    const two = await giftCard(harness, 2500)
    expect(await harness.refused('PUT', `/api/sales/${two.id}/lines/2`, { version: two.version, quantity: 2 })).toBe(
      'gift-card-single',
    )
    const voided = saleOf(await harness.call('POST', `/api/sales/${two.id}/lines/2/void`, { version: two.version }))
    await payCash(harness, voided)
    const cancelled = await giftCard(harness, 2500)
    await harness.call('POST', `/api/sales/${cancelled.id}/cancel`, { version: cancelled.version })
    expect(harness.read('SELECT id FROM voucher')).toEqual([])
  })

  test('has the code that is printed on its card; a code already sold, or easily guessed, is refused', async () => {
    const harness = await openTerminalHarness(central)
    await sold(harness, 1000)
    const [code = ''] = codesOf(harness)
    expect(await harness.refused('POST', '/api/sales/current/gift-cards', { amountCents: 1000, code })).toBe(
      'gift-card-used',
    )
    expect(
      await harness.refused('POST', '/api/sales/current/gift-cards', { amountCents: 1000, code: '6035710000000001' }),
    ).toBe('voucher-code-invalid')
    expect(await harness.refused('POST', '/api/sales/current/gift-cards', { amountCents: 99 })).toBe('body-invalid')
    await payCash(harness, await giftCard(harness, 3000, 'ABCDEFGHJKMNPQRT'))
    expect(codesOf(harness)[1]).toBe('ABCDEFGHJKMNPQRT')
  })

  test('cannot be bought with another gift card, which pays only the other goods of the sale', async () => {
    const harness = await openTerminalHarness(central)
    await sold(harness, 5000)
    const [code = ''] = codesOf(harness)
    await harness.ring(APPLES)
    const sale = await giftCard(harness, 2000)
    const voucher = await present(harness, code)
    expect((await payBy(harness, sale, voucher, 700)).body.code).toBe('gift-card-pays-goods')
    const paid = saleOf(await payBy(harness, sale, voucher, 699))
    expect(paid.totals.dueCents).toBe(2000)
    const less = `/api/sales/${sale.id}/lines/1/void`
    expect(await harness.refused('POST', less, { version: paid.version })).toBe('gift-card-pays-goods')
    expect((await payCash(harness, paid)).state).toBe('completed')
  })

  test('cannot be bought with store credit, which would become cash where small balances are paid out', async () => {
    const harness = await openTerminalHarness(central, { region: 'QC', staffId: 'sam' })
    const items = [{ sku: DETERGENT, quantity: 1 }]
    expect((await harness.call('POST', '/api/returns/without-record', { items, reason: 'gift' })).status).toBe(200)
    const credit = { ...(await present(harness, codesOf(harness)[0] ?? '')), code: codesOf(harness)[0] ?? '' }
    expect((await payBy(harness, await giftCard(harness, 1000), credit, 500)).body.code).toBe('store-credit-pays-goods')
    const both = await harness.ring(APPLES)
    expect((await payBy(harness, both, credit, 700)).body.code).toBe('store-credit-pays-goods')
    const paid = saleOf(await payBy(harness, both, credit, 699))
    expect(paid.totals.dueCents).toBe(1000)
    expect(
      await harness.refused('POST', `/api/sales/${paid.id}/lines/2/void`, { version: paid.version }),
      'the card alone would be paid with store credit',
    ).toBe('store-credit-pays-goods')
    expect((await payCash(harness, paid)).state).toBe('completed')
  })

  test('cannot be bought with store credit after miles have paid the other goods of its sale', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const items = [{ sku: DETERGENT, quantity: 2 }]
    await harness.call('POST', '/api/returns/without-record', { items, reason: 'gift' })
    const credit = { ...(await present(harness, codesOf(harness)[0] ?? '')), code: codesOf(harness)[0] ?? '' }
    await giftCard(harness, 2000)
    await harness.swipe('fine')
    const sale = await harness.ring(DETERGENT)
    const path = `/api/sales/${sale.id}/redemption`
    const redeemed = saleOf(await harness.call('POST', path, { version: sale.version, units: 2 }))
    expect(redeemed.totals.dueCents).toBe(2259)
    expect((await payBy(harness, redeemed, credit, 260)).body.code).toBe('store-credit-pays-goods')
    expect(saleOf(await payBy(harness, redeemed, credit, 259)).totals.dueCents).toBe(2000)
  })

  test('cannot be returned, unlike the other goods of its sale', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(APPLES)
    const sale = await payCash(harness, await giftCard(harness, 2000))
    expect((await harness.call('GET', `/api/sales/${sale.id}/returnable`)).body).toMatchObject({
      lines: [{ leftQuantity: 1 }, { leftQuantity: 0 }],
    })
    expect(
      await harness.refused('POST', '/api/returns/quote', { saleId: sale.id, lines: [{ number: 2, quantity: 1 }] }),
    ).toBe('gift-card-kept')
    expect(formsOf(await returnPieces(harness, sale, [1, 1]))).toEqual([['cash', 699, 1]])
  })
})

describe('miles in a sale with a gift card', () => {
  test('pay only the other goods, which cannot be voided while they are paid with miles', async () => {
    const harness = await openTerminalHarness(central)
    await giftCard(harness, 5000)
    expect((await harness.swipe('fine')).member).toMatchObject({ noRedemption: 'gift-card' })
    let sale = await harness.ring(DETERGENT)
    expect(sale.redemptionChoice).toMatchObject({ maxUnits: 2, limitedBy: 'gift-card' })
    expect(await harness.refused('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 3 })).toBe(
      'redemption-units-invalid',
    )
    sale = saleOf(await harness.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 2 }))
    expect(sale.tenders).toMatchObject([{ kind: 'miles', amountCents: 2000 }])
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/lines/2/void`, { version: sale.version }),
      'the card alone would be paid with miles',
    ).toBe('miles-pay-goods')
    expect((await payCash(harness, sale)).state).toBe('completed')
  })
})

describe('paying with a voucher', () => {
  test('pays a portion of each of two sales, and the receipt shows the remaining balance', async () => {
    const harness = await openTerminalHarness(central)
    const voucher = await sold(harness, 2000)
    const first = saleOf(await payBy(harness, await harness.ring(APPLES), voucher, 699))
    expect(first).toMatchObject({
      state: 'completed',
      tenders: [{ kind: 'gift-card', amountCents: 699, reference: voucher.last4, leftCents: 1301 }],
    })
    expect(JSON.stringify((await harness.call('GET', `/api/sales/${first.id}/receipt`)).body.document)).toMatch(
      /Remaining.*\$13\.01/,
    )
    const second = await harness.ring(DETERGENT)
    expect((await payBy(harness, second, voucher, 1302)).body.code).toBe('voucher-balance')
    const partly = saleOf(await payBy(harness, second, voucher, 1301))
    expect(partly.totals.dueCents).toBe(2259 - 1301)
    await payCash(harness, partly)
    expect(await harness.refused('POST', '/api/vouchers/present', { code: codesOf(harness)[0] ?? '' })).toBe(
      'voucher-empty',
    )
  })

  test('works in one sale together with miles, a payment card and cash', async () => {
    const harness = await openTerminalHarness(central)
    const voucher = await sold(harness, 500)
    await harness.ring(DETERGENT, 2)
    let sale = saleOf(await payBy(harness, await harness.swipe('fine'), voucher, 500))
    sale = saleOf(await harness.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 2 }))
    sale = saleOf(
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: sale.version,
        amountCents: 1000,
        reference: 'T1',
      }),
    )
    expect(await payCash(harness, sale)).toMatchObject({
      state: 'completed',
      tenders: [{ kind: 'gift-card' }, { kind: 'miles' }, { kind: 'card' }, { kind: 'cash' }],
    })
  })

  test('is refused above the amount due, without presenting the voucher, and with invalid codes', async () => {
    const harness = await openTerminalHarness(central)
    const voucher = await sold(harness, 2000)
    const sale = await harness.ring(APPLES)
    expect((await payBy(harness, sale, voucher, 700)).body.code).toBe('tender-exceeds-due')
    expect((await payBy(harness, sale, { id: 'A'.repeat(32) }, 100)).body.code).toBe('voucher-not-presented')
    const [code = ''] = codesOf(harness)
    expect(
      await harness.refused('POST', '/api/vouchers/present', {
        code: `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`,
      }),
    ).toBe('voucher-code-invalid')
    expect(await harness.refused('POST', '/api/vouchers/present', { code: 'ABCDEFGHJKMNPQRT' })).toBe('voucher-unknown')
  })

  test('works only in the sale during which it was presented', async () => {
    const harness = await openTerminalHarness(central)
    const { id, code } = await sold(harness, 5000)
    // The voucher is presented between two customers, without an open sale.
    const first = await harness.ring(APPLES)
    expect((await payBy(harness, first, { id }, 699)).body.code).toBe('voucher-not-presented')
    expect((await payBy(harness, first, { id, code }, 699)).status).toBe(200)
    const second = await harness.ring(APPLES)
    expect((await payBy(harness, second, { id }, 699)).body.code).toBe('voucher-not-presented')
    await present(harness, code)
    const held = saleOf(await harness.call('POST', `/api/sales/${second.id}/hold`, { version: second.version }))
    const back = saleOf(await harness.call('POST', `/api/sales/${held.id}/resume`, { version: held.version }))
    expect((await payBy(harness, back, { id }, 699)).body.code, 'whoever it belongs to may have left').toBe(
      'voucher-not-presented',
    )
    expect(harness.read("SELECT sum(amount_cents) AS spent FROM voucher_entry WHERE kind = 'redeemed'")).toEqual([
      { spent: 699 },
    ])
  })

  test('is undone when the sale is cancelled', async () => {
    const harness = await openTerminalHarness(central)
    const voucher = await sold(harness, 2000)
    const partly = saleOf(await payBy(harness, await harness.ring(DETERGENT), voucher, 2000))
    const cancelled = saleOf(await harness.call('POST', `/api/sales/${partly.id}/cancel`, { version: partly.version }))
    expect(cancelled.tenders.at(-1)).toMatchObject({ kind: 'gift-card', amountCents: -2000, leftCents: 2000 })
    expect(await present(harness, codesOf(harness)[0] ?? '')).toMatchObject({ balanceCents: 2000 })
  })

  test('works once when three simultaneous payments spend the last balance', async () => {
    const harness = await openTerminalHarness(central)
    const voucher = await sold(harness, 699)
    const sale = await harness.ring(APPLES)
    const answers = await Promise.all([1, 2, 3].map(() => payBy(harness, sale, voucher, 699)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(harness.read("SELECT sum(amount_cents) AS spent FROM voucher_entry WHERE kind = 'redeemed'")).toEqual([
      { spent: 699 },
    ])
  })

  test('is refunded as store credit when the goods are returned', async () => {
    const harness = await openTerminalHarness(central)
    const voucher = await sold(harness, 2000)
    const sale = await payCash(harness, saleOf(await payBy(harness, await harness.ring(DETERGENT), voucher, 2000)))
    const returned = await returnPieces(harness, sale, [1, 1])
    expect(formsOf(returned)).toEqual([
      ['cash', 259, 1],
      ['store-credit', 2000, 0],
    ])
    expect(returned.vouchers).toMatchObject([{ kind: 'store-credit', balanceCents: 2000 }])
  })
})

test('a store credit’s code is not in the answer to its return, and not in clear text in the database', async () => {
  const harness = await openTerminalHarness(central)
  const sale = await buy(harness, [[DETERGENT, 2]], { card: 'fine', units: 4 })
  const returned = await returnPieces(harness, sale, [1, 1])
  const [code = ''] = codesOf(harness)
  expect(code).toHaveLength(17)
  expect(JSON.stringify(returned)).not.toContain(code)
  await harness.printed(returned.vouchers[0]?.id ?? '')
  for (const file of ['terminal.db', 'terminal.db-wal']) {
    const bytes = readFileSync(join(harness.folder, file))
    expect([bytes.includes(code), bytes.includes(groupedCode(code))], file).toEqual([false, false])
  }
})

const anyStep = fc.oneof(
  fc.record({ do: fc.constant('issue' as const), cents: fc.integer({ min: 100, max: 3000 }) }),
  fc.record({
    do: fc.constant('pay' as const),
    which: fc.nat(),
    cents: fc.integer({ min: 1, max: 3000 }),
    cancel: fc.boolean(),
  }),
)

test('voucher balances equal the amounts issued less those redeemed, for any actions', async () => {
  const harness = await openTerminalHarness(central)
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 6 }), async (steps) => {
      for (const step of steps) {
        if (step.do === 'issue') {
          await payCash(harness, await giftCard(harness, step.cents))
          continue
        }
        const codes = codesOf(harness)
        if (codes.length === 0) continue
        const sale = await harness.ring(DETERGENT)
        const shown = await harness.call('POST', '/api/vouchers/present', { code: codes[step.which % codes.length] })
        if (shown.status !== 200) {
          await harness.call('POST', `/api/sales/${sale.id}/cancel`, { version: sale.version })
          continue
        }
        const paid = await payBy(harness, sale, shown.body['voucher'] as Voucher, step.cents)
        const now = paid.status === 200 ? saleOf(paid) : sale
        if (now.state !== 'open') continue
        if (step.cancel) await harness.call('POST', `/api/sales/${now.id}/cancel`, { version: now.version })
        else await payCash(harness, now)
      }
      const [sums] = harness.read<{ issued: number; redeemed: number; balances: number; least: number }>(`SELECT
      (SELECT coalesce(sum(unit_price_cents), 0) FROM sale_line JOIN sale ON sale.id = sale_id
      WHERE sku = 'milepost:gift-card' AND state = 'completed') AS issued,
      (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE kind = 'gift-card') AS redeemed,
      (SELECT coalesce(sum(balance), 0)
      FROM (SELECT sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END) AS balance
      FROM voucher_entry GROUP BY voucher_id)) AS balances,
      (SELECT coalesce(min(balance), 0)
      FROM (SELECT sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END) AS balance
      FROM voucher_entry GROUP BY voucher_id)) AS least`)
      expect(sums?.balances).toBe((sums?.issued ?? 0) - (sums?.redeemed ?? 0))
      expect(sums?.least).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 15 },
  )
})
