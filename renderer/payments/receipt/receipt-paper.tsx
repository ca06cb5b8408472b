import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { code128, ean13 } from '../../../contracts/core/symbols/barcodes.ts'
import { qr, QR_QUIET } from '../../../contracts/core/symbols/qr.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import styles from './receipt-paper.module.css'

/** The receipt as printed, in the customer's language, without the paper-only blocks. */
export function ReceiptPaper({ document }: { readonly document: ReceiptDocument }) {
  return (
    <article className={`shadow ${styles['paper']} selectable`} lang={document.locale} aria-label={document.title}>
      {document.blocks
        .filter((block) => !block.paperOnly)
        .map((block, index) => (
          <Block key={index} block={block} />
        ))}
    </article>
  )
}

function Block({ block }: { readonly block: ReceiptBlock }) {
  switch (block.kind) {
    case 'text':
      return (
        <p
          className={`anywhere ${styles['text']} ${styles[block.align]}`}
          data-bold={block.bold}
          data-size={block.size}
        >
          {block.text}
        </p>
      )
    case 'row':
      return (
        <p className={`flex gap-3 between ${styles['row']}`} data-bold={block.bold} data-size={block.size}>
          <span>{block.left}</span>
          <span>{block.right}</span>
        </p>
      )
    case 'rule':
      return <hr className={`borderless ${styles['rule']}`} />
    case 'space':
      return <div className={styles['space']} />
    case 'barcode':
      return <Barcode block={block} />
    case 'qr':
      return <QrCode data={block.data} />
    // Logos are for paper and files: on a screen, a logo would only take the space of lines.
    case 'logo':
      return null
  }
}

function Barcode({ block: { data, symbology } }: { readonly block: Extract<ReceiptBlock, { kind: 'barcode' }> }) {
  const { t } = useI18n()
  const bars = symbology === 'ean13' ? ean13(data) : code128(data)
  return (
    <figure className={`center ${styles['barcode']}`}>
      <svg
        viewBox={`0 0 ${bars.width} 40`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('after.barcode', { data })}
      >
        {bars.bars.map(([at, width]) => (
          <rect key={at} x={at} width={width} height={40} />
        ))}
      </svg>
      <figcaption>{data}</figcaption>
    </figure>
  )
}

function QrCode({ data }: { readonly data: string }) {
  const { t } = useI18n()
  const modules = qr(data)
  if (!modules) return <p className={`anywhere ${styles['text']} ${styles['center']}`}>{data}</p>
  const size = modules.length + QR_QUIET * 2
  return (
    <figure className={`center ${styles['qr']}`}>
      <svg
        viewBox={`${-QR_QUIET} ${-QR_QUIET} ${size} ${size}`}
        role="img"
        aria-label={t('after.qr', { data })}
        shapeRendering="crispEdges"
      >
        <path d={modules.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')} />
      </svg>
      <figcaption>{data}</figcaption>
    </figure>
  )
}
