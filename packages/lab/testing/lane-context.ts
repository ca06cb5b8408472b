import type { Staff } from '../../../contracts/staff/session.ts'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { catalogOf, type CatalogService } from '../../../backend/catalog/catalog.ts'
import { earlyPriceNoteOf } from '../../../backend/catalog/planned-prices.ts'
import { openCheckout, recoverCheckout, startCheckout } from '../../../backend/checkout.ts'
import { createAuditTrail } from '../../../backend/core/audit.ts'
import { createCentralStatus } from '../../../backend/core/central/central-status.ts'
import { createSecretStatus } from '../../../backend/core/central/client-secret.ts'
import { createLoad } from '../../../backend/core/central/load.ts'
import { centralOf, type CentralServices } from '../../../backend/core/central/services.ts'
import type { Transport } from '../../../backend/core/central/transport.ts'
import { type Ctx, publishAfterCommit } from '../../../backend/core/context.ts'
import { stopComponents } from '../../../backend/core/lifecycle.ts'
import { devicesOf, type DeviceHub } from '../../../backend/core/devices/hub.ts'
import { dayEndOf } from '../../../backend/day/day-end/day-end.ts'
import { shiftsOf } from '../../../backend/day/shifts.ts'
import { offerCouponsOf } from '../../../backend/loyalty/basket-offers/basket-offers.routes.ts'
import { basketOffersOf, storedOffersOf, offerPictureOf } from '../../../backend/loyalty/basket-offers/basket-offers.ts'
import { issuancesOf } from '../../../backend/loyalty/calls/issue.ts'
import { reversalsOf } from '../../../backend/loyalty/calls/reverse.ts'
import { memberEventsOf } from '../../../backend/loyalty/member/member-events.ts'
import { memberSessionsOf } from '../../../backend/loyalty/member/member-session.ts'
import { memberServicesOf, type MemberServices } from '../../../backend/loyalty/services/member-services.ts'
import { offerChangesOf } from '../../../backend/loyalty/basket-offers/offer-changes.ts'
import { membersOf } from '../../../backend/loyalty/member/member.ts'
import { queueSummaryOf } from '../../../backend/loyalty/queue/queue-facts.ts'
import { type PrintingDevice, receiptsOf } from '../../../backend/payments/receipts/receipts.ts'
import { returnsOf } from '../../../backend/payments/returns/returns.ts'
import { milesTenderOf } from '../../../backend/payments/tenders/redemption.ts'
import { takeBackOf } from '../../../backend/payments/tenders/take-back.ts'
import { tendersOf } from '../../../backend/payments/tenders/tenders.ts'
import { vouchersOf } from '../../../backend/payments/vouchers/vouchers.ts'
import { heldSalesOf } from '../../../backend/sales/held-sales/held-sales.ts'
import { couponTakingOf } from '../../../backend/sales/sale-changes/coupons.ts'
import { saleChangesOf } from '../../../backend/sales/sale-changes/sale-changes.ts'
import { salesOf } from '../../../backend/sales/sales.ts'
import { saleRowsOf } from '../../../backend/sales/sale/sales.sql.ts'
import { scanningOf } from '../../../backend/sales/scanning/scanning.ts'
import { storeLinkOf } from '../../../backend/store/store-link.ts'
import { systemClock, systemRng, type Clock } from '../../../backend/core/clock.ts'
import { createLogger } from '../../../backend/core/log.ts'
import { trainingStore } from './load/store.ts'
import { type LaneProgram, programOf } from '../../../backend/core/program/lane-program.ts'

export type ContextFields = Pick<Ctx, 'db' | 'outbox' | 'seal' | 'clock' | 'rng' | 'log' | 'profile' | 'lane'> & {
  readonly publish?: (event: TerminalEvent) => void
  readonly signedIn?: () => Staff | null
  readonly staffName?: (id: string) => string
}

/** Creates the context of a single lane without HTTP, devices and central services. */
export function laneContext({ publish = () => undefined, signedIn, staffName, ...fields }: ContextFields): Ctx {
  const { db, clock, seal, outbox } = fields
  const ctx: Ctx = {
    ...fields,
    transact: outbox.transact,
    audit: createAuditTrail({ db, clock, seal }),
    publish: publishAfterCommit(outbox.transact, publish),
    signedIn: signedIn ?? (() => null),
    staffName: staffName ?? ((id) => id),
  }
  storeLinkOf.provide(ctx, null)
  return ctx
}

/** Provides the central services to a context over this transport. Fields that a test does not use may be omitted. */
export function provideCentral(ctx: Ctx, services: Partial<CentralServices>): void {
  const { clock, rng } = ctx
  centralOf.provide(ctx, {
    central: createCentralStatus(),
    secret: createSecretStatus({ clock }),
    load: createLoad({ clock, rng, hostOf: () => '' }),
    ...services,
  } as CentralServices)
}

export const provideCatalogFolder = (ctx: Ctx, catalog: string): void => {
  programOf.provide(ctx, { folder: { catalog } } as LaneProgram)
}

export function backupContext(
  db: Ctx['db'],
  folder: Pick<LaneProgram['folder'], 'backups' | 'masterKey'>,
  { clock = systemClock, retentionDays = 14 }: { readonly clock?: Clock; readonly retentionDays?: number } = {},
): Ctx {
  const { profile } = trainingStore()
  const limits = { ...profile.limits, backupKeepDays: retentionDays }
  const ctx = testContext({ db, clock, profile: { ...profile, limits } })
  programOf.provide(ctx, { folder } as LaneProgram)
  return ctx
}

/** Provides the devices of a lane to a context. Devices that a test does not use may be omitted. */
export function provideDevices(ctx: Ctx, devices: Partial<Omit<DeviceHub, 'printer'>> & { printer?: unknown }): void {
  devicesOf.provide(ctx, {
    printer: null,
    cardTerminal: null,
    lineDisplay: null,
    logo: null,
    ...devices,
  } as DeviceHub)
}

export interface CheckoutOptions extends ContextFields {
  readonly transport: Transport
  readonly catalog: Pick<CatalogService, 'findByBarcode' | 'findBySku'>
  readonly printer: PrintingDevice
  readonly offers?: ReturnType<typeof storedOffersOf>
  readonly member?: (ctx: Ctx) => MemberServices
}

export type Checkout = ReturnType<typeof openLabCheckout>

export function openLabCheckout({ transport, catalog, printer, offers, member, ...fields }: CheckoutOptions) {
  const ctx = laneContext(fields)
  provideCentral(ctx, { transport })
  provideDevices(ctx, { printer })
  catalogOf.provide(ctx, catalog as CatalogService)
  earlyPriceNoteOf.provide(ctx, () => undefined)
  storedOffersOf.provide(ctx, offers ?? (() => undefined))
  offerPictureOf.provide(ctx, () => null)
  memberServicesOf.provide(ctx, member?.(ctx) ?? null)
  openCheckout(ctx)
  return {
    ctx,
    sales: salesOf(ctx),
    saleOf: saleRowsOf(ctx).byId,
    changes: saleChangesOf(ctx),
    coupons: couponTakingOf(ctx),
    scanning: scanningOf(ctx),
    heldSales: heldSalesOf(ctx),
    basketOffers: basketOffersOf(ctx),
    offerCoupons: offerCouponsOf(ctx),
    offerWishes: offerChangesOf(ctx),
    memberEvents: memberEventsOf(ctx),
    memberSessions: memberSessionsOf(ctx),
    members: membersOf(ctx),
    milesTender: milesTenderOf(ctx),
    tenders: tendersOf(ctx),
    takeBack: takeBackOf(ctx),
    receipts: receiptsOf(ctx),
    returns: returnsOf(ctx),
    vouchers: vouchersOf(ctx),
    issuances: issuancesOf(ctx),
    reversals: reversalsOf(ctx),
    news: queueSummaryOf(ctx),
    shifts: shiftsOf(ctx),
    dayEnd: dayEndOf(ctx),
    recover: (): Promise<void> => recoverCheckout(ctx),
    start: (): void => {
      startCheckout(ctx)
    },
    stop: (): void => {
      void stopComponents(ctx)
    },
  }
}

export const catalogOfItems = (items: readonly Item[]): CheckoutOptions['catalog'] => ({
  findBySku: (sku) => items.find((item) => item.sku === sku),
  findByBarcode: () => undefined,
})

/**
 * Creates a context for the test of one component. Defaults: profile and lane of the training store, real clock and
 * random numbers, silent log, no one signed in, no store server. `db`, `transact`, `seal` and `audit` are undefined
 * unless the test gives them. Components that the test does not give are created from these fields at first use.
 */
export function testContext(given: Partial<Ctx> = {}): Ctx {
  const ctx = {
    ...trainingStore(),
    clock: systemClock,
    rng: systemRng,
    log: createLogger({ level: 'silent', destination: process.stderr }),
    publish: () => undefined,
    signedIn: () => null,
    staffName: (id: string) => id,
    outbox: { transact: given.transact, failStop: { reason: null }, chain: { newestEntryAt: () => null } },
    ...given,
  } as unknown as Ctx
  storeLinkOf.provide(ctx, null)
  return ctx
}
