import { describe, expect, test } from 'vitest'
import { testClock } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { FINE, REDEEM, REVERSE, redemptionHarnesses } from '../../../packages/lab/testing/redemption-harness.ts'
import { openRewritingProxy, type Rewrite } from '../../../packages/lab/testing/rewriting-proxy.ts'
import { openSale, type LoyaltyHarnessOptions } from '../../../packages/lab/testing/loyalty-harness.ts'

const central = useCentral()
const { harness, cashOf } = redemptionHarnesses(central)

async function behind(
  answerOf: (body: Record<string, unknown>, number: number) => Record<string, unknown> | null,
  options: Partial<LoyaltyHarnessOptions> = {},
) {
  const rewrite: Rewrite = ({ path, number, body }) => {
    const other = path === REDEEM ? answerOf(body, number) : null
    return other && { body: other }
  }
  const { url } = await openRewritingProxy(central.url, rewrite)
  return {
    url,
    here: await harness({
      cashUrl: url,
      onApproved: () => {
        throw new Error('it cannot be applied as asked')
      },
      ...options,
    }),
  }
}

describe('an approval that differs from its request', () => {
  test.each([
    ['takes more units than were asked', { unitsRedeemed: '9' }],
    ['names another amount', { dollarRedeemRequest: '90.00' }],
    ['is for no units', { unitsRedeemed: '0' }],
    ['echoes another trace', { traceId: 'another-trace' }],
    ['echoes another terminal', { deviceId: 'N999-99' }],
  ])(
    'is reversed by its confirmation number, and the miles are given back, if also the second answer %s',
    async (_scenario, change) => {
      const before = await cashOf(FINE)
      const { here } = await behind((body) => ({ ...body, ...change }))
      const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
      expect(operation).toMatchObject({ state: 'reversing', approvedOnAttempt: null })
      expect(operation.confirmationNumber).toMatch(/./)
      const done = await here.until(operation.id, 'reversed', 'reversal-escalated', 'reversal-expired')
      expect(done).toMatchObject({ state: 'reversed', confirmationNumber: operation.confirmationNumber })
      expect(await central.requests(REDEEM)).toHaveLength(2)
      const [reverse, ...more] = await central.requests(REVERSE)
      expect(more).toEqual([])
      expect(reverse?.body['txnConfirmationNumber']).toBe(operation.confirmationNumber)
      expect(await cashOf(FINE)).toBe(before)
      expect(here.moves).toEqual([
        'redemption intent',
        'redemption retry',
        'redemption reversing',
        'redemption reversing',
        'redemption reversed',
      ])
    },
  )

  test('is reversed by the confirmation number of the first answer when the second answer is lost', async () => {
    const before = await cashOf(FINE)
    await central.faults({ path: REDEEM, occurrence: 2, action: { kind: 'hang-before' } })
    const { here } = await behind((body) => ({ ...body, unitsRedeemed: '9' }))
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect((await here.until(operation.id, 'reversed', 'escalated')).state).toBe('reversed')
    expect(await cashOf(FINE)).toBe(before)
  })

  test('is not reversed when the retry is approved as requested', async () => {
    const before = await cashOf(FINE)
    const { here } = await behind((body, number) => (number === 1 ? { ...body, unitsRedeemed: '9' } : null), {
      onApproved: () => undefined,
    })
    expect(await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))).toMatchObject({
      state: 'approved',
      approvedOnAttempt: 2,
      amountCents: 1000,
    })
    expect(before - (await cashOf(FINE))).toBe(95)
    expect(await central.requests(REVERSE)).toEqual([])
  })

  test('is reversed at the next start after a crash', async () => {
    const clock = testClock(new Date().toISOString())
    const before = await cashOf(FINE)
    await central.faults({ path: REDEEM, occurrence: 2, action: { kind: 'hang-before' } })
    const { here, url } = await behind((body) => ({ ...body, unitsRedeemed: '9' }), { clock })
    here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1)).catch(() => undefined)
    await central.reached(REDEEM, 2)
    here.close()
    const again = await harness({ clock, folder: here.folder, cashUrl: url })
    const [found] = again.journal.openRedemptions()
    expect(found).toMatchObject({ state: 'retry', confirmationNumber: expect.stringMatching(/./) as string })
    await again.redemptions.recover()
    expect((await again.until(found?.id ?? '', 'reversed', 'escalated')).state).toBe('reversed')
    expect(await cashOf(FINE)).toBe(before)
  })

  test('is escalated, not reversed, when its confirmation number is that of an applied redemption', async () => {
    let applied = ''
    const { here } = await behind(
      (body) => (applied === '' ? null : { ...body, traceId: 'another-trace', txnConfirmationNumber: applied }),
      { onApproved: () => undefined },
    )
    const first = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect(first.state).toBe('approved')
    applied = first.confirmationNumber ?? ''
    const second = await here.redemptions.redeem(here.redemption(openSale(here.db, 'SALE00000002'), FINE, 1))
    expect(second).toMatchObject({ state: 'escalated', outcome: 'not-applied' })
    expect(here.journal.get(first.id)?.state).toBe('approved')
    expect(await central.requests(REVERSE)).toEqual([])
  })

  test('is not reversed at the next start if its confirmation number is that of an applied redemption', async () => {
    const clock = testClock(new Date().toISOString())
    let applied = ''
    const { here, url } = await behind(
      (body) => (applied === '' ? null : { ...body, traceId: 'another-trace', txnConfirmationNumber: applied }),
      { clock, onApproved: () => undefined },
    )
    const first = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    applied = first.confirmationNumber ?? ''
    const balanceBefore = await cashOf(FINE)
    await central.faults({ path: REDEEM, occurrence: 2, action: { kind: 'hang-before' } })
    here.redemptions.redeem(here.redemption(openSale(here.db, 'SALE00000002'), FINE, 1)).catch(() => undefined)
    await central.reached(REDEEM, 3)
    here.close()
    const again = await harness({ clock, folder: here.folder, cashUrl: url })
    const [found] = again.journal.openRedemptions()
    expect(found).toMatchObject({ state: 'retry', confirmationNumber: applied })
    await again.redemptions.recover()
    expect((await again.until(found?.id ?? '', 'escalated', 'reversed', 'reversal-escalated')).state).toBe('escalated')
    expect(again.journal.get(first.id)?.state).toBe('approved')
    expect(await central.requests(REVERSE)).toEqual([])
    expect(await cashOf(FINE), 'the service redeemed the miles of the second redemption').toBe(balanceBefore - 95)
  })
})
