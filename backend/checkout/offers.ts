import { keepOffersOfReceipts } from '../features/basket-offers/receipt.ts'
import { createSaidOffers } from '../features/basket-offers/repository.ts'
import { createBasketOffers } from '../features/basket-offers/service.ts'
import type { Members } from '../features/member/service.ts'
import { createMemberLane } from '../features/member-offers/member-lane.ts'
import { createOfferWishes } from '../features/member-offers/wishes.ts'
import type { Sales } from '../features/sales/service.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface OfferParts {
  readonly sales: Sales
  readonly members: Members
  /** Asks once more what a basket earns. */
  readonly preview: { readonly again: (saleId: string) => void }
}

/** The offers as they stand to the basket, what a member who has signed in wants of them, and what a receipt says. */
export function composeOffersAtTill(options: CheckoutOptions, ground: Ground, { sales, members, preview }: OfferParts) {
  const { db, profile, clock, rng, log } = options
  const { transact, journal, saleRows, events, publish } = ground
  const memberLane = createMemberLane({
    services: options.member ?? null,
    saleOf: saleRows.byId,
    collectorOf: members.collectorOf,
    region: profile.region,
    journal,
    transact,
    clock,
    rng,
    publish,
    log,
  })
  const { opened } = memberLane
  const basketOffers = createBasketOffers({
    sales,
    lists: options.offers ?? (() => undefined),
    ...(options.offerPicture ? { pictureOf: options.offerPicture } : {}),
    ...(opened
      ? { member: opened.offers.of, wishes: { stateOf: opened.offers.stateOf, wishesOf: opened.states.of } }
      : {}),
    profile,
    clock,
  })
  const offerWishes =
    opened &&
    createOfferWishes({
      saleOf: saleRows.byId,
      member: opened.offers,
      offers: basketOffers,
      states: opened.states,
      transact,
    })
  // What a member has opted into may earn more.
  opened?.states.events.on('settled', ({ saleId }) => {
    preview.again(saleId)
  })
  const saidOffers = createSaidOffers(db)
  keepOffersOfReceipts({ events, offers: basketOffers, said: saidOffers, profile, log })
  return { memberLane, basketOffers, offerWishes, saidOffers }
}
