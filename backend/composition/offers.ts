import { proxyFor } from '../../packages/delivery/outgoing.ts'
import { createHistoryClient } from '../loyalty/services/history.ts'
import { createOffersClient } from '../loyalty/services/offers.ts'
import type { Checkout } from './checkout.ts'
import { basketOffersRoutes } from '../loyalty/basket-offers/basket-offers.routes.ts'
import { createMemberHistory, memberHistoryRoutes } from '../loyalty/member/member-history.ts'
import { createMemberServices, memberOffersRoutes } from '../loyalty/member-offers/member-lane.ts'
import { memberSessionRoutes } from '../loyalty/member-session/member-session.routes.ts'
import { createSignInSlip } from '../loyalty/member-session/sign-in-slip.ts'
import { createFetchImage, PICTURE_LIMITS } from '../loyalty/offer-images/fetch-image.ts'
import { createOfferImages, offerImagesRoutes } from '../loyalty/offer-images/offer-images.ts'
import { createManagerOffers, managerOffersRoutes } from '../loyalty/offers/manager-offers.ts'
import { createOffersService, offersRoutes } from '../loyalty/offers/offers.ts'
import type { Routes } from '../core/http/app.ts'
import type { LaneDevices } from './devices.ts'
import type { Foundation } from './foundation.ts'
import type { Services } from './services.ts'

export type Offers = ReturnType<typeof composeOffers>

interface LoyaltyParts {
  readonly services: Services
  readonly devices: LaneDevices
  readonly kept: Offers
  readonly checkout: Checkout
  readonly staffName: (id: string) => string
}

/** The offers that the lane keeps with their pictures, and what serves members: what the checkout is made with. */
export function composeOffers(base: Foundation, { transport, load, breakers }: Services) {
  const { options, db, folder, profile, lane, clock, rng, log } = base
  const { dropped } = base.counts
  const { endpoints } = options
  const offers = createOffersService({
    db,
    clock,
    rng,
    load,
    transport,
    profile,
    log,
    onLeftOut: () => dropped('offers'),
  })
  const offerImages = createOfferImages({
    folder: folder.offerImages,
    fetchImage: createFetchImage({
      sources: {
        service: endpoints.offers,
        hosts: profile.offers.imageHosts,
        plainHttp: profile.mode === 'training',
      },
      proxied: (hostname) => proxyFor(hostname, endpoints) !== null,
      ...PICTURE_LIMITS,
    }),
    addresses: () => offers.pictures(),
    clock,
    log,
    onLeftOut: (pictures) => dropped('offer-pictures', pictures),
  })
  offers.onKept(() => void offerImages.refresh())
  const clientSecret = options.clientSecret ?? ''
  const member = createMemberServices({ endpoints, clientSecret, transport, profile, lane, breakers, clock })
  return {
    offers,
    offerImages,
    member,
    async close(): Promise<void> {
      offers.stop()
      await offerImages.close()
    },
  }
}

/** The offers at the till, the member who signs in by phone, their history, and the manager's page of offers. */
export function composeLoyalty(base: Foundation, parts: LoyaltyParts): Routes[] {
  const { services, kept, checkout } = parts
  const { offers, offerImages } = kept
  base.published.on('event', checkout.memberLane.onEvent)
  services.central.onChange((state) => {
    if (state === 'online') void offers.centralIsBack()
  })
  return [
    offersRoutes(offers),
    offerImagesRoutes(offerImages),
    ...(checkout.offerWishes ? [memberOffersRoutes(checkout.offerWishes)] : []),
    basketOffersRoutes({ offers: checkout.basketOffers, coupons: checkout.offerCoupons }),
    memberSessionRoutes(checkout.memberLane.sessions, signInSlip(base, parts)),
    memberHistoryRoutes(memberHistory(base, parts)),
    managerOffersRoutes(managerOffers(base, parts)),
  ]
}

const signInSlip = ({ profile, lane }: Foundation, { devices: { hub }, checkout }: LoyaltyParts) =>
  createSignInSlip({
    waitingOn: checkout.memberLane.sessions.waitingOn,
    printer: hub.printer,
    trouble: () => hub.health().find(({ role }) => role === 'printer')?.trouble?.kind ?? null,
    profile,
    locale: checkout.locale,
    columns: lane.devices.printer?.columns ?? 42,
  })

function memberHistory({ options, profile, lane, clock, publish }: Foundation, parts: LoyaltyParts) {
  const { checkout, services, devices, staffName } = parts
  const { originClient } = profile.program
  const { transport, breakers } = services
  const breaker = breakers.of('history')
  const hasHistory = options.endpoints.history !== undefined
  return createMemberHistory({
    client: hasHistory ? createHistoryClient({ transport, originClient, breaker }) : null,
    sessions: checkout.memberLane.sessions,
    saleOf: checkout.saleOf,
    collectorOf: checkout.members.collectorOf,
    printer: devices.hub.printer,
    profile,
    lane,
    clock,
    locale: checkout.locale,
    staffName,
    publish,
  })
}

function managerOffers({ profile, lane, transact, audit, clock }: Foundation, { services, kept }: LoyaltyParts) {
  const { offers } = kept
  const { transport, breakers } = services
  const breaker = breakers.of('offers')
  return createManagerOffers({
    client: createOffersClient({
      transport,
      originClient: profile.program.originClient,
      sortTokens: profile.offers.sortTokens,
      breaker,
    }),
    breaker,
    offers,
    kept: { find: offers.kept },
    transact,
    audit,
    clock,
    profile,
    lane,
  })
}
