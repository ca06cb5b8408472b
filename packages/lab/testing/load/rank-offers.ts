import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { Offer } from '../../../../contracts/central/offers.ts'
import { OfferMatch } from '../../../../contracts/core/profile.ts'
import { offersForBasket } from '../../../../backend/loyalty/basket-offers/offer-rules.ts'
import type { OfferType } from '../../../../backend/loyalty/offers/offer-terms.ts'
import { toStoredOffer } from '../../../../backend/loyalty/offers/fetch.ts'
import type { StoredOffer } from '../../../../backend/loyalty/offers/offers.sql.ts'

/**
 * Measures COUNT rankings of a file’s offers for its basket: `node … rank-offers.ts FILE COUNT WARM_UP`. Prints the
 * milliseconds of each ranking and the number of offers in each state. The file has the services’ responses by offer
 * type, and the data that the lane adds.
 */
const Input = z.object({
  offers: z.object({ buy: z.array(Offer), spend: z.array(Offer) }),
  partnerId: z.string(),
  matches: z.array(OfferMatch),
  now: z.string(),
  states: z.array(z.tuple([z.string(), z.object({ optedIn: z.boolean(), saved: z.boolean() })])),
  lines: z.array(
    z.object({
      sku: z.string(),
      quantity: z.int(),
      amountCents: z.int(),
      departmentId: z.string(),
      categoryId: z.string().nullable(),
    }),
  ),
})

const [file = '', count = '100', warmUp = '20'] = process.argv.slice(2)
const { offers, lines, states, ...setting } = Input.parse(JSON.parse(readFileSync(file, 'utf8')))
const ofType = (type: OfferType): StoredOffer[] =>
  offers[type].map((offer) => {
    const stored = toStoredOffer(offer)
    return { ...stored, terms: { ...stored.terms, type } }
  })
const list = [...ofType('buy'), ...ofType('spend')]
const known = new Map(states)
const samples: number[] = []
const ranks: Record<string, number> = {}
for (let index = -Number(warmUp); index < Number(count); index += 1) {
  // The basket changes before each ranking, as after each item rung.
  const basket = { lines: lines.map((line, at) => ({ ...line, quantity: at === 0 ? 1 + (Math.abs(index) % 5) : 1 })) }
  const from = performance.now()
  const ranked = offersForBasket(list, { ...basket, coupons: [] }, { ...setting, states: known })
  if (index >= 0) samples.push(performance.now() - from)
  if (index === 0) for (const { status } of ranked) ranks[status] = (ranks[status] ?? 0) + 1
}
process.stdout.write(JSON.stringify({ samples, ranks }))
