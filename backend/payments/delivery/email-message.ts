import type { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { columnsOf, receiptTexts } from '../../core/paper/layout.ts'
import { letterPages } from '../../core/paper/letter.ts'

/** Width of the receipt in an e-mail, in characters: it fits the screen of a phone. */
export const EMAIL_COLUMNS = 42

/** Content of an e-mail as it is stored, sealed, until it is sent. */
export interface StoredMessage {
  readonly address: string
  readonly receipt: ReceiptDocument
  readonly invoice: ReceiptDocument
}

export interface ComposedEmail {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly locale: Locale
  readonly attachment: { readonly fileName: string; readonly pdf: Buffer }
}

/**
 * Composes the e-mail of a receipt: the receipt as text, and the invoice as PDF. It confirms a transaction that the
 * customer made, contains no advertising, and names the store and how to reach it (Canada's Anti-Spam Legislation,
 * S.C. 2010, c. 23, s. 6(2) and 6(6)(b)).
 */
export async function composeEmail(
  { receipt, invoice }: StoredMessage,
  { storeName, saleId }: { readonly storeName: string; readonly saleId: string },
): Promise<ComposedEmail> {
  const { locale } = receipt
  const { t } = receiptTexts(locale)
  const { pdfOfPages } = await import('../../core/paper/pdf.ts')
  const subject = oneLine(t('email-subject', { store: storeName, id: saleId }))
  const before = [t('email-intro', { store: storeName }), t('email-attached')]
  const after = [t('email-once')]
  const lines = receipt.blocks.flatMap(textLines).join('\n')
  return {
    subject,
    locale,
    text: [...before, '', lines, '', ...after, ''].join('\n'),
    html: [
      '<!doctype html>',
      `<html lang="${locale}"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body>`,
      ...before.map((line) => `<p>${escaped(line)}</p>`),
      `<pre style="font-family:monospace">${escaped(lines)}</pre>`,
      ...after.map((line) => `<p>${escaped(line)}</p>`),
      '</body></html>',
      '',
    ].join('\n'),
    attachment: {
      fileName: invoiceFile(saleId),
      pdf: pdfOfPages(letterPages(invoice), { title: invoice.title }),
    },
  }
}

export const invoiceFile = (saleId: string): string => `${saleId}.pdf`

/** A header field must be one line: a name of the profile must not add another header. */
const oneLine = (text: string): string => text.replace(/\p{C}/gu, ' ').trim()

function textLines(block: ReceiptBlock): string[] {
  switch (block.kind) {
    case 'text': {
      const room = EMAIL_COLUMNS - columnsOf(block.text)
      const indent = { left: 0, center: Math.floor(room / 2), right: room }[block.align]
      return [' '.repeat(Math.max(0, indent)) + block.text]
    }
    case 'row': {
      const room = EMAIL_COLUMNS - columnsOf(block.left) - columnsOf(block.right)
      return [`${block.left}${' '.repeat(Math.max(1, room))}${block.right}`.trimEnd()]
    }
    case 'rule':
      return ['-'.repeat(EMAIL_COLUMNS)]
    case 'space':
      return ['']
    case 'qr':
    case 'barcode':
      return [block.data]
    case 'logo':
      return []
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '')
