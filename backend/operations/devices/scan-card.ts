import { Control, controlCode } from '../../../contracts/core/text.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { translate } from '../../core/i18n.ts'

/** The card of barcodes that lies beside the scanner, in every language: each stands for what its words say. */
export function scanCard(storeName: string, word: string): ReceiptDocument {
  const both = (say: (words: ReturnType<typeof translate>) => string): string[] =>
    Locale.options.map((locale) => say(translate(locale)))
  const line = (text: string, bold = false): ReceiptBlock => ({ kind: 'text', text, align: 'center', bold })
  return {
    locale: 'en-CA',
    title: both((words) => words('screens.controls.title')).join(' / '),
    blocks: [
      ...both((words) => words('screens.controls.title')).map((text) => line(text, true)),
      line(storeName),
      ...Control.options.flatMap((control): ReceiptBlock[] => [
        { kind: 'rule' },
        ...both((words) => words(`screens.controls.${control}`)).map((text) => line(text)),
        { kind: 'barcode', symbology: 'code128', data: controlCode(word, control) },
      ]),
    ],
  }
}
