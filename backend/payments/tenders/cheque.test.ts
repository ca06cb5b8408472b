import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { DETERGENT, formsOf, returnPieces } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()
const PAYMENTS = ['cash', 'cheque'] as const

test('a cheque pays a portion of a sale, is on the receipt with its number, and becomes store credit', async () => {
  const harness = await openTerminalHarness(central, { payments: [...PAYMENTS] })
  const { send } = saleActions(harness)
  await harness.ring(DETERGENT)
  await send('POST', '/tenders', { kind: 'cheque', amountCents: 1500, reference: '0042' })
  const { sale } = await send('POST', '/tenders', { kind: 'cash', tenderedCents: 760 })
  expect(sale).toMatchObject({
    state: 'completed',
    tenders: [
      { kind: 'cheque', amountCents: 1500, reference: '0042' },
      { kind: 'cash', changeCents: 0 },
    ],
  })
  await harness.printed(sale.id)
  const { document } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body
  expect(document.blocks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ left: 'Cheque', right: '$15.00' }),
      expect.objectContaining({ left: '  Cheque no.', right: '0042' }),
    ]),
  )
  expect(formsOf(await returnPieces(harness, sale, [1, 1]))).toEqual([
    ['cash', 759, 1],
    ['store-credit', 1500, 0],
  ])
})

test('a cheque given back in an open sale prints a slip with which it is returned to the customer', async () => {
  const harness = await openTerminalHarness(central, { payments: [...PAYMENTS] })
  const { send } = saleActions(harness)
  await harness.ring(DETERGENT)
  await send('POST', '/tenders', { kind: 'cheque', amountCents: 1500, reference: '7' })
  expect((await send('POST', '/tenders/1/take-back', {})).sale).toMatchObject({
    state: 'open',
    tenders: [],
    totals: { dueCents: 2259 },
  })
  const [paper] = harness.read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'payment-back'")
  expect(paper?.document).toMatch(/Cheque returned.*15\.00.*Cheque no\..*7/)
})

test('a cheque is refused above the amount due, with an invalid number, and where the store accepts none', async () => {
  const harness = await openTerminalHarness(central, { payments: [...PAYMENTS] })
  const { send } = saleActions(harness)
  await harness.ring(DETERGENT)
  const cheque = { kind: 'cheque', amountCents: 1500, reference: '1' }
  expect(await send('POST', '/tenders', { ...cheque, amountCents: 2260 })).toMatchObject({ code: 'tender-exceeds-due' })
  expect(await send('POST', '/tenders', { ...cheque, amountCents: 0 })).toMatchObject({ code: 'tender-amount-invalid' })
  expect(await send('POST', '/tenders', { ...cheque, reference: '00123-003-1234567' })).toMatchObject({
    code: 'body-invalid',
  })
  const elsewhere = await openTerminalHarness(central)
  await elsewhere.ring(DETERGENT)
  expect(await saleActions(elsewhere).send('POST', '/tenders', cheque)).toMatchObject({
    code: 'body-invalid',
    details: [{ path: '/kind' }],
  })
})
