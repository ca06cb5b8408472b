import { describe, expect, test } from 'vitest'
import type { Queue, QueueDetail } from '../../../contracts/loyalty/queue.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { startCable } from '../../../packages/lab/testing/cable.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { buy, COFFEE, DETERGENT, returnPieces, quoteOf } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()
const FINE = '80000000011'
const SPECIAL = '80000000077'
const total = async (collector = FINE): Promise<number> => {
  const { cash, dream } = await central.balances(collector)
  return cash + dream
}
const { issue: ISSUE, return: RETURN, post: POST, reverse: REVERSE, record: RECORD } = ISSUANCE_PATHS
type Issuance = NonNullable<Parameters<typeof openTerminalHarness>[1]>['issuance'] & object
const PARTNER: Issuance = {
  mode: 'partner',
  rules: [
    { kind: 'base', offerCode: 'NRBASE', miles: 1, perDollars: 5, rounding: 'whole-steps' },
    { kind: 'item', offerCode: 'NRCOFFEE', offerId: 'COFFEE-5', miles: 5, sku: COFFEE },
  ],
}

const issued = (harness: TerminalHarness, sale: Sale): Promise<Sale> =>
  harness.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')

describe('the miles of returned goods', () => {
  test('are taken back piece by piece with reference to the ISSUE, until all goods are returned', async () => {
    const harness = await openTerminalHarness(central)
    const before = await total()
    const sale = await buy(
      harness,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    const earned = (await issued(harness, sale)).issuance?.miles ?? 0
    expect(earned).toBeGreaterThan(5)
    const first = await returnPieces(harness, sale, [2, 1])
    const withdrawn = (await harness.untilOperation('return', 'confirmed')).miles ?? 0
    expect(withdrawn).toBeLessThanOrEqual(-5)
    expect(await total()).toBe(before + earned + withdrawn)
    const [request] = await central.requests(RETURN)
    expect(request?.body).toMatchObject({
      checkoutTransactionId: first.id,
      collectorNumber: FINE,
      basketPreTaxAmount: 14.99,
      basketPostTaxAmount: 14.99,
      tender: ['CREDIT'],
      items: [{ id: COFFEE, number: 1, quantity: 1, baseAmount: 14.99, finalAmount: 14.99 }],
    })
    expect(request?.body['originalTransactionId'], 'the transactionId of the confirmed ISSUE').toMatch(
      /^[0-9a-f-]{36}$/,
    )
    const last = await returnPieces(harness, sale, [1, 2])
    await central.reached(RETURN, 2, 'processed')
    await harness.untilOperation('return', 'confirmed')
    expect(await total()).toBe(before)
    expect(first.totals.totalCents + last.totals.totalCents).toBe(sale.totals.totalCents)
  })

  test('are quoted by the program, and RETURN then takes back the quoted number', async () => {
    const cable = await startCable(central.url)
    const harness = await openTerminalHarness(central, { issuanceUrl: cable.url })
    const sale = await buy(
      harness,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    await issued(harness, sale)
    const lines = [{ number: 2, quantity: 1 }]
    const quote = await quoteOf(harness, sale, lines)
    const [issue] = await central.requests(ISSUE)
    const [asked] = (await central.requests(ISSUANCE_PATHS.calculate)).filter(
      ({ body }) => body['transactionType'] === 'RETURN',
    )
    const [{ transactionId } = { transactionId: '' }] = harness.read<{ transactionId: string }>(
      "SELECT transaction_id AS transactionId FROM operation WHERE type = 'issue'",
    )
    expect(asked?.body).toMatchObject({
      originalTransactionId: transactionId,
      collectorNumber: FINE,
      basketPreTaxAmount: 14.99,
      items: [{ id: COFFEE, quantity: 1 }],
    })
    expect(asked?.body['checkoutTransactionId'], 'no transaction that was made already').not.toBe(
      issue?.body['checkoutTransactionId'],
    )
    await returnPieces(harness, sale, [2, 1])
    const taken = 0 - ((await harness.untilOperation('return', 'confirmed')).miles ?? 0)
    expect(quote.milesTaken).toEqual({ certainty: 'exact', miles: taken })
    await cable.unplug()
    expect((await quoteOf(harness, sale, [{ number: 1, quantity: 1 }])).milesTaken).toMatchObject({
      certainty: 'about',
    })
  })

  test('count as taken back while RETURN is pending at the program, and a quote has the remaining miles', async () => {
    const cable = await startCable(central.url)
    const harness = await openTerminalHarness(central, { issuanceUrl: cable.url })
    const sale = await buy(harness, [[DETERGENT, 2]], { card: 'fine' })
    const earned = (await issued(harness, sale)).issuance?.miles ?? 0
    await central.faults({
      path: RETURN,
      occurrence: 1,
      action: {
        kind: 'answer',
        status: 202,
        body: {
          transactionId: 'r-1',
          issuances: [{ issuanceOfferCode: 'NRBASE', milesAmount: -3, offerId: 'NRBASE', status: 'PENDING' }],
        },
      },
    })
    await returnPieces(harness, sale, [1, 1])
    await harness.untilOperation('return', 'accepted')
    await cable.unplug()
    expect((await quoteOf(harness, sale, [{ number: 1, quantity: 1 }])).milesTaken).toEqual({
      certainty: 'about',
      miles: earned - 3,
    })
  })

  test('are taken back after their ISSUE, also when both calls waited through an outage and a restart', async () => {
    const cable = await startCable(central.url)
    const harness = await openTerminalHarness(central, { issuanceUrl: cable.url })
    const before = await total()
    await cable.unplug()
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine' })
    await returnPieces(harness, sale, [1, 1])
    await harness.untilOperation('issue', 'queued')
    expect(harness.operations().map(({ type }) => type)).toEqual(['issue', 'return'])
    await harness.close()
    await cable.plug()
    const again = await openTerminalHarness(central, { issuanceUrl: cable.url, folder: harness.folder })
    await central.reached(RETURN, 1, 'processed')
    await again.untilOperation('return', 'confirmed')
    expect(
      (await central.requests()).map(({ path }) => path).filter((path) => path === ISSUE || path === RETURN),
    ).toEqual([ISSUE, RETURN])
    expect((await central.requests(RETURN))[0]?.body['originalTransactionId']).toBe(sale.id)
    expect(await total()).toBe(before)
  })

  test('cannot be taken back by a manager while a RETURN of the sale has no answer', async () => {
    const cable = await startCable(central.url)
    const harness = await openTerminalHarness(central, { issuanceUrl: cable.url, staffId: 'sam' })
    const sale = await buy(harness, [[DETERGENT, 2]], { card: 'fine' })
    await issued(harness, sale)
    const entry = async () => {
      const { entries } = await harness.get<Queue>(`/api/queue?sale=${sale.id}`)
      const [issue] = entries.filter(({ kind }) => kind === 'issue')
      return await harness.get<QueueDetail>(`/api/queue/${issue?.id}`)
    }
    expect((await entry()).actions).toContain('take-back')
    await cable.unplug()
    await returnPieces(harness, sale, [1, 1])
    const waiting = await entry()
    expect(waiting.actions).not.toContain('take-back')
    expect(waiting.issued.every(({ left }) => left === 0)).toBe(true)
    await cable.plug()
    await harness.untilOperation('return', 'confirmed')
    expect(
      (await entry()).issued.some(({ left }) => left > 0),
      'what it left can be taken back',
    ).toBe(true)
  })

  test.each([
    ['as the receipt announced, without an entry in the exceptions queue', null, 0],
    [
      'without notice on the receipt, with both calls in the exceptions queue',
      {
        path: ISSUE,
        action: {
          kind: 'answer',
          status: 400,
          body: { errors: [{ errorCode: '221', errorReason: 'Sponsor Code Not Found' }] },
        },
      },
      2,
    ],
  ])('are not taken back after a refused ISSUE: %s', async (_scenario, fault, attention) => {
    const harness = await openTerminalHarness(central)
    if (fault) await central.faults(fault)
    const sale = await buy(harness, [[DETERGENT, 1]], { card: fault ? 'fine' : 'closed' })
    await returnPieces(harness, sale, [1, 1])
    expect(await harness.untilOperation('return', 'dead', 'confirmed', 'escalated')).toMatchObject({
      state: 'dead',
      detail: 'the issue before it is dead',
    })
    expect(await central.requests(RETURN)).toEqual([])
    expect(
      harness.read("SELECT id FROM operation WHERE state = 'dead' AND outcome IS NOT 'expected-refusal'"),
    ).toHaveLength(attention)
  })

  test.each([
    ['is lost', 'drop-after'],
    ['is incomplete', 'truncate'],
    ['belongs to another request', 'wrong-echo'],
  ])('are taken back once if the answer to RETURN %s', async (_scenario, kind) => {
    const harness = await openTerminalHarness(central)
    const before = await total()
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine' })
    await issued(harness, sale)
    await central.faults({ path: RETURN, occurrence: 1, action: { kind } })
    await returnPieces(harness, sale, [1, 1])
    await harness.untilOperation('return', 'confirmed')
    expect(await total()).toBe(before)
    const sent = await central.requests(RETURN)
    expect(sent.length).toBeGreaterThan(1)
    expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
  })

  test('are taken back from the collector that a manager’s correction set in the ISSUE', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    await central.faults({
      path: ISSUE,
      occurrence: 1,
      action: {
        kind: 'answer',
        status: 400,
        body: { errors: [{ errorCode: '234', errorReason: 'Collector Account Not Found' }] },
      },
    })
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine' })
    await harness.untilOperation('issue', 'dead')
    const [dead] = harness.read<{ id: string }>("SELECT id FROM operation WHERE type = 'issue'")
    const before = await total(SPECIAL)
    expect(
      (
        await harness.call('POST', `/api/queue/${dead?.id}/correct`, {
          readId: await harness.present('special'),
          note: 'card mixed up',
        })
      ).status,
    ).toBe(200)
    await harness.untilOperation('issue', 'confirmed')
    expect(await total(SPECIAL)).toBeGreaterThan(before)
    await returnPieces(harness, sale, [1, 1])
    await harness.untilOperation('return', 'confirmed')
    expect((await central.requests(RETURN))[0]?.body['collectorNumber']).toBe(SPECIAL)
    expect(await total(SPECIAL)).toBe(before)
  })

  test('cause no call for a sale without a collector, except RECORD where the profile requires it', async () => {
    const harness = await openTerminalHarness(central, { issuance: { record: 'non-members' } })
    const sale = await buy(harness, [[DETERGENT, 1]])
    const returned = await returnPieces(harness, sale, [1, 1])
    await central.reached(RECORD, 2, 'processed')
    expect(
      (await central.requests(RECORD)).map(({ body }) => [
        body['transactionType'],
        body['checkoutTransactionId'],
        body['originalTransactionId'],
      ]),
    ).toEqual([
      ['PURCHASE', sale.id, undefined],
      ['RETURN', returned.id, sale.id],
    ])
    expect(harness.operations().map(({ type }) => type)).toEqual(['record', 'record'])
  })
})

describe('a store that calculates miles itself', () => {
  test('sends REVERSE by the rules at the time of the sale, even if the program calculates miles now', async () => {
    const harness = await openTerminalHarness(central, { issuance: PARTNER })
    const before = await total()
    const sale = await buy(
      harness,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    expect((await issued(harness, sale)).issuance?.miles).toBe(10 + 5)
    await returnPieces(harness, sale, [2, 1])
    expect(await harness.untilOperation('post-reverse', 'confirmed')).toMatchObject({ miles: -(3 + 5), path: REVERSE })
    expect(await total()).toBe(before + 15 - 8)
    expect((await central.requests(REVERSE))[0]?.body).toMatchObject({
      issuances: [
        { issuanceOfferCode: 'NRBASE', milesAmount: 3, contributingItemIds: [COFFEE] },
        { issuanceOfferCode: 'NRCOFFEE', offerId: 'COFFEE-5', milesAmount: 5, contributingItemIds: [COFFEE] },
      ],
    })
    await harness.close()
    const changed = await openTerminalHarness(central, { folder: harness.folder })
    await returnPieces(changed, sale, [1, 1])
    await central.reached(REVERSE, 2, 'processed')
    await returnPieces(changed, sale, [1, 1])
    await central.reached(REVERSE, 3, 'processed')
    expect(await total()).toBe(before)
    expect(await central.requests(RETURN)).toEqual([])
  })

  test('does not take back miles that a manager already took back', async () => {
    const harness = await openTerminalHarness(central, { issuance: PARTNER, staffId: 'sam' })
    const before = await total()
    const sale = await buy(
      harness,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    await issued(harness, sale)
    const [post] = harness.read<{ id: string }>("SELECT id FROM operation WHERE type = 'post'")
    await harness.call('POST', `/api/queue/${post?.id}/take-back`, {
      issuanceOfferCode: 'NRCOFFEE',
      miles: 5,
      left: 5,
      reason: 'the coffee was no part of it',
    })
    expect(await harness.untilOperation('reverse-event', 'confirmed')).toMatchObject({ miles: -5 })
    expect((await central.requests(ISSUANCE_PATHS.reverseEvent))[0]?.body).toMatchObject({
      originalClientTransactionId: sale.id,
      context: { reason: 'the coffee was no part of it' },
      issuances: [{ issuanceOfferCode: 'NRCOFFEE', offerId: 'COFFEE-5', milesAmount: 5, locationCode: 'N101' }],
    })
    await returnPieces(harness, sale, [1, 2], [2, 1])
    expect(await harness.untilOperation('post-reverse', 'confirmed', 'dead')).toMatchObject({
      state: 'confirmed',
      miles: -10,
    })
    expect(await total()).toBe(before)
  })

  test('corrects the location in every entry of a refused POST', async () => {
    const harness = await openTerminalHarness(central, { issuance: PARTNER, staffId: 'sam' })
    await central.faults({
      path: POST,
      occurrence: 1,
      action: {
        kind: 'answer',
        status: 400,
        body: { errors: [{ errorCode: '230', errorReason: 'Location Code Not Found' }] },
      },
    })
    await buy(harness, [[COFFEE, 1]], { card: 'fine' })
    await harness.untilOperation('post', 'dead')
    const [dead] = harness.read<{ id: string }>("SELECT id FROM operation WHERE type = 'post'")
    await harness.call('POST', `/api/queue/${dead?.id}/correct`, { locationCode: 'Q417', note: 'the other door' })
    await harness.untilOperation('post', 'confirmed', 'accepted')
    expect((await central.requests(POST)).at(-1)?.body).toMatchObject({
      locationCode: 'Q417',
      issuances: [
        { locationCode: 'Q417', contributingItemIds: [COFFEE] },
        { issuanceOfferCode: 'NRCOFFEE', locationCode: 'Q417', contributingItemIds: [COFFEE] },
      ],
    })
  })

  test('sends REVERSE after the POST was answered, and takes the miles back once when answers are lost', async () => {
    const harness = await openTerminalHarness(central, { issuance: PARTNER })
    const before = await total()
    await central.faults(
      { path: POST, occurrence: 1, action: { kind: 'drop-after' } },
      { path: REVERSE, occurrence: 1, action: { kind: 'drop-after' } },
    )
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine' })
    await returnPieces(harness, sale, [1, 1])
    await harness.untilOperation('post-reverse', 'confirmed')
    expect(await total()).toBe(before)
    expect(
      (await central.requests()).map(({ path }) => path).filter((path) => path === POST || path === REVERSE),
    ).toEqual([POST, POST, REVERSE, REVERSE])
    const [post] = harness.read<{ transactionId: string }>(
      "SELECT transaction_id AS transactionId FROM operation WHERE type = 'post'",
    )
    expect(
      (await central.requests(REVERSE)).map(({ body }) => body['originalTransactionId']),
      'the transactionId of the POST’s answer, which nobody knew when the goods came back',
    ).toEqual([post?.transactionId, post?.transactionId])
  })
})
