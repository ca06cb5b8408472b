import { createHash } from 'node:crypto'
import { createTranslator } from 'use-intl/core'
import { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { code128, ean13 } from '../../../contracts/core/symbols/barcodes.ts'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'

const STYLE = `body{margin:0;background:#eef0ef;color:#17191a;font:16px/1.5 system-ui,sans-serif}
main{box-sizing:border-box;max-width:26rem;margin:1rem auto;padding:1.5rem;background:#fff}
p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
.row{display:flex;justify-content:space-between;gap:1rem}
.row span:last-child{white-space:nowrap;font-variant-numeric:tabular-nums}
.center{text-align:center}.right{text-align:right}.bold{font-weight:700}.large{font-size:1.35rem;font-weight:700}
hr{border:0;border-top:1px dashed #767b78;margin:.6rem 0}.space{height:.8rem}
figure{margin:1rem 0 0;text-align:center}svg{width:100%;height:4rem}
@media print{body{background:#fff}main{margin:0}}`

/**
 * Headers of the public pages: they forbid scripts, content of other sources, caching, indexing by search engines, and
 * the page's URL in a Referer.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
} as const

export const receiptPage = ({ locale, title, blocks }: ReceiptDocument): string =>
  page(
    locale,
    title,
    blocks
      .filter(({ paperOnly }) => !paperOnly)
      .map(blockOf)
      .join('\n'),
  )

const receiptTranslator = (locale: Locale) => createTranslator({ locale, messages: CATALOGS[locale].receipt })

/** Page for an unknown URL and for an expired one, which look the same: in every language. */
export function missingPage(): string {
  const texts = Locale.options.map((locale) => {
    const words = receiptTranslator(locale)
    const lines = [words('online-missing'), words('online-missing-do'), words('online-missing-again')]
    return `<section lang="${locale}">${lines.map((line) => `<p>${escaped(line)}</p>`).join('')}</section>`
  })
  const [first = 'en-CA'] = Locale.options
  return page(first, receiptTranslator(first)('online-missing'), texts.join('\n<hr>\n'))
}

const page = (locale: Locale, title: string, body: string): string => `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

function blockOf(block: ReceiptBlock): string {
  switch (block.kind) {
    case 'text':
      return `<p class="${classesOf(block)} ${block.align}">${escaped(block.text)}</p>`
    case 'row':
      return (
        `<p class="row ${classesOf(block)}"><span>${escaped(block.left)}</span>` +
        `<span>${escaped(block.right)}</span></p>`
      )
    case 'rule':
      return '<hr>'
    case 'space':
      return '<div class="space"></div>'
    case 'barcode':
      return barcodeOf(block)
    // A QR code on a receipt leads to this page or to another page of the store, so it is left out.
    case 'qr':
    case 'logo':
      return ''
  }
}

const classesOf = ({ bold, size }: { bold?: boolean | undefined; size?: string | undefined }): string =>
  [bold === true ? 'bold' : '', size === 'large' ? 'large' : ''].join(' ').trim()

function barcodeOf({ symbology, data }: Extract<ReceiptBlock, { kind: 'barcode' }>): string {
  const { width, bars } = symbology === 'ean13' ? ean13(data) : code128(data)
  const rows = bars.map(([at, wide]) => `<rect x="${at}" width="${wide}" height="40"/>`).join('')
  return (
    `<figure><svg viewBox="0 0 ${width} 40" preserveAspectRatio="none" role="img" aria-label="${escaped(data)}">` +
    `${rows}</svg><figcaption>${escaped(data)}</figcaption></figure>`
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, '').replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
