import {
  ArrowLeftRight,
  ArrowRight,
  CircleCheckBig,
  Coins,
  CreditCard,
  Gift,
  Printer,
  ScrollText,
  Ticket,
  UserRoundPlus,
} from 'lucide-react'
import { useEffect, useMemo } from 'react'
import type { SaleReturn } from '../../../contracts/payments/returns.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { useEvents } from '../../core/state/events.ts'
import { useReturn } from './returns.ts'
import { ActionButton } from '../../core/ui/button.tsx'
import { Notices } from '../../core/ui/notices.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { CounterButtons } from '../receipt/after-sale.tsx'
import { ReprintVoucher, toneOfPrint, VoucherDocuments } from '../receipt/voucher-documents.tsx'
import styles from './returns.module.css'

/** A second tap of the hand that confirmed must not send away what is to be handed out. */
const DOUBLE_TAP_MS = 350

/** The return is made: everything that the cashier must do now, the money in hand largest. */
export function ReturnDone({ done }: { readonly done: SaleReturn }) {
  const { t, format } = useWords()
  const { seen, exchanged } = useReturn()
  const onward = useAction('return-continue').enabled
  const action = onward ? 'return-continue' : exchanged ? 'return-completed' : 'return-next'
  useEffect(() => {
    const timer = setTimeout(() => useReturn.setState({ seen: true }), DOUBLE_TAP_MS)
    return () => clearTimeout(timer)
  }, [])
  // Both documents were asked for with the return: until the printer has told, they wait for it.
  const print = useEvents((state) => state.prints[done.id]) ?? 'queued'
  const offline = useEvents((state) => state.queue?.central === 'offline')
  const credits = useMemo(
    () =>
      done.vouchers
        .filter(({ balanceCents }) => balanceCents > 0)
        .map((voucher) => ({ ...voucher, print: 'queued' as const })),
    [done],
  )
  return (
    <div className="grid with-foot full-height pad-4">
      <section
        className={`column-3 min-width-0 min-height-0 scroll panel pad-5 ${styles['main']}`}
        aria-label={t('returnScreen.doneTitle')}
      >
        <header className="row-2 wraps target">
          <h1 className={`row-3 grow ${styles['doneTitle']}`}>
            <CircleCheckBig aria-hidden="true" />
            {t('returnScreen.doneTitle')}
          </h1>
          <CounterButtons />
        </header>
        <ol className={`stack-3 ${styles['todo']}`} aria-label={t('returnScreen.todo')}>
          {done.refunds.map(({ kind, amountCents, roundingCents, reference }) => {
            const amount = format.money(amountCents + roundingCents)
            switch (kind) {
              case 'cash':
                return (
                  <li className="row-3 wraps box text-l weight-600 pad-4-5" key={kind} data-large="true">
                    <Coins aria-hidden="true" />
                    {t('returnScreen.giveCash', { amount })}
                  </li>
                )
              case 'card':
                return (
                  <li className="row-3 wraps box text-l weight-600 pad-4-5" key={kind}>
                    <CreditCard aria-hidden="true" />
                    {t('returnScreen.gaveCard', { amount, number: reference ?? '' })}
                  </li>
                )
              case 'card-terminal':
                return (
                  <li className="row-3 wraps box text-l weight-600 pad-4-5" key={kind}>
                    <CreditCard aria-hidden="true" />
                    {t('returnScreen.goesToCard', { amount })}
                  </li>
                )
              case 'miles':
                return (
                  <li className="row-3 wraps box text-l weight-600 pad-4-5" key={kind}>
                    <Gift aria-hidden="true" />
                    {t(offline ? 'returnScreen.milesWait' : 'returnScreen.milesGo', { amount })}
                  </li>
                )
              // One paper for all that went back so, below.
              case 'store-credit':
                return null
            }
          })}
          {credits.map(({ id, balanceCents }) => (
            <li className="row-3 wraps box text-l weight-600 pad-4-5" key={id} data-large="true">
              <Ticket aria-hidden="true" />
              {t('returnScreen.giveCredit', { amount: format.money(balanceCents) })}
            </li>
          ))}
          {exchanged && (
            <li className="row-3 wraps box text-l weight-600 pad-4-5">
              <ArrowLeftRight aria-hidden="true" />
              {t(exchanged.dueCents > 0 ? 'returnScreen.exchanged' : 'returnScreen.exchangedWhole', {
                amount: format.money(exchanged.paysCents),
                due: format.money(exchanged.dueCents),
              })}
            </li>
          )}
          <li className="row-3 wraps box text-l weight-600 pad-4-5">
            <ScrollText aria-hidden="true" />
            {t('returnScreen.giveSlip')} <Tag tone={toneOfPrint(print)}>{t(`after.print.${print}`)}</Tag>
          </li>
        </ol>
        <VoucherDocuments vouchers={credits} />
        <p className="dim">{t('returns.number', { id: done.id })}</p>
        <span className="grow" />
        <div className={`stack-3 with-start ${styles['foot']}`}>
          <div className="wrap-3">
            <ActionButton id="return-reprint" size="xl" icon={<Printer />} />
            <ReprintVoucher size="xl" />
          </div>
          <ActionButton
            key={String(seen)}
            id={action}
            look="primary"
            size="xl"
            wide
            autoFocus={seen}
            icon={action === 'return-next' ? <UserRoundPlus /> : <ArrowRight />}
          />
        </div>
      </section>
      <Notices />
    </div>
  )
}
