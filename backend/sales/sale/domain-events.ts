import { EventEmitter } from 'node:events'
import type { Sale, SaleTotals } from '../../../contracts/sales/sales.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { BasketLine, Pieces } from './basket.ts'
import type { SaleParts } from './sale-parts.ts'
import { perLane } from '../../core/context.ts'

/**
 * Domain events of the store, emitted inside the transaction of their cause: writes of subscribers commit with it, and
 * a throw rolls it back. Calls, prints and screen events must wait for the commit.
 */
export interface DomainEventMap {
  'sale.completed': [tx: Tx, sale: CompletedSale]
  'sale.cancelled': [tx: Tx, saleId: SaleId]
  'return.committed': [tx: Tx, goods: ReturnedGoods]
  /**
   * Emitted for a return of another lane's sale whose miles cannot be taken back before their issuance is final.
   * `left`: goods of the sale after the return.
   */
  'return.miles-later': [tx: Tx, returnId: SaleId, left: readonly BasketLine[]]
}

export interface CompletedSale {
  /** The completed sale as it was paid. */
  readonly parts: SaleParts
  readonly view: Sale
  /** Time of completion in epoch ms. */
  readonly at: number
}

/** An earlier return of the sale, here or at another lane. */
export interface EarlierReturn {
  readonly isHere: boolean
  readonly lines: readonly Pieces[]
}

export interface ReturnedGoods {
  /** Id of the return, sent as `checkoutTransactionId`. */
  readonly returnId: SaleId
  /** The sale of the returned goods; null if this lane does not know it. */
  readonly sale: SaleParts | null
  /** Time of the return in epoch ms. */
  readonly at: number
  /** Goods of this return (`lines`), and goods of the sale that remain after it (`left`). */
  readonly lines: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  /** Earlier returns of the sale, in the order of the lanes' clocks. */
  readonly earlier: readonly EarlierReturn[]
  readonly totals: Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>
  readonly tenders: readonly TenderKind[]
}

export type DomainEvents = EventEmitter<DomainEventMap>

export const createDomainEvents = (): DomainEvents => new EventEmitter<DomainEventMap>()

export const domainEventsOf = perLane(() => createDomainEvents())
