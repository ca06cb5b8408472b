import { describe, expect, test } from 'vitest'
import type { Queue } from '../../../contracts/api/queue.ts'
import type { ReturnQuote, SaleReturn, StoreCredit } from '../../../contracts/api/returns.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { ReceiptDocument } from '../../../contracts/receipt.ts'
import { testClock } from '../../http/testing.ts'
import { layCable } from '../../testing/cable.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'

const centre = useCentre()
const FINE = '80000000011'
const SPECIAL = '80000000077'
const DETERGENT = '1021' // 19.99, HST, household
const COFFEE = '1010' // 14.99
const APPLES = '1001' // 6.99
const NOVEL = '1029' // 18.99, a book
const { issue: ISSUE, return: RETURN, post: POST, reverse: REVERSE, record: RECORD } = ISSUANCE_PATHS
const DAY = 24 * 3_600_000
type Issuance = NonNullable<Parameters<typeof openCounter>[1]>['issuance'] & object
const PARTNER: Issuance = {
  mode: 'partner',
  rules: [{ kind: 'base', offerCode: 'NRBASE', miles: 1, perDollars: 5, rounding: 'whole-steps' }, { kind: 'item', offerCode: 'NRCOFFEE', offerId: 'COFFEE-5', miles: 5, sku: COFFEE }],
}

const total = async (collector = FINE): Promise<number> => {
  const { cash, dream } = await centre.balances(collector)
  return cash + dream
}

/** Rings these items, one line each, for the holder of a card or for nobody, and pays: miles first when asked, the rest by card or in cash. */
async function buy(counter: Counter, skus: readonly (readonly [string, number])[], { card, units = 0, cash = false }: { card?: string; units?: number; cash?: boolean } = {}): Promise<Sale> {
  let sale: Sale | null = null
  for (const [sku, quantity] of skus) sale = await counter.ring(sku, quantity)
  if (card) sale = await counter.swipe(card)
  if (!sale) throw new Error('nothing was rung')
  if (units > 0) sale = (await counter.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units })).body.sale
  if (sale.state === 'completed') return sale
  const tender = cash ? { kind: 'cash', tenderedCents: sale.totals.cashDueCents } : { kind: 'card', amountCents: sale.totals.dueCents, reference: 'T1' }
  return (await counter.call('POST', `/api/sales/${sale.id}/tenders`, { version: sale.version, ...tender })).body.sale
}

const quoteOf = async (counter: Counter, sale: Sale, lines: object[]): Promise<ReturnQuote> => {
  const { body } = await counter.call('POST', '/api/returns/quote', { saleId: sale.id, lines })
  return body as unknown as ReturnQuote
}
const shown = ({ refunds }: ReturnQuote): object[] => refunds.map(({ kind, amountCents }) => ({ kind, amountCents }))

/** Takes these pieces back as a screen does: by the quote that it showed. */
async function giveBack(counter: Counter, sale: Sale, ...pieces: (readonly [number, number])[]): Promise<SaleReturn> {
  const lines = pieces.map(([number, quantity]) => ({ number, quantity }))
  const quote = await quoteOf(counter, sale, lines)
  const { status, body } = await counter.call('POST', '/api/returns', { saleId: sale.id, version: quote.version, lines, refunds: shown(quote), cardReference: 'R1' })
  expect(body, `status ${status}`).toHaveProperty('return')
  return body['return'] as SaleReturn
}
const taxRows = (document: string): string[] => ReceiptDocument.parse(JSON.parse(document)).blocks.flatMap((block) => (block.kind === 'row' && block.left.includes('%') ? [`${block.left} ${block.right}`] : []))
const formsOf = (returned: SaleReturn): unknown[] => returned.refunds.map(({ kind, amountCents, roundingCents }) => [kind, amountCents, roundingCents])
const issued = (counter: Counter, sale: Sale): Promise<Sale> => counter.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')
const creditOf = async (counter: Counter, code: string | null | undefined): Promise<StoreCredit> => (await counter.call('GET', `/api/store-credits/${code}`)).body as unknown as StoreCredit

describe('the miles of what comes back', () => {
  test('are withdrawn piece by piece, in the name of the ISSUE, until nothing of the sale is left', async () => {
    const counter = await openCounter(centre)
    const before = await total()
    const sale = await buy(counter, [[DETERGENT, 2], [COFFEE, 1]], { card: 'fine' })
    const earned = (await issued(counter, sale)).issuance?.miles ?? 0
    expect(earned).toBeGreaterThan(5)
    const first = await giveBack(counter, sale, [2, 1])
    const withdrawn = (await counter.untilOperation('return', 'confirmed')).miles ?? 0
    expect(withdrawn).toBeLessThanOrEqual(-5)
    expect(await total()).toBe(before + earned + withdrawn)
    const [request] = await centre.requests(RETURN)
    expect(request?.body).toMatchObject({
      checkoutTransactionId: first.id, collectorNumber: FINE, basketPreTaxAmount: 14.99, basketPostTaxAmount: 14.99, tender: ['CREDIT'],
      items: [{ id: COFFEE, number: 1, quantity: 1, baseAmount: 14.99, finalAmount: 14.99 }],
    })
    expect(request?.body['originalTransactionId'], 'the transactionId of the confirmed ISSUE').toMatch(/^[0-9a-f-]{36}$/)
    const last = await giveBack(counter, sale, [1, 2])
    await centre.reached(RETURN, 2, 'processed')
    await counter.untilOperation('return', 'confirmed')
    expect(await total()).toBe(before)
    expect(first.totals.totalCents + last.totals.totalCents).toBe(sale.totals.totalCents)
  })

  test('are withdrawn after their ISSUE, also when both waited out an outage and a restart; the sale’s own id names it then', async () => {
    const cable = await layCable(centre.url)
    const counter = await openCounter(centre, { issuanceUrl: cable.url })
    const before = await total()
    await cable.unplug()
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine' })
    await giveBack(counter, sale, [1, 1])
    await counter.untilOperation('issue', 'queued')
    expect(counter.operations().map(({ intention }) => intention)).toEqual(['issue', 'return'])
    await counter.close()
    await cable.plug()
    const again = await openCounter(centre, { issuanceUrl: cable.url, folder: counter.folder })
    await centre.reached(RETURN, 1, 'processed')
    await again.untilOperation('return', 'confirmed')
    expect((await centre.requests()).map(({ path }) => path).filter((path) => path === ISSUE || path === RETURN)).toEqual([ISSUE, RETURN])
    expect((await centre.requests(RETURN))[0]?.body['originalTransactionId']).toBe(sale.id)
    expect(await total()).toBe(before)
  })

  test.each([
    ['as the receipt had said: there is no work for anybody', null, 0],
    ['without a warning: the manager’s list holds both', { path: ISSUE, action: { kind: 'answer', status: 400, body: { errors: [{ errorCode: '221', errorReason: 'Sponsor Code Not Found' }] } } }, 2],
  ])('of an ISSUE that was refused nothing came to be that could be withdrawn; %s', async (_story, fault, attention) => {
    const counter = await openCounter(centre)
    if (fault) await centre.faults(fault)
    const sale = await buy(counter, [[DETERGENT, 1]], { card: fault ? 'fine' : 'closed' })
    await giveBack(counter, sale, [1, 1])
    expect(await counter.untilOperation('return', 'dead', 'confirmed', 'escalated')).toMatchObject({ state: 'dead', detail: 'the issue before it is dead' })
    expect(await centre.requests(RETURN)).toEqual([])
    expect(counter.read("SELECT id FROM operation WHERE state = 'dead' AND outcome IS NOT 'foretold'")).toHaveLength(attention)
  })

  test.each([['is lost', 'drop-after'], ['breaks off', 'truncate'], ['is to another request', 'wrong-echo']])('are withdrawn once when the answer %s', async (_story, kind) => {
    const counter = await openCounter(centre)
    const before = await total()
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine' })
    await issued(counter, sale)
    await centre.faults({ path: RETURN, occurrence: 1, action: { kind } })
    await giveBack(counter, sale, [1, 1])
    await counter.untilOperation('return', 'confirmed')
    expect(await total()).toBe(before)
    const sent = await centre.requests(RETURN)
    expect(sent.length).toBeGreaterThan(1)
    expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
  })

  test('are withdrawn from the card that the manager corrected the sale to: whoever got them', async () => {
    const counter = await openCounter(centre, { staffId: 'sam' })
    await centre.faults({ path: ISSUE, occurrence: 1, action: { kind: 'answer', status: 400, body: { errors: [{ errorCode: '234', errorReason: 'Collector Account Not Found' }] } } })
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine' })
    await counter.untilOperation('issue', 'dead')
    const [dead] = counter.read<{ id: string }>("SELECT id FROM operation WHERE intention = 'issue'")
    const before = await total(SPECIAL)
    expect((await counter.call('POST', `/api/queue/${dead?.id}/correct`, { readId: await counter.present('special'), note: 'card mixed up' })).status).toBe(200)
    await counter.untilOperation('issue', 'confirmed')
    expect(await total(SPECIAL)).toBeGreaterThan(before)
    await giveBack(counter, sale, [1, 1])
    await counter.untilOperation('return', 'confirmed')
    expect((await centre.requests(RETURN))[0]?.body['collectorNumber']).toBe(SPECIAL)
    expect(await total(SPECIAL)).toBe(before)
  })

  test('of a sale without a collector: no call, but RECORD where the policy says so', async () => {
    const counter = await openCounter(centre, { issuance: { record: 'non-members' } })
    const sale = await buy(counter, [[DETERGENT, 1]])
    const returned = await giveBack(counter, sale, [1, 1])
    await centre.reached(RECORD, 2, 'processed')
    expect((await centre.requests(RECORD)).map(({ body }) => [body['transactionType'], body['checkoutTransactionId'], body['originalTransactionId']])).toEqual([['PURCHASE', sale.id, undefined], ['RETURN', returned.id, sale.id]])
    expect(counter.operations().map(({ intention }) => intention)).toEqual(['record', 'record'])
  })
})

describe('where the store calculates', () => {
  test('REVERSE takes back what POST gave, by the rules of the sale, also when the profile has changed since', async () => {
    const counter = await openCounter(centre, { issuance: PARTNER })
    const before = await total()
    const sale = await buy(counter, [[DETERGENT, 2], [COFFEE, 1]], { card: 'fine' })
    expect((await issued(counter, sale)).issuance?.miles).toBe(10 + 5)
    await giveBack(counter, sale, [2, 1])
    expect(await counter.untilOperation('post-reverse', 'confirmed')).toMatchObject({ miles: -(3 + 5), path: REVERSE })
    expect(await total()).toBe(before + 15 - 8)
    expect((await centre.requests(REVERSE))[0]?.body).toMatchObject({
      issuances: [{ issuanceOfferCode: 'NRBASE', milesAmount: 3, contributingItemIds: [COFFEE] }, { issuanceOfferCode: 'NRCOFFEE', offerId: 'COFFEE-5', milesAmount: 5, contributingItemIds: [COFFEE] }],
    })
    await counter.close()
    const changed = await openCounter(centre, { folder: counter.folder })
    await giveBack(changed, sale, [1, 1])
    await centre.reached(REVERSE, 2, 'processed')
    await giveBack(changed, sale, [1, 1])
    await centre.reached(REVERSE, 3, 'processed')
    expect(await total()).toBe(before)
    expect(await centre.requests(RETURN)).toEqual([])
  })

  test('what a manager took back by hand is not taken back once more', async () => {
    const counter = await openCounter(centre, { issuance: PARTNER, staffId: 'sam' })
    const before = await total()
    const sale = await buy(counter, [[DETERGENT, 2], [COFFEE, 1]], { card: 'fine' })
    await issued(counter, sale)
    const [post] = counter.read<{ id: string }>("SELECT id FROM operation WHERE intention = 'post'")
    await counter.call('POST', `/api/queue/${post?.id}/take-back`, { issuanceOfferCode: 'NRCOFFEE', miles: 5, reason: 'the coffee was no part of it' })
    expect(await counter.untilOperation('reverse-event', 'confirmed')).toMatchObject({ miles: -5 })
    expect((await centre.requests(ISSUANCE_PATHS.reverseEvent))[0]?.body).toMatchObject({ originalClientTransactionId: sale.id, context: { reason: 'the coffee was no part of it' }, issuances: [{ issuanceOfferCode: 'NRCOFFEE', offerId: 'COFFEE-5', milesAmount: 5, locationCode: 'N101' }] })
    await giveBack(counter, sale, [1, 2], [2, 1])
    expect(await counter.untilOperation('post-reverse', 'confirmed', 'dead')).toMatchObject({ state: 'confirmed', miles: -10 })
    expect(await total()).toBe(before)
  })

  test('a POST that was refused for its location is corrected with every entry that it holds', async () => {
    const counter = await openCounter(centre, { issuance: PARTNER, staffId: 'sam' })
    await centre.faults({ path: POST, occurrence: 1, action: { kind: 'answer', status: 400, body: { errors: [{ errorCode: '230', errorReason: 'Location Code Not Found' }] } } })
    await buy(counter, [[COFFEE, 1]], { card: 'fine' })
    await counter.untilOperation('post', 'dead')
    const [dead] = counter.read<{ id: string }>("SELECT id FROM operation WHERE intention = 'post'")
    await counter.call('POST', `/api/queue/${dead?.id}/correct`, { locationCode: 'Q417', note: 'the other door' })
    await counter.untilOperation('post', 'confirmed', 'accepted')
    expect((await centre.requests(POST)).at(-1)?.body).toMatchObject({ locationCode: 'Q417', issuances: [{ locationCode: 'Q417', contributingItemIds: [COFFEE] }, { issuanceOfferCode: 'NRCOFFEE', locationCode: 'Q417', contributingItemIds: [COFFEE] }] })
  })

  test('a return behind a POST that waits goes after it, and doubles nothing when answers are lost', async () => {
    const counter = await openCounter(centre, { issuance: PARTNER })
    const before = await total()
    await centre.faults({ path: POST, occurrence: 1, action: { kind: 'drop-after' } }, { path: REVERSE, occurrence: 1, action: { kind: 'drop-after' } })
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine' })
    await giveBack(counter, sale, [1, 1])
    await counter.untilOperation('post-reverse', 'confirmed')
    expect(await total()).toBe(before)
    expect((await centre.requests()).map(({ path }) => path).filter((path) => path === POST || path === REVERSE)).toEqual([POST, POST, REVERSE, REVERSE])
    expect((await centre.requests(REVERSE))[0]?.body['originalTransactionId']).toBe(sale.id)
  })
})

describe('in which form the money goes back', () => {
  test('cash in five cents, three thirds of it, and in the end exactly what came in', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[DETERGENT, 3]], { cash: true })
    expect(sale.tenders[0]).toMatchObject({ tenderedCents: 6775, changeCents: 0, amountCents: 6777 })
    const thirds = [await giveBack(counter, sale, [1, 1]), await giveBack(counter, sale, [1, 1]), await giveBack(counter, sale, [1, 1])]
    expect(thirds.flatMap(formsOf)).toEqual([['cash', 2259, 1], ['cash', 2259, 1], ['cash', 2259, -4]])
  })

  test('taxes are those of the sale, whatever the profile says by then', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[DETERGENT, 1]])
    await counter.close()
    const changed = await openCounter(centre, { folder: counter.folder, taxes: [{ code: 'HST', percent: 15 }] })
    const returned = await giveBack(changed, sale, [1, 1])
    expect(returned.totals).toEqual({ subtotalCents: 1999, taxes: [{ code: 'HST', amountCents: 260 }], totalCents: 2259 })
    expect((await changed.ring(DETERGENT)).totals.totalCents, 'a new sale goes by the new rate').toBe(2299)
  })

  test('a book keeps the federal part of HST, also where the store collects GST and PST by then; so does the copy of its receipt', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[NOVEL, 1], [DETERGENT, 1]])
    await counter.close()
    const changed = await openCounter(centre, { folder: counter.folder, taxes: [{ code: 'GST', percent: 5 }, { code: 'PST', percent: 7 }] })
    await changed.call('POST', `/api/sales/${sale.id}/reprint`)
    const [original, copy] = changed.read<{ document: string }>(`SELECT document FROM print_job WHERE sale_id = '${sale.id}' ORDER BY copy`).map(({ document }) => taxRows(document))
    expect(original).toHaveLength(2)
    expect(copy).toEqual(original)
    const returned = await giveBack(changed, sale, [1, 1])
    expect(returned.totals).toEqual({ subtotalCents: 1899, taxes: [{ code: 'HST', amountCents: 0 }, { code: 'HST-FEDERAL', amountCents: 95 }], totalCents: 1994 })
    expect(returned.lines[0]?.taxCodes).toEqual(['HST-FEDERAL'])
    expect((await changed.call('GET', `/api/sales/earlier?q=${sale.id}`)).body).toMatchObject({ sales: [{ totalCents: sale.totals.totalCents }] })
  })

  test('a return of all that miles paid reverses the redemption; the account is as it was', async () => {
    const counter = await openCounter(centre)
    const before = await total()
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await issued(counter, sale)
    const returned = await giveBack(counter, sale, [1, 1])
    expect(formsOf(returned)).toEqual([['card', 259, 0], ['miles', 2000, 0]])
    expect(returned.refunds[1]?.reference).toBe(sale.redemption?.confirmationNumber)
    await counter.untilOperation('redeem', 'reversed')
    await counter.untilOperation('return', 'confirmed')
    expect(await total()).toBe(before)
    expect(await centre.requests(CASH_PATHS.reverse)).toHaveLength(1)
  })

  test('a part of what miles paid is store credit with a paper of its own; the redemption stays', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[DETERGENT, 2]], { card: 'fine', units: 4 })
    const returned = await giveBack(counter, sale, [1, 1])
    expect(formsOf(returned)).toEqual([['card', 518, 0], ['store-credit', 1741, 0]])
    const code = returned.refunds[1]?.reference
    expect(await creditOf(counter, code)).toMatchObject({ code, balanceCents: 1741 })
    await counter.printed(code ?? '')
    const { body } = await counter.call('POST', `/api/store-credits/${code}/reprint`)
    expect(body['print']).toBe('queued')
    const [trail] = counter.read<{ subject: string }>("SELECT subject, detail FROM audit_entry WHERE kind = 'receipt-reprinted'")
    expect(trail?.subject, 'the code pays: the trail names the return').toBe(returned.id)
    expect(formsOf(await giveBack(counter, sale, [1, 1])), 'a part is gone as store credit: it can no longer be reversed whole').toEqual([['store-credit', 2259, 0]])
    expect(await centre.requests(CASH_PATHS.reverse)).toEqual([])
    expect(counter.operations().filter(({ intention }) => intention === 'redeem').map(({ state }) => state)).toEqual(['approved'])
  })

  test('after 03:00 of the next day the miles stay redeemed: store credit, and no call is made', async () => {
    const clock = testClock(new Date().toISOString())
    const counter = await openCounter(centre, { clock })
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await issued(counter, sale)
    clock.advance(2 * DAY)
    expect(formsOf(await giveBack(counter, sale, [1, 1]))).toEqual([['card', 259, 0], ['store-credit', 2000, 0]])
    expect(await centre.requests(CASH_PATHS.reverse)).toEqual([])
  })

  test('when the centre says that the window had closed (0080), store credit takes the place of the miles, once', async () => {
    const counter = await openCounter(centre, { staffId: 'sam' })
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await issued(counter, sale)
    await centre.moveClock(2 * DAY)
    const returned = await giveBack(counter, sale, [1, 1])
    expect(formsOf(returned)[1]).toEqual(['miles', 2000, 0])
    await counter.untilOperation('redeem', 'reversal-expired')
    expect(counter.read('SELECT amount_cents, return_id FROM store_credit_entry')).toEqual([{ amount_cents: 2000, return_id: returned.id }])
    expect(counter.read("SELECT count(*) AS papers FROM print_job WHERE store_credit_code IS NOT NULL AND document LIKE '%20.00%'")).toEqual([{ papers: 1 }])
    const listed = (await counter.call('GET', '/api/queue')).body['entries'] as Queue['entries']
    expect(listed.filter(({ state }) => state === 'reversal-expired')).toMatchObject([{ attention: true, todo: { 'en-CA': expect.stringContaining('give nothing else') } }])
  })
})

describe('a return is refused', () => {
  test('when the sale has changed since the screen saw it, also while enough of it is left', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[APPLES, 2]])
    const lines = [{ number: 1, quantity: 1 }]
    const quote = await quoteOf(counter, sale, lines)
    const command = { saleId: sale.id, version: quote.version, lines, refunds: shown(quote), cardReference: 'R1' }
    expect((await counter.call('POST', '/api/returns', command)).status).toBe(200)
    expect(await counter.refused('POST', '/api/returns', command), 'the same command again, e.g. after its answer was lost').toBe('sale-stale')
    expect(counter.read('SELECT sum(quantity) AS pieces FROM return_line')).toEqual([{ pieces: 1 }])
  })

  test('once what is left is less than what comes back, also when two screens ask at the same time', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[APPLES, 2]])
    const lines = [{ number: 1, quantity: 2 }]
    const quote = await quoteOf(counter, sale, lines)
    const command = { saleId: sale.id, version: quote.version, lines, refunds: shown(quote), cardReference: 'R1' }
    const answers = await Promise.all([1, 2, 3, 4].map(() => counter.call('POST', '/api/returns', command)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
    expect(answers.flatMap(({ body }) => body.code ?? [])).toEqual(['return-exceeds-sold', 'return-exceeds-sold', 'return-exceeds-sold'])
    expect(counter.read('SELECT count(*) AS lines, sum(quantity) AS pieces FROM return_line')).toEqual([{ lines: 1, pieces: 2 }])
    expect((await counter.call('GET', `/api/sales/${sale.id}/returnable`)).body).toMatchObject({ lines: [{ number: 1, quantity: 2, returnedQuantity: 2, leftQuantity: 0 }], returns: [{ totalCents: 1398 }] })
  })

  test('for what is no part of the sale, and without a slip or with a card number where the slip’s number belongs', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[APPLES, 1], [COFFEE, 1]])
    const lines = [{ number: 1, quantity: 1 }]
    const quote = await quoteOf(counter, sale, lines)
    const refused = (change: object): Promise<string> => counter.refused('POST', '/api/returns', { saleId: sale.id, version: quote.version, lines, refunds: shown(quote), cardReference: 'R1', ...change })
    expect(await refused({ lines: [{ number: 3, quantity: 1 }] })).toBe('return-nothing')
    expect(await refused({ lines: [{ number: 1, quantity: 1 }, { number: 1, quantity: 1 }] })).toBe('return-exceeds-sold')
    expect(await refused({ version: quote.version - 1 })).toBe('sale-stale')
    expect(await refused({ refunds: [{ kind: 'cash', amountCents: 699 }] })).toBe('return-changed')
    expect(await refused({ cardReference: undefined })).toBe('return-card-reference')
    expect(await refused({ cardReference: '4111 1111 1111 1111' })).toBe('reference-is-card')
    expect(counter.read('SELECT id FROM sale_return')).toEqual([])
    const open = await counter.ring(APPLES)
    expect(await counter.refused('GET', `/api/sales/${open.id}/returnable`)).toBe('sale-not-completed')
    expect(await counter.refused('GET', '/api/returns/N1010100000099ABCD')).toBe('not-found')
  })
})

describe('papers', () => {
  test('the return’s own is printed with its commit; a second one is a copy; the receipt of the sale is still its original', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[APPLES, 1]])
    const returned = await giveBack(counter, sale, [1, 1])
    const { body } = await counter.call('GET', `/api/returns/${returned.id}/receipt`)
    expect(JSON.stringify(body.document)).toContain(`Goods of sale ${sale.id}`)
    expect(counter.read(`SELECT copy FROM print_job WHERE sale_id = '${sale.id}'`)).toEqual([{ copy: 0 }])
    await counter.printed(returned.id)
    await counter.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
    await counter.call('POST', `/api/returns/${returned.id}/reprint`)
    expect(counter.read(`SELECT copy, document LIKE '%COPY 1%' AS marked, document ->> '$.locale' AS locale FROM print_job WHERE return_id = '${returned.id}' ORDER BY rowid`), 'in the language of the first').toEqual([
      { copy: 0, marked: 0, locale: 'en-CA' }, { copy: 1, marked: 1, locale: 'en-CA' },
    ])
    expect(counter.read("SELECT actor_id, subject, detail FROM audit_entry WHERE kind = 'receipt-reprinted'")).toEqual([{ actor_id: 'alex', subject: returned.id, detail: '{"copy":1}' }])
  })

  test('a return takes the next number of the lane; no sale ever has it', async () => {
    const counter = await openCounter(centre)
    const sale = await buy(counter, [[APPLES, 1]])
    const returned = await giveBack(counter, sale, [1, 1])
    const next = await counter.ring(APPLES)
    expect([sale.id, returned.id, next.id].map((id) => id.slice(0, 14))).toEqual(['N1010100000001', 'N1010100000002', 'N1010100000003'])
  })
})

describe('goods without a record', () => {
  const body = { items: [{ sku: DETERGENT, quantity: 2 }], reason: 'receipt lost' }
  test('a cashier may not take them', async () => {
    const counter = await openCounter(centre)
    expect(await counter.refused('POST', '/api/returns/without-record', body)).toBe('manager-required')
  })

  test('a manager may, for store credit at today’s prices; the trail says who and why', async () => {
    const counter = await openCounter(centre, { staffId: 'sam' })
    expect(await counter.refused('POST', '/api/returns/without-record', { ...body, items: [{ sku: 'NOTHING', quantity: 1 }] })).toBe('item-unknown')
    const returned = (await counter.call('POST', '/api/returns/without-record', body)).body['return'] as SaleReturn
    expect(returned).toMatchObject({ saleId: null, reason: 'receipt lost', totals: { totalCents: 4518 }, refunds: [{ kind: 'store-credit', amountCents: 4518 }] })
    expect(await creditOf(counter, returned.refunds[0]?.reference)).toMatchObject({ balanceCents: 4518 })
    expect(counter.read("SELECT actor_id, subject FROM audit_entry WHERE kind = 'return-without-record'")).toEqual([{ actor_id: 'sam', subject: returned.id }])
    expect(counter.operations()).toEqual([])
  })
})
