import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AccountingSettings } from '../../../contracts/day/accounting.ts'
import type { CurrentShift } from '../../../contracts/day/shifts.ts'
import type { ZPostings } from './accounting.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { isWholeCampaign } from '../../../packages/lab/testing/campaign.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, COFFEE, DETERGENT, returnPieces, NOVEL } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { giftCard, payBy, payCash, sold } from '../../../packages/lab/testing/vouchers.ts'
import { IN_DRAWER } from '../../sales/drawer.sql.ts'

const central = useCentral()
const DAYS = isWholeCampaign ? 60 : 4

const item = fc.constantFrom(APPLES, COFFEE, DETERGENT, NOVEL)
const basket = fc.array(fc.tuple(item, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 3 })
const happening = fc.oneof(
  fc.record({ kind: fc.constant('sale' as const), basket, cash: fc.boolean() }),
  fc.record({ kind: fc.constant('discounted' as const), basket, off: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ kind: fc.constant('miles' as const), basket, units: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: fc.constant('return' as const), pick: fc.nat(50) }),
  fc.record({ kind: fc.constant('cancelled' as const), basket }),
  fc.record({ kind: fc.constant('gift-card' as const), cents: fc.integer({ min: 500, max: 5_000 }) }),
  fc.record({ kind: fc.constant('voucher' as const), basket, cents: fc.integer({ min: 500, max: 900 }) }),
  fc.record({
    kind: fc.constantFrom('paid-in' as const, 'paid-out' as const, 'drop' as const),
    cents: fc.integer({ min: 5, max: 2_000 }),
  }),
)
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never

async function happens(
  here: TerminalHarness,
  what: Happening,
  sales: Awaited<ReturnType<typeof buy>>[],
): Promise<void> {
  switch (what.kind) {
    case 'sale':
      sales.push(await buy(here, what.basket, { cash: what.cash }))
      return
    case 'discounted':
      for (const [sku, quantity] of what.basket) await here.ring(sku, quantity)
      await saleActions(here).discount({ kind: 'amount', cents: what.off })
      sales.push(await buy(here, [[APPLES, 1]], { cash: true }))
      return
    case 'miles': {
      for (const [sku, quantity] of what.basket) await here.ring(sku, quantity)
      await here.ring(DETERGENT, 2)
      const choice = (await here.swipe('fine')).redemptionChoice
      sales.push(await buy(here, [[APPLES, 1]], { cash: true, units: Math.min(what.units, choice?.maxUnits ?? 0) }))
      return
    }
    case 'return': {
      const sale = sales.splice(what.pick % Math.max(1, sales.length), 1)[0]
      if (sale) await returnPieces(here, sale, [1, 1])
      return
    }
    case 'cancelled': {
      for (const [sku, quantity] of what.basket) await here.ring(sku, quantity)
      const open = await here.current()
      await here.call('POST', `/api/sales/${open?.id}/cancel`, { version: open?.version })
      return
    }
    case 'gift-card':
      await payCash(here, await giftCard(here, what.cents))
      return
    case 'voucher': {
      const card = await sold(here, what.cents)
      let sale = await here.ring(DETERGENT, 1)
      for (const [sku, quantity] of what.basket) sale = await here.ring(sku, quantity)
      const { body } = await payBy(here, sale, card, what.cents)
      await payCash(here, body.sale)
      return
    }
    default:
      await here.call('POST', '/api/shifts/current/movements', {
        kind: what.kind,
        amountCents: what.cents,
        reason: 'any',
      })
  }
}

/**
 * Counts the drawer, makes one more sale if `sellsBetween`, closes the drawer and makes the Z. Returns the cash that
 * was left in the drawer; null if no shift was open.
 */
async function closeDay(
  here: TerminalHarness,
  { differenceCents, leftShare, sellsBetween }: { differenceCents: number; leftShare: number; sellsBetween: boolean },
): Promise<number | null> {
  const { shift } = await here.get<CurrentShift>('/api/shifts/current')
  if (!shift) return null
  const count = (cents: number) => ({ count: { cash: { by: 'sum', cents }, cardSlipsCents: null, chequesCents: null } })
  const [drawer] = here.read<{ cashCents: number }>(IN_DRAWER.replaceAll('@id', String(shift.id)))
  const cents = Math.max(0, shift.floatCents + (drawer?.cashCents ?? 0) + differenceCents)
  expect((await here.call('POST', `/api/shifts/${shift.id}/counts`, count(cents))).status).toBe(200)
  if (sellsBetween) await buy(here, [[COFFEE, 1]], { cash: true })
  const leftCents = Math.floor(cents * leftShare)
  await here.call('POST', `/api/shifts/${shift.id}/close`, { reason: 'any', leftCents })
  expect((await here.call('POST', '/api/z-reports')).status).toBe(200)
  return leftCents
}

test('each Z in the accounting export has equal debits and credits, and the drawer’s change as cash', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const sales: Awaited<ReturnType<typeof buy>>[] = []
  const left: number[] = []
  await here.call('POST', '/api/shifts', { float: { by: 'sum', cents: 100_00 } })
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 8 }),
      fc.record({
        differenceCents: fc.integer({ min: -500, max: 500 }),
        leftShare: fc.constantFrom(0, 0.3, 1),
        sellsBetween: fc.boolean(),
      }),
      async (day, end) => {
        for (const what of day) await happens(here, what, sales)
        const leftCents = await closeDay(here, end)
        if (leftCents !== null) left.push(leftCents)
      },
    ),
    { numRuns: DAYS, endOnFailure: true },
  )
  expect(left.length).toBeGreaterThan(0)
  const today = localDateTimeAt(Date.now(), 'America/Toronto').toPlainDate()
  const range = { from: today.subtract({ days: 1 }).toString(), to: today.toString() }
  const { body } = await here.call('POST', '/api/reports/exports', { of: 'accounting', range, format: 'json' })
  const file = await here.file(`/api/reports/exports/${String(body['number'])}`)
  const { zReports } = JSON.parse(file.bytes.toString()) as { zReports: ZPostings[] }
  expect(zReports[0]).toMatchObject({ businessDay: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) })
  const asCsv = await here.call('POST', '/api/reports/exports', { of: 'accounting', range, format: 'csv' })
  const csv = (await here.file(`/api/reports/exports/${String(asCsv.body['number'])}`)).bytes.toString()
  const [head, first = ''] = csv.replace('\uFEFF', '').split('\r\n')
  expect(head).toBe('z,lane,business_day,local_time,time_utc,account,account_name,of,detail,debit,credit')
  const [, , businessDay = '', localTime = '', utc = ''] = first.split(',')
  expect([range.from, range.to]).toContain(businessDay)
  const made = localDateTimeAt(Date.parse(utc), 'America/Toronto')
  expect(localTime).toBe(made.toString({ smallestUnit: 'second' }))
  const stored = here.read<{ number: number; report: string }>('SELECT number, report FROM z_report ORDER BY number')
  expect(zReports.map(({ number }) => number)).toEqual(stored.map(({ number }) => number))
  expect(zReports).toHaveLength(left.length)
  const { tenders } = AccountingSettings.parse({})
  for (const [index, { postings, number, debitCents, creditCents }] of zReports.entries()) {
    const sum = (side: 'debitCents' | 'creditCents'): number => postings.reduce((total, one) => total + one[side], 0)
    expect([sum('debitCents'), sum('creditCents')], `Z ${number}`).toEqual([debitCents, debitCents])
    expect(creditCents).toBe(debitCents)
    const inDrawer = postings
      .filter(({ account }) => account.code === tenders.cash.code)
      .reduce((total, posting) => total + posting.debitCents - posting.creditCents, 0)
    expect(inDrawer, `cash in the drawers of Z ${number}`).toBe((left[index] ?? 0) - (left[index - 1] ?? 0))
  }
})
