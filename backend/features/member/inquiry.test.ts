import { describe, expect, test } from 'vitest'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter } from '../../testing/counter.ts'
import { openRewritingProxy } from '../../testing/rewriting-proxy.ts'

const centre = useCentre()
const INQUIRE = CASH_PATHS.inquire
const DETERGENT = '1021' // 19.99, HST
const inquiries = async () => (await centre.requests(INQUIRE)).map(({ body }) => body['postTaxBasketAmount'])

describe('INQUIRE', () => {
  test.each([
    ['silence', { kind: 'hang-before' }],
    ['a broken connection', { kind: 'drop-before' }],
    ['0008', { kind: 'answer', status: 408, body: { responseCode: '0008' } }],
    ['0096', { kind: 'answer', status: 500, body: { responseCode: '0096' } }],
  ])('after %s goes once more at once, identical, and its answer is shown', async (_what, action) => {
    const counter = await openCounter(centre, { limits: { cashTimeoutMs: 500 } })
    await counter.ring(DETERGENT, 2)
    await centre.faults({ path: INQUIRE, occurrence: 1, action })
    expect(await counter.swipe('fine')).toMatchObject({
      member: { state: 'known', noRedemption: null },
      redemptionChoice: { maxUnits: 4 },
    })
    const [first, second, ...more] = await centre.requests(INQUIRE)
    expect(more).toEqual([])
    expect(second?.sha256).toBe(first?.sha256)
  })

  test('that failed twice is asked again by one command, without a second swipe', async () => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT, 2)
    await centre.faults({ path: INQUIRE, occurrence: 1, times: 2, action: { kind: 'drop-before' } })
    const failed = await counter.swipe('fine')
    expect(failed).toMatchObject({
      member: { state: 'unknown', noRedemption: 'centre-unreachable' },
      redemptionChoice: null,
    })
    expect(
      await counter.refused('POST', `/api/sales/${failed.id}/member/inquire`, { version: failed.version - 1 }),
    ).toBe('sale-stale')
    const asking = (await counter.call('POST', `/api/sales/${failed.id}/member/inquire`, { version: failed.version }))
      .body.sale
    expect(asking.member?.state).toBe('pending')
    const known = await counter.until((sale) => sale.member?.state === 'known')
    expect(known).toMatchObject({ member: { last4: '0011', entryMode: 'SWIPE' }, redemptionChoice: { maxUnits: 4 } })
    expect(await centre.requests(INQUIRE)).toHaveLength(3)
  })

  test.each([
    ['another collector’s', 200, { collectorNumber: '80000000066', traceId: 'another-trace' }, 'centre-refused'],
    ['one that nobody knows the meaning of', 500, { responseCode: '0096' }, 'temporarily-unavailable'],
  ])(
    'whose answer is %s, twice: nothing of it is shown, kept or printed',
    async (_what, status, change, noRedemption) => {
      const { url } = await openRewritingProxy(centre.url, ({ path, body }) =>
        path === INQUIRE
          ? { status, body: { ...body, cashBalance: '777777', dreamBalance: '888888', ...change } }
          : null,
      )
      const counter = await openCounter(centre, { cashUrl: url })
      await counter.ring(DETERGENT, 2)
      const told = await counter.swipe('fine')
      expect(told).toMatchObject({
        member: { noRedemption, availableCashMiles: null, availableCents: null },
        redemptionChoice: null,
      })
      const paid = (
        await counter.call('POST', `/api/sales/${told.id}/tenders`, {
          kind: 'card',
          version: told.version,
          amountCents: told.totals.dueCents,
          reference: 'T1',
        })
      ).body.sale
      await counter.printed(paid.id)
      const [kept] = counter.read<{ document: string; inquiry: string }>(
        'SELECT document, inquiry FROM print_job JOIN sale ON sale.id = print_job.sale_id',
      )
      expect(`${kept?.document} ${kept?.inquiry}`).not.toMatch(/777,?777|888,?888|"paperOnly":true/)
    },
  )

  test.each([
    [503, 'centre-outage', 'outage', 'outage'],
    [502, 'centre-unreachable', 'offline', 'timeout'],
    [500, 'temporarily-unavailable', 'online', 'server-error'],
  ])(
    'that only a gateway answers, with %i: sale, status bar and echo say the same',
    async (status, noRedemption, state, outcome) => {
      const counter = await openCounter(centre, { staffId: 'sam' })
      await counter.ring(DETERGENT, 2)
      await centre.faults({ path: '/checkout/loyaltycash/*', action: { kind: 'answer', status, body: {} } })
      expect((await counter.swipe('fine')).member).toMatchObject({ noRedemption })
      expect((await counter.call('GET', '/api/queue/summary')).body).toMatchObject({ centre: state })
      expect((await counter.call('POST', '/api/diagnostics/echo')).body).toMatchObject({ outcome })
    },
  )

  test('is not asked where there is no card', async () => {
    const counter = await openCounter(centre)
    const bare = await counter.ring(DETERGENT, 2)
    expect(await counter.refused('POST', `/api/sales/${bare.id}/member/inquire`, { version: bare.version })).toBe(
      'member-missing',
    )
    expect(await centre.requests(INQUIRE)).toEqual([])
  })

  test('that is still open refuses a redemption with its code, and the answer then offers it', async () => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT, 2)
    await centre.faults({ path: INQUIRE, occurrence: 1, action: { kind: 'delay', ms: 1_500 } })
    await counter.call('POST', '/api/training/swipe', { cardId: 'fine' })
    const asking = await counter.until(({ member }) => member?.state === 'pending')
    expect(
      await counter.refused('POST', `/api/sales/${asking.id}/redemption`, { version: asking.version, units: 1 }),
    ).toBe('inquiry-pending')
    expect(await counter.refused('POST', `/api/sales/${asking.id}/member/inquire`, { version: asking.version })).toBe(
      'inquiry-pending',
    )
    expect((await counter.until((sale) => sale.member?.state === 'known')).redemptionChoice).toMatchObject({
      maxUnits: 4,
    })
    expect(await centre.requests(CASH_PATHS.redeem)).toEqual([])
  })
})

describe('what INQUIRE was told of', () => {
  test('was nothing: it is asked anew when a unit fits into the basket, once, and the last answer is printed', async () => {
    // The balance that the last answer names is told from the first one's.
    const { url } = await openRewritingProxy(centre.url, ({ path, number, body }) =>
      path === INQUIRE
        ? { body: { ...body, cashBalance: String(1_000 + number), dreamBalance: String(2_000 + number) } }
        : null,
    )
    const counter = await openCounter(centre, { cashUrl: url })
    await counter.swipe('fine')
    expect(await inquiries()).toEqual(['0.00'])
    await counter.ring('1001') // 6.99, no tax: still no unit
    await counter.ring(DETERGENT)
    const offered = await counter.until((sale) => sale.redemptionChoice !== null)
    expect(offered.redemptionChoice).toMatchObject({ maxUnits: 2 })
    await counter.ring(DETERGENT, 2)
    const more = await counter.until((sale) => (sale.redemptionChoice?.maxUnits ?? 0) > 2)
    expect(await inquiries()).toEqual(['0.00', '29.58'])
    const paid = (
      await counter.call('POST', `/api/sales/${more.id}/tenders`, {
        kind: 'card',
        version: more.version,
        amountCents: more.totals.dueCents,
        reference: 'T1',
      })
    ).body.sale
    await counter.printed(paid.id)
    const [paper] = counter.read<{ document: string }>('SELECT document FROM print_job')
    expect(paper?.document).toContain('1,002')
    expect(paper?.document).not.toContain('1,001')
  })

  test('was too little for the program (0066): it is asked anew when more units fit, and nobody but then', async () => {
    const counter = await openCounter(centre)
    await centre.faults({
      path: INQUIRE,
      occurrence: 1,
      action: { kind: 'answer', status: 202, body: { responseCode: '0066', message: 'Insufficient basket size' } },
    })
    await counter.ring(DETERGENT)
    expect((await counter.swipe('fine')).member).toMatchObject({ noRedemption: 'basket-too-small' })
    await counter.ring('1001') // 6.99, no tax: as many units as before
    await counter.ring(DETERGENT, 2)
    expect((await counter.until((sale) => sale.redemptionChoice !== null)).redemptionChoice).toMatchObject({
      maxUnits: 7,
    })
    expect(await inquiries()).toEqual(['22.59', '74.76'])
  })

  test('was enough: a basket that grows further asks nobody', async () => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT)
    await counter.swipe('fine')
    expect((await counter.ring(DETERGENT, 2)).redemptionChoice).toMatchObject({ maxUnits: 6 })
    expect(await inquiries()).toEqual(['22.59'])
  })

  test('is asked for anew when a held sale is resumed', async () => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT, 2)
    const sale = await counter.swipe('fine')
    const held = (await counter.call('POST', `/api/sales/${sale.id}/hold`, { version: sale.version })).body.sale
    const resumed = (await counter.call('POST', `/api/sales/${sale.id}/resume`, { version: held.version })).body.sale
    expect(resumed).toMatchObject({ member: { state: 'pending' }, redemptionChoice: null })
    await counter.until((now) => now.member?.state === 'known' && now.version >= resumed.version)
    expect(await inquiries()).toHaveLength(2)
  })
})
