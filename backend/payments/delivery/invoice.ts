import type { Buyer } from '../../../contracts/payments/receipt-delivery.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { header, rule, space, trainingMark } from '../../core/paper/document.ts'
import { paperOf, receiptTexts } from '../../core/paper/layout.ts'
import { LETTER_COLUMNS } from '../../core/paper/letter.ts'
import { type ReceiptFacts, basket, exemptionRows, savings } from '../receipts/receipt.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'

/**
 * Composes the invoice of a completed sale for Letter paper. It has what a registrant needs for input tax credits
 * (Input Tax Credit Information (GST/HST) Regulations, SOR/91-45, s. 3): (a) the supplier's name, the date and the
 * total; (b) from $100 the registration number, and the tax of each supply; (c) from $500 the buyer's name, the terms
 * of payment and a description of each supply.
 */
export function composeInvoice(facts: ReceiptFacts, buyer: Buyer | null): ReceiptDocument {
  const words = receiptTexts(facts.locale)
  const paper = paperOf(LETTER_COLUMNS)
  const { t, money } = words
  const title = t('invoice-title', { number: facts.saleId })
  const paidOn = words.dateTime(facts.completedAt, facts.profile.timeZone)
  const blocks: ReceiptBlock[] = [
    ...header(facts, words, paper)
      .filter(({ kind }) => kind !== 'logo')
      .map((block) => (block.kind === 'text' ? { ...block, align: 'left' as const } : block)),
    ...trainingMark(facts, words, paper),
    space,
    ...paper.row(t('invoice-heading'), money(facts.totals.totalCents), { bold: true, size: 'large' }),
    space,
    ...paper.row(t('invoice-number'), facts.saleId),
    ...paper.row(t('invoice-date'), paidOn),
    ...paper.row(t('lane', { lane: facts.lane }), t('cashier', { name: facts.cashierName })),
    ...(buyer === null ? [] : paper.row(t('invoice-buyer'), buyer.name, { bold: true })),
    ...paper.row(t('invoice-terms'), buyer?.terms ?? t('invoice-paid')),
    ...(buyer?.about === undefined ? [] : paper.text(t('invoice-about', { text: buyer.about }), 'left')),
    rule,
    ...basket(facts, words, paper),
    ...(facts.exemption ? [rule, ...exemptionRows(facts.exemption, words, paper)] : []),
    rule,
    ...paper.row(t('total'), money(facts.totals.totalCents), { bold: true, size: 'large' }),
    ...savings(facts, words, paper),
    space,
    ...facts.tenders.flatMap((tender) => TENDER_TYPES[tender.kind].receiptRows(tender, facts, words, paper)),
    ...(facts.note ? [rule, ...paper.text(t('note', { note: facts.note }), 'left')] : []),
    space,
    { kind: 'barcode', symbology: 'code128', data: facts.saleId },
  ]
  return { locale: facts.locale, title, blocks }
}
