import { CirclePause, History, Printer, ScanBarcode, Undo2, WalletCards } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { GridList, GridListItem } from 'react-aria-components'
import type { Sale, SaleLine } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { amountOfLine, ownDiscounts } from '../../state/line-amounts.ts'
import { useBasketOffers } from '../../state/basket-offers.ts'
import { selectLine, useSale } from '../../state/sale.ts'
import { useShell } from '../../state/shell.ts'
import { useTerminal } from '../../state/terminal.ts'
import { useHeldSales } from '../../state/held-sales.ts'
import { useNotices } from '../../state/notices.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { Empty, Tag } from '../../ui/surface.tsx'
import { useDiscountName, useTakenOff } from '../changes/discount-name.ts'
import styles from './lines.module.css'

export function Lines({ sale }: { readonly sale: Sale | null }) {
  const { t } = useWords()
  const selected = useSale((state) => state.selectedLine)
  const training = useTerminal((state) => state.terminal?.mode === 'training')
  const trainingOpen = useShell((state) => state.trainingOpen)
  const notices = useNotices((state) => state.notices.length)
  const offersListed = useBasketOffers((state) => state.listed)
  const reprintLast = useAction('reprint-last')
  const held = useHeldSales((state) => state.sales.length)
  const list = useRef<HTMLDivElement>(null)
  const lines = sale?.lines ?? []

  // The line that the scanner has just rung is always in sight, also when messages or the offers take room below it.
  useEffect(() => {
    const frame = requestAnimationFrame(() =>
      list.current?.querySelector('[role="row"][aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    )
    return () => cancelAnimationFrame(frame)
  }, [selected, lines.length, notices, offersListed])

  if (lines.length === 0) {
    return (
      <Empty steady icon={<ScanBarcode />} title={t('sale.emptyTitle')} text={t('sale.empty')}>
        {training && !trainingOpen && <p>{t('sale.trainingHint')}</p>}
        <div className={styles['documents']}>
          {reprintLast.enabled && <ActionButton id="reprint-last" icon={<Printer />} />}
          {held > 0 && (
            <ActionButton id="held-sales" icon={<CirclePause />} note={t('held.statusCount', { count: held })} />
          )}
          <ActionButton id="earlier-sales" icon={<History />} />
          <ActionButton id="gift-card" icon={<WalletCards />} />
          <ActionButton id="return" icon={<Undo2 />} />
        </div>
      </Empty>
    )
  }
  return (
    <div className={styles['table']}>
      <div className={styles['head']} aria-hidden="true">
        <span>{t('sale.quantity')}</span>
        <span>{t('sale.item')}</span>
        <span>{t('sale.price')}</span>
        <span>{t('sale.amount')}</span>
      </div>
      <GridList
        ref={list}
        className={styles['list'] ?? ''}
        aria-label={t('sale.linesLabel')}
        items={lines.map((line) => ({ ...line, id: line.number }))}
        dependencies={[t, sale?.discounts]}
        selectionMode="single"
        selectionBehavior="replace"
        disabledKeys={lines.filter((line) => line.voided).map((line) => line.number)}
        selectedKeys={selected === null ? [] : [selected]}
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : keys
          if (typeof key === 'number') selectLine(key)
        }}
      >
        {(line) => <Line line={line} sale={sale} />}
      </GridList>
    </div>
  )
}

function Line({ line, sale }: { readonly line: SaleLine; readonly sale: Sale | null }) {
  const { t, format } = useWords()
  const nameOf = useDiscountName()
  const takenOff = useTakenOff()
  const discounts = sale && !line.voided ? ownDiscounts(sale, line.number) : []
  const amountCents = sale ? amountOfLine(sale, line) : line.amountCents
  const name = format.text(line.name)
  const spoken = line.voided
    ? t('sale.lineVoidText', { name })
    : t('sale.lineText', {
        name,
        quantity: line.quantity,
        price: format.money(line.unitPriceCents),
        amount: format.money(amountCents),
      })
  return (
    <GridListItem
      id={line.number}
      textValue={spoken}
      className={`${styles['line']} ${line.voided ? styles['void'] : ''} figures`}
    >
      <span className={styles['quantity']}>{line.quantity}</span>
      <span className={`${styles['name']} words`}>
        <span>{name}</span>
        {line.voided ? (
          <Tag tone="danger">{t('sale.voided')}</Tag>
        ) : (
          <small>
            {line.taxCodes.length === 0
              ? t('sale.notTaxed')
              : line.taxCodes.map((code) => t(`sale.tax.${code}`)).join(' + ')}
          </small>
        )}
      </span>
      <span className={styles['price']}>{format.money(line.unitPriceCents)}</span>
      <span className={styles['amount']}>{format.money(amountCents)}</span>
      {!line.voided && (discounts.length > 0 || line.regularPriceCents !== null || line.note !== null) && (
        <span className={`${styles['agreed']} words`}>
          {line.regularPriceCents !== null && (
            <small>{t('sale.regularPrice', { price: format.money(line.regularPriceCents) })}</small>
          )}
          {discounts.map((discount) => (
            <small key={discount.number}>
              {nameOf(discount)} <strong className="figures">{takenOff(discount)}</strong>
            </small>
          ))}
          {line.note !== null && <small>{t('sale.noteText', { note: line.note })}</small>}
        </span>
      )}
    </GridListItem>
  )
}
