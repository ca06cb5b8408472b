import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SaleReturn } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { approved } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import {
  APPLES,
  buy,
  COFFEE,
  DETERGENT,
  formsOf,
  returnPieces,
  quoteOf,
  refundsOf,
} from '../../../packages/lab/testing/return-steps.ts'
import { UNRECORDED_CENTS } from '../rows/returns.sql.ts'

const central = useCentral()

describe('the check of a return', () => {
  test('refuses a return with an outdated version of the sale, even if enough pieces are left', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[APPLES, 2]])
    const lines = [{ number: 1, quantity: 1 }]
    const quote = await quoteOf(harness, sale, lines)
    const command = {
      saleId: sale.id,
      version: quote.version,
      lines,
      refunds: refundsOf(quote),
      cardReference: 'R1',
    }
    expect((await harness.call('POST', '/api/returns', command)).status).toBe(200)
    expect(
      await harness.refused('POST', '/api/returns', { ...command }),
      'another return of a screen that has not seen the first',
    ).toBe('sale-stale')
    expect(harness.read('SELECT sum(quantity) AS pieces FROM return_line')).toEqual([{ pieces: 1 }])
  })

  test('refuses to return more than is left of the sale, also for four simultaneous requests', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[APPLES, 2]])
    const lines = [{ number: 1, quantity: 2 }]
    const quote = await quoteOf(harness, sale, lines)
    const command = {
      saleId: sale.id,
      version: quote.version,
      lines,
      refunds: refundsOf(quote),
      cardReference: 'R1',
    }
    const answers = await Promise.all([1, 2, 3, 4].map(() => harness.call('POST', '/api/returns', { ...command })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
    expect(answers.flatMap(({ body }) => body.code ?? [])).toEqual([
      'return-exceeds-sold',
      'return-exceeds-sold',
      'return-exceeds-sold',
    ])
    expect(harness.read('SELECT count(*) AS lines, sum(quantity) AS pieces FROM return_line')).toEqual([
      { lines: 1, pieces: 2 },
    ])
    expect((await harness.call('GET', `/api/sales/${sale.id}/returnable`)).body).toMatchObject({
      lines: [{ number: 1, quantity: 2, returnedQuantity: 2, leftQuantity: 0 }],
      returns: [{ totalCents: 1398 }],
    })
  })

  test('refuses wrong lines, quantities, versions, refunds and card references', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [
      [APPLES, 1],
      [COFFEE, 1],
    ])
    const lines = [{ number: 1, quantity: 1 }]
    const quote = await quoteOf(harness, sale, lines)
    const refused = (change: object): Promise<string> =>
      harness.refused('POST', '/api/returns', {
        saleId: sale.id,
        version: quote.version,
        lines,
        refunds: refundsOf(quote),
        cardReference: 'R1',
        ...change,
      })
    expect(await refused({ lines: [{ number: 3, quantity: 1 }] })).toBe('return-nothing')
    expect(
      await refused({
        lines: [
          { number: 1, quantity: 1 },
          { number: 1, quantity: 1 },
        ],
      }),
    ).toBe('return-exceeds-sold')
    expect(await refused({ version: quote.version - 1 })).toBe('sale-stale')
    expect(await refused({ refunds: [{ kind: 'cash', paidBy: 'cash', amountCents: 699 }] })).toBe('return-changed')
    expect(await refused({ cardReference: undefined })).toBe('return-card-reference')
    expect(await refused({ cardReference: '4111 1111 1111 1111' })).toBe('reference-is-card')
    expect(harness.read('SELECT id FROM sale_return')).toEqual([])
    const open = await harness.ring(APPLES)
    expect(await harness.refused('GET', `/api/sales/${open.id}/returnable`)).toBe('sale-not-completed')
    expect(await harness.refused('GET', '/api/returns/N1010100000099ABCD')).toBe('not-found')
  })
})

test('a return requested three times with one idempotency key is made only once', async () => {
  const harness = await openTerminalHarness(central)
  const sale = await buy(harness, [[APPLES, 2]])
  const lines = [{ number: 1, quantity: 1 }]
  const quote = await quoteOf(harness, sale, lines)
  const command = { saleId: sale.id, version: quote.version, lines, refunds: refundsOf(quote), cardReference: 'R1' }
  const key = randomUUID()
  const answers = await Promise.all([1, 2, 3].map(() => harness.call('POST', '/api/returns', command, key)))
  expect(new Set(answers.map(({ body }) => SaleReturn.parse(body['return']).id)).size).toBe(1)
  expect(harness.read('SELECT sum(quantity) AS pieces FROM return_line')).toEqual([{ pieces: 1 }])
  expect(harness.read('SELECT count(*) AS documents FROM print_job WHERE return_id IS NOT NULL')).toEqual([
    { documents: 1 },
  ])
})

const ROBIN = {
  id: StaffId.parse('robin'),
  name: 'Robin Roy',
  role: 'supervisor',
  locale: 'en-CA',
  trainingPin: '5678',
} as const

test('the returnable lines of a sale include their discounts', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring(APPLES, 2)
  let sale = await harness.ring(DETERGENT)
  sale = (
    await harness.call('POST', `/api/sales/${sale.id}/discounts`, {
      version: sale.version,
      line: 1,
      off: { kind: 'amount', cents: 100 },
      reason: 'damaged',
    })
  ).body.sale
  await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
    version: sale.version,
    kind: 'card',
    amountCents: sale.totals.dueCents,
    reference: 'T1',
  })
  const { body } = await harness.call('GET', `/api/sales/${sale.id}/returnable`)
  expect(body).toMatchObject({
    discounts: [{ number: 1, reason: 'damaged', off: { kind: 'amount', cents: 100 } }],
    lines: [
      { number: 1, discounts: [1], unitPriceCents: 699, discountCents: 100, amountCents: 1298 },
      { number: 2, discounts: [], discountCents: 0 },
    ],
  })
  expect((await quoteOf(harness, sale, [{ number: 1, quantity: 1 }])).lines).toMatchObject([
    { number: 1, quantity: 1, unitPriceCents: 699, discountCents: 50, amountCents: 649 },
  ])
})

describe('a return that requires approval', () => {
  const lines = [{ number: 1, quantity: 1 }]
  async function asked(staffId?: 'sam') {
    const harness = await openTerminalHarness(central, {
      approvals: { returnFromDollars: 20, actions: { return: { cashier: 'with-approval' } } },
      moreStaff: [ROBIN],
      ...(staffId ? { staffId } : {}),
    })
    const sale = await buy(harness, [
      [DETERGENT, 1],
      [APPLES, 1],
    ])
    const quote = await quoteOf(harness, sale, lines)
    return {
      harness,
      sale,
      quote,
      command: {
        saleId: sale.id,
        version: quote.version,
        lines,
        refunds: refundsOf(quote),
        cardReference: 'R1',
        reason: 'damaged',
      },
    }
  }

  test('needs a supervisor’s PIN, while a return below the limit needs none', async () => {
    const { harness, sale, quote, command } = await asked()
    expect(quote.needsApproval).toBe(true)
    const less = [{ number: 2, quantity: 1 }]
    expect((await quoteOf(harness, sale, less)).needsApproval).toBe(false)
    const refused = async (approval: object): Promise<string> =>
      (await approved(harness, 'POST', '/api/returns', command, approval)).body.code
    expect((await harness.call('POST', '/api/returns', command)).body).toMatchObject({
      code: 'approval-required',
      approval: {
        of: 'goods',
        saleId: sale.id,
        items: [{ quantity: command.lines[0]?.quantity }],
        totalCents: quote.totals.totalCents,
        refunds: [{ kind: 'card' }],
      },
    })
    expect(await refused({ staffId: 'sam', pin: '1111' })).toBe('pin-wrong')
    expect(await refused({ staffId: 'alex', pin: '1234' }), 'a cashier’s own PIN approves nothing').toBe(
      'approver-not-allowed',
    )
    expect(harness.read('SELECT id FROM sale_return')).toEqual([])
    expect((await approved(harness, 'POST', '/api/returns', command)).status).toBe(200)
    expect(harness.read('SELECT cashier_id, approved_by, reason FROM sale_return')).toEqual([
      { cashier_id: 'alex', approved_by: 'sam', reason: 'damaged' },
    ])
    expect(harness.read("SELECT actor_id, detail FROM audit_entry WHERE kind = 'return-approved'")).toEqual([
      { actor_id: 'sam', detail: expect.stringContaining('alex') as string },
    ])
    expect((await quoteOf(harness, sale, less)).needsApproval, 'beside it').toBe(true)
  })

  test('cannot be split to avoid the approval: the limit applies to all returns of the sale', async () => {
    const { harness } = await asked()
    const sale = await buy(harness, [[COFFEE, 3]])
    const one = [{ number: 1, quantity: 1 }]
    const earlierCents = (await returnPieces(harness, sale, [1, 1])).totals.totalCents
    const quote = await quoteOf(harness, sale, one)
    expect(quote.totals.totalCents).toBeLessThan(2_000)
    expect(quote.needsApproval).toBe(true)
    const again = {
      saleId: sale.id,
      version: quote.version,
      lines: one,
      refunds: refundsOf(quote),
      cardReference: 'R2',
    }
    const { approval, code } = (await harness.call('POST', '/api/returns', again)).body
    expect(code).toBe('approval-required')
    expect(approval, 'which says why it asks').toMatchObject({ earlierCents })
    expect((await approved(harness, 'POST', '/api/returns', again)).status).toBe(200)
    const third = { ...again, version: (await quoteOf(harness, sale, one)).version }
    const given = { ...third, approval: { staffId: 'sam', pin: '9999', covers: approval?.covers } }
    expect(await harness.refused('POST', '/api/returns', given), 'the same goods once more').toBe('approval-required')
  })

  test('requests no approval when the return is refused anyway: missing slip, changed open sale', async () => {
    const { harness, sale, command } = await asked()
    const refused = (change: object): Promise<string> =>
      harness.refused('POST', '/api/returns', { ...command, ...change })
    expect(await refused({ cardReference: undefined })).toBe('return-card-reference')
    expect(await refused({ cardReference: '4111 1111 1111 1111' })).toBe('reference-is-card')
    const open = await harness.ring(APPLES)
    const { refunds, exchange } = await quoteOf(harness, sale, lines, open)
    expect(
      await refused({
        refunds: refundsOf({ refunds }),
        exchange: { saleId: open.id, version: (exchange?.version ?? 0) - 1 },
      }),
    ).toBe('sale-stale')
    expect(
      await refused({ refunds: refundsOf({ refunds }), exchange: { saleId: open.id, version: exchange?.version } }),
    ).toBe('approval-required')
    expect(
      harness.read(
        `SELECT id FROM sale_return UNION SELECT id FROM voucher UNION SELECT sale_id FROM tender
          WHERE voucher_id IS NOT NULL`,
      ),
    ).toEqual([])
  })

  test('can be approved by a supervisor, with or without a record of the sale', async () => {
    const { harness, command } = await asked()
    const approval = { staffId: 'robin', pin: '5678' }
    expect((await approved(harness, 'POST', '/api/returns', command, approval)).status).toBe(200)
    expect(
      (
        await approved(
          harness,
          'POST',
          '/api/returns/without-record',
          { items: [{ sku: DETERGENT, quantity: 1 }], reason: 'receipt lost' },
          approval,
        )
      ).status,
    ).toBe(200)
    expect(harness.read('SELECT cashier_id, approved_by FROM sale_return')).toEqual([
      { cashier_id: 'alex', approved_by: 'robin' },
      { cashier_id: 'alex', approved_by: 'robin' },
    ])
  })

  test('needs no further approval if a manager makes it, who is recorded as the approver', async () => {
    const { harness, command } = await asked('sam')
    expect((await harness.call('POST', '/api/returns', command)).status).toBe(200)
    expect(harness.read('SELECT cashier_id, approved_by FROM sale_return')).toEqual([
      { cashier_id: 'sam', approved_by: 'sam' },
    ])
  })
})

describe('documents of sales and returns', () => {
  test('a return has its own receipt; its copies are numbered and in the language of that receipt', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[APPLES, 1]])
    const returned = await returnPieces(harness, sale, [1, 1])
    const { body } = await harness.call('GET', `/api/returns/${returned.id}/receipt`)
    expect(JSON.stringify(body.document)).toContain(`Items from sale ${sale.id}`)
    expect(harness.read(`SELECT copy FROM print_job WHERE sale_id = '${sale.id}'`)).toEqual([{ copy: 0 }])
    await harness.printed(returned.id)
    await harness.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
    await harness.call('POST', `/api/returns/${returned.id}/reprint`)
    expect(
      harness.read(
        `SELECT copy, document LIKE '%COPY 1%' AS marked, document ->> '$.locale' AS locale FROM print_job
          WHERE return_id = '${returned.id}' ORDER BY rowid`,
      ),
      'in the language of the first',
    ).toEqual([
      { copy: 0, marked: 0, locale: 'en-CA' },
      { copy: 1, marked: 1, locale: 'en-CA' },
    ])
    expect(harness.read("SELECT actor_id, subject, detail FROM audit_entry WHERE kind = 'receipt-reprinted'")).toEqual([
      { actor_id: 'alex', subject: returned.id, detail: '{"copy":1}' },
    ])
  })

  test('an unprinted receipt of a return and its store credit are counted and listed', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 2]], { card: 'fine', units: 4 })
    await harness.printed(sale.id)
    await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
    const returned = await returnPieces(harness, sale, [1, 1])
    const [credit] = returned.vouchers
    await harness.printed(returned.id, 'failed')
    await harness.printed(credit?.id ?? '', 'failed')
    expect((await harness.call('GET', '/api/receipts')).body).toMatchObject({ notOnPaper: 2 })
    const unprinted = async (): Promise<unknown> => (await harness.call('GET', '/api/receipts/owed')).body['documents']
    expect(await unprinted()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ paper: 'return', id: returned.id, totalCents: 2259 }),
        expect.objectContaining({ paper: 'store-credit', id: credit?.id, name: credit?.last4, totalCents: 1741 }),
      ]),
    )
    await harness.call('POST', '/api/training/play', { scenario: 'paper-ok' })
    await harness.call('POST', `/api/vouchers/${credit?.id}/reprint`)
    await harness.printed(credit?.id ?? '')
    expect(await unprinted()).toMatchObject([{ paper: 'return' }])
    expect((await harness.call('GET', '/api/receipts')).body).toMatchObject({ notOnPaper: 1 })
    expect((await harness.call('GET', '/api/sales/earlier?filter=not-on-paper')).body).toMatchObject({ sales: [] })
  })

  test('a gift receipt does not count as a copy or, if its print fails, as missing', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 2]])
    await harness.printed(sale.id)
    await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
    await harness.call('POST', `/api/sales/${sale.id}/gift-receipt`)
    await harness.printed(sale.id, 'failed')
    expect((await harness.call('GET', '/api/receipts')).body).toMatchObject({ notOnPaper: 0 })
    expect((await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body).toMatchObject({ print: 'confirmed' })
    await harness.call('POST', '/api/training/play', { scenario: 'paper-ok' })
    await harness.call('POST', `/api/sales/${sale.id}/reprint`)
    await harness.printed(sale.id, 'confirmed', 1)
    expect(harness.read("SELECT document FROM print_job WHERE kind = 'gift' AND document LIKE '%39.98%'")).toEqual([])
    const open = await harness.ring(APPLES)
    expect(await harness.refused('POST', `/api/sales/${open.id}/gift-receipt`)).toBe('sale-not-completed')
  })

  test('a return has the next number of the lane, which no sale gets', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[APPLES, 1]])
    const returned = await returnPieces(harness, sale, [1, 1])
    const next = await harness.ring(APPLES)
    expect([sale.id, returned.id, next.id].map((id) => id.slice(0, 14))).toEqual([
      'N1010100000001',
      'N1010100000002',
      'N1010100000003',
    ])
  })
})

describe('goods returned without a record', () => {
  const body = { items: [{ sku: DETERGENT, quantity: 2 }], reason: 'receipt lost' }
  test('require a supervisor’s PIN from a cashier', async () => {
    const harness = await openTerminalHarness(central)
    expect((await harness.call('POST', '/api/returns/without-record/quote', { items: body.items })).body).toMatchObject(
      { totals: { totalCents: 4518 } },
    )
    expect(await harness.refused('POST', '/api/returns/without-record', body)).toBe('approval-required')
    expect(
      (await approved(harness, 'POST', '/api/returns/without-record', body, { staffId: 'alex', pin: '1234' })).body
        .code,
    ).toBe('approver-not-allowed')
    expect(harness.read('SELECT id FROM sale_return')).toEqual([])
    expect((await approved(harness, 'POST', '/api/returns/without-record', body)).status).toBe(200)
    expect(harness.read('SELECT cashier_id, approved_by FROM sale_return')).toEqual([
      { cashier_id: 'alex', approved_by: 'sam' },
    ])
  })

  test('require an approval above a daily amount of one cashier, if the profile sets it', async () => {
    const harness = await openTerminalHarness(central, {
      approvals: {
        returnFromDollars: 20,
        actions: { 'return-unrecorded': { cashier: 'alone' }, return: { cashier: 'with-approval' } },
      },
    })
    const one = { items: [{ sku: COFFEE, quantity: 1 }], reason: 'receipt lost' }
    expect((await harness.call('POST', '/api/returns/without-record', one)).status).toBe(200)
    expect(harness.read('SELECT cashier_id, approved_by FROM sale_return')).toEqual([
      { cashier_id: 'alex', approved_by: 'alex' },
    ])
    expect((await harness.call('POST', '/api/returns/without-record', one)).body).toMatchObject({
      code: 'approval-required',
      approval: { action: 'return', earlierCents: 1_499 },
    })
    expect((await approved(harness, 'POST', '/api/returns/without-record', one)).status).toBe(200)
    await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
    expect((await harness.call('POST', '/api/returns/without-record', one)).status, 'another person').toBe(200)
  })

  test('are summed for a day by an index, regardless of the number of returns', async () => {
    const db = await openTestDatabase()
    const plan = db
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${UNRECORDED_CENTS}`)
      .all({ lane: '01', from: 0, cashierId: 'alex' })
      .map(({ detail }) => detail)
    expect(plan).toEqual(['SEARCH sale_return USING INDEX sale_return_newest (lane=? AND at>?)'])
  })

  test('are refunded by a manager as store credit at today’s prices, with an audit entry of the manager', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    expect(
      await harness.refused('POST', '/api/returns/without-record', {
        ...body,
        items: [{ sku: 'NOTHING', quantity: 1 }],
      }),
    ).toBe('item-unknown')
    const returned = (await harness.call('POST', '/api/returns/without-record', body)).body['return'] as SaleReturn
    expect(returned).toMatchObject({
      saleId: null,
      reason: 'receipt lost',
      totals: { totalCents: 4518 },
      refunds: [{ kind: 'store-credit', amountCents: 4518 }],
    })
    expect(returned.vouchers).toMatchObject([{ kind: 'store-credit', balanceCents: 4518 }])
    expect(harness.read("SELECT actor_id, subject FROM audit_entry WHERE kind = 'return-without-record'")).toEqual([
      { actor_id: 'sam', subject: returned.id },
    ])
    expect(harness.operations()).toEqual([])
  })
})

describe('an even exchange (for goods of the same price)', () => {
  const CATALOG = 'SOAP,,Soap,Savon,4.49,standard,care,\nPIN,,Pin,Épingle,0.50,standard,care,'
  const one = [{ number: 1, quantity: 1 }]

  async function exchangeOne(harness: TerminalHarness, sale: Sale, sku: string) {
    const open = await harness.ring(sku)
    const quote = await quoteOf(harness, sale, one, open)
    const { status, body } = await harness.call('POST', '/api/returns', {
      saleId: sale.id,
      version: quote.version,
      lines: one,
      refunds: refundsOf(quote),
      exchange: { saleId: open.id, version: quote.exchange?.version },
    })
    expect(body, `status ${status}`).toHaveProperty('return')
    return { quote, returned: SaleReturn.parse(body['return']) }
  }

  test.each(['card', 'cash'] as const)('moves no money for a sale paid by %s', async (payment) => {
    const harness = await openTerminalHarness(central, { catalog: CATALOG })
    const sale = await buy(harness, [['SOAP', 2]], { cash: payment === 'cash' })
    expect(sale.totals.totalCents, 'with 13 % tax').toBe(1015)
    const { quote, returned } = await exchangeOne(harness, sale, 'SOAP')
    expect(quote).toMatchObject({
      totals: { subtotalCents: 449, totalCents: 507 },
      refunds: [{ kind: 'store-credit', amountCents: 507, why: 'exchange' }],
      exchange: { paysCents: 507, dueCents: 0 },
    })
    expect(returned.totals.totalCents).toBe(507)
    expect(await harness.current(), 'the open sale is complete').toBeNull()
  })

  test('leaves the remaining cent of the sale to the refund of its last piece', async () => {
    const harness = await openTerminalHarness(central, { catalog: CATALOG })
    const sale = await buy(harness, [['SOAP', 2]])
    await exchangeOne(harness, sale, 'SOAP')
    const last = await returnPieces(harness, sale, [1, 1])
    expect(last.totals.totalCents).toBe(1015 - 507)
    expect(formsOf(last)).toEqual([['card', 508, 0]])
  })

  test('moves no money for a piece whose own tax is a cent higher, and all returns add up to the sale', async () => {
    const harness = await openTerminalHarness(central, { catalog: CATALOG })
    const sale = await buy(harness, [['PIN', 2]])
    expect(sale.totals.totalCents).toBe(113)
    expect((await exchangeOne(harness, sale, 'PIN')).quote.totals.totalCents).toBe(57)
    expect((await returnPieces(harness, sale, [1, 1])).totals.totalCents).toBe(56)
  })

  test('is not made for goods of another price, whose refund is their value in the sale', async () => {
    const harness = await openTerminalHarness(central, { catalog: CATALOG })
    const sale = await buy(harness, [['SOAP', 2]])
    const open = await harness.ring('PIN')
    expect((await quoteOf(harness, sale, one, open)).totals.totalCents).toBe(508)
  })
})
