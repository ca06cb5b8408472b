import { BasketOffers } from '../../contracts/loyalty/basket-offers.ts'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { now } from '../checkout/clock.ts'
import { itemAt } from '../checkout/items.ts'
import { beginSale, boardPath, untilOffersAreThere, type OfferLane } from './lanes.ts'
import { basketItem } from './offer-mix.ts'

export interface Board {
  readonly saleId: string
  readonly samples: ReadonlyMap<Locale, readonly number[]>
  readonly saleAlone: readonly number[]
  readonly bytes: number
  readonly ranks: Readonly<Record<string, number>>
}

export async function measureBoard(
  lane: OfferLane,
  { offers, lines, samples, warmUp }: { offers: number; lines: number; samples: number; warmUp: number },
  signal: AbortSignal,
): Promise<Board> {
  await beginSale(lane)
  let saleId = ''
  for (let line = 0; line < lines; line += 1) ({ id: saleId } = await lane.client.ring(itemAt(basketItem(line)).sku))
  await untilOffersAreThere(lane.client, saleId, { offers, locales: LOCALES, signal })
  const taken = new Map<Locale, number[]>(LOCALES.map((locale) => [locale, []]))
  const saleAlone: number[] = []
  for (let index = -warmUp; index < samples; index += 1) {
    signal.throwIfAborted()
    for (const [locale, times] of taken) {
      const { ms } = await timedGet(lane, boardPath(saleId, locale))
      if (index >= 0) times.push(ms)
    }
    const { ms } = await timedGet(lane, `/api/sales/${saleId}`)
    if (index >= 0) saleAlone.push(ms)
  }
  const { body } = await timedGet(lane, boardPath(saleId, 'en-CA'))
  const ranks: Record<string, number> = {}
  for (const { standing } of BasketOffers.parse(JSON.parse(body.toString('utf8'))).offers)
    ranks[standing] = (ranks[standing] ?? 0) + 1
  return { saleId, samples: taken, saleAlone, bytes: body.byteLength, ranks: ranks }
}

/** Times a GET request to the last byte, without parsing the response, because the window’s work is not measured. */
export async function timedGet(
  { client }: Pick<OfferLane, 'client'>,
  where: string,
): Promise<{ readonly ms: number; readonly body: Buffer }> {
  const from = now()
  const body = await client.file(where)
  const ms = now() - from
  return { ms, body }
}
