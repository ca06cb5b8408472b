import { describe, expect, test } from 'vitest'
import type { XReport, ZReport } from '../../../contracts/api/day-end.ts'
import type { CurrentShift, Shift } from '../../../contracts/api/shifts.ts'
import { approved } from '../../testing/changing.ts'
import { useCentral } from '../../testing/central.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../testing/terminal-harness.ts'

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
    current: async () => (await here.call('GET', '/api/shifts/current')).body as unknown as CurrentShift,
    openWith: (cents: number) => here.call('POST', '/api/shifts', { float: sum(cents) }),
    move: (kind: string, amountCents: number, reason = 'safe') =>
      here.call('POST', '/api/shifts/current/movements', { kind, amountCents, reason }),
    async count(id: number, cents: number, more?: object) {
      return (await here.call('POST', `/api/shifts/${id}/counts`, count(cents, more))).body['shift'] as Shift
    },
    async close(id: number, leftCents: number, reason: string | null = null) {
      return (await here.call('POST', `/api/shifts/${id}/close`, { reason, leftCents })).body['shift'] as Shift
    },
    async z() {
      return (await here.call('POST', '/api/z-reports')).body['report'] as ZReport
    },
    x: async () => (await here.call('GET', '/api/x-report')).body as unknown as XReport,
    sell: (sku: string, quantity: number, kind: 'cash' | 'card' = 'cash') => sell(here, sku, quantity, kind),
  }
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

describe('a drawer', () => {
  test('opened with a counted float, counted and closed: over and short to the cent', async () => {
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
    expect(counted).toMatchObject({
      state: 'counted',
      result: {
        cash: { expectedCents: 20_800, countedCents: 20_790, differenceCents: -10 },
        cardSlips: { expectedCents: 1_000, countedCents: 1_000, differenceCents: 0 },
        mayRecount: true,
        needsReason: true,
      },
    })
    expect(await lane.here.refused('POST', `/api/shifts/${counted.id}/close`, { reason: null, leftCents: 1 })).toBe(
      'shift-reason-required',
    )
    expect((await lane.count(counted.id, 20_800)).result).toMatchObject({ number: 2, mayRecount: false })
    expect(await lane.here.refused('POST', `/api/shifts/${counted.id}/counts`, count(1))).toBe('shift-counted-twice')
    expect(
      await lane.here.refused('POST', `/api/shifts/${counted.id}/close`, { reason: null, leftCents: 20_801 }),
    ).toBe('shift-left-exceeds')
    expect(await lane.close(counted.id, 20_000)).toMatchObject({ state: 'closed', leftCents: 20_000, reason: null })
    expect(await lane.here.refused('POST', `/api/shifts/${counted.id}/close`, { reason: null, leftCents: 1 })).toBe(
      'shift-closed',
    )
    await lane.here.printed('SHIFT00000001')
  })

  test('counted by coins and notes', async () => {
    const lane = await open()
    await lane.here.call('POST', '/api/shifts', { float: { by: 'pieces', pieces: { 2000: 3, 25: 4, 5: 1 } } })
    expect((await lane.current()).shift?.floatCents).toBe(6_105)
  })

  test('opened by the first sale where the store counts no float, with what the last one left', async () => {
    const lane = await open()
    await lane.sell('A', 1)
    const first = (await lane.current()).shift
    expect(first).toMatchObject({ floatCents: 0, floatCounted: false })
    await lane.count(first?.id ?? 0, 500)
    // Sold between the count and the close: in the next shift, which began with all that was counted.
    await lane.sell('A', 2)
    await lane.close(first?.id ?? 0, 200)
    const second = (await lane.current()).shift
    expect(second).toMatchObject({ floatCents: 500, floatCounted: false })
    expect((await lane.count(second?.id ?? 0, 1_200)).result?.cash).toMatchObject({ expectedCents: 1_200 })
  })

  test('a store that counts its floats rings nothing before', async () => {
    const lane = await open({ shifts: { opening: 'counted' } })
    expect(await lane.here.refused('POST', '/api/sales/current/lines', { sku: 'A' })).toBe('shift-required')
    expect((await lane.current()).mustOpen).toBe(true)
    await lane.openWith(0)
    await lane.sell('A', 1)
    expect(await lane.here.refused('POST', '/api/shifts', { float: sum(1) })).toBe('shift-open-already')
  })

  test('cash paid out needs a supervisor, who approves exactly that', async () => {
    const lane = await open({ staffId: 'alex' })
    await lane.openWith(10_000)
    const asked = { kind: 'paid-out', amountCents: 700, reason: 'stamps' }
    expect(await lane.here.refused('POST', '/api/shifts/current/movements', asked)).toBe('approval-required')
    expect((await lane.current()).movements).toEqual([])
    const { body } = await approved(lane.here, 'POST', '/api/shifts/current/movements', asked)
    expect(body['movement']).toMatchObject({ kind: 'paid-out', amountCents: 700, approvedBy: 'Sam Okafor' })
    expect((await lane.move('no-sale', 0)).status).toBe(200)
    expect(await lane.here.refused('POST', '/api/shifts/current/movements', { ...asked, kind: 'no-sale' })).toBe(
      'body-invalid',
    )
    expect(await lane.here.refused('GET', '/api/x-report')).toBe('manager-required')
  })

  test('a return in cash leaves the drawer in the shift in which it is made', async () => {
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

describe('X and Z', () => {
  test('a Z takes in each closed shift once, without a gap, and the next begins after it', async () => {
    const lane = await open()
    expect(await lane.here.refused('POST', '/api/z-reports')).toBe('nothing-to-close')
    await lane.openWith(1_000)
    const sale = await lane.sell('B', 2)
    await lane.sell('A', 1, 'card')
    const x = await lane.x()
    expect(x.totals.sales).toMatchObject({ count: 2, netCents: 2_500, firstId: sale.id })
    expect(x.totals.cashHidden, 'the drawer was not counted').toBe(true)
    expect(x.totals.tenders.map(({ kind }) => kind)).toEqual(['card'])
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

  test('a payment on a sale that stays open stands in its own shift; the sale in that of its end', async () => {
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

test('everybody has a drawer of their own where the profile says so', async () => {
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

test('no answer and no event says what a drawer should hold before its count', async () => {
  const lane = await open()
  await lane.openWith(12_300)
  const sale = await lane.sell('A', 3)
  await lane.sell('A', 1)
  await lane.move('drop', 777)
  // By itself, as cents and as dollars, and the cash that was taken for goods.
  const told = [12_300 + 2_000 - 777, 2_000 - 777].flatMap((cents) => [String(cents), (cents / 100).toFixed(2)])
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
  const heard: string[] = []
  for (const path of asked) {
    const { bytes } = await lane.here.file(path)
    heard.push(`${path} ${bytes.toString('latin1')}`)
  }
  heard.push(...lane.here.events().map((event) => JSON.stringify(event)))
  for (const text of heard)
    for (const figure of told) expect(text).not.toMatch(new RegExp(`(?<![\\d.-])${figure.replace('.', '\\.')}(?!\\d)`))
  // With the count it is said.
  expect((await lane.count(shift?.id ?? 0, 1)).result?.cash.expectedCents).toBe(12_300 + 2_000 - 777)
})
