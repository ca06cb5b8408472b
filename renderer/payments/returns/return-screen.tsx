import { ArrowLeft, Minus, PackageCheck, Plus, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { useI18n } from '../../core/i18n/i18n.ts'
import {
  discardReturn,
  cancelDiscard,
  enteredPieces,
  setPieces,
  suspendReturn,
  resumeReturn,
  useReturn,
} from './returns.ts'
import { ActionButton, Button, IconButton } from '../../core/ui/button.tsx'
import { Notices } from '../../core/ui/notices.tsx'
import { useInputCapture } from '../../core/state/window.ts'
import { useAction } from '../../core/ui/use-actions.ts'
import { useWrongFocus } from '../../core/ui/focus.ts'
import { CounterButtons } from '../receipt/after-sale.tsx'
import { FindSale, Reason } from './find-sale.tsx'
import { RefundPanel } from './refund-panel.tsx'
import { ReturnDone } from './return-done.tsx'
import { Unrecorded, UnrecordedPanel } from './unrecorded.tsx'
import styles from './returns.module.css'
import { GridList, GridListItem } from 'react-aria-components'
import type { ReturnableSale } from '../../../contracts/payments/returns.ts'
import { EMPTIES_SKU } from '../../../contracts/catalog/goods.ts'
import { useMeasureTexts } from '../../sales/measure-texts.ts'
import type { SaleLine } from '../../../contracts/sales/sales.ts'
import { Tag } from '../../core/ui/surface.tsx'
import { useDiscountName } from '../../sales/changes/changes-menu.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'

export default function ReturnScreen() {
  const { t } = useI18n()
  const { sale, unrecorded, done, tries } = useReturn()
  const form = useWrongFocus<HTMLDivElement>(tries)
  const drop = useAction('return-drop')
  useEffect(() => {
    resumeReturn()
    return suspendReturn
  }, [])
  if (done) return <ReturnDone key={done.id} done={done} />
  return (
    <div ref={form} className={`stack-4 full-height pad-4 ${styles['screen']}`}>
      <section
        className={`column-3 min-width-0 min-height-0 scroll panel pad-5 ${styles['main']}`}
        aria-label={t('returns.title')}
      >
        <header className="row-2 wraps target">
          <h1 className="grow">{t(unrecorded ? 'returnScreen.withoutTitle' : 'returns.title')}</h1>
          {drop.enabled && <ActionButton id="return-drop" look="quiet" icon={<Trash2 />} />}
          <CounterButtons />
        </header>
        {unrecorded ? <Unrecorded /> : sale ? <ReturnLines sale={sale} /> : <FindSale />}
      </section>
      <section className={`stack-3 min-width-0 min-height-0 ${styles['side']}`} aria-label={t('returnScreen.goesBack')}>
        {unrecorded ? <UnrecordedPanel /> : <RefundPanel />}
        <div className={styles['messages']}>
          <Notices />
        </div>
      </section>
      <DiscardDialog />
    </div>
  )
}

export function ReturnLines({ sale }: { readonly sale: ReturnableSale }) {
  const { t, format } = useI18n()
  const { pieces, selectedLine, quote, exchanging } = useReturn()
  const worthOf = useWorth(sale)
  const measures = useMeasureTexts()
  useInputCapture('items')
  const lines = sale.lines.map((line) => ({
    ...line,
    id: line.number,
    taken: pieces[line.number] ?? 0,
    // After a partial return, the discount of all sold pieces does not describe those that are left.
    worth: worthOf(
      quote?.lines.find(({ number }) => number === line.number) ??
        (line.returnedQuantity > 0 ? { ...line, discountCents: 0 } : line),
    ),
  }))
  const nothingLeft = lines.every(({ leftQuantity }) => leftQuantity === 0)
  return (
    <>
      <p className="dim figures">
        <strong className="ink">{sale.saleId}</strong> {format.dateTime(sale.completedAt)}
        {sale.lane !== undefined && ` · ${t('returnScreen.soldAtLane', { lane: sale.lane })}`}
        {sale.last4 !== null && ` · ${t('earlier.collector', { last4: sale.last4 })}`}
      </p>
      {nothingLeft && (
        <p role="status" className="row-3 tone-warn weight-600 round-m pad-3-4 icons-22">
          {t(lines.some(({ kept }) => kept) ? 'returnScreen.nothingButCards' : 'returnScreen.nothingLeft')}
        </p>
      )}
      <GridList
        autoFocus
        className={`scroll framed ringless ${styles['lines']}`}
        aria-label={t('returnScreen.lines')}
        items={lines}
        dependencies={[t, quote, exchanging]}
        selectionMode="single"
        selectionBehavior="replace"
        disabledKeys={lines.filter(({ leftQuantity }) => leftQuantity === 0).map(({ id }) => id)}
        selectedKeys={selectedLine === null ? [] : [selectedLine]}
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : keys
          if (typeof key === 'number') useReturn.setState({ selectedLine: key })
        }}
      >
        {({
          number,
          sku,
          name,
          unitPriceCents,
          measure,
          leftQuantity,
          returnedQuantity,
          kept,
          taken,
          worth,
          finalSale,
        }) => {
          const called = format.text(name)
          return (
            <GridListItem
              id={number}
              textValue={t('returnScreen.lineText', { name: called, taken, left: leftQuantity })}
              className={`stack-4 with-end middle pad-2-4 default-cursor option ${styles['line']} figures`}
              data-taken={taken > 0}
            >
              <span className={`wrap baseline min-width-0 text-l weight-550 ${styles['name']} prose`}>
                <span>{called}</span>
                <small className="note weight-500">
                  {kept
                    ? t(sku === EMPTIES_SKU ? 'returnScreen.keptEmpties' : 'returnScreen.kept')
                    : t('returnScreen.left', { left: leftQuantity, price: format.money(unitPriceCents) })}
                </small>
                {measure && <small className="note weight-500">{measures.line(measure)}</small>}
                {measure && taken > 0 && !exchanging && (
                  <small className="note weight-500">{t('returnScreen.partOfWeight')}</small>
                )}
                {quote?.lines
                  .filter(({ chargeOf }) => chargeOf === number)
                  .map((charge) => (
                    <small className="note weight-500" key={charge.number}>
                      {format.text(charge.name)} {format.money(charge.amountCents)}
                    </small>
                  ))}
                {finalSale && <Tag tone="warn">{t('returnScreen.finalSale')}</Tag>}
                {worth && <small className={`note weight-500 ${styles['worth']}`}>{worth}</small>}
                {returnedQuantity > 0 && <Tag>{t('returnScreen.returnedBefore', { count: returnedQuantity })}</Tag>}
              </span>
              <Stepper number={number} name={called} taken={taken} left={leftQuantity} />
            </GridListItem>
          )
        }}
      </GridList>
      {!nothingLeft && <Reason />}
      <footer className="wrap-2 push-down">
        <ActionButton id="return-find" icon={<ArrowLeft />} />
        <ActionButton id="return-all" icon={<PackageCheck />} />
      </footer>
    </>
  )
}

interface StepperProps {
  readonly number: number
  readonly name: string
  readonly taken: number
  readonly left: number
}

function Stepper({ number, name, taken, left }: StepperProps) {
  const { t } = useI18n()
  return (
    <span className={`row-2 ${styles['stepper']}`}>
      <IconButton
        look="plain"
        label={t('returnScreen.fewerOf', { name })}
        icon={<Minus />}
        isDisabled={taken === 0}
        onPress={() => setPieces(number, taken - 1)}
      />
      <output className="text-xl weight-700 center round-s surface-3" aria-label={t('returnScreen.piecesOf', { name })}>
        {taken}
      </output>
      <IconButton
        look="plain"
        label={t('returnScreen.moreOf', { name })}
        icon={<Plus />}
        isDisabled={taken === left}
        onPress={() => setPieces(number, taken + 1)}
      />
    </span>
  )
}

type Worth = Omit<SaleLine, 'discountCents'> & { readonly discountCents: number }

/**
 * Returns a text for the customer why items of a line are refunded at less than their price, before tax; null where
 * they are not. The tax is refunded too.
 */
function useWorth(sale: ReturnableSale): (pieces: Worth) => string | null {
  const { t, format } = useI18n()
  const nameOf = useDiscountName()
  return ({ number, quantity, unitPriceCents, regularPriceCents, discountCents, amountCents }) => {
    const on = sale.lines.find((line) => line.number === number)?.discounts ?? []
    const names = sale.discounts.filter((discount) => on.includes(discount.number)).map((discount) => nameOf(discount))
    const reasons = [
      ...(regularPriceCents === null
        ? []
        : [
            t('returnScreen.soldAt', { price: format.money(unitPriceCents), regular: format.money(regularPriceCents) }),
          ]),
      ...(discountCents === 0
        ? []
        : [
            t('returnScreen.lessDiscount', {
              price: format.money(unitPriceCents * quantity),
              off: format.money(discountCents),
              names: names.join(', '),
              worth: format.money(amountCents),
            }),
          ]),
    ]
    return reasons.length === 0 ? null : reasons.join(' ')
  }
}

/**
 * Asks before the entered goods of a return are discarded. Items scanned during the question are added to the return.
 */
export function DiscardDialog() {
  const { t } = useI18n()
  const state = useReturn()
  return (
    <Dialog
      open={state.dropping !== null}
      onClose={cancelDiscard}
      role="alertdialog"
      title={t('returnScreen.dropTitle')}
    >
      <p>{t('returnScreen.dropText', { count: enteredPieces(state) })}</p>
      <div className="stack-3 halves above-2">
        <Button size="l" autoFocus onPress={cancelDiscard}>
          {t('returnScreen.dropKeep')}
        </Button>
        <Button size="l" look="danger" onPress={discardReturn}>
          {t('returnScreen.dropConfirm')}
        </Button>
      </div>
    </Dialog>
  )
}
