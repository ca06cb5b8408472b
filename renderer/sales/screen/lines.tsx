import {
  CirclePause,
  History,
  Minus,
  Plus,
  Printer,
  Recycle,
  ScanBarcode,
  SlidersHorizontal,
  Trash2,
  Undo2,
  WalletCards,
  X,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import { GridList, GridListItem } from 'react-aria-components'
import type { Sale, SaleLine } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { amountOfLine, leaveQuantity, ownDiscounts, selectLine, useSale } from '../sale.ts'
import { useBasketOffers } from '../../loyalty/offers/basket-offers.ts'
import { useShell } from '../../core/state/window.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { useHeldSales } from '../held-sales.ts'
import { useNotices } from '../../core/state/notices.ts'
import { ActionButton, IconButton } from '../../core/ui/button.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import { useDiscountName, useTakenOff } from '../changes/changes-menu.tsx'
import { QuantityForm } from './quantity-form.tsx'
import styles from './lines.module.css'
import { setQuantity } from '../sale-commands.ts'
import { useMeasureTexts } from '../measure-texts.ts'

export function Lines({ sale }: { readonly sale: Sale | null }) {
  const { t } = useI18n()
  const selected = useSale((state) => state.selectedLine)
  const training = useTerminal((state) => state.terminal?.mode === 'training')
  const trainingOpen = useShell((state) => state.trainingOpen)
  const notices = useNotices((state) => state.notices.length)
  const offersListed = useBasketOffers((state) => state.listed)
  const reprintLast = useAction('reprint-last')
  const held = useHeldSales((state) => state.sales.length)
  const list = useRef<HTMLDivElement>(null)
  const lines = sale?.lines ?? []

  // Keeps the line just rung visible, even when messages or offers shrink the list.
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
        <div className="wrap-2 centred ink">
          {reprintLast.enabled && <ActionButton id="reprint-last" icon={<Printer />} />}
          {held > 0 && (
            <ActionButton id="held-sales" icon={<CirclePause />} note={t('held.statusCount', { count: held })} />
          )}
          <ActionButton id="earlier-sales" icon={<History />} />
          <ActionButton id="gift-card" icon={<WalletCards />} />
          <ActionButton id="empties" icon={<Recycle />} />
          <ActionButton id="return" icon={<Undo2 />} />
        </div>
      </Empty>
    )
  }
  return (
    <div className={`grid min-height-0 ${styles['table']}`}>
      <div className={`grid middle text-xs dim weight-600 surface-2 ${styles['head']}`} aria-hidden="true">
        <span>{t('sale.quantity')}</span>
        <span>{t('sale.item')}</span>
        <span>{t('sale.price')}</span>
        <span>{t('sale.amount')}</span>
      </div>
      <GridList
        ref={list}
        className={`scroll ringless ${styles['list']}`}
        aria-label={t('sale.linesLabel')}
        items={lines.map((line) => ({ ...line, id: line.number }))}
        dependencies={[t, sale?.discounts]}
        selectionMode="single"
        selectionBehavior="replace"
        disabledKeys={lines.filter((line) => line.voided || line.chargeOf !== undefined).map((line) => line.number)}
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
  const { t, format } = useI18n()
  const nameOf = useDiscountName()
  const takenOff = useTakenOff()
  const texts = useMeasureTexts()
  const discounts = sale && !line.voided ? ownDiscounts(sale, line.number) : []
  const amountCents = sale ? amountOfLine(sale, line) : line.amountCents
  const name = format.text(line.name)
  const isCharge = line.chargeOf !== undefined
  const measured = (line.measure && texts.line(line.measure)) ?? null
  const look = [line.voided && styles['void'], isCharge && styles['charge']].filter(Boolean).join(' ')
  const accessibleText = line.voided
    ? t('sale.lineVoidText', { name })
    : measured !== null
      ? t('sale.lineMeasured', { name, measured, amount: format.money(amountCents) })
      : t('sale.lineText', {
          name,
          quantity: line.quantity,
          price: format.money(line.unitPriceCents),
          amount: format.money(amountCents),
        })
  return (
    <GridListItem
      id={line.number}
      textValue={accessibleText}
      className={`grid middle default-cursor option ${styles['line']} ${look} figures`}
    >
      {isCharge ? (
        <span />
      ) : (
        <span className={`weight-650 center round-s surface-3 ${styles['quantity']}`}>{line.quantity}</span>
      )}
      <span
        className={`wrap baseline min-width-0 ${isCharge ? 'text-s dim' : 'text-l weight-550'} ${styles['name']} prose`}
      >
        <span>{name}</span>
        {line.voided ? (
          <Tag tone="danger">{t('sale.voided')}</Tag>
        ) : (
          <small className="rigid text-xs dim nowrap weight-500">
            {line.taxCodes.length === 0
              ? t('sale.notTaxed')
              : line.taxCodes.map((code) => t(`sale.tax.${code}`)).join(' + ')}
          </small>
        )}
      </span>
      <span className={`dim right ${styles['price']}`}>
        {line.measure && measured !== null
          ? texts.price(line.measure.unitPriceCents, line.measure.unit)
          : format.money(line.unitPriceCents)}
      </span>
      <span className={`right ${isCharge ? 'text-s dim' : 'text-l weight-650'} ${styles['amount']}`}>
        {format.money(amountCents)}
      </span>
      {!line.voided &&
        (measured !== null ||
          discounts.length > 0 ||
          line.regularPriceCents !== null ||
          line.exemption ||
          line.note !== null) && (
          <span className={`wrap anywhere ${styles['agreed']} prose`}>
            {measured !== null && <small className="note">{measured}</small>}
            {line.regularPriceCents !== null && (
              <small className="note">{t('sale.regularPrice', { price: format.money(line.regularPriceCents) })}</small>
            )}
            {discounts.map((discount) => (
              <small className="note" key={discount.number}>
                {nameOf(discount)} <strong className="figures">{takenOff(discount)}</strong>
              </small>
            ))}
            {line.exemption && (
              <small className="note">
                {t('sale.exempt', {
                  reason: t(`exemption.reasons.${line.exemption.reason}`),
                  certificate: line.exemption.certificate,
                })}
              </small>
            )}
            {line.note !== null && <small className="note">{t('sale.noteText', { note: line.note })}</small>}
          </span>
        )}
    </GridListItem>
  )
}

export function LineActions() {
  const { t, format } = useI18n()
  const { current, selectedLine, editingQuantity } = useSale()
  const more = useAction('more')
  const fewer = useAction('fewer')
  const undo = useAction('undo')
  const hold = useAction('sale-hold')
  const line = current?.lines.find((other) => other.number === (editingQuantity ?? selectedLine) && !other.voided)
  return (
    <footer className={`row-2 relative surface-2 pad-2-3 ${styles['bar']}`}>
      {line && more.enabled && (
        <div className={`row-2 rigid ${styles['actionLine']}`} role="group" aria-label={t('sale.selected')}>
          {editingQuantity !== null ? (
            <QuantityForm
              key={line.number}
              label={t('sale.quantityOf', { name: format.text(line.name) })}
              initial={String(line.quantity)}
              look="rigid"
              onEntered={(quantity) => {
                leaveQuantity()
                void setQuantity(line.number, quantity)
              }}
              onClose={leaveQuantity}
            />
          ) : (
            <>
              <IconButton
                look="plain"
                label={fewer.label}
                icon={<Minus />}
                isDisabled={!fewer.enabled}
                onPress={fewer.perform}
              />
              <ActionButton id="quantity" label={t('sale.quantity')} />
              <IconButton look="plain" label={more.label} icon={<Plus />} onPress={more.perform} />
              <span className={styles['iconic']}>
                <ActionButton id="line-void" icon={<Trash2 />} />
              </span>
            </>
          )}
        </div>
      )}
      {current && (
        <span className={styles['iconic']}>
          <ActionButton id="changes" icon={<SlidersHorizontal />} />
        </span>
      )}
      {undo.enabled && <IconButton label={undo.label} icon={<Undo2 />} onPress={undo.perform} />}
      <span className={`grow ${styles['rest']}`} />
      {hold.enabled && <ActionButton id="sale-hold" look="quiet" label={t('held.short')} icon={<CirclePause />} />}
      {current && <ActionButton id="sale-cancel" look="quiet" icon={<X />} />}
    </footer>
  )
}
