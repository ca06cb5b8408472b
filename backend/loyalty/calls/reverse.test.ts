import { describe, expect, test } from 'vitest'
import { testClock } from '../../core/http/testing.ts'
import { startCable } from '../../../packages/lab/testing/cable.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { FINE, REDEEM, REVERSE, redemptionHarnesses } from '../../../packages/lab/testing/redemption-harness.ts'
import type { LoyaltyHarnessOptions } from '../../../packages/lab/testing/loyalty-harness.ts'

const central = useCentral()
const { harness, cashOf } = redemptionHarnesses(central)

describe('a reversal of redeemed miles', () => {
  async function approved(options: Partial<LoyaltyHarnessOptions> = {}) {
    const here = await harness(options)
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect(operation.state).toBe('approved')
    return { here, operation }
  }

  test('gives the miles back, with its own idempotency key and the confirmation number of the redemption', async () => {
    const { here, operation } = await approved()
    const before = await cashOf(FINE)
    here.transact((tx) => here.reversals.request(tx, operation))
    expect(await here.until(operation.id, 'reversed', 'reversal-escalated')).toMatchObject({
      state: 'reversed',
      outcome: 'reversed',
    })
    expect((await cashOf(FINE)) - before).toBe(95)
    const [redeem] = await central.requests(REDEEM)
    const [reverse] = await central.requests(REVERSE)
    expect(reverse?.headers['idempotency-key']).not.toBe(redeem?.headers['idempotency-key'])
    expect(reverse?.body['txnConfirmationNumber']).toBe(operation.confirmationNumber)
    expect(reverse?.body['traceId']).not.toBe(redeem?.body['traceId'])
  })

  test('expires when the program answers 0080 (after 03:00 of the next day), and is not sent again', async () => {
    const { here, operation } = await approved()
    await central.moveClock(48 * 3_600_000)
    here.transact((tx) => here.reversals.request(tx, operation))
    expect(await here.until(operation.id, 'reversal-expired', 'reversed')).toMatchObject({
      state: 'reversal-expired',
      responseCode: '0080',
    })
    expect(await central.requests(REVERSE)).toHaveLength(1)
    expect(here.journal.attention(10)).toHaveLength(1)
  })

  test('is escalated when the program refuses it with a final code (0057)', async () => {
    const { here, operation } = await approved()
    await central.faults({ path: REVERSE, action: { kind: 'answer', status: 400, body: { responseCode: '0057' } } })
    here.transact((tx) => here.reversals.request(tx, operation))
    expect(await here.until(operation.id, 'reversal-escalated', 'reversed')).toMatchObject({
      state: 'reversal-escalated',
      responseCode: '0057',
    })
  })

  test('is sent again with the same bytes and key after a restart, and gives the miles back once', async () => {
    const clock = testClock(new Date().toISOString())
    const { here, operation } = await approved({ clock })
    const before = await cashOf(FINE)
    await central.faults({ path: REVERSE, occurrence: 1, action: { kind: 'drop-after' } })
    here.transact((tx) => here.reversals.request(tx, operation))
    await central.reached(REVERSE, 1, 'processed')
    here.close()

    const again = await harness({ clock, folder: here.folder })
    await again.redemptions.recover()
    expect((await again.until(operation.id, 'reversed', 'reversal-escalated')).state).toBe('reversed')
    expect((await cashOf(FINE)) - before, 'given back once').toBe(95)
    const [first, second] = await central.requests(REVERSE)
    expect(second?.sha256).toBe(first?.sha256)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })

  test.each([
    ['no answer', { kind: 'hang-before' }],
    ['a broken connection', { kind: 'drop-after' }],
    ['0008', { kind: 'answer', status: 408, body: { responseCode: '0008' } }],
    ['0096', { kind: 'answer', status: 500, body: { responseCode: '0096' } }],
    ['an answer to another request', { kind: 'wrong-echo' }],
  ])('is sent once more, identically and immediately, after an unusable answer: %s', async (_what, action) => {
    const { here, operation } = await approved({
      clock: { ...testClock(new Date().toISOString()), after: () => () => undefined },
    })
    const before = await cashOf(FINE)
    await central.faults({ path: REVERSE, occurrence: 1, action })
    here.transact((tx) => here.reversals.request(tx, operation))
    expect(await here.until(operation.id, 'reversed', 'reversal-escalated')).toMatchObject({
      state: 'reversed',
      sends: 2,
      failures: 0,
    })
    const [first, second, ...more] = await central.requests(REVERSE)
    expect(more).toEqual([])
    expect([second?.sha256, second?.headers['idempotency-key']]).toEqual([
      first?.sha256,
      first?.headers['idempotency-key'],
    ])
    expect((await cashOf(FINE)) - before, 'given back once').toBe(95)
    expect(here.journal.attention(10)).toEqual([])
  })

  test('is in the exceptions queue after two answers of 0096, until a retry with the same key succeeds', async () => {
    let wake: (() => void) | undefined
    const { here, operation } = await approved({
      clock: {
        ...testClock(new Date().toISOString()),
        after: (_ms, work) => {
          wake = work
          return () => undefined
        },
      },
    })
    await central.faults({
      path: REVERSE,
      occurrence: 1,
      times: 2,
      action: { kind: 'answer', status: 500, body: { responseCode: '0096' } },
    })
    here.transact((tx) => here.reversals.request(tx, operation))
    await here.untilTrue(operation.id, ({ outcome }) => outcome !== 'reversing')
    expect(here.journal.get(operation.id)).toMatchObject({
      state: 'reversing',
      outcome: 'reversal-unanswered',
      sends: 2,
      responseCode: '0096',
    })
    expect(here.journal.attention(10).map(({ id }) => id)).toEqual([operation.id])
    expect(here.journal.counts()).toMatchObject({ attention: 1 })
    expect(wake, 'it waits for its next turn').toBeDefined()
    wake?.()
    expect((await here.until(operation.id, 'reversed', 'reversal-escalated')).state).toBe('reversed')
    const sent = await central.requests(REVERSE)
    expect(sent).toHaveLength(3)
    expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
    expect(here.journal.counts()).toMatchObject({ attention: 0 })
  })

  test('is not escalated for attempts without a connection, even if there are more than eight', async () => {
    const cable = await startCable(central.url)
    const { here, operation } = await approved({ cashUrl: cable.url })
    await cable.unplug()
    const reversing = here.transact((tx) => here.reversals.request(tx, operation))
    for (let tries = 0; tries < 9; tries += 1) {
      if (tries > 0) here.reversals.resume(reversing)
      await here.collectorMutex.run(operation.collector, 'queued', async () => undefined)
    }
    expect(here.journal.get(operation.id)?.sends).toBe(18)
    await cable.plug()
    await central.faults({
      path: REVERSE,
      occurrence: 1,
      times: 2,
      action: { kind: 'answer', status: 500, body: { responseCode: '0096' } },
    })
    here.reversals.resume(reversing)
    await here.collectorMutex.run(operation.collector, 'queued', async () => undefined)
    expect(here.journal.get(operation.id)?.state, 'one doubtful round is not eight').toBe('reversing')
    here.reversals.resume(reversing)
    expect((await here.until(operation.id, 'reversed', 'reversal-escalated')).state).toBe('reversed')
  })

  test('is escalated after eight attempts, of two sends each, whose answers leave the outcome unknown', async () => {
    const { here, operation } = await approved()
    await central.faults({ path: REVERSE, action: { kind: 'answer', status: 500, body: { responseCode: '0096' } } })
    const reversing = here.transact((tx) => here.reversals.request(tx, operation))
    for (let tries = 0; tries < 8; tries += 1) {
      expect(here.journal.get(operation.id)?.state).toBe('reversing')
      if (tries > 0) here.reversals.resume(reversing)
      await here.collectorMutex.run(operation.collector, 'queued', async () => undefined)
    }
    expect(here.journal.get(operation.id)?.state).toBe('reversal-escalated')
    expect(await central.requests(REVERSE)).toHaveLength(16)
  })
})
