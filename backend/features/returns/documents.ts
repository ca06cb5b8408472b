import type { SaleReturn } from '../../../contracts/api/returns.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { ReceiptDocument } from '../../../contracts/receipt.ts'
import { composeReturnReceipt, type DocumentFacts } from '../../domain/return-receipt.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import { taxesOfSale, type SaleParts } from '../sales/view.ts'
import type { ReturnRow } from './repository.ts'

export interface ReturnDocumentsOptions {
  /** A sale of this lane, or of another. */
  readonly partsOf: (saleId: string) => SaleParts
  readonly profile: Profile
  readonly lane: Lane
  readonly taxes: StoreTaxes
  readonly staffName: (id: string) => string
}

export type ReturnDocuments = ReturnType<typeof createReturnDocuments>

/**
 * What the customer takes away from a return. The same facts give the same paper, so a copy says what the original
 * said.
 */
export function createReturnDocuments(options: ReturnDocumentsOptions) {
  const { partsOf, profile, lane, taxes } = options

  const facts = (row: Pick<ReturnRow, 'cashierId' | 'at'>, copy: number, locale: Locale): DocumentFacts => ({
    profile: { mode: profile.mode, store: profile.store, receipt: profile.receipt, timeZone: profile.timeZone },
    locale,
    lane: lane.id,
    cashierName: options.staffName(row.cashierId),
    at: row.at,
    copy,
  })

  return {
    ofReturn(row: ReturnRow, returned: SaleReturn, copy: number, locale: Locale): ReceiptDocument {
      const parts = row.saleId === null ? undefined : partsOf(row.saleId)
      return composeReturnReceipt({
        ...facts(row, copy, locale),
        returned,
        taxes: parts ? taxesOfSale(parts.sale, taxes()) : taxes(),
        last4: parts?.issuance ? parts.sale.memberLast4 : null,
      })
    },
  }
}
