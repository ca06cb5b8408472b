import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/receipt.ts'
import { useWords } from '../../i18n/words.tsx'
import { code128 } from './code128.ts'
import styles from './receipt-paper.module.css'

/** The receipt as it comes from the printer, in the customer's language. What may stand on paper only is never here. */
export function ReceiptPaper({ document }: { readonly document: ReceiptDocument }) {
  return (
    <article className={`${styles['paper']} selectable`} lang={document.locale} aria-label={document.title}>
      {document.blocks.filter((block) => !block.paperOnly).map((block, index) => <Block key={index} block={block} />)}
    </article>
  )
}

function Block({ block }: { readonly block: ReceiptBlock }) {
  switch (block.kind) {
    case 'text':
      return <p className={`${styles['text']} ${styles[block.align]}`} data-bold={block.bold} data-size={block.size}>{block.text}</p>
    case 'row':
      return <p className={styles['row']} data-bold={block.bold} data-size={block.size}><span>{block.left}</span><span>{block.right}</span></p>
    case 'rule':
      return <hr className={styles['rule']} />
    case 'space':
      return <div className={styles['space']} />
    case 'barcode':
      return <Barcode data={block.data} />
  }
}

function Barcode({ data }: { readonly data: string }) {
  const { t } = useWords()
  const bars = code128(data)
  return (
    <figure className={styles['barcode']}>
      <svg viewBox={`0 0 ${bars.width} 40`} preserveAspectRatio="none" role="img" aria-label={t('after.barcode', { data })}>
        {bars.bars.map(([at, width]) => <rect key={at} x={at} width={width} height={40} />)}
      </svg>
      <figcaption>{data}</figcaption>
    </figure>
  )
}
