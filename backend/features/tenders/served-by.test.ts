import { expect, test } from 'vitest'
import { EarlierSales } from '../../../contracts/api/earlier-sales.ts'
import { HeldSales } from '../../../contracts/api/held-sales.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'

const centre = useCentre()
const APPLES = '1001' // 6.99, no tax
const DETERGENT = '1021' // 22.59 with tax

const MARIE = { staffId: 'marie', pin: '1234' }
const takesOver = async (counter: Counter): Promise<void> => {
  await counter.call('POST', '/api/sign-in', MARIE)
}
const act = async (counter: Counter, sale: Sale, what: string, body: object = {}): Promise<Sale> =>
  (await counter.call('POST', `/api/sales/${sale.id}/${what}`, { version: sale.version, ...body })).body.sale
const cash = (counter: Counter, sale: Sale, tenderedCents: number): Promise<Sale> =>
  act(counter, sale, 'tenders', { kind: 'cash', tenderedCents })

/** Who is told to have served: in the list, and on the paper, of which a copy says the same. */
async function told(
  counter: Counter,
  id: string,
): Promise<{ list: string | undefined; paper: unknown; copy: unknown }> {
  await counter.printed(id)
  const nameOn = (document: unknown): unknown =>
    /(?:Cashier: |Servi par : )([^"]+)"/.exec(JSON.stringify(document))?.[1]
  const paper = nameOn((await counter.call('GET', `/api/sales/${id}/receipt`)).body.document)
  await counter.call('POST', `/api/sales/${id}/reprint`)
  await counter.printed(id, 'confirmed', 1)
  const [copy] = counter.read<{ document: string }>(
    `SELECT document FROM print_job WHERE sale_id = '${id}' AND copy = 1`,
  )
  const { sales } = EarlierSales.parse((await counter.call('GET', '/api/sales/earlier')).body)
  return {
    list: sales.find((sale) => sale.id === id)?.cashier,
    paper,
    copy: nameOn(JSON.parse(copy?.document ?? '""')),
  }
}
const BY_MARIE = { list: 'Marie Gagnon', paper: 'Marie Gagnon', copy: 'Marie Gagnon' }

test('whoever opened the sale, the person who takes the money has served, and a later cashier changes nothing of it', async () => {
  const counter = await openCounter(centre)
  const sale = await counter.ring(APPLES)
  await takesOver(counter)
  expect((await cash(counter, sale, 700)).state).toBe('completed')
  await counter.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  expect(await told(counter, sale.id)).toEqual(BY_MARIE)
})

test('of a sale that two took payments for it is who took the last, with a gift receipt and a gift card that say so too', async () => {
  const counter = await openCounter(centre)
  await counter.ring(APPLES)
  const sale = (await counter.call('POST', '/api/sales/current/gift-cards', { amountCents: 2000 })).body.sale
  const partly = await cash(counter, sale, 500)
  await takesOver(counter)
  await cash(counter, partly, 5000)
  await counter.call('POST', `/api/sales/${sale.id}/gift-receipt`)
  await counter.event(
    (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
      event.type === 'print-job' && event.paper === 'gift' && event.state === 'confirmed',
  )
  const papers = counter.read<{ document: string }>('SELECT document FROM print_job').map(({ document }) => document)
  expect(papers).toHaveLength(3)
  for (const paper of papers) expect(paper).toContain('Marie Gagnon')
})

test('held by one, resumed and paid by another: the list of those on hold names who put it there', async () => {
  const counter = await openCounter(centre)
  const sale = await counter.ring(APPLES)
  await takesOver(counter)
  const held = await act(counter, sale, 'hold')
  expect(HeldSales.parse((await counter.call('GET', '/api/sales/held')).body).sales).toMatchObject([
    { id: sale.id, cashier: 'Marie Gagnon' },
  ])
  await counter.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  await cash(counter, await act(counter, held, 'resume'), 700)
  expect(await told(counter, sale.id)).toEqual({ list: 'Sam Okafor', paper: 'Sam Okafor', copy: 'Sam Okafor' })
})

test('a sale that came back after a restart is served by who completes it, be it with miles', async () => {
  const before = await openCounter(centre)
  const rung = await before.ring(DETERGENT)
  const known = await before.swipe('fine')
  const partly = await act(before, known, 'tenders', { kind: 'card', amountCents: 259, reference: 'T1' })
  await before.close()
  const after = await openCounter(centre, { folder: before.folder })
  await takesOver(after)
  const sale = await after.until((now) => now.id === rung.id && now.redemptionChoice !== null)
  expect(sale.version).toBe(partly.version)
  expect((await act(after, sale, 'redemption', { units: 2 })).state).toBe('completed')
  expect(await told(after, rung.id)).toEqual(BY_MARIE)
})

test('a sale that is cancelled, or that a discount brings down to what was paid, is told by who ended it', async () => {
  const counter = await openCounter(centre)
  const cancelled = await counter.ring(APPLES)
  await takesOver(counter)
  await act(counter, cancelled, 'cancel')
  await counter.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  const paid = await cash(counter, await counter.ring(APPLES), 600)
  await counter.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  expect(
    (await act(counter, paid, 'discounts', { line: 1, off: { kind: 'amount', cents: 99 }, reason: 'damaged' })).state,
  ).toBe('completed')
  const { sales } = EarlierSales.parse((await counter.call('GET', '/api/sales/earlier')).body)
  expect(sales.map(({ state, cashier }) => [state, cashier])).toEqual([
    ['completed', 'Sam Okafor'],
    ['cancelled', 'Marie Gagnon'],
  ])
})
