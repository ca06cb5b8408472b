import { describe, expect, test } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { openRewritingProxy } from '../../../packages/lab/testing/rewriting-proxy.ts'

const central = useCentral()
const INQUIRE = CASH_PATHS.inquire
const DETERGENT = '1021'
const inquiries = async () => (await central.requests(INQUIRE)).map(({ body }) => body['postTaxBasketAmount'])

describe('the INQUIRE call', () => {
  test.each([
    ['no answer', { kind: 'hang-before' }],
    ['a broken connection', { kind: 'drop-before' }],
    ['0008', { kind: 'answer', status: 408, body: { responseCode: '0008' } }],
    ['0096', { kind: 'answer', status: 500, body: { responseCode: '0096' } }],
  ])(
    'is sent once more, identically and at once, after an unusable answer (%s); the second answer is shown',
    async (_what, action) => {
      const harness = await openTerminalHarness(central, { limits: { cashTimeoutMs: 500 } })
      await harness.ring(DETERGENT, 2)
      await central.faults({ path: INQUIRE, occurrence: 1, action })
      expect(await harness.swipe('fine')).toMatchObject({
        member: { state: 'known', noRedemption: null },
        redemptionChoice: { maxUnits: 4 },
      })
      const [first, second, ...more] = await central.requests(INQUIRE)
      expect(more).toEqual([])
      expect(second?.sha256).toBe(first?.sha256)
    },
  )

  test('is repeated by a command after two failures, without a second swipe', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    await central.faults({ path: INQUIRE, occurrence: 1, times: 2, action: { kind: 'drop-before' } })
    const failed = await harness.swipe('fine')
    expect(failed).toMatchObject({
      member: { state: 'unknown', noRedemption: 'central-unreachable' },
      redemptionChoice: null,
    })
    expect(
      await harness.refused('POST', `/api/sales/${failed.id}/member/inquire`, { version: failed.version - 1 }),
    ).toBe('sale-stale')
    const asking = (await harness.call('POST', `/api/sales/${failed.id}/member/inquire`, { version: failed.version }))
      .body.sale
    expect(asking.member?.state).toBe('pending')
    const known = await harness.until((sale) => sale.member?.state === 'known')
    expect(known).toMatchObject({ member: { last4: '0011', entryMode: 'SWIPE' }, redemptionChoice: { maxUnits: 4 } })
    expect(await central.requests(INQUIRE)).toHaveLength(3)
  })

  test('shows and prints no redeemable amount after the answer 0006: the account cannot redeem', async () => {
    const { url } = await openRewritingProxy(central.url, ({ path, body }) =>
      path === INQUIRE
        ? {
            status: 202,
            body: {
              ...body,
              responseCode: '0006',
              cashBalance: '555555',
              availableCashBalance: '777777',
              availableDollarAmount: '8880.00',
            },
          }
        : null,
    )
    const harness = await openTerminalHarness(central, { cashUrl: url })
    await harness.ring(DETERGENT, 2)
    const known = await harness.swipe('fine')
    expect(known.member).toMatchObject({ noRedemption: 'not-allowed', availableCashMiles: null, availableCents: null })
    const paid = (
      await harness.call('POST', `/api/sales/${known.id}/tenders`, {
        kind: 'card',
        version: known.version,
        amountCents: known.totals.dueCents,
        reference: 'T1',
      })
    ).body.sale
    await harness.printed(paid.id)
    const [stored] = harness.read<{ document: string }>('SELECT document FROM print_job')
    expect(stored?.document).toMatch(/555,?555/)
    expect(stored?.document).not.toMatch(/777,?777|8,?880/)
  })

  test.each([
    ['about another collector', 200, { collectorNumber: '80000000066', traceId: 'another-trace' }, 'central-refused'],
    ['0096 (unknown outcome)', 500, { responseCode: '0096' }, 'temporarily-unavailable'],
  ])(
    'has no balance shown, stored or printed when both answers are %s',
    async (_what, status, change, noRedemption) => {
      const { url } = await openRewritingProxy(central.url, ({ path, body }) =>
        path === INQUIRE
          ? { status, body: { ...body, cashBalance: '777777', dreamBalance: '888888', ...change } }
          : null,
      )
      const harness = await openTerminalHarness(central, { cashUrl: url })
      await harness.ring(DETERGENT, 2)
      const shown = await harness.swipe('fine')
      expect(shown).toMatchObject({
        member: { noRedemption, availableCashMiles: null, availableCents: null },
        redemptionChoice: null,
      })
      const paid = (
        await harness.call('POST', `/api/sales/${shown.id}/tenders`, {
          kind: 'card',
          version: shown.version,
          amountCents: shown.totals.dueCents,
          reference: 'T1',
        })
      ).body.sale
      await harness.printed(paid.id)
      const [stored] = harness.read<{ document: string; inquiry: string }>(
        'SELECT document, inquiry FROM print_job JOIN sale ON sale.id = print_job.sale_id',
      )
      expect(`${stored?.document} ${stored?.inquiry}`).not.toMatch(/777,?777|888,?888|"paperOnly":true/)
    },
  )

  test.each([
    [503, 'central-outage', 'outage', 'outage'],
    [502, 'central-unreachable', 'offline', 'timeout'],
    [500, 'temporarily-unavailable', 'online', 'server-error'],
  ])(
    'has its failure reported alike by sale, status bar and ECHO check if a gateway answers HTTP %i',
    async (status, noRedemption, state, outcome) => {
      const harness = await openTerminalHarness(central, { staffId: 'sam' })
      await harness.ring(DETERGENT, 2)
      await central.faults({ path: '/checkout/loyaltycash/*', action: { kind: 'answer', status, body: {} } })
      expect((await harness.swipe('fine')).member).toMatchObject({ noRedemption })
      expect((await harness.call('GET', '/api/queue/summary')).body).toMatchObject({ central: state })
      expect((await harness.call('POST', '/api/diagnostics/echo')).body).toMatchObject({ outcome })
    },
  )

  test('is not sent for a sale without a collector card', async () => {
    const harness = await openTerminalHarness(central)
    const bare = await harness.ring(DETERGENT, 2)
    expect(await harness.refused('POST', `/api/sales/${bare.id}/member/inquire`, { version: bare.version })).toBe(
      'member-missing',
    )
    expect(await central.requests(INQUIRE)).toEqual([])
  })

  test('blocks redemptions until it is answered', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    await central.faults({ path: INQUIRE, occurrence: 1, action: { kind: 'delay', ms: 1_500 } })
    await harness.call('POST', '/api/training/swipe', { cardId: 'fine' })
    const asking = await harness.until(({ member }) => member?.state === 'pending')
    expect(
      await harness.refused('POST', `/api/sales/${asking.id}/redemption`, { version: asking.version, units: 1 }),
    ).toBe('inquiry-pending')
    expect(await harness.refused('POST', `/api/sales/${asking.id}/member/inquire`, { version: asking.version })).toBe(
      'inquiry-pending',
    )
    expect((await harness.until((sale) => sale.member?.state === 'known')).redemptionChoice).toMatchObject({
      maxUnits: 4,
    })
    expect(await central.requests(CASH_PATHS.redeem)).toEqual([])
  })
})

describe('the basket amount of INQUIRE', () => {
  test('is sent again, once, when the total of an empty basket first reaches a redeemable unit', async () => {
    const { url } = await openRewritingProxy(central.url, ({ path, number, body }) =>
      path === INQUIRE
        ? { body: { ...body, cashBalance: String(1_000 + number), dreamBalance: String(2_000 + number) } }
        : null,
    )
    const harness = await openTerminalHarness(central, { cashUrl: url })
    await harness.swipe('fine')
    expect(await inquiries()).toEqual(['0.00'])
    await harness.ring('1001')
    await harness.ring(DETERGENT)
    const offered = await harness.until((sale) => sale.redemptionChoice !== null)
    expect(offered.redemptionChoice).toMatchObject({ maxUnits: 2 })
    await harness.ring(DETERGENT, 2)
    const more = await harness.until((sale) => (sale.redemptionChoice?.maxUnits ?? 0) > 2)
    expect(await inquiries()).toEqual(['0.00', '29.58'])
    const paid = (
      await harness.call('POST', `/api/sales/${more.id}/tenders`, {
        kind: 'card',
        version: more.version,
        amountCents: more.totals.dueCents,
        reference: 'T1',
      })
    ).body.sale
    await harness.printed(paid.id)
    const [paper] = harness.read<{ document: string }>('SELECT document FROM print_job')
    expect(paper?.document).toContain('1,002')
    expect(paper?.document).not.toContain('1,001')
  })

  test('is sent again when more units fit and the answer to the last amount was “too small” (0066)', async () => {
    const harness = await openTerminalHarness(central)
    await central.faults({
      path: INQUIRE,
      occurrence: 1,
      action: { kind: 'answer', status: 202, body: { responseCode: '0066', message: 'Insufficient basket size' } },
    })
    await harness.ring(DETERGENT)
    expect((await harness.swipe('fine')).member).toMatchObject({ noRedemption: 'basket-too-small' })
    await harness.ring('1001')
    await harness.ring(DETERGENT, 2)
    expect((await harness.until((sale) => sale.redemptionChoice !== null)).redemptionChoice).toMatchObject({
      maxUnits: 7,
    })
    expect(await inquiries()).toEqual(['22.59', '74.76'])
  })

  test('is not sent again for a growing basket after an amount was sufficient', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT)
    await harness.swipe('fine')
    expect((await harness.ring(DETERGENT, 2)).redemptionChoice).toMatchObject({ maxUnits: 6 })
    expect(await inquiries()).toEqual(['22.59'])
  })

  test('is sent again when a held sale is resumed', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    const sale = await harness.swipe('fine')
    const held = (await harness.call('POST', `/api/sales/${sale.id}/hold`, { version: sale.version })).body.sale
    const resumed = (await harness.call('POST', `/api/sales/${sale.id}/resume`, { version: held.version })).body.sale
    expect(resumed).toMatchObject({ member: { state: 'pending' }, redemptionChoice: null })
    await harness.until((now) => now.member?.state === 'known' && now.version >= resumed.version)
    expect(await inquiries()).toHaveLength(2)
  })
})
