import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, expect, test } from 'vitest'
import type { XReport, ZReport } from '../../contracts/day/day-end.ts'
import type { CurrentShift, Shift } from '../../contracts/day/shifts.ts'
import { approved, SAM } from '../../packages/lab/testing/sale-actions.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const CATALOG = `sku,barcode,name_en,name_fr,price,tax_category,department,category
A,,Apple,Pomme,5.00,zero-rated,fruit,
B,,Book,Livre,10.00,standard,books,
`
const sum = (cents: number) => ({ by: 'sum' as const, cents })
const count = (cents: number, more: object = {}) => ({
  count: { cash: sum(cents), cardSlipsCents: null, chequesCents: null, ...more },
})

async function open(options: Partial<TerminalHarnessOptions> = {}) {
  const here = await openTerminalHarness(central, { catalog: CATALOG, staffId: 'sam', ...options })
  return {
    here,
    current: async () => await here.get<CurrentShift>('/api/shifts/current'),
    openWith: (cents: number) => here.call('POST', '/api/shifts', { float: sum(cents) }),
    move: (kind: string, amountCents: number, reason = 'safe') =>
      here.call('POST', '/api/shifts/current/movements', { kind, amountCents, reason }),
    async count(id: number, cents: number, more?: object) {
      return (await here.call('POST', `/api/shifts/${id}/counts`, count(cents, more))).body['shift'] as Shift
    },
    async recount(id: number, cents: number, more?: object) {
      const again = { number: 2, ...count(cents, more) }
      return (await here.call('POST', `/api/shifts/${id}/counts`, again)).body['shift'] as Shift
    },
    async close(id: number, leftCents: number, reason: string | null = null) {
      return (await here.call('POST', `/api/shifts/${id}/close`, { reason, leftCents })).body['shift'] as Shift
    },
    async z() {
      return (await here.call('POST', '/api/z-reports')).body['report'] as ZReport
    },
    x: async () => await here.get<XReport>('/api/x-report'),
    sell: (sku: string, quantity: number, kind: 'cash' | 'card' = 'cash') => sell(here, sku, quantity, kind),
  }
}

async function twoCounted() {
  const lane = await open()
  await lane.openWith(500)
  const first = (await lane.current()).shift?.id ?? 0
  await lane.count(first, 500)
  await lane.sell('A', 2)
  const second = (await lane.current()).shift?.id ?? 0
  await lane.count(second, 1_500)
  return { lane, first, second }
}

async function sell(here: TerminalHarness, sku: string, quantity: number, kind: 'cash' | 'card') {
  const sale = await here.ring(sku, quantity)
  const due = kind === 'cash' ? sale.totals.cashDueCents : sale.totals.dueCents
  const { status, body } = await here.call('POST', `/api/sales/${sale.id}/tenders`, {
    version: sale.version,
    kind,
    ...(kind === 'cash' ? { tenderedCents: due } : { amountCents: due, reference: 'S1' }),
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return sale
}

function holdPinChecks() {
  const { scrypt } = crypto
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const replaceBy = (check: typeof scrypt): void => {
    crypto.scrypt = check
    syncBuiltinESMExports()
  }
  replaceBy(((...asked: Parameters<typeof scrypt>) => {
    begun.resolve()
    void held.promise.then(() => {
      scrypt(...asked)
    })
  }) as typeof scrypt)
  return {
    begun: begun.promise,
    release: () => {
      replaceBy(scrypt)
      held.resolve()
    },
  }
}

describe('a drawer', () => {
  test('has its cash and card slip differences calculated to the cent when it is counted', async () => {
    const lane = await open()
    expect((await lane.current()).shift).toBeNull()
    await lane.openWith(20_000)
    await lane.sell('A', 3)
    await lane.sell('A', 2, 'card')
    await lane.move('drop', 1_000)
    await lane.move('paid-in', 300)
    const { shift } = await lane.current()
    expect(shift).toMatchObject({ state: 'open', floatCents: 20_000, floatCounted: true, result: null })
    const counted = await lane.count(shift?.id ?? 0, 20_790, { cardSlipsCents: 1_000 })
    expect(counted).toMatchObject({ state: 'counted', countedCents: 20_790, recount: ['cash'], result: null })
    expect(await lane.here.refused('POST', `/api/shifts/${counted.id}/close`, { reason: null, leftCents: 1 })).toBe(
      'shift-reason-required',
    )
    expect(await lane.recount(counted.id, 20_800, { cardSlipsCents: 1_001 })).toMatchObject({
      recount: [],
      result: {
        cash: { expectedCents: 20_800, countedCents: 20_800, differenceCents: 0 },
        cardSlips: { expectedCents: 1_000, countedCents: 1_001, differenceCents: 1 },
        number: 2,
        needsReason: true,
      },
    })
    expect(await lane.here.refused('POST', `/api/shifts/${counted.id}/counts`, count(1))).toBe('shift-count-final')
    expect(
      await lane.here.refused('POST', `/api/shifts/${counted.id}/close`, { reason: 'slip', leftCents: 20_801 }),
    ).toBe('shift-left-exceeds')
    expect(await lane.close(counted.id, 20_000, 'slip')).toMatchObject({ state: 'closed', leftCents: 20_000 })
    expect(await lane.here.refused('POST', `/api/shifts/${counted.id}/close`, { reason: null, leftCents: 1 })).toBe(
      'shift-closed',
    )
    await lane.here.printed('SHIFT00000001')
  })

  test("needs no recount when the count is right or within the store's tolerance", async () => {
    const lane = await open({ shifts: { toleratedDollars: 0.5 } })
    for (const cents of [10_000, 10_050, 9_950]) {
      await lane.openWith(10_000)
      const { shift } = await lane.current()
      const { id, recount, result } = await lane.count(shift?.id ?? 0, cents)
      expect([recount, result?.cash.differenceCents, result?.needsReason]).toEqual([[], cents - 10_000, false])
      expect(await lane.here.refused('POST', `/api/shifts/${id}/counts`, count(1))).toBe('shift-count-final')
      await lane.close(id, 0)
    }
  })

  test('keeps the tolerance of its first count, so that a changed setting cannot reveal the difference', async () => {
    const lane = await open()
    await lane.openWith(10_000)
    const { shift } = await lane.current()
    const { id } = await lane.count(shift?.id ?? 0, 9_000)
    const tolerate = async (value: number | null) => {
      const { body } = await lane.here.call('GET', '/api/settings')
      const settings = body['settings'] as { name: string; newest: number }[]
      const seen = settings.find(({ name }) => name === 'shifts.toleratedDollars')?.newest
      await lane.here.call('PUT', '/api/settings/shifts.toleratedDollars', {
        seen,
        to: { kind: 'value', value },
        from: null,
      })
    }
    await tolerate(50)
    expect((await lane.current()).counted).toMatchObject([{ recount: ['cash'], result: null }])
    expect(await lane.here.refused('POST', `/api/shifts/${id}/close`, { reason: null, leftCents: 0 })).toBe(
      'shift-reason-required',
    )
    await lane.close(id, 0, 'till was short')
    await lane.openWith(10_000)
    const next = (await lane.current()).shift
    expect(await lane.count(next?.id ?? 0, 9_000)).toMatchObject({ recount: [], result: { needsReason: false } })
    await tolerate(null)
    expect((await lane.current()).counted).toMatchObject([{ recount: [], result: { needsReason: false } }])
    expect(await lane.here.refused('POST', `/api/shifts/${next?.id}/counts`, count(10_000))).toBe('shift-count-final')
  })

  test('refuses another first count after the first one, and accepts a recount', async () => {
    const lane = await open()
    await lane.openWith(10_000)
    const id = (await lane.current()).shift?.id ?? 0
    const path = `/api/shifts/${id}/counts`
    expect(await lane.here.refused('POST', path, { number: 2, ...count(10_000) })).toBe('shift-not-counted')
    await lane.count(id, 9_000)
    expect(await lane.here.refused('POST', path, { number: 1, ...count(10_000) })).toBe('shift-counted-already')
    expect((await lane.current()).counted).toMatchObject([{ recount: ['cash'], countedCents: 9_000 }])
    expect(await lane.recount(id, 10_000)).toMatchObject({ recount: [], result: { cash: { differenceCents: 0 } } })
  })

  test('has a suggested float only after the previous shift is closed: the cash that this shift left', async () => {
    const lane = await open()
    await lane.openWith(10_000)
    const id = (await lane.current()).shift?.id ?? 0
    await lane.count(id, 10_000)
    expect((await lane.current()).suggestedFloatCents).toBeNull()
    await lane.close(id, 4_000)
    expect((await lane.current()).suggestedFloatCents).toBe(4_000)
  })

  test('can have its float counted by coins and notes', async () => {
    const lane = await open()
    await lane.here.call('POST', '/api/shifts', { float: { by: 'pieces', pieces: { 2000: 3, 25: 4, 5: 1 } } })
    expect((await lane.current()).shift?.floatCents).toBe(6_105)
  })

  test('is opened by the first sale, with the last shift’s counted cash, if the store counts no floats', async () => {
    const lane = await open()
    await lane.sell('A', 1)
    const first = (await lane.current()).shift
    expect(first).toMatchObject({ floatCents: 0, floatCounted: false })
    await lane.count(first?.id ?? 0, 500)
    // A sale between count and close belongs to the next shift, which began with all the counted cash.
    await lane.sell('A', 2)
    await lane.close(first?.id ?? 0, 200)
    expect((await lane.current()).movements).toMatchObject([{ kind: 'deposit', amountCents: 300, reason: 'Shift 1' }])
    const second = (await lane.current()).shift
    expect(second).toMatchObject({ floatCents: 500, floatCounted: false })
    expect((await lane.count(second?.id ?? 0, 1_200)).result?.cash).toMatchObject({ expectedCents: 1_200 })
  })

  test.each([200, 600])(
    'has no difference when its shift began between count and recount of the previous shift, which left %i cents',
    async (left) => {
      const lane = await open()
      await lane.openWith(600)
      const { shift } = await lane.current()
      await lane.count(shift?.id ?? 0, 500)
      await lane.sell('A', 2)
      await lane.recount(shift?.id ?? 0, 600)
      await lane.close(shift?.id ?? 0, left)
      const second = (await lane.current()).shift
      expect(await lane.count(second?.id ?? 0, left + 1_000)).toMatchObject({
        result: { cash: { differenceCents: 0 } },
      })
    },
  )

  test('has less expected cash after an earlier counted shift closes and moves cash to the safe', async () => {
    const { lane, first } = await twoCounted()
    await lane.sell('A', 2)
    await lane.close(first, 200)
    const third = (await lane.current()).shift?.id ?? 0
    expect((await lane.count(third, 2_200)).result?.cash).toMatchObject({ differenceCents: 0 })
  })

  test.each([true, false])(
    'allows its counted shifts to be closed only in order, and counts cash for the safe once (third shift open: %s)',
    async (thirdIsOpen) => {
      const { lane, first, second } = await twoCounted()
      if (thirdIsOpen) await lane.sell('A', 2)
      const close = (id: number, leftCents: number) =>
        ['POST', `/api/shifts/${id}/close`, { reason: null, leftCents }] as const
      expect(await lane.here.refused(...close(second, 100))).toBe('shift-earlier-counted')
      // Of the $5.00 counted, $3.00 goes to the safe, so $12.00 of the $15.00 counted in the next shift remains.
      await lane.close(first, 200)
      const { counted } = await lane.current()
      expect(counted).toMatchObject([{ id: second, countedCents: 1_500, takenCents: 300 }])
      expect(await lane.here.refused(...close(second, 1_201))).toBe('shift-left-exceeds')
      expect(await lane.close(second, 1_000)).toMatchObject({ leftCents: 1_000, takenCents: 300 })
      if (!thirdIsOpen) await lane.sell('A', 2)
      const third = (await lane.current()).shift?.id ?? 0
      expect((await lane.count(third, 2_000)).result?.cash).toMatchObject({ differenceCents: 0 })
      await lane.close(third, 0)
      const { shifts } = await lane.z()
      expect(shifts.map(({ toSafeCents }) => toSafeCents)).toEqual([300, 200, 2_000])
      expect(shifts.map(({ broughtCents }) => broughtCents)).toEqual([500, 0, 0])
    },
  )

  test('must be opened before a sale when the store counts its floats', async () => {
    const lane = await open({ shifts: { opening: 'counted' } })
    expect(await lane.here.refused('POST', '/api/sales/current/lines', { sku: 'A' })).toBe('shift-required')
    expect((await lane.current()).mustOpen).toBe(true)
    await lane.openWith(0)
    await lane.sell('A', 1)
    expect(await lane.here.refused('POST', '/api/shifts', { float: sum(1) })).toBe('shift-open-already')
  })

  test("needs a supervisor's approval for a payout by a cashier, and none to be opened without a sale", async () => {
    const lane = await open({ staffId: 'alex' })
    await lane.openWith(10_000)
    const asked = { kind: 'paid-out', amountCents: 700, reason: 'stamps' }
    expect(await lane.here.refused('POST', '/api/shifts/current/movements', asked)).toBe('approval-required')
    expect((await lane.current()).movements).toEqual([])
    const { body } = await approved(lane.here, 'POST', '/api/shifts/current/movements', asked)
    expect(body['movement']).toMatchObject({ kind: 'paid-out', amountCents: 700, approvedBy: 'Sam Okafor' })
    expect((await lane.move('no-sale', 0)).status).toBe(200)
    expect((await lane.move('drop', 100, '\0')).body['code']).toBe('body-invalid')
    expect(await lane.here.refused('POST', '/api/shifts/current/movements', { ...asked, kind: 'no-sale' })).toBe(
      'body-invalid',
    )
    expect(await lane.here.refused('GET', '/api/x-report')).toBe('manager-required')
  })

  test('records no cash movement of a person who was signed out while an approver’s PIN was checked', async () => {
    const lane = await open({ staffId: 'alex' })
    await lane.openWith(10_000)
    const asked = { kind: 'paid-out', amountCents: 700, reason: 'stamps' }
    const { body } = await lane.here.call('POST', '/api/shifts/current/movements', asked)
    const approval = { ...SAM, covers: body.approval?.covers }
    const checks = holdPinChecks()
    const moved = lane.here.refused('POST', '/api/shifts/current/movements', { ...asked, approval })
    await checks.begun
    const left = await lane.here.call('POST', '/api/sign-out').finally(checks.release)
    expect([await moved, left.status]).toEqual(['sign-in-required', 204])
    expect(lane.here.read('SELECT id FROM cash_movement')).toEqual([])
  })

  test('needs a new approval after a recount, and does not show the approver the difference before it', async () => {
    const lane = await open({
      staffId: 'alex',
      approvals: { actions: { 'drawer-close': { cashier: 'with-approval' } } },
    })
    await lane.openWith(5_000)
    const { shift } = await lane.current()
    const path = `/api/shifts/${shift?.id}/close`
    await lane.count(shift?.id ?? 0, 4_000)
    const close = { reason: 'miscount', leftCents: 4_000 }
    const { body: asked } = await lane.here.call('POST', path, close)
    expect(asked.approval).toMatchObject({ of: 'drawer-close', countedCents: 4_000, differenceCents: null })
    const sam = { ...SAM, covers: asked.approval?.covers }
    for (const other of [{ leftCents: 0 }, { reason: 'correction' }])
      expect(await lane.here.refused('POST', path, { ...close, ...other, approval: sam })).toBe('approval-required')
    await lane.recount(shift?.id ?? 0, 1_000)
    expect(await lane.here.refused('POST', path, { ...close, leftCents: 1_000, approval: sam })).toBe(
      'approval-required',
    )
    const { body: again } = await lane.here.call('POST', path, { ...close, leftCents: 1_000 })
    expect(again.approval).toMatchObject({ countedCents: 1_000, differenceCents: -4_000, leftCents: 1_000 })
    await approved(lane.here, 'POST', path, { ...close, leftCents: 1_000 })
    expect(lane.here.read("SELECT detail FROM audit_entry WHERE kind = 'approval-given'")).toMatchObject([
      { detail: expect.stringContaining('"differenceCents":-4000') as string },
    ])
  })

  test('pays for a return in the shift in which the return is made', async () => {
    const lane = await open()
    await lane.openWith(5_000)
    const sold = await lane.sell('A', 2)
    const first = (await lane.current()).shift
    await lane.count(first?.id ?? 0, 6_000)
    await lane.close(first?.id ?? 0, 6_000)
    await lane.openWith(6_000)
    const { body: quote } = await lane.here.call('POST', '/api/returns/quote', {
      saleId: sold.id,
      lines: [{ number: 1, quantity: 1 }],
    })
    const { status } = await lane.here.call('POST', '/api/returns', {
      saleId: sold.id,
      version: quote['version'],
      lines: [{ number: 1, quantity: 1 }],
      refunds: quote['refunds'],
      reason: 'damaged',
    })
    expect(status).toBe(200)
    const second = (await lane.current()).shift
    expect((await lane.count(second?.id ?? 0, 5_500)).result?.cash.differenceCents).toBe(0)
  })
})

describe('X and Z reports', () => {
  test('put each closed shift into exactly one Z, and start the next Z at the time of the previous one', async () => {
    const lane = await open()
    expect(await lane.here.refused('POST', '/api/z-reports')).toBe('nothing-to-close')
    await lane.openWith(1_000)
    const sale = await lane.sell('B', 2)
    await lane.sell('A', 1, 'card')
    const x = await lane.x()
    expect(x.totals.sales).toMatchObject({ count: 2, netCents: 2_500, firstId: sale.id })
    expect(x.totals.cashHidden, 'the drawer was not counted').toBe(true)
    expect(x.totals.tenders.map(({ kind }) => kind)).toEqual(['card'])
    expect(x.totals.openSales, 'sales and this would reveal the cash').toBeNull()
    const { shift } = await lane.current()
    const counted = await lane.count(shift?.id ?? 0, 1_000 + sale.totals.cashDueCents)
    expect(await lane.here.refused('POST', '/api/z-reports')).toBe('shift-not-closed')
    await lane.close(counted.id, 1_000)
    await lane.sell('A', 1)
    const z = await lane.z()
    expect(z).toMatchObject({
      number: 1,
      from: null,
      shifts: [{ id: counted.id, differenceCents: 0 }],
      totals: {
        sales: { count: 2, grossCents: 2_500, discountCents: 0, netCents: 2_500 },
        departments: [
          { id: 'books', netCents: 2_000 },
          { id: 'fruit', netCents: 500 },
        ],
      },
      grandTotals: { sales: 2 },
    })
    expect(z.totals.tenders).toMatchObject([{ kind: 'cash' }, { kind: 'card', netCents: 500 }])
    const paid = z.totals.tenders.reduce((total, { netCents }) => total + netCents, 0)
    expect(paid).toBe(z.totals.sales.totalCents)
    await lane.here.printed('Z00000001')
    expect((await lane.here.call('GET', '/api/z-reports/1')).body).toEqual(z)
    const { body: paper } = await lane.here.call('GET', '/api/z-reports/1/receipt')
    expect(paper['document']).toMatchObject({ title: 'Z 1' })
    expect(JSON.stringify(paper['document']), 'departments by their names').toContain('"Books"')
    expect(await lane.here.refused('GET', '/api/z-reports/2/receipt')).toBe('receipt-missing')
    const next = (await lane.current()).shift
    await lane.close((await lane.count(next?.id ?? 0, 1_500)).id, 0)
    expect(await lane.z()).toMatchObject({
      number: 2,
      from: z.at,
      totals: { sales: { count: 1 } },
      grandTotals: { sales: 3, salesCents: z.totals.sales.totalCents + 500 },
    })
    await lane.here.call('POST', '/api/z-reports/1/reprint')
    await lane.here.printed('Z00000001', undefined, 1)
  })

  test('show sold gift cards apart from sales, and typed card payments as card slips', async () => {
    const lane = await open()
    await lane.openWith(0)
    await lane.here.call('POST', '/api/sales/current/gift-cards', { amountCents: 2_000 })
    await lane.sell('A', 1, 'card')
    const { shift } = await lane.current()
    await lane.close((await lane.count(shift?.id ?? 0, 0)).id, 0)
    expect((await lane.z()).totals).toMatchObject({
      sales: { count: 1, grossCents: 500, netCents: 500, totalCents: 500 },
      giftCards: { count: 1, amountCents: 2_000 },
      departments: [{ id: 'fruit', netCents: 500 }],
    })
    const { body } = await lane.here.call('GET', '/api/z-reports/1/receipt')
    const text = JSON.stringify(body['document'])
    expect(text).toContain('{"kind":"row","left":"Gift cards sold (1)","right":"$20.00"}')
    expect(text).not.toContain('gift-cards')
    expect(text).toContain('Card slips (1)')
  })

  test('count a payment on an open sale in its own shift, and the sale in the shift in which it ends', async () => {
    const lane = await open()
    await lane.openWith(0)
    const sale = await lane.here.ring('A', 4)
    await lane.here.call('POST', `/api/sales/${sale.id}/tenders`, {
      version: sale.version,
      kind: 'card',
      amountCents: 500,
      reference: 'S1',
    })
    const first = (await lane.current()).shift
    await lane.close((await lane.count(first?.id ?? 0, 0)).id, 0)
    const z = await lane.z()
    expect(z.totals).toMatchObject({
      sales: { count: 0, totalCents: 0 },
      tenders: [{ kind: 'card', netCents: 500 }],
      openSales: { beforeCents: 0, afterCents: 500 },
    })
    const now = await lane.here.current()
    await lane.here.call('POST', `/api/sales/${sale.id}/tenders`, {
      version: now?.version,
      kind: 'card',
      amountCents: 1_500,
      reference: 'S2',
    })
    const second = (await lane.current()).shift
    await lane.close((await lane.count(second?.id ?? 0, 0)).id, 0)
    expect((await lane.z()).totals).toMatchObject({
      sales: { count: 1, totalCents: 2_000 },
      tenders: [{ kind: 'card', netCents: 1_500 }],
      openSales: { beforeCents: 500, afterCents: 0 },
    })
  })
})

test('each person has a drawer of their own if the profile requires it', async () => {
  const lane = await open({ staffId: 'alex', shifts: { drawers: 'cashier' } })
  await lane.openWith(1_000)
  await lane.sell('A', 1)
  const mine = (await lane.current()).shift
  expect(mine).toMatchObject({ drawerOf: { id: 'alex' } })
  await lane.here.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  expect((await lane.current()).shift).toBeNull()
  await lane.openWith(2_000)
  await lane.sell('A', 2)
  const sams = (await lane.current()).shift
  await lane.here.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  expect(await lane.here.refused('POST', `/api/shifts/${sams?.id}/counts`, count(1))).toBe('shift-of-another')
  expect((await lane.count(mine?.id ?? 0, 1_500)).result?.cash.differenceCents).toBe(0)
})

test('no answer and no event reveals the expected cash of a drawer before its count is final', async () => {
  const lane = await open()
  await lane.openWith(12_300)
  const sale = await lane.sell('A', 3)
  await lane.sell('A', 1)
  await lane.move('drop', 777)
  // These must stay hidden: the expected cash, the cash taken for goods, and the difference of the first count.
  const [expectedCents, countedCents] = [12_300 + 2_000 - 777, 10_001]
  const hiddenFigures = [expectedCents, 2_000 - 777, expectedCents - countedCents].flatMap((cents) => [
    String(cents),
    (cents / 100).toFixed(2),
  ])
  const { shift } = await lane.current()
  const description = (await lane.here.call('GET', '/api/openapi.json')).body as unknown as {
    paths: Record<string, Record<string, unknown>>
  }
  const asked = Object.entries(description.paths).flatMap(([path, methods]) =>
    'get' in methods && path !== '/api/events'
      ? [path.replace('{number}', '1').replace('/sales/{id}', `/sales/${sale.id}`).replace('{id}', String(shift?.id))]
      : [],
  )
  expect(asked.length).toBeGreaterThan(30)
  const expectBlind = (text: string): void => {
    for (const figure of hiddenFigures)
      expect(text).not.toMatch(new RegExp(`(?<![\\d.]|\\w-)${figure.replace('.', '\\.')}(?!\\d)`))
  }
  async function everythingIsBlind(): Promise<void> {
    for (const path of asked) expectBlind(`${path} ${(await lane.here.file(path)).bytes.toString('latin1')}`)
    for (const event of lane.here.events()) expectBlind(JSON.stringify(event))
  }
  await everythingIsBlind()
  const first = await lane.count(shift?.id ?? 0, countedCents)
  expect(first).toMatchObject({ recount: ['cash'], countedCents, result: null })
  expectBlind(JSON.stringify(first))
  await everythingIsBlind()
  expect((await lane.x()).totals.cashHidden).toBe(true)
  // A close without a reason is refused and reveals no amount; after the recount the expected cash is shown.
  const refused = await lane.here.call('POST', `/api/shifts/${first.id}/close`, { reason: null, leftCents: 1 })
  expect(refused.body.code).toBe('shift-reason-required')
  expectBlind(JSON.stringify(refused.body))
  expect((await lane.recount(first.id, countedCents)).result?.cash).toMatchObject({ expectedCents })
})
