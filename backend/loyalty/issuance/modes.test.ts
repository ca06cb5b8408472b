import { describe, expect, test } from 'vitest'
import { QueueDetail, type Queue } from '../../../contracts/loyalty/queue.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { startCable } from '../../../packages/lab/testing/cable.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'
import { approved } from '../../../packages/lab/testing/sale-actions.ts'
import { openRewritingProxy } from '../../../packages/lab/testing/rewriting-proxy.ts'
import { buy, COFFEE, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { giftCard, payCash } from '../../../packages/lab/testing/vouchers.ts'

/**
 * Tests each call of the issuance service from the checkout to the ledger of the reference services, both when the
 * program and when the store calculates the miles.
 */
const central = useCentral()
const FINE = '80000000011'
const {
  issue: ISSUE,
  return: RETURN,
  record: RECORD,
  post: POST,
  postEvent: POST_EVENT,
  reverse: REVERSE,
  reverseEvent: REVERSE_EVENT,
} = ISSUANCE_PATHS
const SERVICE: TerminalHarnessOptions['issuance'] = { mode: 'service', record: 'all' }
const PARTNER: TerminalHarnessOptions['issuance'] = {
  mode: 'partner',
  record: 'all',
  rules: [
    { kind: 'base', offerCode: 'NRBASE', miles: 1, perDollars: 5, rounding: 'whole-steps' },
    { kind: 'item', offerCode: 'NRCOFFEE', offerId: 'COFFEE-5', miles: 5, sku: COFFEE },
  ],
}

const total = async (): Promise<number> => {
  const { cash, dream } = await central.balances(FINE)
  return cash + dream
}
const requestPaths = async (): Promise<string[]> =>
  (await central.requests())
    .map(({ path }) => path)
    .filter((path) => path.startsWith('/checkout/issuance') && path !== ISSUANCE_PATHS.calculate)
async function issuanceOf(harness: TerminalHarness, { id }: Sale): Promise<QueueDetail> {
  const { entries } = await harness.get<Queue>(`/api/queue?sale=${id}`)
  const entry = entries.find(({ kind }) => kind === 'issue' || kind === 'post')
  return QueueDetail.parse((await harness.call('GET', `/api/queue/${entry?.id}`)).body)
}

describe.each([
  ['the program calculates', SERVICE, { gives: ISSUE, takes: RETURN, type: 'return' }],
  ['the store calculates', PARTNER, { gives: POST, takes: REVERSE, type: 'post-reverse' }],
])('in a store where %s', (_mode, issuance, { gives, takes, type }) => {
  test('a sale issues miles, REVERSE/EVENT and a return take them back, and RECORD reports both', async () => {
    const harness = await openTerminalHarness(central, { issuance, staffId: 'sam' })
    const before = await total()
    const sale = await buy(
      harness,
      [
        [DETERGENT, 2],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    const { issuance: issued } = await harness.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')
    expect(await total()).toBe(before + (issued?.miles ?? 0))
    const posted = await issuanceOf(harness, sale)
    const coffee = posted.issued.find(({ issuanceOfferCode }) => issuanceOfferCode === 'NRCOFFEE')
    await harness.call('POST', `/api/queue/${posted.id}/take-back`, {
      issuanceOfferCode: 'NRCOFFEE',
      miles: 2,
      left: coffee?.left,
      reason: 'counted twice',
    })
    expect(await harness.untilOperation('reverse-event', 'confirmed')).toMatchObject({ miles: -2 })
    const returned = await returnPieces(harness, sale, [1, 2], [2, 1])
    await harness.untilOperation(type, 'confirmed', 'escalated')
    await central.reached(RECORD, 2, 'processed')
    expect(await requestPaths()).toEqual(expect.arrayContaining([gives, REVERSE_EVENT, takes]))
    const records = (await central.requests(RECORD)).map(({ body }) => [
      body['transactionType'],
      body['checkoutTransactionId'],
      body['originalTransactionId'] ?? null,
      body['collectorNumber'],
    ])
    expect(records).toEqual([
      ['PURCHASE', sale.id, null, FINE],
      ['RETURN', returned.id, sale.id, FINE],
    ])
    // The program's RETURN takes back all miles of the goods, even those that a manager already took back; the store's
    // REVERSE takes back only the rest.
    expect(await total()).toBe(type === 'return' ? before - 2 : before)
  })

  test('RECORD reports the sale of a gift card, and a return without a record of its sale', async () => {
    const harness = await openTerminalHarness(central, { issuance, staffId: 'sam' })
    const card = await payCash(harness, await giftCard(harness, 2500))
    const body = { items: [{ sku: DETERGENT, quantity: 1 }], reason: 'no receipt' }
    const { return: made } = (await approved(harness, 'POST', '/api/returns/without-record', body)).body as unknown as {
      return: { id: string }
    }
    await central.reached(RECORD, 2, 'processed')
    await harness.untilOperation('record', 'confirmed')
    expect(await requestPaths()).toEqual([RECORD, RECORD])
    const [sold, back] = (await central.requests(RECORD)).map((request) => request.body)
    expect(sold).toMatchObject({
      transactionType: 'PURCHASE',
      checkoutTransactionId: card.id,
      basketPreTaxAmount: 25,
      basketPostTaxAmount: 25,
      items: [{ quantity: 1, finalAmount: 25 }],
    })
    expect(back).toMatchObject({
      transactionType: 'RETURN',
      checkoutTransactionId: made.id,
      basketPreTaxAmount: 19.99,
      items: [{ id: DETERGENT, quantity: 1 }],
    })
    for (const field of ['collectorNumber', 'originalTransactionId']) expect(back).not.toHaveProperty(field)
    const { entries } = await harness.get<Queue>(`/api/queue?sale=${made.id}`)
    expect(entries, 'found by the number on the receipt').toMatchObject([
      { kind: 'record', state: 'confirmed', saleId: made.id },
    ])
  })
})

describe('miles that a manager gives with POST/EVENT', () => {
  test('are issued once under an offer of the store, and can be taken back under that offer', async () => {
    const harness = await openTerminalHarness(central, { issuance: PARTNER, staffId: 'sam' })
    const before = await total()
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine' })
    await harness.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')
    const posted = await issuanceOf(harness, sale)
    expect(posted).toMatchObject({ givable: ['NRBASE', 'NRCOFFEE'], given: 0 })
    expect(posted.actions).toContain('give')
    const correction = { issuanceOfferCode: 'NRCOFFEE', miles: 5, given: 0, reason: 'the coffee was not rung' }
    await central.faults({ path: POST_EVENT, occurrence: 1, action: { kind: 'drop-after' } })
    const made = QueueDetail.parse((await harness.call('POST', `/api/queue/${posted.id}/give`, correction)).body)
    expect(
      await harness.refused('POST', `/api/queue/${posted.id}/give`, correction),
      'the answer to the same correction was lost',
    ).toBe('queue-entry-changed')
    expect(await harness.untilOperation('post-event', 'confirmed')).toMatchObject({ miles: 5 })
    expect(await total()).toBe(before + 3 + 5)
    const sent = await central.requests(POST_EVENT)
    expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
    expect(sent[0]?.body).toMatchObject({
      clientTransactionId: `${sale.id}-G1`,
      collectorNumber: FINE,
      context: { reason: 'the coffee was not rung' },
      issuances: [{ issuanceOfferCode: 'NRCOFFEE', offerId: 'COFFEE-5', milesAmount: 5, locationCode: 'N101' }],
    })
    await harness.call('POST', `/api/queue/${made.id}/take-back`, {
      issuanceOfferCode: 'NRCOFFEE',
      miles: 5,
      left: 5,
      reason: 'it was rung after all',
    })
    await harness.untilOperation('reverse-event', 'confirmed')
    expect((await central.requests(REVERSE_EVENT))[0]?.body['originalClientTransactionId']).toBe(`${sale.id}-G1`)
    expect(await total()).toBe(before + 3)
  })

  test('are refused if the program calculates the miles, and for an offer that the store does not have', async () => {
    const service = await openTerminalHarness(central, { staffId: 'sam' })
    const sale = await buy(service, [[DETERGENT, 1]], { card: 'fine' })
    await service.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')
    const issued = await issuanceOf(service, sale)
    const correction = { issuanceOfferCode: 'NRBASE', miles: 5, given: 0, reason: 'please' }
    expect(await service.refused('POST', `/api/queue/${issued.id}/give`, correction)).toBe('queue-entry-changed')
    const partner = await openTerminalHarness(central, { issuance: PARTNER, staffId: 'sam' })
    const other = await buy(partner, [[DETERGENT, 1]], { card: 'fine' })
    await partner.until((now) => now.id === other.id && now.issuance?.state === 'confirmed')
    expect(
      await partner.refused('POST', `/api/queue/${(await issuanceOf(partner, other)).id}/give`, {
        ...correction,
        issuanceOfferCode: 'NRENDED',
      }),
    ).toBe('offer-unknown')
    expect(await central.requests(POST_EVENT)).toEqual([])
  })
})

describe('a corrected copy of a call that takes miles back', () => {
  test.each([
    ['RETURN', SERVICE, RETURN, 'return', 'issue'],
    ['REVERSE', PARTNER, REVERSE, 'post-reverse', 'post'],
  ])(
    'contains, for %s, the transactionId from the answer to the sale’s ISSUE or POST',
    async (_call, issuance, path, type, original) => {
      const cable = await startCable(central.url)
      const harness = await openTerminalHarness(central, {
        issuance: { ...issuance, record: 'none' },
        issuanceUrl: cable.url,
        staffId: 'sam',
      })
      const before = await total()
      await cable.unplug()
      const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine' })
      await returnPieces(harness, sale, [1, 1])
      await central.faults({
        path,
        occurrence: 1,
        action: { kind: 'answer', status: 400, body: { errors: [{ errorCode: '221' }] } },
      })
      await cable.plug()
      await harness.untilOperation(type, 'dead')
      const [refused] = harness.read<{ id: string }>(`SELECT id FROM operation WHERE type = '${type}'`)
      await harness.call('POST', `/api/queue/${refused?.id}/correct`, { note: 'the sponsor code is right now' })
      await harness.untilOperation(type, 'confirmed', 'escalated')
      const [given] = harness.read<{ transactionId: string }>(
        `SELECT transaction_id AS transactionId FROM operation WHERE type = '${original}'`,
      )
      expect((await central.requests(path)).at(-1)?.body['originalTransactionId']).toBe(given?.transactionId)
      expect(await total()).toBe(before)
    },
  )
})

describe('the receipt of a sale', () => {
  const printed = (harness: TerminalHarness, copy: number): string =>
    harness.read<{ document: string }>(`SELECT document FROM print_job WHERE copy = ${copy} ORDER BY rowid DESC`)[0]
      ?.document ?? ''

  test('lists on its copy pending and refused miles, and none as earned, if the program confirmed none', async () => {
    const harness = await openTerminalHarness(central, { issuance: PARTNER, staffId: 'sam' })
    const issuances = [
      { issuanceOfferCode: 'NRBASE', milesAmount: 6, status: 'PENDING' },
      { issuanceOfferCode: 'NRCOFFEE', milesAmount: 5, status: 'REJECTED' },
    ]
    await central.faults({
      path: POST,
      action: { kind: 'answer', status: 200, body: { transactionId: 'T1', issuances } },
    })
    const sale = await buy(
      harness,
      [
        [DETERGENT, 1],
        [COFFEE, 1],
      ],
      { card: 'fine' },
    )
    await harness.until((now) => now.id === sale.id && now.issuance?.state === 'rejected')
    await harness.printed(sale.id)
    await harness.call('POST', `/api/sales/${sale.id}/reprint`)
    await harness.printed(sale.id, 'confirmed', 1)
    const copy = printed(harness, 1)
    for (const [left, right] of [
      ['Miles pending', '6'],
      ['Miles refused', '5'],
    ])
      expect(copy).toContain(JSON.stringify({ kind: 'row', left, right }))
    expect(copy).not.toContain('Miles earned')
  })

  test.each([
    ['the program calculates', SERVICE, 200],
    ['the store calculates', PARTNER, 200],
  ])(
    'states that there are no miles for a basket that earns nothing, in a store where %s',
    async (_mode, issuance, cents) => {
      const harness = await openTerminalHarness(central, {
        issuance: { ...issuance, record: 'none' },
        catalog: `4001,,Bag,Sac,${(cents / 100).toFixed(2)},standard,household,`,
      })
      await harness.ring('4001')
      await harness.swipe('fine')
      const open = await harness.until(({ milesPreview }) => milesPreview !== null)
      expect(open.milesPreview).toBe(0)
      await payCash(harness, open)
      await harness.printed(open.id)
      const paper = printed(harness, 0)
      expect(paper).toContain('No miles for this purchase.')
      expect(paper).not.toMatch(/issued later|to earn/i)
    },
  )
})

describe('a return of goods while the POST of their miles has no answer', () => {
  test('takes back only miles that were not rejected, with the transactionId of the later answer', async () => {
    const harness = await openTerminalHarness(central, { issuance: PARTNER })
    const answer = {
      transactionId: '2c9d4f1e-0000-4000-8000-000000000001',
      issuances: [
        { issuanceOfferCode: 'NRBASE', offerId: 'NRBASE', milesAmount: 2, status: 'REJECTED' },
        { issuanceOfferCode: 'NRCOFFEE', milesAmount: 5, status: 'PENDING' },
      ],
    }
    await central.faults(
      { path: POST, occurrence: 1, action: { kind: 'answer', status: 500, body: {} } },
      { path: POST, occurrence: 2, action: { kind: 'answer', status: 200, body: answer } },
      {
        path: REVERSE,
        action: { kind: 'answer', status: 200, body: { transactionId: 'T2', issuances: [{ milesAmount: 5 }] } },
      },
    )
    const sale = await buy(harness, [[COFFEE, 1]], { card: 'fine' })
    await returnPieces(harness, sale, [1, 1])
    expect(await harness.untilOperation('post-reverse', 'confirmed', 'escalated')).toMatchObject({
      state: 'confirmed',
      miles: -5,
    })
    const [reverse, ...more] = await central.requests(REVERSE)
    expect(more).toEqual([])
    expect(reverse?.body).toMatchObject({
      originalTransactionId: answer.transactionId,
      issuances: [{ issuanceOfferCode: 'NRCOFFEE', milesAmount: 5 }],
    })
    expect(reverse?.headers['idempotency-key']).toBeDefined()
    const { issuance } = await harness.until((now) => now.id === sale.id && now.issuance?.state === 'rejected')
    expect(issuance).toMatchObject({ miles: 0, pending: 5, rejected: 2 })
  })

  test('sends no REVERSE if the answer to POST has no transactionId, and shows the manager what to do', async () => {
    const { url } = await openRewritingProxy(central.url, ({ path, body: { transactionId: _named, ...body } }) =>
      path === POST ? { body } : null,
    )
    const harness = await openTerminalHarness(central, { issuance: PARTNER, issuanceUrl: url, staffId: 'sam' })
    const before = await total()
    const sale = await buy(harness, [[COFFEE, 1]], { card: 'fine' })
    await returnPieces(harness, sale, [1, 1])
    await harness.untilOperation('post-reverse', 'escalated')
    const reverse = harness.read<{ id: string }>("SELECT id FROM operation WHERE type = 'post-reverse'")[0]?.id ?? ''
    expect((await harness.call('GET', `/api/queue/${reverse}`)).body).toMatchObject({
      attempts: 0,
      actions: ['resolve'],
      todo: {
        'en-CA': expect.stringContaining('take its miles back there') as string,
        'fr-CA': expect.stringContaining('reprenez ses milles') as string,
      },
    })
    expect(await harness.refused('POST', `/api/queue/${reverse}/send-again`)).toBe('queue-entry-changed')
    const post = await issuanceOf(harness, sale)
    expect(post).toMatchObject({
      transactionId: null,
      issued: [
        { issuanceOfferCode: 'NRBASE', left: 2 },
        { issuanceOfferCode: 'NRCOFFEE', left: 5 },
      ],
      actions: expect.arrayContaining(['take-back']) as string[],
    })
    for (const { issuanceOfferCode, left } of post.issued) {
      await harness.call('POST', `/api/queue/${post.id}/take-back`, {
        issuanceOfferCode,
        miles: left,
        left,
        reason: 'the return of the sale',
      })
      await harness.untilOperation('reverse-event', 'confirmed', 'accepted')
    }
    expect(await total()).toBe(before)
    expect((await central.requests(REVERSE_EVENT)).map(({ body }) => body['originalClientTransactionId'])).toEqual([
      sale.id,
      sale.id,
    ])
    expect(await issuanceOf(harness, sale)).toMatchObject({ issued: [{ left: 0 }, { left: 0 }] })
    expect(await central.requests(REVERSE)).toEqual([])
  })
})
