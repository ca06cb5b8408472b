import { describe, expect, test } from 'vitest'
import { testClock } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { FINE, REDEEM, REVERSE, redemptionHarnesses } from '../../../packages/lab/testing/redemption-harness.ts'
import { openRewritingProxy, type Rewrite } from '../../../packages/lab/testing/rewriting-proxy.ts'
import { openSale, type LoyaltyHarnessOptions } from '../../../packages/lab/testing/loyalty-harness.ts'

const central = useCentral()
const { harness, cashOf } = redemptionHarnesses(central)

/** A harness whose REDEEM answers are told otherwise than the service gave them. */
async function behind(
  told: (body: Record<string, unknown>, number: number) => Record<string, unknown> | null,
  options: Partial<LoyaltyHarnessOptions> = {},
) {
  const rewrite: Rewrite = ({ path, number, body }) => {
    const other = path === REDEEM ? told(body, number) : null
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

describe('an approval that cannot be applied as asked', () => {
  test.each([
    ['takes more units than were asked', { unitsRedeemed: '9' }],
    ['names another amount', { dollarRedeemRequest: '90.00' }],
    ['is for no units', { unitsRedeemed: '0' }],
    ['echoes another trace', { traceId: 'another-trace' }],
    ['echoes another terminal', { deviceId: 'N999-99' }],
  ])(
    '%s, twice: it is reversed by its confirmation number, which is kept, and the miles are back',
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

  test('whose second answer never comes is reversed by the number of the first', async () => {
    const before = await cashOf(FINE)
    await central.faults({ path: REDEEM, occurrence: 2, action: { kind: 'hang-before' } })
    const { here } = await behind((body) => ({ ...body, unitsRedeemed: '9' }))
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect((await here.until(operation.id, 'reversed', 'escalated')).state).toBe('reversed')
    expect(await cashOf(FINE)).toBe(before)
  })

  test('whose retry is approved as asked is applied: the first answer was the network’s', async () => {
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

  test('which a crash interrupts is reversed by the next start', async () => {
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

  test('with the number of a redemption that stands here is left alone: a person looks', async () => {
    let standing = ''
    const { here } = await behind(
      (body) => (standing === '' ? null : { ...body, traceId: 'another-trace', txnConfirmationNumber: standing }),
      { onApproved: () => undefined },
    )
    const first = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect(first.state).toBe('approved')
    standing = first.confirmationNumber ?? ''
    const second = await here.redemptions.redeem(here.redemption(openSale(here.db, 'SALE00000002'), FINE, 1))
    expect(second).toMatchObject({ state: 'escalated', outcome: 'not-applied' })
    expect(here.journal.get(first.id)?.state).toBe('approved')
    expect(await central.requests(REVERSE)).toEqual([])
  })

  test('with the number of a redemption here is left alone by a start after a crash between the sends', async () => {
    const clock = testClock(new Date().toISOString())
    let standing = ''
    const { here, url } = await behind(
      (body) => (standing === '' ? null : { ...body, traceId: 'another-trace', txnConfirmationNumber: standing }),
      { clock, onApproved: () => undefined },
    )
    const first = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    standing = first.confirmationNumber ?? ''
    const stood = await cashOf(FINE)
    await central.faults({ path: REDEEM, occurrence: 2, action: { kind: 'hang-before' } })
    here.redemptions.redeem(here.redemption(openSale(here.db, 'SALE00000002'), FINE, 1)).catch(() => undefined)
    await central.reached(REDEEM, 3)
    here.close()
    const again = await harness({ clock, folder: here.folder, cashUrl: url })
    const [found] = again.journal.openRedemptions()
    expect(found).toMatchObject({ state: 'retry', confirmationNumber: standing })
    await again.redemptions.recover()
    expect((await again.until(found?.id ?? '', 'escalated', 'reversed', 'reversal-escalated')).state).toBe('escalated')
    expect(again.journal.get(first.id)?.state).toBe('approved')
    expect(await central.requests(REVERSE)).toEqual([])
    expect(await cashOf(FINE), 'the second took its own, of which nobody here knows; the first stands').toBe(stood - 95)
  })
})
