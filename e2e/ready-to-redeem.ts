import type { Sale } from '../contracts/sales/sales.ts'
import { CASHIER } from './lane.ts'
import { COLLECTORS, ean13, ITEMS, type Store } from './store.ts'
import type { Window } from '../packages/lab/rig/window.ts'
import { openTerminal, presentCard } from './terminal.ts'

/** Rings four detergents ($90.35 with tax) and swipes the card of a collector who can redeem nine units for them. */
export async function readyToRedeem({
  lane,
  scanner,
  reader,
}: Pick<Store, 'lane' | 'scanner' | 'reader'>): Promise<{ client: Window; sale: Sale }> {
  const client = await openTerminal(lane, CASHIER)
  for (let count = 0; count < 4; count += 1) await scanner.send(ean13(ITEMS.detergent.code))
  await client.first('sale-changed', ({ sale }) => sale.lines[0]?.quantity === 4)
  await presentCard(client, reader, COLLECTORS.fine)
  await client.first('sale-changed', ({ sale }) => sale.member?.state === 'known')
  const sale = await client.current()
  if (!sale) throw new Error('no sale')
  return { client, sale }
}
