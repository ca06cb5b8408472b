import { describe, expect, test } from 'vitest'
import { Queue } from '../../../contracts/loyalty/queue.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { manualClock } from '../../../packages/lab/testing/manual-clock.ts'
import {
  audited,
  escalatedIssue,
  escalatedReversal,
  FINE,
  newSale,
  openQueueHarness,
  OTHER,
  type QueueHarness,
} from '../../../packages/lab/testing/queue-harness.ts'
import { buy, DETERGENT } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { MAX_CONCURRENT } from './queue-actions.ts'

const NOTE = 'Called support, ticket 4417'
/** The gap between two calls: half of the longest, because the random number of the harness is always 0.5. */
const GAP_MS = 500
const central = useCentral()

async function office(options: { folder?: string } = {}) {
  const waiting = manualClock()
  const here = await openQueueHarness(central, { ...options, waiting, fraction: () => 0.5 })
  return { ...here, waiting }
}

function escalated(here: QueueHarness, collector: string): string {
  here.clock.advance(1)
  return here.transact((tx) => {
    const { id } = here.issue(newSale(here), collector)
    here.journal.move(tx, id, 'escalated')
    return id
  })
}

const stateOf = (here: QueueHarness, id: string): Operation['state'] | undefined => here.journal.get(id)?.state
const confirmed = (here: QueueHarness, id: string): Promise<Operation> => here.until(id, 'confirmed', 'escalated')

test('a request to send all again sends escalated calls at intervals, with the same bytes and keys', async () => {
  const here = await office()
  const before = await central.balances(OTHER)
  const [first, second, third] = [
    await escalatedIssue(here, central),
    await escalatedIssue(here, central),
    await escalatedIssue(here, central),
  ]
  expect(here.queue.list()).toMatchObject({ sendable: 3, bulk: null })
  here.clock.advance(1_000)
  expect(here.queue.sendAllAgain('alex').bulk).toEqual({
    total: 3,
    sent: 0,
    skipped: 0,
    startedAt: new Date(here.clock.now()).toISOString(),
    endedAt: null,
  })
  let waiting = [first, second, third]
  for (const next of [first, second, third]) {
    expect(here.waiting.waits()).toEqual([GAP_MS])
    here.waiting.advance(GAP_MS - 1)
    expect(waiting.map(({ id }) => stateOf(here, id))).toEqual(waiting.map(() => 'escalated'))
    here.waiting.advance(1)
    waiting = waiting.filter((one) => one !== next)
    expect((await confirmed(here, next.id)).state).toBe('confirmed')
    expect(waiting.map(({ id }) => stateOf(here, id))).toEqual(waiting.map(() => 'escalated'))
  }
  expect(here.queue.list()).toMatchObject({
    sendable: 0,
    bulk: { total: 3, sent: 3, skipped: 0, endedAt: new Date(here.clock.now()).toISOString() },
  })
  expect(here.waiting.waits()).toEqual([])

  const sent = (await central.requests(ISSUANCE_PATHS.issue)).map(
    ({ body, sha256, headers }) => `${String(body['checkoutTransactionId'])} ${sha256} ${headers['idempotency-key']}`,
  )
  expect(sent).toHaveLength(12)
  expect(sent.slice(9)).toEqual([sent[0], sent[3], sent[6]])
  expect(new Set(sent).size).toBe(3)
  const earned = [first, second, third].reduce((sum, { id }) => sum + (here.journal.get(id)?.miles ?? 0), 0)
  const after = await central.balances(OTHER)
  expect(earned).toBeGreaterThan(0)
  expect(after.cash + after.dream - before.cash - before.dream).toBe(earned)
  expect(audited(here)).toEqual([
    ...[third, second, first].map(({ id }) => `queue-send-again alex ${id}`),
    'queue-send-again-all alex ',
  ])
  expect(here.audit.latest(20).at(-1)?.detail).toEqual({ times: 3 })
})

test('a request to send all again sends a limited number of calls, the oldest; the others remain listed', async () => {
  const here = await office()
  const all = Array.from({ length: MAX_CONCURRENT + 3 }, () => escalated(here, FINE))
  expect(here.queue.list().sendable).toBe(MAX_CONCURRENT)
  expect(here.queue.sendAllAgain('alex').bulk?.total).toBe(MAX_CONCURRENT)
  here.waiting.advance((MAX_CONCURRENT + 10) * GAP_MS)
  expect(here.queue.list()).toMatchObject({ sendable: 3, bulk: { sent: MAX_CONCURRENT, skipped: 0 } })
  expect(here.queue.list().bulk?.endedAt).not.toBeNull()
  expect(here.audit.latest(MAX_CONCURRENT + 10).map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    ...all
      .slice(0, MAX_CONCURRENT)
      .map((id) => `queue-send-again ${id}`)
      .toReversed(),
    'queue-send-again-all ',
  ])
  expect(all.slice(MAX_CONCURRENT).map((id) => stateOf(here, id))).toEqual(['escalated', 'escalated', 'escalated'])
  const sendable = all.slice(0, MAX_CONCURRENT)
  for (const id of sendable) expect((await confirmed(here, id)).state).toBe('confirmed')
  expect(
    new Set((await central.requests(ISSUANCE_PATHS.issue)).map(({ headers }) => headers['idempotency-key'])).size,
  ).toBe(MAX_CONCURRENT)
  expect(await central.requests(ISSUANCE_PATHS.issue)).toHaveLength(MAX_CONCURRENT)
})

test('a request to send all again skips and counts calls settled or sent in the meantime', async () => {
  const here = await office()
  const [settled, byHand, left] = [escalated(here, OTHER), escalated(here, OTHER), escalated(here, OTHER)]
  here.queue.sendAllAgain('alex')
  here.queue.resolve(settled, 'alex', { found: 'settled-with-operator', note: NOTE })
  here.queue.sendAgain(byHand, 'alex')
  await confirmed(here, byHand)
  here.waiting.advance(3 * GAP_MS)
  await confirmed(here, left)
  expect(here.queue.list().bulk).toMatchObject({ total: 3, sent: 1, skipped: 2 })
  expect([settled, byHand, left].map((id) => stateOf(here, id))).toEqual(['escalated', 'confirmed', 'confirmed'])
  expect(await central.requests(ISSUANCE_PATHS.issue)).toHaveLength(2)
})

describe("the manager's request to send all calls again", () => {
  test('is rejected while another such request is running, and accepted afterwards', async () => {
    const here = await office()
    const first = escalated(here, OTHER)
    here.queue.sendAllAgain('alex')
    const second = escalated(here, OTHER)
    expect(() => here.queue.sendAllAgain('alex')).toThrow('send-again-running')
    expect(here.queue.list().bulk).toMatchObject({ total: 1, sent: 0, endedAt: null })
    here.waiting.advance(GAP_MS)
    await confirmed(here, first)
    expect(stateOf(here, second)).toBe('escalated')
    expect(here.queue.sendAllAgain('alex').bulk).toMatchObject({ total: 1, sent: 0, endedAt: null })
    here.waiting.advance(GAP_MS)
    await confirmed(here, second)
    expect(audited(here).filter((entry) => entry.startsWith('queue-send-again-all'))).toHaveLength(2)
    expect(await central.requests(ISSUANCE_PATHS.issue)).toHaveLength(2)
  })

  test('is rejected when no call can be sent, and writes no audit entry', async () => {
    const here = await office()
    const settled = escalated(here, OTHER)
    here.queue.resolve(settled, 'alex', { found: 'nothing-to-do', note: NOTE })
    expect(here.queue.list().sendable).toBe(0)
    expect(() => here.queue.sendAllAgain('alex')).toThrow('nothing-to-send-again')
    expect(here.queue.list().bulk).toBeNull()
    expect(here.waiting.waits()).toEqual([])
    expect(audited(here)).toEqual([`queue-resolve alex ${settled}`])
  })
})

test('a request to send all again sends reversals, but no refused call or redemption of unknown outcome', async () => {
  const here = await office()
  const before = (await central.balances(OTHER)).cash
  const redeemed = await escalatedReversal(here, central)
  await central.faults({
    path: CASH_PATHS.redeem,
    action: { kind: 'answer', status: 500, body: { responseCode: '0096', message: 'Server error' } },
  })
  const lost = await here.redemptions.redeem(here.redemption(newSale(here), OTHER, 1))
  expect(lost.state).toBe('escalated')
  const redeems = (await central.requests(CASH_PATHS.redeem)).length
  const refused = here.issue(newSale(here), '80000000088')
  await here.until(refused.id, 'dead')

  expect(here.queue.list().sendable).toBe(1)
  here.queue.sendAllAgain('alex')
  here.waiting.advance(GAP_MS)
  expect((await here.until(redeemed.id, 'reversed', 'reversal-escalated')).state).toBe('reversed')
  expect((await central.balances(OTHER)).cash).toBe(before)
  expect(here.queue.list().bulk).toMatchObject({ total: 1, sent: 1, skipped: 0 })
  expect([stateOf(here, lost.id), stateOf(here, refused.id)]).toEqual(['escalated', 'dead'])
  expect(await central.requests(CASH_PATHS.redeem)).toHaveLength(redeems)
  const keys = (await central.requests(CASH_PATHS.reverse)).map(({ headers }) => headers['idempotency-key'])
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
})

test('a call that is escalated once more by a request to send all again can be sent by the next request', async () => {
  const here = await office()
  const stubborn = escalated(here, OTHER)
  here.queue.sendAllAgain('alex')
  await central.faults({ path: ISSUANCE_PATHS.issue, times: 3, action: { kind: 'answer', status: 500, body: {} } })
  here.waiting.advance(GAP_MS)
  await here.untilTrue(stubborn, ({ state, sends }) => state === 'escalated' && sends === 3)
  expect(here.queue.list()).toMatchObject({ sendable: 1, bulk: { sent: 1, skipped: 0 } })
  here.queue.sendAllAgain('alex')
  here.waiting.advance(GAP_MS)
  expect((await confirmed(here, stubborn)).sends).toBe(4)
})

test('calls that a stopped request to send all again did not send remain listed, also after a restart', async () => {
  const here = await office()
  const [first, ...rest] = [escalated(here, OTHER), escalated(here, OTHER), escalated(here, OTHER)]
  here.queue.sendAllAgain('alex')
  here.waiting.advance(GAP_MS)
  await confirmed(here, first)
  await here.stop()
  expect(here.waiting.waits()).toEqual([])
  here.waiting.advance(10 * GAP_MS)
  expect(rest.map((id) => stateOf(here, id))).toEqual(['escalated', 'escalated'])
  here.close()

  const next = await office({ folder: here.folder })
  next.issuances.start()
  expect(next.queue.list()).toMatchObject({ sendable: 2, bulk: null, summary: { attention: 2 } })
  expect(
    next.queue
      .list()
      .entries.map(({ id }) => id)
      .toSorted(),
  ).toEqual(rest.toSorted())
  next.queue.sendAllAgain('alex')
  next.waiting.advance(2 * GAP_MS)
  for (const id of rest) expect((await confirmed(next, id)).state).toBe('confirmed')
  expect(await central.requests(ISSUANCE_PATHS.issue)).toHaveLength(3)
})

test('the request to send all calls again is refused to other roles than managers', async () => {
  const harness = await openTerminalHarness(central)
  await central.faults({ path: ISSUANCE_PATHS.issue, times: 3, action: { kind: 'answer', status: 500, body: {} } })
  const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine' })
  await harness.untilOperation('issue', 'escalated')
  expect(await harness.refused('POST', '/api/queue/send-again')).toBe('manager-required')
  expect(await central.requests(ISSUANCE_PATHS.issue)).toHaveLength(3)
  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  const list = async () => Queue.parse((await harness.call('GET', '/api/queue')).body)
  expect(await list()).toMatchObject({ sendable: 1, bulk: null })
  const answer = await harness.call('POST', '/api/queue/send-again')
  expect(answer.status).toBe(200)
  expect(Queue.parse(answer.body).bulk).toMatchObject({ total: 1, sent: 0, endedAt: null })
  await harness.untilOperation('issue', 'confirmed')
  expect(await list()).toMatchObject({ sendable: 0, bulk: { total: 1, sent: 1, skipped: 0 } })
  expect((await list()).bulk?.endedAt).not.toBeNull()
  expect(await harness.refused('POST', '/api/queue/send-again')).toBe('nothing-to-send-again')
  expect(
    harness.read(`SELECT actor_id AS by, json_extract(detail, '$.times') AS times FROM audit_entry
      WHERE kind = 'queue-send-again-all'`),
  ).toEqual([{ by: 'sam', times: 1 }])
  const detail = (await harness.call('GET', `/api/queue?sale=${sale.id}`)).body
  expect(Queue.parse(detail).entries).toMatchObject([{ state: 'confirmed', attempts: 4, attention: false }])
})
