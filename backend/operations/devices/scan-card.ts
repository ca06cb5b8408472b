import { Control, controlCode } from '../../../contracts/core/text.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { translate } from '../../core/i18n.ts'

/** Card of control barcodes for the counter, in every language: a scan of a barcode does what is printed next to it. */
export function scanCard(storeName: string, storeCode: string): ReceiptDocument {
  const both = (textIn: (t: ReturnType<typeof translate>) => string): string[] =>
    Locale.options.map((locale) => textIn(translate(locale)))
  const line = (text: string, bold = false): ReceiptBlock => ({ kind: 'text', text, align: 'center', bold })
  return {
    locale: 'en-CA',
    title: both((t) => t('screens.controls.title')).join(' / '),
    blocks: [
      ...both((t) => t('screens.controls.title')).map((text) => line(text, true)),
      line(storeName),
      ...Control.options.flatMap((control): ReceiptBlock[] => [
        { kind: 'rule' },
        ...both((t) => t(`screens.controls.${control}`)).map((text) => line(text)),
        { kind: 'barcode', symbology: 'code128', data: controlCode(storeCode, control) },
      ]),
    ],
  }
}
