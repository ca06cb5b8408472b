import { EventEmitter } from 'node:events'
import type { Sale, SaleTotals } from '../../../contracts/sales/sales.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { BasketLine, Pieces } from './basket.ts'
import type { SaleParts } from './sale-parts.ts'
import { perLane } from '../../core/context.ts'

/**
 * Domain events of a lane, emitted in the transaction of their cause: what subscribers write commits with it, and an
 * error of a subscriber rolls it back. Calls, prints and screen events must wait for the commit.
 */
export interface DomainEventMap {
  'sale.completed': [tx: Tx, sale: CompletedSale]
  'sale.cancelled': [tx: Tx, saleId: SaleId]
  'return.committed': [tx: Tx, goods: ReturnedGoods]
  /**
   * Goods of another lane's sale were returned before the issuance of their miles was final, so the miles are taken
   * back later. `left`: goods of the sale after the return.
   */
  'return.miles-later': [tx: Tx, returnId: SaleId, left: readonly BasketLine[]]
}

export interface CompletedSale {
  readonly parts: SaleParts
  readonly view: Sale
  readonly at: number
}

export interface EarlierReturn {
  readonly isHere: boolean
  readonly lines: readonly Pieces[]
}

export interface ReturnedGoods {
  readonly returnId: SaleId
  readonly sale: SaleParts | null
  readonly at: number
  readonly lines: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  readonly earlier: readonly EarlierReturn[]
  readonly totals: Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>
  readonly tenders: readonly TenderKind[]
}

export type DomainEvents = EventEmitter<DomainEventMap>

export const createDomainEvents = (): DomainEvents => new EventEmitter<DomainEventMap>()

export const domainEventsOf = perLane(() => createDomainEvents())
