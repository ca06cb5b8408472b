import { type Refund, ReturnReason, type SaleReturn } from '../../../contracts/payments/returns.ts'
import { maskCollectorNumber } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Paper, type ReceiptTexts, paperOf, receiptTexts } from '../../core/paper/layout.ts'
import { basket } from '../receipts/receipt.ts'
import { type StoreTax, storeTaxesOf } from '../../catalog/tax.ts'
import { taxesOfSale } from '../../sales/sale/sale-parts.ts'
import type { ReturnRow } from '../rows/returns.sql.ts'
import { type DocumentFacts, columnsOfLane, rule, space, top, bottom } from '../../core/paper/document.ts'
import { storeReturnsOf } from './store-returns.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export interface ReturnReceiptFacts extends DocumentFacts {
  readonly returned: SaleReturn
  readonly taxes: readonly StoreTax[]
  readonly last4: string | null
}

/** Composes the receipt of a return: goods and refunds. Its barcode is the return's own id. */
export function composeReturnReceipt(facts: ReturnReceiptFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale, facts.profile.receipt.secondLanguage)
  const paper = paperOf(facts.columns)
  const { t, money } = words
  const { returned } = facts
  return {
    locale: facts.locale,
    title: `${t('return-title')} ${returned.id}`,
    blocks: [
      ...top('return-heading', facts, words, paper),
      ...paper.text(
        returned.saleId === null ? t('return-without-record') : t('return-of', { id: returned.saleId }),
        'left',
      ),
      ...(returned.reason === null
        ? []
        : paper.text(t('return-reason', { reason: reasonText(returned.reason, words) }), 'left')),
      rule,
      ...basket(
        { lines: returned.lines, totals: returned.totals, taxes: facts.taxes, locale: facts.locale },
        words,
        paper,
      ),
      rule,
      ...paper.row(t('return-total'), money(returned.totals.totalCents), { bold: true, size: 'large' }),
      space,
      ...returned.refunds.flatMap((refund) => refundRows(refund, words, paper)),
      ...(facts.last4 === null
        ? []
        : [
            rule,
            ...paper.row(t('collector'), maskCollectorNumber(facts.last4)),
            ...paper.text(t('miles-taken-back'), 'left'),
          ]),
      ...bottom(returned.id, facts, words, paper),
    ],
  }
}

function reasonText(reason: string, { t }: ReceiptTexts): string {
  const listed = ReturnReason.safeParse(reason)
  return listed.success ? t(`return-reason-${listed.data}`) : reason
}

function refundRows(
  { kind, amountCents, roundingCents, reference }: Refund,
  { t, money }: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  const row = (label: string, value: string): ReceiptBlock[] => paper.row(label, value)
  switch (kind) {
    case 'card':
      return [
        ...row(t('refund-card'), money(amountCents)),
        ...(reference ? paper.detail(t('card-reference'), reference) : []),
      ]
    case 'card-terminal':
      return row(t('refund-card'), money(amountCents))
    case 'cash':
      return [
        ...(roundingCents === 0 ? [] : row(t('cash-rounding'), money(roundingCents))),
        ...paper.row(t('refund-cash'), money(amountCents + roundingCents), { bold: true }),
      ]
    case 'miles':
      return [
        ...row(t('refund-miles'), money(amountCents)),
        ...(reference ? paper.detail(t('confirmation'), reference) : []),
      ]
    case 'store-credit':
      return [
        ...row(t('refund-store-credit'), money(amountCents)),
        ...(reference ? paper.detail(t('voucher-code'), `•••• ${reference}`) : []),
      ]
  }
}

/** Composes the documents of a return. The same facts give the same paper, so a copy matches its original. */
export const returnDocumentsOf = perLane((ctx: Ctx) => {
  const { profile, lane, staffName } = ctx
  const partsOf = (saleId: string) => storeReturnsOf(ctx).foreign(saleId) ?? salesOf(ctx).parts(saleId)
  const taxes = storeTaxesOf(ctx)

  const facts = (row: Pick<ReturnRow, 'cashierId' | 'at'>, copy: number, locale: Locale): DocumentFacts => ({
    profile: { mode: profile.mode, store: profile.store, receipt: profile.receipt, timeZone: profile.timeZone },
    locale,
    lane: lane.id,
    cashierName: staffName(row.cashierId),
    at: row.at,
    copy,
    columns: columnsOfLane(lane),
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
})
