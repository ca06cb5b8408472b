import { createAgeChecks } from '../sales/age-checks.ts'
import { createOfferCodes, createOfferCoupons } from '../loyalty/basket-offers/basket-offers.routes.ts'
import { type BasketOffersService, createBasketOffers } from '../loyalty/basket-offers/basket-offers.ts'
import { type Members, createMembers } from '../loyalty/member/member.ts'
import { createCouponBook, createCouponsRepository } from '../catalog/coupon-book.ts'
import { type CouponTaking, createCouponTaking } from '../sales/sale-changes/coupons.ts'
import { createSaleChanges, createUndo } from '../sales/sale-changes/sale-changes.ts'
import { type Sales, createSales } from '../sales/sales.ts'
import { createScanning } from '../sales/scanning/scanning.ts'
import type { Tenders } from '../payments/tenders/tenders.ts'
import type { CheckoutOptions, Ground } from './checkout-ground.ts'
import { createRulesRepository } from '../loyalty/issuance/issuing-options.ts'
import { createIssuing } from '../loyalty/issuance/issuance.ts'
import { createPreview } from '../loyalty/member/preview.ts'
import type { Calls } from './checkout-day.ts'
import { contentOf, heldFactsOf, sealCollector } from '../sales/held-sales/content.ts'
import {
  type HeldSalesRepository,
  type StoreHoldsRepository,
  createHeldSalesRepository,
  createStoreHoldsRepository,
} from '../sales/held-sales/held-sales.sql.ts'
import { createHeldSales } from '../sales/held-sales/held-sales.ts'
import { type StoreHolds, createStoreHolds } from '../sales/held-sales/store-holds.ts'
import { keepOffersOfReceipts } from '../loyalty/basket-offers/receipt-offers.ts'
import { createSaidOffers } from '../loyalty/basket-offers/said-offers.sql.ts'
import { createMemberLane } from '../loyalty/member-offers/member-lane.ts'
import { createOfferWishes } from '../loyalty/member-offers/wishes.ts'

interface RingingParts {
  readonly sales: Sales
  readonly members: Members
  readonly basketOffers: BasketOffersService
  readonly tenders: Pick<Tenders, 'settle'>
}

/** What is rung, and what a cashier changes of it: scans, coupons, prices, ages, and back again. */
export function composeRinging(
  options: CheckoutOptions,
  ground: Ground,
  { sales, members, basketOffers, tenders }: RingingParts,
) {
  const { profile, clock, audit } = options
  const { transact, publish, guard, saleRows: repository } = ground
  const ageChecks = createAgeChecks({ sales, repository, profile, audit, clock })
  const changes = createSaleChanges({ sales, repository, guard })
  const couponBook = createCouponBook({
    repository: createCouponsRepository(options.db),
    profiles: profile.coupons,
    transact,
    audit,
    store: options.changes && {
      changes: options.changes,
      onTaken: () => {
        publish({ type: 'catalog-changed' })
      },
    },
  })
  const offerCodes = createOfferCodes({ offers: basketOffers, sales, profile, clock })
  const coupons = createCouponTaking({
    // Typed or scanned, a code is the store's own first, and else an offer's.
    coupons: { find: (code) => couponBook.find(code) ?? offerCodes.find(code) },
    timeZone: profile.timeZone,
    sales,
    repository,
    transact,
    clock,
    settle: tenders.settle,
  })
  const offerCoupons = createOfferCoupons({ codes: offerCodes, taking: coupons, changes, sales })
  const scanning = createScanning({
    sales,
    catalog: options.catalog,
    coupons,
    transact,
    audit,
    signedIn: options.signedIn,
    publish,
    clock,
    checks: profile.goodsChecks,
    timeZone: profile.timeZone,
    waitMs: profile.limits.cardReadMs,
  })
  const undo = createUndo({ sales, repository, members, guard })
  return { ageChecks, changes, couponBook, coupons, offerCoupons, scanning, undo }
}

/** The sale itself, its collector, and the miles that it earns. */
export function composeSale(options: CheckoutOptions, ground: Ground, { cash, issuance, issuances }: Calls) {
  const { db, seal, profile, lane, clock, rng, log, cardReads, central, signedIn } = options
  const { transact, journal, collectorMutex, taxes, locale, publish, events, epoch, custody, guard, saleRows } = ground
  const sales = createSales({
    repository: saleRows,
    transact,
    journal,
    findBySku: options.catalog.findBySku,
    publish,
    clock,
    rng,
    profile,
    lane,
    taxes,
    signedIn,
    guard,
    custody,
    noteEarlyPrice: options.noteEarlyPrice,
  })
  const members = createMembers({
    sales,
    repository: saleRows,
    transact,
    cardReads,
    cash,
    seal,
    clock,
    taxes,
    locale,
    log,
  })
  const issuing = createIssuing({
    profile,
    journal,
    transact,
    events,
    sales,
    issuances,
    issuance,
    members,
    rules: createRulesRepository(db),
    seal,
    locale,
    collectorMutex,
    epoch,
    centralIsAway: () => central.state === 'offline',
  })
  const preview = createPreview({
    sales,
    members,
    issuance,
    issuing,
    collectorMutex,
    clock,
    taxes,
    locale,
    language: () => signedIn()?.locale ?? profile.locales.default,
    log,
  })
  return { sales, members, issuing, preview }
}

interface HeldSaleParts {
  readonly sales: Sales
  readonly members: Members
  readonly coupons: Pick<CouponTaking, 'grantOf'>
}

interface Rows {
  readonly onHold: HeldSalesRepository
  readonly held: StoreHoldsRepository
}

/** Sales on hold: at this lane, and over the lanes of the store. `storeHolds`: null on a lane that is alone. */
export function composeHeldSales(options: CheckoutOptions, ground: Ground, parts: HeldSaleParts) {
  const rows = { onHold: createHeldSalesRepository(options.db), held: createStoreHoldsRepository(options.db) }
  const storeHolds = composeStoreHolds(options, ground, parts, rows)
  const heldSales = createHeldSales({
    repository: rows.onHold,
    rows: ground.saleRows,
    custody: ground.custody,
    store: storeHolds,
    held: rows.held,
    sales: parts.sales,
    members: parts.members,
    transact: ground.transact,
    audit: options.audit,
    clock: options.clock,
    lane: options.lane,
    taxes: ground.taxes,
    staffName: options.staffName,
    guard: ground.guard,
    grantOf: parts.coupons.grantOf,
  })
  return { heldSales, storeHolds }
}

function composeStoreHolds(
  { store, audit, lane, clock, rng, log, staffName }: CheckoutOptions,
  { transact, taxes, publish }: Ground,
  { sales, members }: Omit<HeldSaleParts, 'coupons'>,
  { onHold, held }: Rows,
): StoreHolds | null {
  if (!store) return null
  return createStoreHolds({
    link: store,
    repository: held,
    transact,
    audit,
    lane: lane.id,
    clock,
    rng,
    log,
    onChange: () => publish({ type: 'held-sales-changed' }),
    offerOf(saleId) {
      const parts = sales.parts(saleId)
      const row = onHold.row(saleId)
      const seal = store.seal()
      if (!row || seal === null) throw new Error('what is offered is on hold, at a lane of a store')
      return {
        sale: row.id,
        heldAt: row.heldAt,
        name: row.heldAs,
        ...heldFactsOf(row, parts, { taxes, staffName }),
        content: contentOf(parts),
        sealed: sealCollector(seal, row.id, members.collectorOf(parts.sale)),
      }
    },
  })
}

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
