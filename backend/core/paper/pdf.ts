import { deflateSync } from 'node:zlib'
import { type Page, type PageOptions, type Shape, pageOf } from './page.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { receiptTexts } from './layout.ts'
import { sheetsOf } from './sheets.ts'
import { printableText } from '../../../contracts/core/printable-text.ts'

export const pdfOf = (page: Page, { title }: { readonly title: string }): Buffer => pdfOfPages([page], { title })

/**
 * Writes pages as a PDF 1.4 (ISO 32000-1) with two of the standard fourteen fonts, which need not be embedded; their
 * WinAnsi encoding has é, œ and €. Deterministic, without a current date or random id, so that an archive can compare
 * copies.
 */
export function pdfOfPages(
  pages: readonly Page[],
  { title, madeAt }: { readonly title: string; readonly madeAt?: number },
): Buffer {
  const at = (index: number): number => FIRST_PAGE + index * 2
  const fonts = at(pages.length)
  const font = (name: string): string =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  const objects: readonly (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${at(index)} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    ...pages.flatMap((page, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${short(page.width)} ${short(page.height)}] /Resources << ` +
        `/Font << /R ${fonts} 0 R /B ${fonts + 1} 0 R >> >> /Contents ${at(index) + 1} 0 R >>`,
      contentOf(page),
    ]),
    font('Courier'),
    font('Courier-Bold'),
    `<< /Title <feff${Buffer.from(title, 'utf16le').swap16().toString('hex')}>${dated(madeAt)} >>`,
  ]
  // Binary bytes in the second line make other programs copy the file as binary.
  const chunks: Buffer[] = [Buffer.from('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1')]
  let end = chunks[0]?.length ?? 0
  const offsets = objects.map((object, index) => {
    const offset = end
    const chunk = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    chunks.push(chunk)
    end += chunk.length
    return offset
  })
  chunks.push(
    Buffer.from(
      [
        'xref',
        `0 ${objects.length + 1}`,
        '0000000000 65535 f ',
        ...offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n `),
        'trailer',
        `<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>`,
        'startxref',
        String(end),
        '%%EOF',
        '',
      ].join('\n'),
    ),
  )
  return Buffer.concat(chunks)
}

const FIRST_PAGE = 3

function contentOf(page: Page): Buffer {
  const content = deflateSync(Buffer.from(page.shapes.map((shape) => drawn(shape, page.height)).join('\n'), 'latin1'))
  return Buffer.concat([
    Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ])
}

const dated = (at: number | undefined): string =>
  at === undefined ? '' : ` /CreationDate (D:${new Date(at).toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z)`

const HAIRLINE = 0.6

function drawn(shape: Shape, height: number): string {
  switch (shape.kind) {
    // Characters need no spreading here: those of Courier are six tenths of their size wide, as in the layout.
    case 'text':
      return (
        `BT /${shape.bold ? 'B' : 'R'} ${short(shape.size)} Tf ${short(shape.x)} ${short(height - shape.y)} Td ` +
        `${stringOf(shape.text)} Tj ET`
      )
    case 'rule':
      return (
        `${HAIRLINE} w ${short(shape.x)} ${short(height - shape.y)} m ${short(shape.x + shape.width)} ` +
        `${short(height - shape.y)} l S`
      )
    case 'areas':
      return [
        ...shape.areas.map(([x, y, width, high]) => `${[x, height - y - high, width, high].map(short).join(' ')} re`),
        'f',
      ].join('\n')
  }
}

const short = (value: number): string => String(Math.round(value * 10_000) / 10_000)

const EXTRA: ReadonlyMap<string, number> = new Map([
  ['€', 0x80],
  ['‚', 0x82],
  ['ƒ', 0x83],
  ['„', 0x84],
  ['…', 0x85],
  ['†', 0x86],
  ['‡', 0x87],
  ['ˆ', 0x88],
  ['‰', 0x89],
  ['Š', 0x8a],
  ['‹', 0x8b],
  ['Œ', 0x8c],
  ['Ž', 0x8e],
  ['‘', 0x91],
  ['’', 0x92],
  ['“', 0x93],
  ['”', 0x94],
  ['•', 0x95],
  ['–', 0x96],
  ['—', 0x97],
  ['˜', 0x98],
  ['™', 0x99],
  ['š', 0x9a],
  ['›', 0x9b],
  ['œ', 0x9c],
  ['ž', 0x9e],
  ['Ÿ', 0x9f],
] as const)

/**
 * Encodes a text as a hexadecimal string, which no character of the text can end. A character that the font's encoding
 * lacks becomes one question mark, so that columns stay aligned.
 */
function stringOf(text: string): string {
  const codes = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0
    return EXTRA.get(character) ?? ((code >= 0x20 && code <= 0x7e) || (code >= 0xa1 && code <= 0xff) ? code : 0x3f)
  })
  return `<${Buffer.from(codes).toString('hex')}>`
}

export interface ReportFacts {
  readonly madeAt: number
  readonly copy: boolean
}

export interface ReportPlace {
  readonly training: boolean
  readonly storeName: string
  readonly lane: string
}

/**
 * Renders a report for an office on numbered sheets, each with a footer that names the report. Import the module
 * dynamically: few lanes need it.
 */
export function reportPdf(
  document: ReceiptDocument,
  { madeAt, copy, training, storeName, lane, ...options }: PageOptions & ReportFacts & ReportPlace,
): Buffer {
  const { t } = receiptTexts(document.locale)
  const marks = [...(training ? [t('training')] : []), ...(copy ? [t('copy-file')] : [])]
  const footer = printableText([...marks, document.title, t('lane', { lane }), storeName].join(' · '))
  const printed = { ...document, blocks: document.blocks.map(asPrinted) }
  const sheets = sheetsOf(pageOf(printed, options), {
    text: footer,
    page: (number, count) => t('sheet', { number: String(number), count: String(count) }),
  })
  return pdfOfPages(sheets, { title: footer, madeAt })
}

/** Replaces characters that a printer lacks as the printer does, so that the page shows what is on paper. */
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
