import type { Sale } from '../../../contracts/sales/sales.ts'
import type { SaleReturn } from '../../../contracts/payments/returns.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Tx } from '../../../backend/core/db/transact.ts'
import type { ReturnCommand, SaleCommand } from '../rig/cashier.ts'
import type { Command } from './window-driver.ts'
import type { Run } from './terminal.ts'

export interface Actor {
  readonly actorId: string
  readonly role: 'cashier' | 'manager'
  readonly approval: null
}

export const inProcess = (command: SaleCommand, actor: Actor): Command<Sale> => ({
  requestFields: [command.kind, JSON.stringify(command)],
  work: (run, storeKey) => performIn(run, command, actor, storeKey),
  ...(command.kind === 'redeem' ? { interrupted: (run: Run) => run.checkout.sales.view(command.sale.id) } : {}),
})

export const returnInProcess = ({ goods }: ReturnCommand, actor: Actor): Command<SaleReturn> => ({
  requestFields: ['return', JSON.stringify(goods)],
  work: (run) => run.checkout.returns.commit(goods, actor),
})

function performIn(
  { checkout }: Run,
  command: SaleCommand,
  actor: Actor,
  storeKey: (tx: Tx) => void,
): Sale | Promise<Sale> {
  if (command.kind === 'ring') return checkout.sales.ringSku(command.sku, command.quantity)
  if (command.kind === 'gift card') return checkout.vouchers.sell({ amountCents: cents(command.amountCents) }, actor)
  const { id, version } = command.sale
  switch (command.kind) {
    case 'tender':
      return checkout.tenders.add(id, command.tender)
    case 'redeem':
      return checkout.milesTender.redeem(id, version, command.units, storeKey)
    case 'return payment':
      return checkout.takeBack.takeBack(id, version, command.number, actor.actorId)
    case 'void line':
      return checkout.sales.voidLine(id, version, command.number, actor)
    case 'cancel':
      return checkout.tenders.cancel(id, version, actor)
    case 'hold':
      return checkout.heldSales.hold(id, version, command.name, actor)
    case 'resume':
      return checkout.heldSales.resumeHere(id, version, actor.actorId, () => undefined)
  }
}
