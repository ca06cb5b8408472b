import { rule, space } from '../../../core/paper/document.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { LaneSettings, PrinterDevice, Profile } from '../../../../contracts/core/profile.ts'
import type { ReceiptDocument } from '../../../../contracts/core/receipt.ts'
import { paperOf, receiptTexts } from '../../../core/paper/layout.ts'
import { translate } from '../../../core/i18n.ts'

export interface TestPageFacts {
  readonly profile: Pick<Profile, 'store' | 'timeZone' | 'receipt'>
  readonly lane: Pick<LaneSettings, 'id'>
  readonly printer: PrinterDevice
  readonly locale: Locale
  readonly at: number
}

/** This is not a receipt number, so that a scan of the test page finds no sale. */
const CODE = 'MILEPOST-TEST'
/** Characters that receipts need and that a wrong code page would print wrongly. */
const SIGNS = 'éèêë àâ ç îï ôûù œ ÉÈÀÂÇ ÎÔÛ Œ $ € × · – ’ “” «»'

/**
 * Test page that shows whether the printer is set up correctly: width, edge, characters, styles, codes and cut. It is
 * no sale.
 */
export function composeTestPage({ profile, lane, printer, locale, at }: TestPageFacts): ReceiptDocument {
  const t = translate(locale)
  const words = receiptTexts(locale)
  const paper = paperOf(printer.columns)
  const title = t('installer.testPage.title')
  const ruler = Array.from({ length: printer.columns }, (_, index) =>
    (index + 1) % 10 === 0 ? String((index + 1) / 10) : '·',
  ).join('')
  const { connection } = printer
  const wire =
    connection.kind === 'tcp'
      ? `${connection.host}:${connection.port}`
      : connection.kind === 'virtual'
        ? connection.kind
        : connection.path
  return {
    locale,
    title: `${title} ${lane.id}`,
    blocks: [
      ...(profile.receipt.logo ? [{ kind: 'logo' } as const] : []),
      ...paper.text(title, 'center', { bold: true, size: 'large' }),
      ...paper.text(t('installer.testPage.noSale'), 'center'),
      ...paper.text(profile.store.name, 'center', { bold: true }),
      space,
      ...paper.row(t('installer.testPage.printed'), words.dateTime(at, profile.timeZone)),
      ...paper.row(words.t('lane', { lane: lane.id }), `${printer.language}, ${printer.columns}`),
      ...paper.row(t('installer.testPage.wire'), wire),
      rule,
      ...paper.text(t('installer.testPage.what'), 'left'),
      space,
      ...paper.text(t('installer.testPage.ruler', { columns: String(printer.columns) }), 'left'),
      { kind: 'text', text: ruler, align: 'left' },
      ...paper.row(t('installer.testPage.signs'), words.money(123_456)),
      ...paper.text(SIGNS, 'left'),
      ...paper.row(t('installer.testPage.bold'), words.money(123_456), { bold: true }),
      ...paper.row(t('installer.testPage.large'), words.money(123_456), { bold: true, size: 'large' }),
      rule,
      space,
      { kind: 'qr', data: CODE },
      space,
      { kind: 'barcode', symbology: 'code128', data: CODE },
    ],
  }
}
