import { describe, expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { FINE, REDEEM, redemptionHarnesses } from '../../../packages/lab/testing/redemption-harness.ts'
import { openSale } from '../../../packages/lab/testing/loyalty-harness.ts'

const central = useCentral()
const { harness, cashOf, crashAfterIntent } = redemptionHarnesses(central)

describe('a restart of the terminal', () => {
  test('retries a recorded redemption within its deadline once, identically, and redeems the miles once', async () => {
    const before = await cashOf(FINE)
    const { folder, id, clock } = await crashAfterIntent()
    clock.advance(120_000)
    const applied: string[] = []
    const again = await harness({
      folder,
      clock,
      onApproved: ({ id: approved }) => {
        applied.push(approved)
      },
    })
    await again.redemptions.recover()
    expect(again.journal.get(id)).toMatchObject({ state: 'approved', approvedOnAttempt: 2, sends: 2 })
    expect(applied).toEqual([id])
    expect(before - (await cashOf(FINE))).toBe(95)
    const [first, second, ...more] = await central.requests(REDEEM)
    expect(more).toEqual([])
    expect(second?.sha256).toBe(first?.sha256)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })

  test.each([
    ['after its deadline', 120_001],
    ['whose first send lies in the future, after the clock was set back', -1],
  ])('escalates a recorded redemption %s without sending it again', async (_scenario, advance) => {
    const { folder, id, clock } = await crashAfterIntent()
    clock.advance(advance)
    const again = await harness({ folder, clock })
    await again.redemptions.recover()
    expect(again.journal.get(id)).toMatchObject({ state: 'escalated', outcome: 'not-applied', sends: 1 })
    expect(await central.requests(REDEEM)).toHaveLength(1)
  })

  test('escalates a recorded redemption without sending it again when its sale is no longer open', async () => {
    const { folder, id, clock } = await crashAfterIntent()
    const again = await harness({ folder, clock, saleIsOpen: () => false })
    await again.redemptions.recover()
    expect(again.journal.get(id)?.state).toBe('escalated')
    expect(await central.requests(REDEEM)).toHaveLength(1)
  })

  test('escalates a redemption whose second send has no answer', async () => {
    const { folder, id, clock } = await crashAfterIntent()
    const second = await harness({ folder, clock })
    second.transact((tx) => second.journal.move(tx, id, 'retry', { sending: 'redeem' }))
    second.close()
    const again = await harness({ folder, clock })
    await again.redemptions.recover()
    expect(again.journal.get(id)).toMatchObject({ state: 'escalated', sends: 2 })
    expect(await central.requests(REDEEM)).toHaveLength(1)
  })

  test('recovers the other redemptions when one of them cannot be recovered', async () => {
    const { folder, id, clock } = await crashAfterIntent()
    const again = await harness({
      folder,
      clock,
      saleIsOpen: (saleId) => {
        if (saleId === 'SALE00000001') throw new Error('this sale cannot be read')
        return true
      },
    })
    const other = again.transact((tx) =>
      again.journal.open(tx, {
        kind: 'redemption',
        type: 'redeem',
        saleId: openSale(again.db, 'SALE00000002'),
        collectorHash: again.seal.keyedHash(FINE),
        state: 'intent',
        sending: true,
        facts: {},
        call: {
          purpose: 'redeem',
          path: REDEEM,
          idempotencyKey: 'other',
          traceId: 't',
          dateTime: 'd',
          request: Buffer.from('{}'),
        },
      }),
    )
    again.transact((tx) => again.journal.move(tx, other.id, 'retry', { sending: 'redeem' }))
    await again.redemptions.recover()
    expect(again.journal.get(other.id)?.state).toBe('escalated')
    expect(again.journal.get(id)?.state, 'stays, and the next start looks again').toBe('intent')
  })
})

describe('an approval of a redemption that cannot be applied to its sale', () => {
  test('is recorded and reversed when the sale is no longer open', async () => {
    const here = await harness({
      saleIsOpen: () => false,
      onApproved: () => {
        throw new Error('must not be applied')
      },
    })
    const before = await cashOf(FINE)
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    expect(operation.state).toBe('reversing')
    expect((await here.until(operation.id, 'reversed')).confirmationNumber).toMatch(/./)
    expect(await cashOf(FINE)).toBe(before)
  })

  test('is recorded and reversed when an exception prevents the tender', async () => {
    const here = await harness({
      onApproved: () => {
        throw new Error('the tender line does not fit')
      },
    })
    const before = await cashOf(FINE)
    const operation = await here.redemptions.redeem(here.redemption('SALE00000001', FINE, 1))
    await here.until(operation.id, 'reversed')
    expect(await cashOf(FINE)).toBe(before)
  })
})
