import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testClock } from '../../core/http/testing.ts'
import { startCable } from '../../../packages/lab/testing/cable.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { FINE, REDEEM, redemptionHarnesses } from '../../../packages/lab/testing/redemption-harness.ts'
import { openSale } from '../../../packages/lab/testing/loyalty-harness.ts'

const central = useCentral()
const { harness, cashOf } = redemptionHarnesses(central)

describe('a redemption with an immediate answer', () => {
  test('is approved: the account loses 95 miles per unit, and the confirmation number is stored', async () => {
    const applied: string[] = []
    const here = await harness({
      onApproved: (operation) => {
        applied.push(`${operation.state} ${operation.amountCents}`)
      },
    })
    const before = await cashOf(FINE)

    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 2))

    expect(operation).toMatchObject({
      state: 'approved',
      approvedOnAttempt: 1,
      sends: 1,
      units: 2,
      amountCents: 2000,
      miles: 190,
      responseCode: '0000',
      outcome: 'approved',
    })
    expect(operation.confirmationNumber).toMatch(/./)
    expect(before - (await cashOf(FINE))).toBe(2 * 95)
    expect(applied).toEqual(['approved 2000'])
    expect(here.moves).toEqual(['redemption intent', 'redemption approved'])
    expect(here.received).toEqual([true])
  })

  test('sends exactly the bytes and the key from the journal', async () => {
    const here = await harness()
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    const call = here.journal.call(operation.id, 'redeem')
    const [received, ...more] = await central.requests(REDEEM)
    expect(more).toEqual([])
    expect(received?.sha256).toBe(createHash('sha256').update(call.request).digest('hex'))
    expect(received?.headers['idempotency-key']).toBe(call.idempotencyKey)
  })

  test.each([
    ['80000000055', 1, 'SWIPE', '0051', 'insufficient-miles'],
    ['80000000066', 3, 'SWIPE', '0065', 'daily-limit'],
    ['80000000134', 1, 'SCAN', '0065', 'daily-limit'],
    ['80000000044', 1, 'SWIPE', '0006', 'refused'],
    ['80000000033', 1, 'SWIPE', '0005', 'refused'],
    ['80000000088', 1, 'SWIPE', '0002', 'account-inactive'],
    ['80000000099', 1, 'SWIPE', '0025', 'collector-invalid'],
    ['80000000112', 1, 'SWIPE', '0067', 'temporarily-unavailable'],
    [FINE, 11, 'SWIPE', '0066', 'basket-too-small'],
    [FINE, 1, 'KEYED', '0009', 'card-not-present'],
  ] as const)(
    'is declined after a single send, for collector %s and %i units by %s, with the code %s',
    async (collector, units, entryMode, responseCode, outcome) => {
      const here = await harness({
        onApproved: () => {
          throw new Error('nothing was approved')
        },
      })
      const operation = await here.redemptions.redeem(here.redemption('SALE00000001', collector, units, entryMode))
      expect(operation).toMatchObject({ state: 'declined', responseCode, outcome, sends: 1, confirmationNumber: null })
      expect(await central.requests(REDEEM)).toHaveLength(1)
    },
  )

  test('is declined without a retry when the program reports an outage (0092)', async () => {
    const here = await harness()
    await central.faults({
      path: REDEEM,
      action: { kind: 'answer', status: 503, body: { responseCode: '0092', message: 'Scheduled maintenance' } },
    })
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
      state: 'declined',
      outcome: 'outage',
      sends: 1,
    })
    expect(await central.requests(REDEEM)).toHaveLength(1)
  })

  test('records and sends nothing when the transaction that begins it throws', async () => {
    const here = await harness()
    const plan = {
      ...here.redemption('SALE00000001', FINE, 1),
      check: () => {
        throw new Error('the sale has changed')
      },
    }
    await expect(here.redemptions.redeem(plan)).rejects.toThrow('the sale has changed')
    expect(here.journal.newestOfSale('SALE00000001', 'redemption')).toBeUndefined()
    expect(await central.requests(REDEEM)).toEqual([])
    expect(
      (await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).state,
      'the lane is free again',
    ).toBe('approved')
  })
})

describe('a redemption whose first send has no usable answer', () => {
  test.each([
    ['the service redeems the miles and never answers', { kind: 'hang-after' }],
    ['the service ignores the request', { kind: 'hang-before' }],
    ['the connection breaks after the service redeemed the miles', { kind: 'drop-after' }],
    ['the connection breaks before the service redeems the miles', { kind: 'drop-before' }],
    ['the answer is cut off', { kind: 'truncate' }],
    ['the answer cannot be parsed', { kind: 'garble' }],
    ['the answer is to another request', { kind: 'wrong-echo' }],
    ['the service cancels a redemption that it could not answer', { kind: 'cancel-after' }],
    [
      'the program reports a timeout (0008)',
      { kind: 'answer', status: 408, body: { responseCode: '0008', message: 'Transaction timeout' } },
    ],
    [
      'the service has an error (0096)',
      { kind: 'answer', status: 500, body: { responseCode: '0096', message: 'Server error' } },
    ],
    ['a gateway answers with an HTML page', { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }],
    [
      'an approval names another amount',
      {
        kind: 'answer',
        status: 200,
        body: { responseCode: '0000', unitsRedeemed: '9', unitValueDollars: '10.00', txnConfirmationNumber: 'X' },
      },
    ],
  ])('sends the same bytes and key once more, and redeems the miles once: %s', async (_scenario, action) => {
    const applied: number[] = []
    const here = await harness({
      onApproved: (operation) => {
        applied.push(operation.units ?? 0)
      },
    })
    await central.faults({ path: REDEEM, occurrence: 1, action })
    const before = await cashOf(FINE)

    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))

    expect(operation).toMatchObject({ state: 'approved', approvedOnAttempt: 2, sends: 2, units: 1, amountCents: 1000 })
    expect(before - (await cashOf(FINE))).toBe(95)
    expect(applied).toEqual([1])
    expect(here.moves).toEqual(['redemption intent', 'redemption retry', 'redemption approved'])
    const [first, second, ...more] = await central.requests(REDEEM)
    expect(more).toEqual([])
    expect(second?.sha256).toBe(first?.sha256)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })

  test('is declined when its retry is declined (0051)', async () => {
    const here = await harness()
    await central.faults({ path: REDEEM, occurrence: 1, action: { kind: 'drop-before' } })
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', '80000000055', 1))).toMatchObject({
      state: 'declined',
      responseCode: '0051',
      sends: 2,
    })
  })

  test.each([
    ['0092', 503],
    ['0067', 408],
  ])(
    'is escalated when the retry is answered %s, because the first send may have redeemed the miles',
    async (responseCode, status) => {
      const here = await harness()
      await central.faults(
        { path: REDEEM, occurrence: 1, action: { kind: 'drop-after' } },
        { path: REDEEM, occurrence: 2, action: { kind: 'answer', status, body: { responseCode } } },
      )
      expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
        state: 'escalated',
        responseCode,
        outcome: 'not-applied',
      })
    },
  )

  test('is escalated as not applied when both answers are lost, and is never sent a third time', async () => {
    const here = await harness({
      onApproved: () => {
        throw new Error('the approval is not known')
      },
    })
    await central.faults({ path: REDEEM, action: { kind: 'drop-after' } })
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect(operation).toMatchObject({ state: 'escalated', outcome: 'not-applied', sends: 2, approvedOnAttempt: null })
    await here.redemptions.recover()
    expect(await central.requests(REDEEM)).toHaveLength(2)
    expect(here.journal.attention(10).map(({ id }) => id)).toEqual([operation.id])
  })

  test('is escalated when the network fails before the retry can be sent', async () => {
    const cable = await startCable(central.url)
    const here = await harness({ cashUrl: cable.url })
    await central.faults({ path: REDEEM, occurrence: 1, action: { kind: 'hang-after' } })
    const redeeming = here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    await central.reached(REDEEM, 1, 'processed')
    await cable.unplug()
    expect(await redeeming).toMatchObject({ state: 'escalated', sends: 2 })
  })
})

describe('a redemption that is refused without a response code', () => {
  const bare = (status: number) => ({ kind: 'answer', status, body: { message: 'refused' } })

  test.each([400, 404, 405, 409, 410, 421, 422, 429])(
    'is escalated after two answers of HTTP %i: the service may have redeemed the miles',
    async (status) => {
      const here = await harness()
      await central.faults({ path: REDEEM, action: bare(status) })
      const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
      expect(operation).toMatchObject({ state: 'escalated', outcome: 'not-applied', sends: 2 })
      expect(here.journal.attention(10).map(({ id }) => id)).toEqual([operation.id])
      const sent = await central.requests(REDEEM)
      expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
      expect(sent).toHaveLength(2)
    },
  )

  test('is approved on the second attempt when the retry after a 404 is approved', async () => {
    const here = await harness()
    await central.faults({ path: REDEEM, occurrence: 1, action: bare(404) })
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
      state: 'approved',
      approvedOnAttempt: 2,
      sends: 2,
    })
  })

  test('is escalated when the retry after a 404 gets 401: the first send may have redeemed the miles', async () => {
    const here = await harness()
    await central.faults({ path: REDEEM, occurrence: 1, action: bare(404) }, { path: REDEEM, action: bare(401) })
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
      state: 'escalated',
      outcome: 'not-applied',
    })
  })

  test.each([401, 403])(
    'is declined when the service answers HTTP %i, and again with a renewed token',
    async (status) => {
      const here = await harness()
      await central.faults({ path: REDEEM, action: bare(status) })
      expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
        state: 'declined',
        outcome: 'secret-refused',
        sends: 1,
      })
    },
  )
})

describe('a redemption that could not be sent', () => {
  test('is retried once and approved when the first connection is refused', async () => {
    let calls = 0
    const here = await harness({
      around: (exchange) => async (call, token) =>
        (calls += 1) === 1 ? { kind: 'never-sent', reason: 'ECONNREFUSED' } : exchange(call, token),
    })
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
      state: 'approved',
      approvedOnAttempt: 2,
      sends: 2,
    })
    expect(await central.requests(REDEEM)).toHaveLength(1)
  })

  test('is declined after two refused connections, and the service is shown as unreachable', async () => {
    const cable = await startCable(central.url)
    await cable.unplug()
    const here = await harness({ cashUrl: cable.url })
    const before = await cashOf(FINE)
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
      state: 'declined',
      outcome: 'unreachable',
      detail: 'ECONNREFUSED',
      sends: 2,
    })
    expect(await cashOf(FINE)).toBe(before)
    expect(here.received).toEqual([false, false])
  })

  test('renews a refused token without counting a retry, and is approved on the first attempt', async () => {
    const here = await harness()
    await here.redemptions.redeem(here.redemption(openSale(here.db, 'SALE00000002'), FINE, 1))
    await central.revokeTokens()
    const before = await cashOf(FINE)
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect(operation).toMatchObject({ state: 'approved', approvedOnAttempt: 1, sends: 1 })
    expect(before - (await cashOf(FINE))).toBe(95)
    const [, refused, accepted] = await central.requests(REDEEM)
    expect(accepted?.sha256).toBe(refused?.sha256)
    expect(accepted?.headers['idempotency-key']).toBe(refused?.headers['idempotency-key'])
  })

  test('is declined after two refused tokens, and redeems no miles', async () => {
    const here = await harness()
    await central.faults({ path: REDEEM, action: { kind: 'no-token' } })
    const before = await cashOf(FINE)
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
      state: 'declined',
      outcome: 'secret-refused',
    })
    expect(await cashOf(FINE)).toBe(before)
    expect(await central.requests(REDEEM)).toHaveLength(2)
  })
})

describe('a redemption', () => {
  test('completes although the screens cannot be notified', async () => {
    const here = await harness({
      notify: () => {
        throw new Error('no screen')
      },
    })
    expect((await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).state).toBe('approved')
  })

  test('is committed to the journal before each send', async () => {
    const clock = testClock(new Date().toISOString())
    const found: unknown[] = []
    const folder: { path: string } = { path: '' }
    const server = createServer((_request, response) => {
      const other = new Database(`${folder.path}/terminal.db`, { readonly: true })
      found.push(other.prepare('SELECT state, sends FROM operation').get())
      other.close()
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ responseCode: '0008' }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
    })
    const here = await harness({ clock, cashUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    folder.path = here.folder
    await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect(found).toEqual([
      { state: 'intent', sends: 1 },
      { state: 'retry', sends: 2 },
    ])
  })
})
