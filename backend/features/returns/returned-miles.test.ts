import { describe, expect, test } from 'vitest'
import type { Queue, QueueDetail } from '../../../contracts/api/queue.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { layCable } from '../../testing/cable.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'
import { buy, COFFEE, DETERGENT, giveBack, quoteOf } from '../../testing/returning.ts'

const centre = useCentre()
const FINE = '80000000011'
const SPECIAL = '80000000077'
const total = async (collector = FINE): Promise<number> => {
  const { cash, dream } = await centre.balances(collector)
  return cash + dream
}
const { issue: ISSUE, return: RETURN, post: POST, reverse: REVERSE, record: RECORD } = ISSUANCE_PATHS
type Issuance = NonNullable<Parameters<typeof openCounter>[1]>['issuance'] & object
const PARTNER: Issuance = {
  mode: 'partner',
  rules: [
    { kind: 'base', offerCode: 'NRBASE', miles: 1, perDollars: 5, rounding: 'whole-steps' },
    { kind: 'item', offerCode: 'NRCOFFEE', offerId: 'COFFEE-5', miles: 5, sku: COFFEE },
  ],
}

const issued = (counter: Counter, sale: Sale): Promise<Sale> =>
  counter.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')

describe('the miles of what comes back', () => {
  test('are withdrawn piece by piece, in the name of the ISSUE, until nothing of the sale is left', async () => {
    const counter = await openCounter(centre)
    const before = await total()
    const sale = await buy(
      counter,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    const earned = (await issued(counter, sale)).issuance?.miles ?? 0
    expect(earned).toBeGreaterThan(5)
    const first = await giveBack(counter, sale, [2, 1])
    const withdrawn = (await counter.untilOperation('return', 'confirmed')).miles ?? 0
    expect(withdrawn).toBeLessThanOrEqual(-5)
    expect(await total()).toBe(before + earned + withdrawn)
    const [request] = await centre.requests(RETURN)
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
    const last = await giveBack(counter, sale, [1, 2])
    await centre.reached(RETURN, 2, 'processed')
    await counter.untilOperation('return', 'confirmed')
    expect(await total()).toBe(before)
    expect(first.totals.totalCents + last.totals.totalCents).toBe(sale.totals.totalCents)
  })

  test('are foretold by the program itself: the quote says what RETURN then takes, and estimates only where nobody answers', async () => {
    const cable = await layCable(centre.url)
    const counter = await openCounter(centre, { issuanceUrl: cable.url })
    const sale = await buy(
      counter,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    await issued(counter, sale)
    const lines = [{ number: 2, quantity: 1 }]
    const quote = await quoteOf(counter, sale, lines)
    const [issue] = await centre.requests(ISSUE)
    const [asked] = (await centre.requests(ISSUANCE_PATHS.calculate)).filter(
      ({ body }) => body['transactionType'] === 'RETURN',
    )
    const [{ transactionId } = { transactionId: '' }] = counter.read<{ transactionId: string }>(
      "SELECT transaction_id AS transactionId FROM operation WHERE intention = 'issue'",
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
    await giveBack(counter, sale, [2, 1])
    const taken = 0 - ((await counter.untilOperation('return', 'confirmed')).miles ?? 0)
    expect(quote.milesTaken).toEqual({ certainty: 'exact', miles: taken })
    await cable.unplug()
    expect((await quoteOf(counter, sale, [{ number: 1, quantity: 1 }])).milesTaken).toMatchObject({
      certainty: 'about',
    })
  })

  test('that the program put aside count as taken: what is left is not foretold as all of it', async () => {
    const cable = await layCable(centre.url)
    const counter = await openCounter(centre, { issuanceUrl: cable.url })
    const sale = await buy(counter, [[DETERGENT, 2]], { card: 'fine' })
    const earned = (await issued(counter, sale)).issuance?.miles ?? 0
    await centre.faults({
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
    await giveBack(counter, sale, [1, 1])
    await counter.untilOperation('return', 'accepted')
    await cable.unplug()
    expect((await quoteOf(counter, sale, [{ number: 1, quantity: 1 }])).milesTaken).toEqual({
      certainty: 'about',
      miles: earned - 3,
    })
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
    expect(
      (await centre.requests()).map(({ path }) => path).filter((path) => path === ISSUE || path === RETURN),
    ).toEqual([ISSUE, RETURN])
    expect((await centre.requests(RETURN))[0]?.body['originalTransactionId']).toBe(sale.id)
    expect(await total()).toBe(before)
  })

  test('while a RETURN waits for its answer it may take all: a manager is offered nothing more to take back', async () => {
    const cable = await layCable(centre.url)
    const counter = await openCounter(centre, { issuanceUrl: cable.url, staffId: 'sam' })
    const sale = await buy(counter, [[DETERGENT, 2]], { card: 'fine' })
    await issued(counter, sale)
    const entry = async () => {
      const { entries } = (await counter.call('GET', `/api/queue?sale=${sale.id}`)).body as unknown as Queue
      const [issue] = entries.filter(({ kind }) => kind === 'issue')
      return (await counter.call('GET', `/api/queue/${issue?.id}`)).body as unknown as QueueDetail
    }
    expect((await entry()).actions).toContain('take-back')
    await cable.unplug()
    await giveBack(counter, sale, [1, 1])
    const waiting = await entry()
    expect(waiting.actions).not.toContain('take-back')
    expect(waiting.issued.every(({ left }) => left === 0)).toBe(true)
    await cable.plug()
    await counter.untilOperation('return', 'confirmed')
    expect(
      (await entry()).issued.some(({ left }) => left > 0),
      'what it left can be taken back',
    ).toBe(true)
  })

  test.each([
    ['as the receipt had said: there is no work for anybody', null, 0],
    [
      'without a warning: the manager’s list holds both',
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
  ])(
    'of an ISSUE that was refused nothing came to be that could be withdrawn; %s',
    async (_story, fault, attention) => {
      const counter = await openCounter(centre)
      if (fault) await centre.faults(fault)
      const sale = await buy(counter, [[DETERGENT, 1]], { card: fault ? 'fine' : 'closed' })
      await giveBack(counter, sale, [1, 1])
      expect(await counter.untilOperation('return', 'dead', 'confirmed', 'escalated')).toMatchObject({
        state: 'dead',
        detail: 'the issue before it is dead',
      })
      expect(await centre.requests(RETURN)).toEqual([])
      expect(counter.read("SELECT id FROM operation WHERE state = 'dead' AND outcome IS NOT 'foretold'")).toHaveLength(
        attention,
      )
    },
  )

  test.each([
    ['is lost', 'drop-after'],
    ['breaks off', 'truncate'],
    ['is to another request', 'wrong-echo'],
  ])('are withdrawn once when the answer %s', async (_story, kind) => {
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
    await centre.faults({
      path: ISSUE,
      occurrence: 1,
      action: {
        kind: 'answer',
        status: 400,
        body: { errors: [{ errorCode: '234', errorReason: 'Collector Account Not Found' }] },
      },
    })
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine' })
    await counter.untilOperation('issue', 'dead')
    const [dead] = counter.read<{ id: string }>("SELECT id FROM operation WHERE intention = 'issue'")
    const before = await total(SPECIAL)
    expect(
      (
        await counter.call('POST', `/api/queue/${dead?.id}/correct`, {
          readId: await counter.present('special'),
          note: 'card mixed up',
        })
      ).status,
    ).toBe(200)
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
    expect(
      (await centre.requests(RECORD)).map(({ body }) => [
        body['transactionType'],
        body['checkoutTransactionId'],
        body['originalTransactionId'],
      ]),
    ).toEqual([
      ['PURCHASE', sale.id, undefined],
      ['RETURN', returned.id, sale.id],
    ])
    expect(counter.operations().map(({ intention }) => intention)).toEqual(['record', 'record'])
  })
})

describe('where the store calculates', () => {
  test('REVERSE takes back what POST gave, by the rules of the sale, also when the profile has changed since', async () => {
    const counter = await openCounter(centre, { issuance: PARTNER })
    const before = await total()
    const sale = await buy(
      counter,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    expect((await issued(counter, sale)).issuance?.miles).toBe(10 + 5)
    await giveBack(counter, sale, [2, 1])
    expect(await counter.untilOperation('post-reverse', 'confirmed')).toMatchObject({ miles: -(3 + 5), path: REVERSE })
    expect(await total()).toBe(before + 15 - 8)
    expect((await centre.requests(REVERSE))[0]?.body).toMatchObject({
      issuances: [
        { issuanceOfferCode: 'NRBASE', milesAmount: 3, contributingItemIds: [COFFEE] },
        { issuanceOfferCode: 'NRCOFFEE', offerId: 'COFFEE-5', milesAmount: 5, contributingItemIds: [COFFEE] },
      ],
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
    const sale = await buy(
      counter,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    await issued(counter, sale)
    const [post] = counter.read<{ id: string }>("SELECT id FROM operation WHERE intention = 'post'")
    await counter.call('POST', `/api/queue/${post?.id}/take-back`, {
      issuanceOfferCode: 'NRCOFFEE',
      miles: 5,
      left: 5,
      reason: 'the coffee was no part of it',
    })
    expect(await counter.untilOperation('reverse-event', 'confirmed')).toMatchObject({ miles: -5 })
    expect((await centre.requests(ISSUANCE_PATHS.reverseEvent))[0]?.body).toMatchObject({
      originalClientTransactionId: sale.id,
      context: { reason: 'the coffee was no part of it' },
      issuances: [{ issuanceOfferCode: 'NRCOFFEE', offerId: 'COFFEE-5', milesAmount: 5, locationCode: 'N101' }],
    })
    await giveBack(counter, sale, [1, 2], [2, 1])
    expect(await counter.untilOperation('post-reverse', 'confirmed', 'dead')).toMatchObject({
      state: 'confirmed',
      miles: -10,
    })
    expect(await total()).toBe(before)
  })

  test('a POST that was refused for its location is corrected with every entry that it holds', async () => {
    const counter = await openCounter(centre, { issuance: PARTNER, staffId: 'sam' })
    await centre.faults({
      path: POST,
      occurrence: 1,
      action: {
        kind: 'answer',
        status: 400,
        body: { errors: [{ errorCode: '230', errorReason: 'Location Code Not Found' }] },
      },
    })
    await buy(counter, [[COFFEE, 1]], { card: 'fine' })
    await counter.untilOperation('post', 'dead')
    const [dead] = counter.read<{ id: string }>("SELECT id FROM operation WHERE intention = 'post'")
    await counter.call('POST', `/api/queue/${dead?.id}/correct`, { locationCode: 'Q417', note: 'the other door' })
    await counter.untilOperation('post', 'confirmed', 'accepted')
    expect((await centre.requests(POST)).at(-1)?.body).toMatchObject({
      locationCode: 'Q417',
      issuances: [
        { locationCode: 'Q417', contributingItemIds: [COFFEE] },
        { issuanceOfferCode: 'NRCOFFEE', locationCode: 'Q417', contributingItemIds: [COFFEE] },
      ],
    })
  })

  test('a return behind a POST that waits goes after it, and doubles nothing when answers are lost', async () => {
    const counter = await openCounter(centre, { issuance: PARTNER })
    const before = await total()
    await centre.faults(
      { path: POST, occurrence: 1, action: { kind: 'drop-after' } },
      { path: REVERSE, occurrence: 1, action: { kind: 'drop-after' } },
    )
    const sale = await buy(counter, [[DETERGENT, 1]], { card: 'fine' })
    await giveBack(counter, sale, [1, 1])
    await counter.untilOperation('post-reverse', 'confirmed')
    expect(await total()).toBe(before)
    expect(
      (await centre.requests()).map(({ path }) => path).filter((path) => path === POST || path === REVERSE),
    ).toEqual([POST, POST, REVERSE, REVERSE])
    const [post] = counter.read<{ transactionId: string }>(
      "SELECT transaction_id AS transactionId FROM operation WHERE intention = 'post'",
    )
    expect(
      (await centre.requests(REVERSE)).map(({ body }) => body['originalTransactionId']),
      'the transactionId of the POST’s answer, which nobody knew when the goods came back',
    ).toEqual([post?.transactionId, post?.transactionId])
  })
})
