import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Queue, QueueDetail } from '../../../contracts/loyalty/queue.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import { Miles } from '../../../contracts/core/money.ts'
import { NEWEST_ENTRIES, TAKEN } from '../../core/outbox/operation-lists.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import {
  audited,
  escalatedIssue as escalated,
  escalatedReversal,
  FINE,
  issue,
  newSale,
  openQueueHarness,
  OTHER,
  type QueueHarness,
} from '../../../packages/lab/testing/queue-harness.ts'
import { CORRECTED_BY, CALLS, HISTORY, REFUSED_SENDS, TAKERS } from './queue.sql.ts'

const SLOW = '80000000123'
const CLOSED = '80000000088'
const UNKNOWN = '80000000099'
const NOTE = 'Called support, ticket 4417'
const central = useCentral()

type Office = QueueHarness
const office = (): Promise<Office> => openQueueHarness(central)
const escalatedIssue = (here: Office) => escalated(here, central)

const milesOf = async (collector: string): Promise<number> => {
  const { cash, dream } = await central.balances(collector)
  return cash + dream
}
const listed = (here: Office): string[] =>
  here.queue
    .list()
    .entries.filter(({ attention }) => attention)
    .map(({ id }) => id)

test('the list of the exceptions queue can be limited; an expected refusal needs no attention', async () => {
  const here = await office()
  const saleId = newSale(here)
  const waiting = Array.from(
    { length: 5 },
    () =>
      here.transact((tx) =>
        here.issuances.enqueue(tx, {
          type: 'issue',
          saleId,
          collectorHash: here.seal.keyedHash(OTHER),
          request: {},
          traceId: saleId,
          dateTime: 'd',
          expectedMiles: 1,
        }),
      ).id,
  )
  expect(here.queue.list({ most: 3 }).entries.map(({ id }) => id)).toEqual(waiting.slice(0, 3))
  expect(here.queue.list().entries).toHaveLength(5)
  expect(here.queue.list({ most: 3 }).summary.waiting).toBe(5)
  const [first = ''] = waiting
  here.transact((tx) => here.journal.move(tx, first, 'dead', { facts: { outcome: 'expected-refusal' } }))
  expect(here.queue.list({ sale: saleId }).entries.find(({ id }) => id === first)).toMatchObject({
    state: 'dead',
    attention: false,
  })
  expect(here.queue.detail(first).actions).not.toContain('resolve')
})

describe("the manager's action to send a call again", () => {
  test('sends an escalated issuance with the same bytes and key, and the miles are added once', async () => {
    const here = await office()
    const before = await milesOf(OTHER)
    const escalated = await escalatedIssue(here)
    expect(here.queue.detail(escalated.id)).toMatchObject({
      attention: true,
      actions: ['send-again', 'resolve'],
      attempts: 3,
    })
    here.queue.sendAgain(escalated.id, 'alex')
    const done = await here.until(escalated.id, 'confirmed', 'escalated', 'dead')
    expect(done.state).toBe('confirmed')
    expect((await milesOf(OTHER)) - before).toBe(done.miles)
    const sent = await central.requests(ISSUANCE_PATHS.issue)
    expect(sent).toHaveLength(4)
    expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
    expect(listed(here)).toEqual([])
    expect(audited(here)).toEqual([`queue-send-again alex ${escalated.id}`])
    expect(
      here.queue.detail(escalated.id).history.map(({ from, to, orderedBy }) => [from, to, orderedBy]),
    ).toContainEqual(['escalated', 'queued', 'ALEX'])
    expect(() => here.queue.sendAgain(escalated.id, 'alex'), 'once it is final there is nothing to send').toThrow(
      'queue-entry-changed',
    )
  })

  test('sends an escalated reversal with the same key, and the miles are given back once', async () => {
    const here = await office()
    const before = (await central.balances(OTHER)).cash
    const redeemed = await escalatedReversal(here, central)
    const seen = here.queue.detail(redeemed.id)
    expect(seen).toMatchObject({
      kind: 'reverse',
      state: 'reversal-escalated',
      actions: ['send-again', 'resolve'],
      responseCode: '0057',
    })
    expect(seen.says?.['en-CA']).toContain('The confirmation number is unknown')
    here.queue.sendAgain(redeemed.id, 'alex')
    expect((await here.until(redeemed.id, 'reversed', 'reversal-escalated')).state).toBe('reversed')
    expect((await central.balances(OTHER)).cash).toBe(before)
    expect(
      new Set((await central.requests(CASH_PATHS.reverse)).map(({ headers }) => headers['idempotency-key'])).size,
    ).toBe(1)
  })
})

test('a reversal without an answer to its first two sends is listed for the manager, with its deadline', async () => {
  const here = await office()
  const redeemed = await here.redemptions.redeem(here.redemption(newSale(here), OTHER, 1))
  await central.faults({ path: CASH_PATHS.reverse, times: 2, action: { kind: 'drop-before' } })
  here.transact((tx) => here.reversals.request(tx, redeemed))
  await here.untilTrue(redeemed.id, ({ outcome }) => outcome !== 'reversing')
  expect(
    here.queue.list().entries.map(({ id, attention }) => [id, attention]),
    'once, though it is open too',
  ).toEqual([[redeemed.id, true]])
  expect(here.queue.list().summary.attention).toBe(1)
  const seen = here.queue.detail(redeemed.id)
  expect(seen).toMatchObject({ kind: 'reverse', state: 'reversing', attempts: 2, actions: [] })
  const [english, french] = (['en-CA', 'fr-CA'] as const).map((locale) => seen.todo?.[locale].replaceAll('\u00a0', ' '))
  expect(english).toMatch(/until [A-Z][a-z]{2,4}\.? \d{1,2}, \d{4}, 03:00/)
  expect(french).toMatch(/jusqu’au \d{1,2}(er)? [a-zûé]{3,5}\.? \d{4}, 03 h 00/)
  expect(() => here.queue.resolve(redeemed.id, 'alex', { found: 'nothing-to-do', note: NOTE })).toThrow(
    'queue-entry-changed',
  )
  expect((await here.until(redeemed.id, 'reversed', 'reversal-escalated')).state).toBe('reversed')
  expect(listed(here)).toEqual([])
})

describe("the manager's action to resolve an entry", () => {
  test('is the only action for a redemption of unknown outcome, whose details for support are shown', async () => {
    const here = await office()
    await central.faults({
      path: CASH_PATHS.redeem,
      action: { kind: 'answer', status: 500, body: { responseCode: '0096', message: 'Server error' } },
    })
    const lost = await here.redemptions.redeem(here.redemption(newSale(here), OTHER, 2))
    const call = here.journal.call(lost.id, 'redeem')
    const seen = here.queue.detail(lost.id)
    expect(seen).toMatchObject({
      state: 'escalated',
      actions: ['resolve'],
      collector: '•••• ••• 0145',
      entryMode: 'SWIPE',
      amountCents: 2000,
      units: 2,
      miles: 190,
      attempts: 2,
    })
    expect(seen.calls).toEqual([
      {
        purpose: 'redeem',
        path: CASH_PATHS.redeem,
        traceId: call.traceId,
        idempotencyKey: call.idempotencyKey,
        dateTime: call.dateTime,
        sends: 2,
        firstSentAt: new Date(lost.firstSentAt ?? 0).toISOString(),
      },
    ])
    expect(seen.todo?.['fr-CA']).toContain('identifiant de trace')
    expect(JSON.stringify(seen)).not.toContain(OTHER)
    expect(() => here.queue.sendAgain(lost.id, 'alex')).toThrow('queue-entry-changed')

    const resolved = here.queue.resolve(lost.id, 'alex', { found: 'not-at-central', note: NOTE })
    expect(resolved).toMatchObject({
      state: 'escalated',
      attention: false,
      actions: [],
      resolution: { by: 'ALEX', found: 'not-at-central', note: NOTE },
    })
    expect(listed(here)).toEqual([])
    expect(here.journal.counts().attention).toBe(0)
    expect(here.announced).toEqual([lost.saleId])
    expect(
      () => here.queue.resolve(lost.id, 'alex', { found: 'nothing-to-do', note: NOTE }),
      'a resolution is written once',
    ).toThrow('queue-entry-changed')
    expect(await central.requests(CASH_PATHS.redeem)).toHaveLength(2)
  })

  test.each(['4111 1111 1111 1111', 'card 8000-0000 145 closed'])(
    'rejects a note with a payment card number or a collector number: %s',
    async (note) => {
      const here = await office()
      const dead = await issue(here, CLOSED)
      expect(() => here.queue.resolve(dead.id, 'alex', { found: 'nothing-to-do', note })).toThrow('note-holds-number')
      expect(listed(here)).toEqual([dead.id])
      expect(audited(here)).toEqual([])
    },
  )
})

describe("the manager's action to correct a refused call", () => {
  test('sends the call for a newly read card with a new id and key, linked to the refused call', async () => {
    const here = await office()
    const dead = await issue(here, UNKNOWN)
    expect(here.queue.detail(dead.id)).toMatchObject({
      state: 'dead',
      responseCode: '234',
      actions: ['correct', 'resolve'],
      mend: 'card',
      collector: '•••• ••• 0099',
    })
    const before = await milesOf(FINE)
    const read = here.cardReads.hold(FINE as CollectorNumber, 'SWIPE')
    const copy = here.queue.correct(dead.id, 'alex', { readId: read.readId, note: NOTE })
    expect(copy).toMatchObject({ kind: 'issue', saleId: dead.saleId, correctsId: dead.id, collector: '•••• ••• 0011' })
    const done = await here.until(copy.id, 'confirmed', 'dead', 'escalated')
    expect(done.state).toBe('confirmed')
    expect((await milesOf(FINE)) - before).toBe(done.miles)

    const [old, sent] = await central.requests(ISSUANCE_PATHS.issue)
    expect(sent?.body['checkoutTransactionId']).toBe(`${dead.saleId}-C1`)
    expect({ ...sent?.body, collectorNumber: UNKNOWN, checkoutTransactionId: dead.saleId }).toEqual(old?.body)
    expect(sent?.headers['idempotency-key']).not.toBe(old?.headers['idempotency-key'])
    expect(here.queue.detail(dead.id)).toMatchObject({
      attention: false,
      correctedById: copy.id,
      resolution: { found: 'corrected', note: NOTE },
    })
    expect(listed(here)).toEqual([])
    expect(audited(here)).toEqual([`queue-correct alex ${dead.id}`])
    expect(() => here.queue.correct(dead.id, 'alex', { note: NOTE }), 'a second tap makes no second copy').toThrow(
      'queue-entry-changed',
    )
    expect(JSON.stringify(here.audit.latest(20))).not.toMatch(/(?<![\da-f-])8\d{10}(?![\da-f])/)
  })

  test('keeps the card and changes the location; a corrected copy that is refused can be corrected too', async () => {
    const here = await office()
    await central.faults({
      path: ISSUANCE_PATHS.issue,
      times: 2,
      action: {
        kind: 'answer',
        status: 400,
        body: { errors: [{ errorCode: '221', errorReason: 'Sponsor Code Not Found' }] },
      },
    })
    const dead = await issue(here, OTHER)
    const first = here.queue.correct(dead.id, 'alex', { locationCode: 'Q417', note: NOTE })
    expect((await here.until(first.id, 'dead', 'confirmed')).state).toBe('dead')
    const second = here.queue.correct(first.id, 'alex', { note: NOTE })
    expect((await here.until(second.id, 'dead', 'confirmed')).state).toBe('confirmed')
    expect(
      (await central.requests(ISSUANCE_PATHS.issue)).map(({ body }) => [
        body['checkoutTransactionId'],
        body['locationCode'],
        body['collectorNumber'],
      ]),
    ).toEqual([
      [dead.saleId, 'N101', OTHER],
      [`${dead.saleId}-C1`, 'Q417', OTHER],
      [`${dead.saleId}-C2`, 'Q417', OTHER],
    ])
  })

  test('adds the miles once although the answer to the corrected copy is lost', async () => {
    const here = await office()
    const dead = await issue(here, UNKNOWN)
    const before = await milesOf(OTHER)
    await central.faults({ path: ISSUANCE_PATHS.issue, occurrence: 1, action: { kind: 'drop-after' } })
    const copy = here.queue.correct(dead.id, 'alex', {
      readId: here.cardReads.hold(OTHER as CollectorNumber, 'SCAN').readId,
      note: NOTE,
    })
    const done = await here.until(copy.id, 'confirmed', 'dead', 'escalated')
    expect(done.state).toBe('confirmed')
    expect((await milesOf(OTHER)) - before).toBe(done.miles)
  })

  test('changes nothing when the card read has expired', async () => {
    const here = await office()
    const dead = await issue(here, CLOSED)
    const read = here.cardReads.hold(OTHER as CollectorNumber, 'SWIPE')
    here.cardReads.take(read.readId)
    expect(() => here.queue.correct(dead.id, 'alex', { readId: read.readId, note: NOTE })).toThrow('card-read-expired')
    expect(here.queue.detail(dead.id)).toMatchObject({ attention: true, correctedById: null, resolution: null })
    expect(here.journal.ofSale(dead.saleId, 'issuance')).toHaveLength(1)
  })

  test('asks the manager to check the account first if an earlier send had no answer', async () => {
    const here = await office()
    await central.faults(
      { path: ISSUANCE_PATHS.issue, occurrence: 1, action: { kind: 'drop-after' } },
      { path: ISSUANCE_PATHS.issue, occurrence: 2, action: { kind: 'answer', status: 400, body: { message: 'no' } } },
    )
    const queued = await issue(here, OTHER)
    await here.until(queued.id, 'dead')
    const seen = here.queue.detail(queued.id)
    expect(seen.says?.['en-CA']).toContain('may have recorded an earlier try')
    expect(seen.todo?.['fr-CA']).toContain('avant d’envoyer une copie corrigée')
  })

  test('is offered for a refused RETURN only after the refused ISSUE of its sale was corrected', async () => {
    const here = await office()
    const dead = await issue(here, UNKNOWN)
    const issued = await central.requests(ISSUANCE_PATHS.issue)
    const before = await milesOf(OTHER)
    const back = here.transact((tx) =>
      here.issuances.enqueue(tx, {
        type: 'return',
        saleId: dead.saleId,
        collectorHash: Buffer.from(dead.collector, 'hex'),
        traceId: 'T',
        dateTime: 'D',
        expectedMiles: null,
        after: dead.id,
        request: { ...issued[0]?.body, checkoutTransactionId: `${dead.saleId}-B1`, originalTransactionId: dead.saleId },
      }),
    )
    expect((await here.until(back.id, 'dead', 'confirmed')).state).toBe('dead')
    expect(here.queue.detail(back.id).actions, 'first what it takes back').toEqual(['resolve'])

    const copy = here.queue.correct(dead.id, 'alex', {
      readId: here.cardReads.hold(OTHER as CollectorNumber, 'SWIPE').readId,
      note: NOTE,
    })
    expect(here.queue.detail(back.id).actions).toEqual(['correct', 'resolve'])
    const again = here.queue.correct(back.id, 'alex', { note: NOTE })
    expect((await here.until(again.id, 'confirmed', 'dead', 'escalated')).state).toBe('confirmed')
    const [sent] = await central.requests(ISSUANCE_PATHS.return)
    expect(sent?.body).toMatchObject({
      collectorNumber: OTHER,
      originalTransactionId: `${dead.saleId}-C1`,
      checkoutTransactionId: `${dead.saleId}-C2`,
    })
    expect(here.journal.get(copy.id)?.state).toBe('confirmed')
    expect(await milesOf(OTHER)).toBe(before)
  })
})

describe("the manager's action to take back wrongly issued miles", () => {
  test('uses REVERSE/EVENT under the offer that issued the miles, and never takes more than are left', async () => {
    const here = await office()
    const done = await issue(here, OTHER)
    const [offer] = here.queue.detail(done.id).issued
    if (!offer) throw new Error('the issue says under which offer')
    expect(offer).toMatchObject({ miles: done.miles, left: done.miles })
    expect(here.queue.detail(done.id).actions).toEqual(['take-back'])
    const before = await milesOf(OTHER)

    const correction = { issuanceOfferCode: offer.issuanceOfferCode, reason: 'The wrong card was swiped' }
    const once = { ...correction, miles: Miles.parse(1), left: offer.left }
    const taking = here.queue.takeBack(done.id, 'alex', once)
    expect(taking).toMatchObject({ kind: 'reverse-event', saleId: done.saleId, miles: -1 })
    expect(here.queue.detail(done.id).issued, 'what is on its way counts as taken').toMatchObject([
      { left: offer.miles - 1 },
    ])
    expect(() => here.queue.takeBack(done.id, 'alex', once), 'the same correction again: its answer was lost').toThrow(
      'queue-entry-changed',
    )
    expect(() =>
      here.queue.takeBack(done.id, 'alex', { ...correction, miles: offer.miles, left: Miles.parse(offer.miles - 1) }),
    ).toThrow('miles-not-issued')
    expect((await here.until(taking.id, 'confirmed', 'accepted', 'dead', 'escalated')).state).toBe('confirmed')
    expect(await milesOf(OTHER)).toBe(before - 1)
    expect(here.queue.detail(done.id).issued).toMatchObject([{ left: offer.miles - 1 }])

    const [sent] = await central.requests(ISSUANCE_PATHS.reverseEvent)
    const call = here.journal.call(taking.id, 'reverse-event')
    expect(sent?.sha256).toBe(createHash('sha256').update(call.request).digest('hex'))
    expect(sent?.headers['idempotency-key']).toBe(call.idempotencyKey)
    expect(sent?.body).toMatchObject({
      clientTransactionId: `${done.saleId}-R1`,
      collectorNumber: OTHER,
      sponsorCode: 'NRTH',
      context: { reason: correction.reason },
      issuances: [{ issuanceOfferCode: offer.issuanceOfferCode, offerId: offer.offerId, milesAmount: 1 }],
    })
    expect(audited(here)).toEqual([`queue-take-back alex ${done.id}`])
  })

  test.each([
    ['the answer is lost', { kind: 'drop-after' }],
    ['the answer is to another request', { kind: 'wrong-echo' }],
  ])('takes the miles back once after an unusable answer: %s', async (_scenario, action) => {
    const here = await office()
    const done = await issue(here, OTHER)
    const [offer] = here.queue.detail(done.id).issued
    const before = await milesOf(OTHER)
    await central.faults({ path: ISSUANCE_PATHS.reverseEvent, occurrence: 1, action })
    const taking = here.queue.takeBack(done.id, 'alex', {
      issuanceOfferCode: offer?.issuanceOfferCode ?? '',
      miles: Miles.parse(1),
      left: Miles.parse(offer?.left),
      reason: NOTE,
    })
    expect((await here.until(taking.id, 'confirmed', 'dead', 'escalated')).state).toBe('confirmed')
    expect(await milesOf(OTHER)).toBe(before - 1)
    expect(await central.requests(ISSUANCE_PATHS.reverseEvent)).toHaveLength(2)
  })

  test('is rejected for refused calls and for offers that issued nothing', async () => {
    const here = await office()
    const dead = await issue(here, CLOSED)
    expect(() =>
      here.queue.takeBack(dead.id, 'alex', {
        issuanceOfferCode: 'X',
        miles: Miles.parse(1),
        left: Miles.parse(1),
        reason: NOTE,
      }),
    ).toThrow('queue-entry-changed')
    const accepted = await issue(here, SLOW)
    expect(accepted.state).toBe('accepted')
    expect(() =>
      here.queue.takeBack(accepted.id, 'alex', {
        issuanceOfferCode: 'X',
        miles: Miles.parse(1),
        left: Miles.parse(1),
        reason: NOTE,
      }),
    ).toThrow('miles-not-issued')
  })
})

test('the manager can correct an issuance only if all its entries were rejected', async () => {
  const here = await office()
  const entries = (status: string) => [
    { issuanceOfferCode: 'A', offerId: 'A', milesAmount: 5, status },
    { issuanceOfferCode: 'B', offerId: 'B', milesAmount: 3, status: 'REJECTED', errors: [{ errorCode: '204' }] },
  ]
  await central.faults(
    {
      path: ISSUANCE_PATHS.issue,
      occurrence: 1,
      action: { kind: 'answer', status: 200, body: { transactionId: 'T1', issuances: entries('CONFIRMED') } },
    },
    {
      path: ISSUANCE_PATHS.issue,
      occurrence: 2,
      action: { kind: 'answer', status: 200, body: { transactionId: 'T2', issuances: entries('REJECTED') } },
    },
  )
  const partly = here.queue.detail((await issue(here, OTHER)).id)
  expect(partly).toMatchObject({
    state: 'rejected',
    actions: ['resolve', 'take-back'],
    issued: [
      { issuanceOfferCode: 'A', miles: 5, left: 5, rejected: 0 },
      { issuanceOfferCode: 'B', miles: 0, left: 0, rejected: 3, codes: ['204'] },
    ],
  })
  expect(partly.todo?.['en-CA']).toContain('Ask miles support whether the offer applies')
  expect(here.queue.detail((await issue(here, OTHER)).id).actions).toEqual(['correct', 'resolve'])
})

describe('a call refused with 400 without a listed code', () => {
  test('is final after one send, and can be corrected or resolved', async () => {
    const here = await office()
    const action = { kind: 'answer', status: 400, body: { message: 'items: expected a list' } }
    await central.faults({ path: ISSUANCE_PATHS.issue, occurrence: 1, action })
    const refused = await issue(here, OTHER)
    expect(refused).toMatchObject({ state: 'dead', sends: 1, detail: 'items: expected a list' })
    expect(await central.requests(ISSUANCE_PATHS.issue)).toHaveLength(1)
    expect(here.queue.detail(refused.id)).toMatchObject({ attention: true, actions: ['correct', 'resolve'] })
  })
})

describe('a call refused because of a parallel call of the collector', () => {
  const busy = {
    kind: 'answer',
    status: 409,
    body: { responseCode: '400', message: 'Another transaction of this collector is being processed' },
  }

  test('is retried under its key, and the miles are added once', async () => {
    const here = await office()
    const before = await milesOf(OTHER)
    await central.faults({ path: ISSUANCE_PATHS.issue, times: 2, action: busy })
    const done = await issue(here, OTHER)
    expect(done).toMatchObject({ state: 'confirmed', sends: 3, refusals: 2, failures: 0, responseCode: null })
    expect(await milesOf(OTHER)).toBe(before + (done.miles ?? 0))
    const sent = await central.requests(ISSUANCE_PATHS.issue)
    expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
  })

  test('is escalated after six refusals, and the manager may send it again or correct it', async () => {
    const here = await office()
    await central.faults({ path: ISSUANCE_PATHS.issue, times: 6, action: busy })
    const refused = await issue(here, OTHER)
    expect(refused).toMatchObject({ state: 'escalated', sends: 6, refusals: 6, responseCode: '400' })
    const seen = here.queue.detail(refused.id)
    expect(seen).toMatchObject({ attention: true, actions: ['send-again', 'correct', 'resolve'] })
    expect(seen.says?.['fr-CA']).toContain('six fois')
    here.queue.sendAgain(refused.id, 'alex')
    expect(await here.until(refused.id, 'confirmed', 'escalated')).toMatchObject({ state: 'confirmed', sends: 7 })
  })

  test('cannot be corrected after a lost answer, which may have been an acceptance', async () => {
    const here = await office()
    await central.faults(
      { path: ISSUANCE_PATHS.issue, occurrence: 1, action: { kind: 'drop-after' } },
      ...[2, 3, 4, 5, 6, 7].map((occurrence) => ({ path: ISSUANCE_PATHS.issue, occurrence, action: busy })),
    )
    const refused = await issue(here, OTHER)
    expect(refused).toMatchObject({ state: 'escalated', sends: 7, refusals: 6 })
    expect(here.queue.detail(refused.id).actions).toEqual(['send-again', 'resolve'])
  })
})

describe('error codes in answers that accept a call', () => {
  test('cause one notice of a wrong location for all affected sales, until an issuance is confirmed', async () => {
    const here = await office()
    const first = await issue(here, OTHER, { locationCode: 'Z111' })
    const second = await issue(here, OTHER, { locationCode: 'Z111' })
    expect(first).toMatchObject({
      state: 'accepted',
      responseCode: '230',
      detail: 'Location Code Not Found',
      miles: 0,
      pendingMiles: 2,
    })
    const seen = here.queue.detail(first.id)
    expect([seen.attention, seen.miles, seen.pendingMiles, seen.issued]).toMatchObject([
      false,
      0,
      2,
      [{ miles: 0, pending: 2, codes: ['230'] }],
    ])
    expect(seen.todo?.['en-CA']).toContain('correct the location code')
    const { notices, summary } = here.queue.list()
    expect(notices).toMatchObject([
      { code: '230', subject: 'Z111', times: 2, newestId: second.id, saleId: second.saleId },
    ])
    expect(notices[0]?.says['fr-CA']).toContain('code d’emplacement')
    expect(summary.attention).toBe(1)
    await issue(here, OTHER)
    expect(here.queue.list()).toMatchObject({ notices: [], summary: { attention: 0 } })
  })

  test('keep a notice listed after a corrected copy, until the manager resolves the notice', async () => {
    const here = await office()
    await central.faults({
      path: ISSUANCE_PATHS.issue,
      occurrence: 1,
      action: { kind: 'answer', status: 400, body: { errors: [{ errorCode: '221' }] } },
    })
    const dead = await issue(here, OTHER)
    await issue(here, OTHER, { locationCode: 'X900' })
    const copy = here.queue.correct(dead.id, 'alex', { note: NOTE })
    await here.until(copy.id, 'confirmed')
    const [notice] = here.queue.list().notices
    expect(notice).toMatchObject({ code: '205', subject: 'X900' })
    expect(here.queue.resolveNotice(notice?.id ?? 0, 'alex', { note: NOTE }).notices).toEqual([])
    expect(audited(here)[0]).toBe(`queue-notice-settled alex ${notice?.id}`)
    expect(() => here.queue.resolveNotice(notice?.id ?? 0, 'alex', { note: NOTE })).toThrow('queue-entry-changed')
    await issue(here, OTHER, { locationCode: 'X900' })
    expect(here.queue.list().notices).toMatchObject([{ code: '205', times: 1 }])
  })

  test('cause a notice also if they are 000 (“Unknown”); a later confirmed issuance does not end it', async () => {
    const here = await office()
    expect(await issue(here, SLOW)).toMatchObject({ state: 'accepted', responseCode: '000', miles: 0 })
    await issue(here, OTHER)
    expect(here.queue.list().notices).toMatchObject([{ code: '000', subject: '', times: 1 }])
  })

  test('cause one notice for a pending entry under status 200 and a rejected entry under status 202', async () => {
    const here = await office()
    const entries = (one: string, other: string) => [
      { issuanceOfferCode: 'A', offerId: 'A', milesAmount: 5, status: one },
      { issuanceOfferCode: 'B', offerId: 'B', milesAmount: 3, status: other, errors: [{ errorCode: '203' }] },
    ]
    await central.faults(
      {
        path: ISSUANCE_PATHS.issue,
        occurrence: 1,
        action: {
          kind: 'answer',
          status: 200,
          body: { transactionId: 'T1', issuances: entries('CONFIRMED', 'PENDING') },
        },
      },
      {
        path: ISSUANCE_PATHS.issue,
        occurrence: 2,
        action: {
          kind: 'answer',
          status: 202,
          body: { transactionId: 'T2', issuances: entries('PENDING', 'REJECTED') },
        },
      },
    )
    expect(await issue(here, OTHER)).toMatchObject({
      state: 'accepted',
      miles: 5,
      pendingMiles: 3,
      rejectedMiles: 0,
      responseCode: '203',
    })
    const refused = await issue(here, OTHER)
    expect(refused).toMatchObject({ state: 'rejected', miles: 0, pendingMiles: 5, rejectedMiles: 3 })
    expect(
      here.queue.detail(refused.id).actions,
      'what waits may still come: it is not sent anew as a whole',
    ).not.toContain('correct')
    expect(here.queue.list().notices).toMatchObject([{ code: '203', subject: 'B', times: 2 }])
  })
})

test('the lists of the exceptions queue are read by their indexes', async () => {
  const { db } = await office()
  const plan = (sql: string, ...values: string[]): string =>
    (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n')
  for (const sql of [HISTORY, NEWEST_ENTRIES, TAKEN, CALLS]) {
    expect(plan(sql, ...(sql === CALLS ? ['x', 'x'] : ['x']))).toContain(
      'SEARCH journal_entry USING INTEGER PRIMARY KEY (rowid=?)',
    )
    expect(plan(sql, ...(sql === CALLS ? ['x', 'x'] : ['x']))).not.toMatch(/SCAN (journal_entry|operation)$/m)
  }
  expect(plan(TAKERS, 'x', 'y')).toBe('SEARCH operation USING INDEX operation_by_sale (sale_id=? AND kind=?)')
  expect(plan(CORRECTED_BY, 'x')).toMatch(/USING (COVERING )?INDEX operation_corrected_once/)
  expect(plan(REFUSED_SENDS, 'x')).not.toMatch(/SCAN (journal_entry|operation)$/m)
})

test('the exceptions queue is refused to other roles than managers, and can be filtered by sale', async () => {
  const harness = await openTerminalHarness(central)
  await central.faults({
    path: ISSUANCE_PATHS.issue,
    action: {
      kind: 'answer',
      status: 400,
      body: { errors: [{ errorCode: '224', errorReason: 'Collector Account Closed' }] },
    },
  })
  await harness.ring('1021')
  const sale = await harness.swipe('fine')
  await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'card',
    version: sale.version,
    amountCents: sale.totals.dueCents,
    reference: 'T1',
  })
  await harness.until(({ issuance }) => issuance?.state === 'dead')
  for (const path of ['/api/queue', '/api/reconciliation/days'])
    expect(await harness.refused('GET', path)).toBe('manager-required')
  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })

  const { entries } = await harness.get<Queue>(`/api/queue?sale=${sale.id}`)
  expect(entries).toMatchObject([{ kind: 'issue', state: 'dead', attention: true, responseCode: '224' }])
  const id = entries[0]?.id ?? ''
  expect(await harness.refused('POST', `/api/queue/${id}/resolve`, { found: 'nothing-to-do', note: ' ' })).toBe(
    'body-invalid',
  )
  expect(
    await harness.refused('POST', `/api/queue/${id}/correct`, {
      note: NOTE,
      collectorNumber: FINE,
      locationCode: 'TOOLONG',
    }),
  ).toBe('body-invalid')
  expect(await harness.refused('POST', `/api/queue/${id}/send-again`)).toBe('queue-entry-changed')
  expect(await harness.refused('GET', '/api/queue/5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11')).toBe('not-found')
  const resolved = (await harness.call('POST', `/api/queue/${id}/resolve`, { found: 'nothing-to-do', note: NOTE }))
    .body as unknown as QueueDetail
  expect(resolved).toMatchObject({ attention: false, resolution: { found: 'nothing-to-do' } })
  expect((await harness.call('GET', '/api/reconciliation/days')).body).toMatchObject({
    days: [],
    ledger: { ties: true },
  })
  expect(await harness.refused('POST', '/api/reconciliation/days/2020-01-01/exports')).toBe('not-found')
  expect(await harness.refused('GET', '/api/reconciliation/days/2020-13-01')).toBe('body-invalid')
  const { paths } = (await harness.call('GET', '/api/openapi.json')).body as unknown as {
    paths: Record<string, unknown>
  }
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      '/api/queue/{id}/correct',
      '/api/queue/{id}/take-back',
      '/api/reconciliation/days/{day}/exports',
    ]),
  )
})
