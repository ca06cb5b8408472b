import type { Locale } from '../../../contracts/locales.ts'
import type { ReceiptView } from '../../../contracts/api/sales.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Tx } from '../../db/transact.ts'
import type { Who } from '../approvals/guard.ts'
import type { ReturnsOptions } from './options.ts'
import type { ReturnRow } from './repository.ts'
import type { ReturnViews } from './view.ts'

export interface ReturnReceiptsOptions extends Pick<ReturnsOptions, 'receipts' | 'documents' | 'locale'> {
  readonly views: ReturnViews
}

export type ReturnReceipts = ReturnType<typeof createReturnReceipts>

/** The paper of the return itself: printed with it, read again, and copied. */
export function createReturnReceipts({ receipts, documents, locale, views }: ReturnReceiptsOptions) {
  return {
    enqueue(tx: Tx, row: ReturnRow): void {
      const returned = views.viewOf(row)
      receipts.enqueueDocument(
        tx,
        { kind: 'return', id: row.id },
        documents.ofReturn(row, returned, 0, locale()),
        returned.refunds.some(({ kind }) => kind === 'cash'),
      )
    },

    receipt: (id: SaleId): ReceiptView => receipts.view(views.rowOf(id).id),

    reprint(id: SaleId, who: Who, locale?: Locale): { print: ReceiptView['print'] } {
      const row = views.rowOf(id)
      return receipts.reprint(
        { kind: 'return', id },
        {
          actorId: who.actorId,
          who,
          locale,
          composed: (copy, language) => documents.ofReturn(row, views.viewOf(row), copy, language),
        },
      )
    },
  }
}
