import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { testClock } from '../../core/http/testing.ts'
import { startCable } from '../../../packages/lab/testing/cable.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import {
  openSale,
  openLoyaltyHarness,
  type LoyaltyHarness,
  type LoyaltyHarnessOptions,
} from '../../../packages/lab/testing/loyalty-harness.ts'

const FINE = '80000000011'
const OTHER = '80000000145'
const SLOW = '80000000123'
const CLOSED = '80000000088'
const ISSUE = ISSUANCE_PATHS.issue
const central = useCentral()
let sales = 0

/** A harness with a stopped clock: no pause elapses, so no timer triggers a send. */
const harness = (options: Partial<LoyaltyHarnessOptions> = {}): Promise<LoyaltyHarness> =>
  openLoyaltyHarness({
    central,
    clock: testClock(new Date().toISOString()),
    limits: { issuanceTimeoutMs: 10_000 },
    ...options,
  })

function queue(here: LoyaltyHarness, collectorNumber: string, change: Parameters<LoyaltyHarness['issue']>[2] = {}) {
  sales += 1
  return here.issue(openSale(here.db, `SALE${Date.now()}${sales}`), collectorNumber, change)
}

function pausesOf(fraction: number): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(fraction)
  onTestFinished(() => {
    random.mockRestore()
  })
}

const milesOf = async (collector: string): Promise<number> => {
  const { cash, dream } = await central.balances(collector)
  return cash + dream
}

describe('an issuance', () => {
  test('sends the bytes and the key from the journal, and the program adds the miles', async () => {
    const here = await harness()
    const before = await milesOf(FINE)
    const queued = queue(here, FINE)
    const done = await here.until(queued.id, 'confirmed', 'rejected', 'dead', 'escalated')
    expect(done).toMatchObject({ state: 'confirmed', sends: 1, failures: 0, nextAttemptAt: null })
    expect(done.miles).toBeGreaterThan(0)
    expect((await milesOf(FINE)) - before).toBe(done.miles)
    const call = here.journal.call(queued.id, 'issue')
    const [received] = await central.requests(ISSUE)
    expect(received?.sha256).toBe(createHash('sha256').update(call.request).digest('hex'))
    expect(received?.headers['idempotency-key']).toBe(call.idempotencyKey)
    expect(here.received).toEqual([true])
  })

  test('is final when the program accepts it (202), and is not sent again after a restart', async () => {
    const here = await harness()
    const queued = queue(here, SLOW)
    expect((await here.until(queued.id, 'accepted', 'confirmed', 'escalated')).state).toBe('accepted')
    here.close()
    const again = await harness({ folder: here.folder })
    const observer = queue(again, FINE)
    again.issuances.start()
    await again.until(observer.id, 'confirmed')
    expect((await central.requests(ISSUE)).filter(({ body }) => body['collectorNumber'] === SLOW)).toHaveLength(1)
  })

  test('is dead after a 400, enters the exceptions queue with the code, and blocks no later call', async () => {
    const here = await harness()
    const refused = queue(here, CLOSED)
    const second = queue(here, CLOSED)
    expect(await here.until(second.id, 'dead', 'escalated')).toMatchObject({
      state: 'dead',
      responseCode: '224',
      sends: 1,
    })
    expect(here.journal.get(refused.id)).toMatchObject({ state: 'dead', sends: 1 })
    expect(here.journal.attention(10)).toHaveLength(2)
    expect(here.journal.mayBeDone(refused.id)).toBe(false)
  })

  const REFUSED = { kind: 'answer', status: 400, body: { message: 'refused' } } as const

  test('is dead and marked as possibly done when a 400 follows a send without an answer', async () => {
    pausesOf(0)
    const here = await harness()
    await central.faults(
      { path: ISSUE, occurrence: 1, action: { kind: 'drop-after' } },
      { path: ISSUE, occurrence: 2, action: REFUSED },
    )
    const queued = queue(here, FINE)
    const back = here.transact((tx) =>
      here.issuances.enqueue(tx, {
        type: 'return',
        saleId: queued.saleId,
        collectorHash: Buffer.from(queued.collector, 'hex'),
        request: {},
        traceId: randomUUID(),
        dateTime: new Date(queued.createdAt).toISOString(),
        expectedMiles: null,
        after: queued.id,
        draft: true,
      }),
    )
    expect(await here.until(queued.id, 'dead', 'confirmed', 'escalated')).toMatchObject({ state: 'dead', sends: 2 })
    expect(here.journal.mayBeDone(queued.id)).toBe(true)
    expect((await here.until(back.id, 'dead', 'confirmed', 'escalated')).state).toBe('escalated')
  })

  test('is not marked as possibly done when a 400 follows attempts without a connection', async () => {
    pausesOf(0)
    const cable = await startCable(central.url)
    await cable.unplug()
    const here = await harness({ issuanceUrl: cable.url })
    await central.faults({ path: ISSUE, action: REFUSED })
    const queued = queue(here, FINE)
    await here.untilTrue(queued.id, ({ state, sends }) => state === 'queued' && sends >= 1)
    await cable.plug()
    expect((await here.until(queued.id, 'dead', 'confirmed', 'escalated')).state).toBe('dead')
    expect(here.journal.mayBeDone(queued.id)).toBe(false)
  })

  test('is escalated after three answers of 500 to three sends of the same bytes and key', async () => {
    pausesOf(0)
    const here = await harness()
    await central.faults({ path: ISSUE, action: { kind: 'answer', status: 500, body: { message: 'Internal error' } } })
    const queued = queue(here, FINE)
    expect(await here.until(queued.id, 'escalated', 'confirmed')).toMatchObject({
      state: 'escalated',
      failures: 3,
      sends: 3,
    })
    const received = await central.requests(ISSUE)
    expect(received).toHaveLength(3)
    expect(new Set(received.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
  })

  test.each([
    ['the answer is lost after the miles were issued', { kind: 'drop-after' }],
    ['the answer is cut off', { kind: 'truncate' }],
    ['the answer cannot be parsed', { kind: 'garble' }],
    ['the answer is to another request', { kind: 'wrong-echo' }],
    ['the service answers 500', { kind: 'answer', status: 500, body: {} }],
    ['a gateway answers 503', { kind: 'answer', status: 503, body: '<html>' }],
    ['the token is refused', { kind: 'no-token' }],
  ])(
    'is sent again with the same bytes and key after an unusable answer, and adds the miles once: %s',
    async (_scenario, action) => {
      pausesOf(0)
      const here = await harness()
      await central.faults({ path: ISSUE, occurrence: 1, action })
      const before = await milesOf(FINE)
      const queued = queue(here, FINE)
      const done = await here.until(queued.id, 'confirmed', 'rejected', 'dead', 'escalated')
      expect(done.state).toBe('confirmed')
      expect((await milesOf(FINE)) - before).toBe(done.miles)
      const [first, second, ...more] = await central.requests(ISSUE)
      expect(more).toEqual([])
      expect(second?.sha256).toBe(first?.sha256)
      expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    },
  )

  test('is sent again with the same bytes and key after a restart, and adds the miles once', async () => {
    const here = await harness()
    await central.faults({ path: ISSUE, occurrence: 1, action: { kind: 'hang-after' } })
    const before = await milesOf(FINE)
    const queued = queue(here, FINE)
    await central.reached(ISSUE, 1, 'processed')
    here.close()
    const again = await harness({ folder: here.folder })
    expect(again.journal.get(queued.id)).toMatchObject({ state: 'sent', sends: 1 })
    again.issuances.start()
    const done = await again.until(queued.id, 'confirmed', 'escalated')
    expect(done).toMatchObject({ state: 'confirmed', sends: 2 })
    expect((await milesOf(FINE)) - before).toBe(done.miles)
    const [first, second] = await central.requests(ISSUE)
    expect(second?.sha256).toBe(first?.sha256)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })

  test('is escalated without a send when its stored bytes cannot be decrypted, and blocks no other call', async () => {
    const here = await harness()
    const sealed = queue(here, FINE)
    here.close()
    const again = await harness({ folder: here.folder, masterKey: Buffer.alloc(32, 9) })
    const readable = queue(again, FINE)
    again.issuances.start()
    await again.until(readable.id, 'confirmed')
    expect(await again.until(sealed.id, 'escalated')).toMatchObject({
      sends: 0,
      detail: 'the stored bytes of the call cannot be opened',
    })
    expect(again.journal.attention(10).map(({ id }) => id)).toEqual([sealed.id])
  })

  test('is sent although the screens cannot be notified of it', async () => {
    const here = await harness({
      notify: () => {
        throw new Error('no screen')
      },
    })
    const queued = queue(here, FINE)
    expect((await here.until(queued.id, 'confirmed', 'escalated')).sends).toBe(1)
  })
})

describe('the queue of calls that move miles', () => {
  test('sends each collector’s calls in the order of creation, even when the clock is set back', async () => {
    const clock = testClock(new Date().toISOString())
    const here = await harness({ clock })
    const first = queue(here, FINE)
    clock.advance(-3_600_000)
    const second = queue(here, FINE)
    clock.advance(1_800_000)
    const third = queue(here, FINE)
    await here.until(third.id, 'confirmed')
    const order = (await central.requests(ISSUE)).map(({ body }) => body['checkoutTransactionId'])
    expect(order).toEqual([first, second, third].map(({ saleId }) => saleId))
  })

  test('keeps calls queued without a connection, and does not count these attempts as failures', async () => {
    pausesOf(0.1)
    const cable = await startCable(central.url)
    await cable.unplug()
    const here = await harness({ issuanceUrl: cable.url })
    const first = queue(here, FINE)
    const theirs = queue(here, OTHER)
    const waits = (id: string, tries: number) =>
      here.untilTrue(id, ({ state, sends }) => state === 'queued' && sends === tries)
    await waits(first.id, 1)
    await waits(theirs.id, 1)
    for (const [id, tries] of [
      [first.id, 2],
      [theirs.id, 2],
      [first.id, 3],
    ] as const)
      await waits(id, tries)
    expect(here.journal.get(theirs.id)).toMatchObject({ state: 'queued', sends: 2 })
    expect(here.journal.get(first.id)).toMatchObject({ state: 'queued', failures: 0, sends: 3, detail: 'ECONNREFUSED' })
    expect(here.journal.get(first.id)?.nextAttemptAt).toBeGreaterThan(here.clock.now())
    expect(here.received).not.toContain(true)
    expect(await central.requests(ISSUE)).toEqual([])

    await cable.plug()
    await Promise.all([here.until(first.id, 'confirmed'), here.until(theirs.id, 'confirmed')])
    expect(await central.requests(ISSUE)).toHaveLength(2)
  })

  test('sends a waiting call of a collector after, not during, a redemption of that collector', async () => {
    pausesOf(0)
    const cable = await startCable(central.url)
    await cable.unplug()
    const here = await harness({ issuanceUrl: cable.url })
    const waiting = queue(here, FINE)
    await here.untilTrue(waiting.id, ({ nextAttemptAt }) => nextAttemptAt !== null)
    await here.collectorMutex.run(waiting.collector, 'now', async () => {
      await cable.plug()
      const { sends } = here.journal.get(waiting.id) ?? {}
      await pause(300)
      expect(here.journal.get(waiting.id)).toMatchObject({ state: 'queued', sends })
    })
    expect((await here.until(waiting.id, 'confirmed', 'escalated')).state).toBe('confirmed')
  })

  test('sends no later call of a collector while that collector’s failed call waits for its retry', async () => {
    pausesOf(0.9)
    const here = await harness()
    await central.faults({
      path: ISSUE,
      collectorNumber: FINE,
      occurrence: 1,
      action: { kind: 'answer', status: 500, body: {} },
    })
    const failing = queue(here, FINE)
    await here.untilTrue(failing.id, ({ failures }) => failures === 1)
    const later = queue(here, FINE)
    const observer = queue(here, OTHER)
    await here.until(observer.id, 'confirmed')
    expect(here.journal.get(failing.id)).toMatchObject({ state: 'queued', sends: 1 })
    expect(here.journal.get(later.id)).toMatchObject({ state: 'queued', sends: 0 })
  })

  test('sends no call queued during a failing send of the collector while that send waits for its retry', async () => {
    pausesOf(0.9)
    const here = await harness()
    await central.faults({
      path: ISSUE,
      collectorNumber: FINE,
      occurrence: 1,
      action: { kind: 'answer', status: 500, body: {} },
    })
    const failing = queue(here, FINE)
    await here.until(failing.id, 'sent')
    const later = queue(here, FINE)
    await here.untilTrue(failing.id, ({ failures }) => failures === 1)
    const observer = queue(here, OTHER)
    await here.until(observer.id, 'confirmed')
    expect(here.journal.get(failing.id)).toMatchObject({ state: 'queued', sends: 1 })
    expect(here.journal.get(later.id)).toMatchObject({ state: 'queued', sends: 0 })
  })

  test('sends one call per collector at a time, and a redemption before the calls that wait', async () => {
    const transitions: string[] = []
    const here = await harness({
      notify: ({ id, state }) => {
        transitions.push(`${id} ${state}`)
      },
    })
    await central.faults({ path: ISSUE, collectorNumber: FINE, occurrence: 1, action: { kind: 'delay', ms: 400 } })
    const first = queue(here, FINE)
    const second = queue(here, FINE)
    await central.reached(ISSUE, 1)
    const elsewhere = queue(here, OTHER)
    await here.until(elsewhere.id, 'confirmed')
    expect(here.journal.get(first.id)?.state, 'still in flight').toBe('sent')
    const redeeming = here.redemptions.redeem(here.redemption(openSale(here.db, 'REDEEMING001'), FINE, 1))
    const heldUp = queue(here, OTHER)
    const redeemed = await redeeming
    expect(here.journal.get(heldUp.id), 'a customer waits: nobody of the queue goes').toMatchObject({ sends: 0 })
    await here.until(heldUp.id, 'confirmed')
    expect(redeemed.state).toBe('approved')
    await here.until(second.id, 'confirmed')

    const ofOthers = [elsewhere.id, heldUp.id]
    expect(transitions.filter((transition) => !ofOthers.some((id) => transition.startsWith(id)))).toEqual([
      `${first.id} sent`,
      `${first.id} confirmed`,
      `${redeemed.id} intent`,
      `${redeemed.id} approved`,
      `${second.id} sent`,
      `${second.id} confirmed`,
    ])
    const ofFine = (await central.requests()).filter(
      ({ body, path }) => body?.['collectorNumber'] === FINE && path !== '/oidc/token',
    )
    expect(ofFine.map(({ path, body }) => [path, body['checkoutTransactionId']])).toEqual([
      [ISSUE, first.saleId],
      [CASH_PATHS.redeem, undefined],
      [ISSUE, second.saleId],
    ])
  })

  test('sends no further call after it was stopped, and settles the call in flight', async () => {
    const here = await harness()
    await central.faults({ path: ISSUE, occurrence: 1, action: { kind: 'delay', ms: 200 } })
    const first = queue(here, FINE)
    const second = queue(here, FINE)
    await central.reached(ISSUE, 1)
    here.issuances.stop()
    await here.until(first.id, 'confirmed')
    await here.collectorMutex.run(first.collector, 'queued', async () => undefined)
    expect(here.journal.get(second.id)).toMatchObject({ state: 'queued', sends: 0 })
  })
})
