import type { TerminalEvent } from '../../contracts/core/events.ts'
import type { Lane, Profile } from '../../contracts/core/profile.ts'
import { type Database, epochOf } from '../core/db/database.ts'
import { type StoreTaxes, taxesOf } from '../catalog/tax.ts'
import { createGuard } from '../sales/approvals/guard.ts'
import { createDomainEvents } from '../sales/domain-events.ts'
import { createReturnsRepository } from '../payments/returns/returns.sql.ts'
import { createSalesRepository } from '../sales/sales.sql.ts'
import { createCustody } from '../sales/drawer.ts'
import { createShiftsRepository } from '../sales/drawer.sql.ts'
import { createVouchersRepository } from '../payments/vouchers/vouchers.sql.ts'
import type { Staff } from '../../contracts/staff/session.ts'
import type { CardMover } from '../../contracts/payments/card-terminal.ts'
import type { Bitmap } from '../../contracts/core/receipt.ts'
import type { Load } from '../core/central/load.ts'
import type { Transport } from '../core/central/transport.ts'
import type { CentralStatus } from '../core/central/central-status.ts'
import type { Clock, Rng } from '../core/clock.ts'
import type { CardReads } from '../core/devices/reads.ts'
import type { BasketOffersOptions } from '../loyalty/basket-offers/basket-offers.ts'
import type { NoteEarlyPrice } from '../catalog/planned-prices.ts'
import type { CatalogService } from '../catalog/catalog.ts'
import type { MemberServices } from '../loyalty/member-offers/member-lane.ts'
import type { PrintingDevice } from '../payments/receipts/receipts.ts'
import type { AuditTrail } from '../core/audit.ts'
import type { Logger } from '../core/log.ts'
import type { Outbox } from '../core/outbox/outbox.ts'
import type { Seal } from '../core/integrity/seal.ts'
import type { SecretStatus } from '../core/central/client-secret.ts'
import type { StoreLink } from '../store/store-link.ts'
import type { Changes } from '../store/changes/changes.ts'

export type Ground = ReturnType<typeof openGround>

/** The profile's taxes as they are in force, worked out once for each that it has. */
function storeTaxes(profile: Profile): StoreTaxes {
  let known: { readonly from: Profile['taxes']; readonly taxes: ReturnType<StoreTaxes> } | null = null
  return () => {
    const from = profile.taxes
    if (known === null || known.from !== from) known = { from, taxes: taxesOf(from, profile.region) }
    return known.taxes
  }
}

/** What every part of a sale stands on: rows, taxes, who may do what, and how screens and other parts hear of it. */
export function openGround(options: CheckoutOptions) {
  const { db, outbox, profile, lane, clock, signedIn } = options
  const { transact, journal, collectorMutex } = outbox
  const taxes = storeTaxes(profile)
  // The store's own choice; in Québec French, whatever language the cashier works in (Charter of the French Language,
  // s. 57); else the language that the customer is served in.
  const storeLocale = profile.locales.receipt ?? (profile.region === 'QC' ? 'fr-CA' : null)
  const locale = () => storeLocale ?? signedIn()?.locale ?? profile.locales.default
  /** Nobody hears of what is not on the disk. */
  const publish = (event: TerminalEvent): void => {
    // mutant: screen-before-commit
    transact.afterCommit(() => {
      options.publish(event)
    })
  }
  const events = createDomainEvents()
  const epoch = epochOf(db)
  const saleRows = createSalesRepository(db)
  const returnRows = createReturnsRepository(db)
  const voucherRows = createVouchersRepository(db)
  const shiftRows = createShiftsRepository(db, lane.id)
  const custody = createCustody({ repository: shiftRows, settings: () => profile.shifts, clock, signedIn })
  const guard = createGuard({
    settings: () => profile.approvals,
    taxes,
    audit: options.audit,
    transact,
    locale: profile.locales.default,
  })
  return {
    transact,
    journal,
    collectorMutex,
    taxes,
    locale,
    publish,
    events,
    epoch,
    saleRows,
    returnRows,
    voucherRows,
    shiftRows,
    custody,
    guard,
  }
}

export interface CheckoutOptions {
  readonly db: Database
  /** Sealing and hashing of collector numbers. */
  readonly seal: Seal
  readonly outbox: Outbox
  readonly profile: Profile
  readonly lane: Lane
  readonly catalog: Pick<CatalogService, 'findByBarcode' | 'findBySku'>
  /** Left out: the clock is trusted. */
  readonly noteEarlyPrice?: NoteEarlyPrice
  readonly cardReads: CardReads
  readonly printer: PrintingDevice | null
  /** Null, or left out, on a lane without one. */
  readonly cardTerminal?: CardMover | null
  /** The store's mark on rendered receipts; none when left out. */
  readonly logo?: Bitmap | null
  readonly transport: Transport
  /** The kept lists of the program's offers; left out: there are none. */
  readonly offers?: BasketOffersOptions['lists']
  /** Where the screens have a picture of an offer; left out: nowhere. */
  readonly offerPicture?: NonNullable<BasketOffersOptions['pictureOf']>
  /** What serves members who sign in with their own phone; null, or left out: nobody does. */
  readonly member?: MemberServices | null
  readonly central: CentralStatus
  /** No other lane starts in the same second, as in a measurement; left out: others may. */
  readonly startsAlone?: boolean
  /** How far the services can take calls that nobody misses; left out: nothing is held back. */
  readonly load?: Pick<Load, 'admits'>
  /** Whether the lane's secret is refused; left out where it has none. */
  readonly secret?: Pick<SecretStatus, 'refusedSince' | 'onChange'>
  /** The lane's store; null, or left out: there is none to speak with. */
  readonly store?: StoreLink | null
  readonly clock: Clock
  readonly rng: Rng
  readonly audit: AuditTrail
  /** What managers change, followed by every lane of the store; left out: nobody follows. */
  readonly changes?: Changes
  readonly signedIn: () => Staff | null
  readonly staffName: (id: string) => string
  readonly publish: (event: TerminalEvent) => void
  readonly log: Logger
}
