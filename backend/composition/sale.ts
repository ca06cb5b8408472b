import { createCheckout, type Checkout } from './checkout.ts'
import { ageChecksRoutes } from '../sales/age-checks.ts'
import { cardPaymentsRoutes } from '../payments/card-payments/card-tender.ts'
import { createEarlyPriceNote } from '../catalog/planned-prices.ts'
import type { CatalogService } from '../catalog/catalog.ts'
import { customerDisplayRoutes } from '../payments/customer-display/customer-display.ts'
import { closingRoutes, dayEndRoutes } from '../day/day-end/day-end.routes.ts'
import { earlierSalesRoutes } from '../day/search/earlier-sales.ts'
import { heldSalesRoutes } from '../sales/held-sales/held-sales.routes.ts'
import { memberRoutes } from '../loyalty/member/member.ts'
import { receiptsRoutes } from '../payments/receipts/receipts.routes.ts'
import { returnsRoutes } from '../payments/returns/returns.routes.ts'
import { saleChangesRoutes } from '../sales/sale-changes/sale-changes.routes.ts'
import { salesRoutes } from '../sales/sales.routes.ts'
import { scanningRoutes } from '../sales/scanning/scanning.ts'
import { shiftsRoutes } from '../day/shifts/shifts.routes.ts'
import { tendersRoutes } from '../payments/tenders/tenders.routes.ts'
import { vouchersRoutes } from '../payments/vouchers/vouchers.routes.ts'
import type { Routes } from '../core/http/app.ts'
import type { Sessions } from '../core/http/sessions.ts'
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
