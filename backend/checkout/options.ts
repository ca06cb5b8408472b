import type { Staff } from '../../contracts/api/session.ts'
import type { CardMover } from '../../contracts/card-terminal.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import type { Lane, Profile } from '../../contracts/profile.ts'
import type { Bitmap } from '../../contracts/receipt.ts'
import type { Load } from '../central/load.ts'
import type { Transport } from '../central/transport.ts'
import type { CentralStatus } from '../central-status.ts'
import type { Rng, Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { CardReads } from '../devices/card-reads.ts'
import type { BasketOffersOptions } from '../features/basket-offers/service.ts'
import type { NoteEarlyPrice } from '../features/catalog/early-price.ts'
import type { CatalogService } from '../features/catalog/service.ts'
import type { MemberServices } from '../features/member-offers/member-lane.ts'
import type { PrintingDevice } from '../features/receipts/service.ts'
import type { AuditTrail } from '../features/staff/audit.ts'
import type { Logger } from '../log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Seal } from '../outbox/seal.ts'
import type { SecretStatus } from '../secret-status.ts'
import type { StoreLink } from '../store/store-link.ts'
import type { Changes } from '../store/changes/changes.ts'

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
