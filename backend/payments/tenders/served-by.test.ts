import { expect, test } from 'vitest'
import { EarlierSales } from '../../../contracts/day/search.ts'
import { HeldSales } from '../../../contracts/sales/held-sales.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const APPLES = '1001'
const DETERGENT = '1021'

const MARIE = { staffId: 'marie', pin: '1234' }
const takesOver = async (harness: TerminalHarness): Promise<void> => {
  await harness.call('POST', '/api/sign-in', MARIE)
}
const act = async (harness: TerminalHarness, sale: Sale, what: string, body: object = {}): Promise<Sale> =>
  (await harness.call('POST', `/api/sales/${sale.id}/${what}`, { version: sale.version, ...body })).body.sale
const cash = (harness: TerminalHarness, sale: Sale, tenderedCents: number): Promise<Sale> =>
  act(harness, sale, 'tenders', { kind: 'cash', tenderedCents })

async function cashiersOf(
  harness: TerminalHarness,
  id: string,
): Promise<{ list: string | undefined; paper: unknown; copy: unknown }> {
  await harness.printed(id)
  const nameOn = (document: unknown): unknown =>
    /(?:Cashier: |Servi par : )([^"]+)"/.exec(JSON.stringify(document))?.[1]
  const paper = nameOn((await harness.call('GET', `/api/sales/${id}/receipt`)).body.document)
  await harness.call('POST', `/api/sales/${id}/reprint`)
  await harness.printed(id, 'confirmed', 1)
  const [copy] = harness.read<{ document: string }>(
    `SELECT document FROM print_job WHERE sale_id = '${id}' AND copy = 1`,
  )
  const { sales } = EarlierSales.parse((await harness.call('GET', '/api/sales/earlier')).body)
  return {
    list: sales.find((sale) => sale.id === id)?.cashier,
    paper,
    copy: nameOn(JSON.parse(copy?.document ?? '""')),
  }
}
const BY_MARIE = { list: 'Marie Gagnon', paper: 'Marie Gagnon', copy: 'Marie Gagnon' }

test('a completed sale names the cashier who took the payment, not the one who opened the sale', async () => {
  const harness = await openTerminalHarness(central)
  const sale = await harness.ring(APPLES)
  await takesOver(harness)
  expect((await cash(harness, sale, 700)).state).toBe('completed')
  await harness.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  expect(await cashiersOf(harness, sale.id)).toEqual(BY_MARIE)
})

test('the documents of a sale with payments to two cashiers name the one who took the last payment', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring(APPLES)
  const sale = (await harness.call('POST', '/api/sales/current/gift-cards', { amountCents: 2000 })).body.sale
  const partly = await cash(harness, sale, 500)
  await takesOver(harness)
  await cash(harness, partly, 5000)
  await harness.call('POST', `/api/sales/${sale.id}/gift-receipt`)
  await harness.event(
    (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
      event.type === 'print-job' && event.paper === 'gift' && event.state === 'confirmed',
  )
  const documents = harness.read<{ document: string }>('SELECT document FROM print_job').map(({ document }) => document)
  expect(documents).toHaveLength(3)
  for (const paper of documents) expect(paper).toContain('Marie Gagnon')
})

test('a held sale names the cashier who held it, and its receipt the cashier who took the payment', async () => {
  const harness = await openTerminalHarness(central)
  const sale = await harness.ring(APPLES)
  await takesOver(harness)
  const held = await act(harness, sale, 'hold')
  expect(HeldSales.parse((await harness.call('GET', '/api/sales/held')).body).sales).toMatchObject([
    { id: sale.id, cashier: 'Marie Gagnon' },
  ])
  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  await cash(harness, await act(harness, held, 'resume'), 700)
  expect(await cashiersOf(harness, sale.id)).toEqual({ list: 'Sam Okafor', paper: 'Sam Okafor', copy: 'Sam Okafor' })
})

test('a sale recovered by a restart names the cashier who completes it, also with miles', async () => {
  const before = await openTerminalHarness(central)
  const rung = await before.ring(DETERGENT)
  const known = await before.swipe('fine')
  const partly = await act(before, known, 'tenders', { kind: 'card', amountCents: 259, reference: 'T1' })
  await before.close()
  const after = await openTerminalHarness(central, { folder: before.folder })
  await takesOver(after)
  const sale = await after.reached((now) => now.id === rung.id && now.redemptionChoice !== null)
  expect(sale.version).toBe(partly.version)
  expect((await act(after, sale, 'redemption', { units: 2 })).state).toBe('completed')
  expect(await cashiersOf(after, rung.id)).toEqual(BY_MARIE)
})

test('the list of earlier sales names the cashier who cancelled a sale or completed it by a discount', async () => {
  const harness = await openTerminalHarness(central)
  const cancelled = await harness.ring(APPLES)
  await takesOver(harness)
  await act(harness, cancelled, 'cancel')
  await harness.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  const paid = await cash(harness, await harness.ring(APPLES), 600)
  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  expect(
    (await act(harness, paid, 'discounts', { line: 1, off: { kind: 'amount', cents: 99 }, reason: 'damaged' })).state,
  ).toBe('completed')
  const { sales } = EarlierSales.parse((await harness.call('GET', '/api/sales/earlier')).body)
  expect(sales.map(({ state, cashier }) => [state, cashier])).toEqual([
    ['completed', 'Sam Okafor'],
    ['cancelled', 'Marie Gagnon'],
  ])
})
