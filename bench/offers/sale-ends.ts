import { Sale } from '../../contracts/sales/sales.ts'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import { z } from 'zod'
import { now } from '../checkout/clock.ts'
import { itemAt } from '../checkout/items.ts'
import { rest } from '../checkout/scans.ts'
import { beginSale, boardPath, type OfferLane } from './lanes.ts'
import { basketItem } from './offer-mix.ts'

/** Two lanes that take turns: `a` first, then `b`, and the other way round in the next round. */
export interface Paired<Value> {
  readonly a: Value
  readonly b: Value
}

const SaleAnswer = z.object({ sale: Sale })

/** Milliseconds of the last tender's call, which commits the end of a sale of so many lines, in turns. */
export async function measureSaleEnds(
  lanes: Paired<OfferLane>,
  { sales, warmUp, lines }: { sales: number; warmUp: number; lines: number },
  signal: AbortSignal,
): Promise<Paired<readonly number[]>> {
  const ends = { a: new Array<number>(), b: new Array<number>() }
  for (let round = -warmUp; round < sales; round += 1) {
    for (const which of round % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)) {
      signal.throwIfAborted()
      const ms = await sell(lanes[which], lines)
      if (round >= 0) ends[which].push(ms)
      // A customer walks away: what the sale set off is over before the next begins.
      await rest()
    }
  }
  return ends
}

async function sell(lane: OfferLane, lines: number): Promise<number> {
  const { client } = lane
  await beginSale(lane)
  let saleId = ''
  for (let line = 0; line < lines; line += 1) {
    ;({ id: saleId } = await client.ring(itemAt(basketItem(line)).sku))
    // As the window does after every change; at the lane without offers it is told of none.
    await client.get(boardPath(saleId, LOCALES[0]))
  }
  // With what has become of the member meanwhile.
  const { sale } = SaleAnswer.parse(await client.get(`/api/sales/${saleId}`))
  const from = now()
  await client.payByCard(sale)
  return now() - from
}
