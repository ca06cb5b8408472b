import { Sale } from '../../contracts/sales/sales.ts'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import { z } from 'zod'
import { now } from '../checkout/clock.ts'
import { itemAt } from '../checkout/items.ts'
import { rest } from '../checkout/scans.ts'
import { beginSale, boardPath, type OfferLane } from './lanes.ts'
import { basketItem } from './offer-mix.ts'

export interface Paired<Value> {
  readonly a: Value
  readonly b: Value
}

const SaleAnswer = z.object({ sale: Sale })

/**
 * Milliseconds of the request that takes the last payment and commits the completion of a sale with this number of
 * lines, measured at the two lanes alternately.
 */
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
    // The window also requests the offers after every change of the sale; the lane without offers returns an empty
    // list.
    await client.get(boardPath(saleId, LOCALES[0]))
  }
  // Read the current version of the sale, because the member’s calls have changed it.
  const { sale } = SaleAnswer.parse(await client.get(`/api/sales/${saleId}`))
  const from = now()
  await client.payByCard(sale)
  return now() - from
}
