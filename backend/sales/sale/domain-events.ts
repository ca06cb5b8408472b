import { EventEmitter } from 'node:events'
import type { Sale, SaleTotals } from '../../../contracts/sales/sales.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { BasketLine, Pieces } from './basket.ts'
import type { SaleParts } from './sale-parts.ts'
import { perLane } from '../../core/context.ts'

/**
 * What happens in the store. Each is emitted inside the transaction that makes it true: what its subscribers write
 * commits with it, or not at all, and what they throw takes it back. What leaves the terminal leaves after the commit.
 */
export interface DomainEventMap {
  'sale.completed': [tx: Tx, sale: CompletedSale]
  'sale.cancelled': [tx: Tx, saleId: SaleId]
  'return.committed': [tx: Tx, goods: ReturnedGoods]
  /** What a sale of another lane gave can be taken back only once it is known how; `left`: of the sale, after it. */
  'return.miles-later': [tx: Tx, returnId: SaleId, left: readonly BasketLine[]]
}

export interface CompletedSale {
  /** As it was paid. */
  readonly parts: SaleParts
  readonly view: Sale
  /** Epoch ms. */
  readonly at: number
}

/** What of a sale came back before, here or at another lane. */
export interface EarlierReturn {
  readonly isHere: boolean
  readonly lines: readonly Pieces[]
}

/** Goods that came back. */
export interface ReturnedGoods {
  /** `checkoutTransactionId` of the return. */
  readonly returnId: SaleId
  /** The sale that they are of; null where this lane does not know it. */
  readonly sale: SaleParts | null
  /** Epoch ms. */
  readonly at: number
  /** What comes back now, and what of the sale is left after it. */
  readonly lines: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  /** In its order, as far as clocks tell. */
  readonly earlier: readonly EarlierReturn[]
  readonly totals: Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>
  readonly tenders: readonly TenderKind[]
}

export type DomainEvents = EventEmitter<DomainEventMap>

export const createDomainEvents = (): DomainEvents => new EventEmitter<DomainEventMap>()

export const domainEventsOf = perLane(() => createDomainEvents())
