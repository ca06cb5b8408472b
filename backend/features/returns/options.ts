import type { Item } from '../../../contracts/api/catalog.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import type { Reversals } from '../../loyalty/reverse.ts'
import type { Guard } from '../approvals/guard.ts'
import type { CardTransactions } from '../card-payments/transactions.ts'
import type { DomainEvents } from '../domain-events.ts'
import type { Issuing } from '../issuance/service.ts'
import type { Receipts } from '../receipts/service.ts'
import type { SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import type { Custody } from '../shifts/custody.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { StoreReturnRows } from '../store-returns/rows.ts'
import type { StoreReturns } from '../store-returns/service.ts'
import type { Tenders } from '../tenders/service.ts'
import type { Vouchers } from '../vouchers/service.ts'
import type { ReturnDocuments } from './documents.ts'
import type { ReturnsRepository } from './repository.ts'

export interface ReturnsOptions {
  readonly repository: ReturnsRepository
  readonly sales: Sales
  readonly saleRows: SalesRepository
  readonly transact: Transact
  readonly events: DomainEvents
  readonly issuing: Pick<Issuing, 'milesTaken' | 'milesTakenAsked'>
  readonly reversals: Pick<Reversals, 'order' | 'events'>
  /** The store's word on sales that are the store's, and what stands here of those of other lanes. */
  readonly store: StoreReturns
  readonly storeRows: StoreReturnRows
  readonly receipts: Receipts
  readonly cards: Pick<CardTransactions, 'refund'>
  readonly documents: ReturnDocuments
  readonly vouchers: Vouchers
  readonly tenders: Pick<Tenders, 'apply' | 'announce' | 'creditLateReversal'>
  readonly custody: Pick<Custody, 'enter' | 'require'>
  readonly audit: AuditTrail
  readonly guard: Pick<Guard, 'need' | 'needAll' | 'word'>
  readonly findBySku: (sku: string) => Item | undefined
  readonly clock: Clock
  readonly profile: Profile
  readonly lane: Lane
  readonly taxes: StoreTaxes
  readonly locale: () => Locale
}
