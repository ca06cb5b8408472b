import type {
  EarlierSale,
  EarlierSales,
  EarlierSalesQuery,
  OwedDocuments,
  ReceiptsSummary,
  ReceiptState,
} from '../../../contracts/api/earlier-sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import { isoOf } from '../../clock.ts'
import { totalsOf, type PricedParts } from '../sales/view.ts'
import type { ClosedSaleRow, EarlierSalesRepository, Place, ReturnedRow } from './repository.ts'

export interface EarlierSalesOptions {
  readonly repository: EarlierSalesRepository
  readonly parts: (saleId: string) => PricedParts
  readonly taxes: StoreTaxes
  /** A lane without a printer owes nobody a paper. */
  readonly hasPrinter: boolean
}

export type EarlierSalesService = ReturnType<typeof createEarlierSales>

const NEWEST: Place = { closedAt: Number.MAX_SAFE_INTEGER, sequence: Number.MAX_SAFE_INTEGER }

/** The closed sales and the returns of this lane, and where their receipts are, for whoever looks for a paper. */
export function createEarlierSales({ repository, parts, taxes, hasPrinter }: EarlierSalesOptions) {
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

  return {
    list({ filter, q, after, limit }: EarlierSalesQuery): EarlierSales {
      if (filter === 'not-on-paper' && q === undefined && !hasPrinter) return { sales: [], next: null }
      // One more than is shown tells whether there is a page after this one.
      const rows = repository.list({ filter, q, limit: limit + 1 }, after === undefined ? NEWEST : placeOf(after))
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      return {
        sales: shown.map(entryOf),
        next: rows.length > limit && last ? `${last.closedAt}-${last.sequence}` : null,
      }
    },
    /** Documents of returns and vouchers that never came out; those of sales are in the list. */
    owed: (): OwedDocuments => ({
      documents: hasPrinter
        ? repository.owed().map(({ id, at, totalCents, ...row }) => ({
            ...row,
            id: SaleId.parse(id),
            at: isoOf(at),
            totalCents: cents(totalCents),
          }))
        : [],
    }),
    notOnPaper: (): number => (hasPrinter ? repository.notOnPaper() : 0),
    summary(): ReceiptsSummary {
      return { lastSaleId: repository.lastCompleted(), notOnPaper: this.notOnPaper() }
    },
  }
}

function placeOf(cursor: string): Place {
  const [closedAt = '', sequence = ''] = cursor.split('-')
  return { closedAt: Number(closedAt), sequence: Number(sequence) }
}
