import { createCheckout, type Checkout } from '../checkout.ts'
import { ageChecksRoutes } from '../features/age-checks/routes.ts'
import { cardPaymentsRoutes } from '../features/card-payments/routes.ts'
import { createEarlyPriceNote } from '../features/catalog/early-price.ts'
import type { CatalogService } from '../features/catalog/service.ts'
import { customerDisplayRoutes } from '../features/customer-display/routes.ts'
import { closingRoutes } from '../features/day-end/closing-routes.ts'
import { dayEndRoutes } from '../features/day-end/routes.ts'
import { earlierSalesRoutes } from '../features/earlier-sales/routes.ts'
import { heldSalesRoutes } from '../features/held-sales/routes.ts'
import { memberRoutes } from '../features/member/routes.ts'
import { receiptsRoutes } from '../features/receipts/routes.ts'
import { returnsRoutes } from '../features/returns/routes.ts'
import { saleChangesRoutes } from '../features/sale-changes/routes.ts'
import { salesRoutes } from '../features/sales/routes.ts'
import { scanningRoutes } from '../features/scanning/routes.ts'
import { shiftsRoutes } from '../features/shifts/routes.ts'
import { tendersRoutes } from '../features/tenders/routes.ts'
import { vouchersRoutes } from '../features/vouchers/routes.ts'
import type { Routes } from '../http/app.ts'
import type { Sessions } from '../http/sessions.ts'
import { createCollectorNames } from '../store/collector-names.ts'
import { createCollectorTurns } from '../store/collector-turns.ts'
import type { StoreLink } from '../store/store-link.ts'
import type { LaneDevices } from './devices.ts'
import type { Foundation } from './foundation.ts'
import type { Offers } from './offers.ts'
import type { Services } from './services.ts'

interface SaleParts {
  readonly services: Services
  readonly devices: LaneDevices
  readonly kept: Offers
  readonly catalog: CatalogService
  readonly sessions: Sessions
  readonly staffName: (id: string) => string
  readonly store: StoreLink
}

/** The checkout with the devices, services and people of this lane. */
export function openCheckout(base: Foundation, parts: SaleParts): Checkout {
  const { db, seal, outbox, profile, lane, logo, clock, rng, publish, log, audit, changes } = base
  const { services, devices, kept, catalog, sessions, staffName, store } = parts
  const { transport, central, load, secret } = services
  const collectorMutex = createCollectorTurns({
    mutex: outbox.collectorMutex,
    link: store,
    nameOf: createCollectorNames({ db, lane: lane.id, seal, storeSeal: store.seal }),
    clock,
    rng,
    log,
  })
  return createCheckout({
    db,
    seal,
    outbox: { ...outbox, collectorMutex },
    profile,
    lane,
    catalog,
    noteEarlyPrice: createEarlyPriceNote({
      catalog,
      audit,
      clock,
      watch: services.watch,
      toleranceMs: profile.limits.clockToleranceMs,
      signedIn: sessions.signedIn,
    }),
    cardReads: devices.cardReads,
    printer: devices.hub.printer,
    cardTerminal: devices.hub.cardTerminal,
    logo,
    transport,
    offers: kept.offers.kept,
    offerPicture: kept.offerImages.pathOf,
    member: kept.member,
    central,
    load,
    secret,
    clock,
    rng,
    publish,
    log,
    audit,
    changes,
    signedIn: sessions.signedIn,
    staffName,
    store: store.state().kind === 'none' ? null : store,
  })
}

/** What a cashier does at the till, from the first item to the end of the shift. */
export function saleRoutes(checkout: Checkout, { publish }: Pick<Foundation, 'publish'>): Routes[] {
  const { sales, tenders, takeBack, milesTender, changes, coupons, undo, ageChecks } = checkout
  return [
    salesRoutes({ sales, settle: tenders.settle }),
    scanningRoutes(checkout.scanning),
    memberRoutes(checkout.members),
    tendersRoutes({ tenders, takeBack, milesTender, prepare: tenders.prepare, view: sales.view }),
    cardPaymentsRoutes(checkout.cardTender),
    receiptsRoutes(checkout.receipts, checkout.storeReturns),
    saleChangesRoutes({ changes, coupons, undo, tenders }),
    ageChecksRoutes({ ageChecks, settle: tenders.settle }),
    heldSalesRoutes(checkout.heldSales),
    customerDisplayRoutes({ sales, publish }),
    earlierSalesRoutes(checkout.earlierSales),
    returnsRoutes(checkout.returns),
    vouchersRoutes(checkout.vouchers),
    shiftsRoutes(checkout.shifts),
    dayEndRoutes(checkout.dayEnd),
    closingRoutes(checkout.closings),
  ]
}
