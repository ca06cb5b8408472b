import { z } from 'zod'
import {
  type EarlierSales,
  type EarlierSalesQuery,
  type UnprintedDocuments,
  type ReceiptsSummary,
  type EarlierSale,
  UnprintedDocument,
  type ReceiptState,
} from '../../../contracts/day/search.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { type FoundReceipt, MAX_FOUND } from '../../../contracts/store/receipts.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { numberOnPaper } from '../../core/paper/layout.ts'
import { isoOf } from '../../core/clock.ts'
import { totalsOf } from '../../sales/sale/sale-parts.ts'
import {
  type ClosedSaleRow,
  type UnprintedRow,
  type Place,
  type ReturnedRow,
  earlierSaleRowsOf,
} from './earlier-sales.sql.ts'
import type { App } from '../../core/http/app.ts'
import { earlierSalesContract } from '../../../contracts/day/day.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { salesOf } from '../../sales/sales.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { storeReturnsOf } from '../../payments/returns/store-returns.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { notOnPaperOf } from '../../payments/rows/receipts.sql.ts'

const OF_DAYS: ReadonlySet<UnprintedDocument['paper']> = new Set(['z-report', 'shift', 'closing'])

const NEWEST: Place = { closedAt: Number.MAX_SAFE_INTEGER, sequence: Number.MAX_SAFE_INTEGER }

export const earlierSalesOf = perLane((ctx: Ctx) => {
  const repository = earlierSaleRowsOf(ctx)
  const parts = salesOf(ctx).parts
  const taxes = storeTaxesOf(ctx)
  const hasPrinter = devicesOf(ctx).printer !== null
  const store = storeReturnsOf(ctx)
  function receiptOf({
    printed,
    printing,
    unknown,
    failed,
  }: Pick<ClosedSaleRow, 'printed' | 'printing' | 'unknown' | 'failed'>): ReceiptState {
    if (printed > 0) return 'printed'
    if (printing > 0) return 'printing'
    if (!hasPrinter) return 'none'
    if (unknown > 0) return 'unknown'
    return failed > 0 ? 'not-printed' : 'none'
  }

  function entryOf(row: ClosedSaleRow | ReturnedRow): EarlierSale {
    const { id, memberLast4, cashier } = row
    const facts = { id, memberLast4, cashier, closedAt: isoOf(row.closedAt), receipt: receiptOf(row) }
    if (row.state === 'returned')
      return {
        ...facts,
        state: row.state,
        ofSale: row.ofSale,
        totalCents: cents(row.totalCents),
        tenders: [...row.refunds],
      }
    const sale = parts(id)
    return {
      ...facts,
      state: row.state,
      ofSale: null,
      totalCents: totalsOf(sale, taxes()).totalCents,
      tenders: [...new Set(sale.tenders.map((tender) => tender.kind))],
    }
  }

  function list({ filter, q, after, limit }: EarlierSalesQuery): Omit<EarlierSales, 'store'> {
    if (filter === 'not-on-paper' && q === undefined && !hasPrinter) return { sales: [], next: null }
    // One row more than the page shows, to know whether there is a next page.
    const rows = repository.list({ filter, q, limit: limit + 1 }, after === undefined ? NEWEST : placeOf(after))
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return {
      sales: shown.map(entryOf),
      next: rows.length > limit && last ? `${last.closedAt}-${last.sequence}` : null,
    }
  }

  return {
    list,
    /** Like `list`; the first page of a search also has receipts of other lanes, if the store server answers. */
    async listWithStore(query: EarlierSalesQuery): Promise<EarlierSales> {
      const { sales, next } = list(query)
      const { q, after, limit } = query
      if (q === undefined || after !== undefined || (store?.serverState() ?? 'none') === 'none') return { sales, next }
      // The search was for a whole receipt number, which this lane has, so the store server is not asked.
      if (sales.some(({ id }) => id === q)) return { sales, next, store: 'reached' }
      const found = (await store?.find(q, Math.min(limit, MAX_FOUND))) ?? null
      if (found === null) return { sales, next, store: 'away' }
      return { sales: [...sales, ...found.map(elsewhereOf)], next, store: 'reached' }
    },
    /** Unprinted documents other than the receipts of sales, which are in the list of sales. */
    unprinted: (): UnprintedDocuments => ({ documents: hasPrinter ? repository.unprinted().map(unprintedOf) : [] }),
    notOnPaper: notOnPaperOf(ctx),
    summary(): ReceiptsSummary {
      return { lastSaleId: repository.lastCompleted(), notOnPaper: this.notOnPaper() }
    },
  }
})

const elsewhereOf = ({ id, lane, at, totalCents, last4, cashier, tenders }: FoundReceipt): EarlierSale => ({
  id: SaleId.parse(id),
  state: 'completed',
  ofSale: null,
  closedAt: isoOf(at),
  totalCents: cents(totalCents),
  tenders: z.array(TenderKind).parse(tenders),
  memberLast4: last4,
  cashier,
  receipt: 'printed',
  lane,
})

const unprintedOf = ({ name, at, ...row }: UnprintedRow): UnprintedDocument =>
  UnprintedDocument.parse({ ...row, at: isoOf(at), name: OF_DAYS.has(row.paper) ? numberOnPaper(name) : name })

function placeOf(cursor: string): Place {
  const [closedAt = '', sequence = ''] = cursor.split('-')
  return { closedAt: Number(closedAt), sequence: Number(sequence) }
}

/**
 * Routes of the earlier sales, the last completed sale and the unprinted documents. Receipts are reprinted by `POST
 * /api/sales/:id/reprint`.
 */
export function earlierSalesRoutes(ctx: Ctx, app: App): void {
  const earlier = earlierSalesOf(ctx)
  serve(app, earlierSalesContract['GET /sales/earlier'], (request) => earlier.listWithStore(request.query))
  serve(app, earlierSalesContract['GET /receipts/owed'], () => earlier.unprinted())
  serve(app, earlierSalesContract['GET /receipts'], () => earlier.summary())
}
