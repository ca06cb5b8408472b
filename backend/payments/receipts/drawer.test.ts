import { expect, test } from 'vitest'
import { cents } from '../../../contracts/core/money.ts'
import { openCheckout } from '../../../packages/lab/testing/checkout-harness.ts'
import { withoutApproval } from '../../sales/approvals/guard.ts'
import type { PrintingDevice } from './receipts.ts'

async function openLane() {
  const printer = {
    state: 'confirmed' as 'confirmed' | 'failed' | 'unknown',
    drawerOpenedAt: null as number | null,
    kicks: [] as boolean[],
  }
  const device: PrintingDevice = {
    get drawerOpenedAt() {
      return printer.drawerOpenedAt
    },
    print(request) {
      printer.kicks.push(request.openDrawer)
      return Promise.resolve({ state: printer.state, detail: null })
    },
  }
  const { checkout, clock, cashier } = await openCheckout(device)
  const untilPrinted = async (): Promise<void> => {
    await checkout.receipts.whenPrinted()
  }
  return {
    clock,
    printer,
    async sell(kind: 'cash' | 'card'): Promise<string> {
      const sale = checkout.sales.ringSku('1001', 1)
      checkout.tenders.add(
        sale.id,
        kind === 'cash'
          ? { kind, version: sale.version, tenderedCents: cents(1_000) }
          : { kind, version: sale.version, amountCents: sale.totals.totalCents, reference: 'T1' },
      )
      await untilPrinted()
      return sale.id
    },
    async openDrawer(): Promise<number> {
      const { id } = checkout.shifts.move(
        { kind: 'no-sale', amountCents: cents(0), reason: 'change' },
        withoutApproval({ id: cashier.id, role: 'manager' }),
      )
      await untilPrinted()
      return id
    },
    async printSlipAgain(id: number): Promise<void> {
      clock.advance(60_000)
      checkout.shifts.reprintMovement(id, withoutApproval({ id: cashier.id, role: 'manager' }))
      await untilPrinted()
    },
    async printAgain(saleId: string): Promise<void> {
      clock.advance(60_000)
      checkout.receipts.reprint({ kind: 'sale', id: saleId }, { actorId: cashier.id })
      await untilPrinted()
    },
  }
}

test('the receipt of a cash sale opens the drawer; its copy and the receipt of a card sale do not', async () => {
  const lane = await openLane()
  const sale = await lane.sell('cash')
  await lane.printAgain(sale)
  expect(lane.printer.kicks).toEqual([true, false])
  await lane.sell('card')
  expect(lane.printer.kicks).toEqual([true, false, false])
})

test('each attempt to print an unprinted cash receipt opens the drawer; a later copy does not', async () => {
  const lane = await openLane()
  lane.printer.state = 'failed'
  const sale = await lane.sell('cash')
  await lane.printAgain(sale)
  lane.printer.state = 'confirmed'
  await lane.printAgain(sale)
  await lane.printAgain(sale)
  expect(lane.printer.kicks).toEqual([true, true, true, false])
})

test('a cash receipt whose print outcome is unknown does not open the drawer when it is printed again', async () => {
  const lane = await openLane()
  lane.printer.state = 'unknown'
  const sale = await lane.sell('cash')
  lane.printer.state = 'confirmed'
  await lane.printAgain(sale)
  expect(lane.printer.kicks).toEqual([true, false])
})

test('a cash receipt printed later does not open the drawer if the drawer was opened in the meantime', async () => {
  const lane = await openLane()
  lane.printer.state = 'failed'
  const sale = await lane.sell('cash')
  lane.clock.advance(5_000)
  lane.printer.drawerOpenedAt = lane.clock.now()
  lane.printer.state = 'confirmed'
  await lane.printAgain(sale)
  expect(lane.printer.kicks).toEqual([true, false])
})

test('the slip of a cash movement opens the drawer when it is first printed, and not when printed again', async () => {
  const lane = await openLane()
  await lane.sell('cash')
  await lane.openDrawer()
  lane.printer.state = 'failed'
  const late = await lane.openDrawer()
  lane.printer.state = 'confirmed'
  await lane.printSlipAgain(late)
  expect(lane.printer.kicks).toEqual([true, true, true, false])
})
