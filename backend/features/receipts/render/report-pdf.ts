import { printableText } from '../../../../contracts/printable-text.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../../contracts/receipt.ts'
import { receiptWords } from '../../../domain/receipt-words.ts'
import { pageOf, type PageOptions } from './page.ts'
import { pdfOfPages } from './pdf.ts'
import { sheetsOf } from './sheets.ts'

export interface ReportFacts {
  /** The report's own moment: the same report is the same bytes. */
  readonly madeAt: number
  readonly copy: boolean
}

export interface ReportPlace {
  readonly training: boolean
  readonly storeName: string
  readonly lane: string
}

/**
 * A report for an office: the lines of its paper on numbered sheets, each of which says what it belongs to. Loaded when
 * somebody asks for one.
 */
export function reportPdf(
  document: ReceiptDocument,
  { madeAt, copy, training, storeName, lane, ...options }: PageOptions & ReportFacts & ReportPlace,
): Buffer {
  const { say } = receiptWords(document.locale)
  const marks = [...(training ? [say('training')] : []), ...(copy ? [say('copy-file')] : [])]
  const words = printableText([...marks, document.title, say('lane', { lane }), storeName].join(' · '))
  const printed = { ...document, blocks: document.blocks.map(asPrinted) }
  const sheets = sheetsOf(pageOf(printed, options), {
    words,
    page: (number, count) => say('sheet', { number: String(number), count: String(count) }),
  })
  return pdfOfPages(sheets, { title: words, madeAt })
}

/** With the characters that a printer puts in the place of those that it lacks. */
function asPrinted(block: ReceiptBlock): ReceiptBlock {
  switch (block.kind) {
    case 'text':
      return { ...block, text: printableText(block.text) }
    case 'row':
      return { ...block, left: printableText(block.left), right: printableText(block.right) }
    case 'rule':
    case 'space':
    case 'barcode':
    case 'qr':
    case 'logo':
      return block
  }
}
