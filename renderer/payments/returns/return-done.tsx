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
  TriangleAlert,
  UserRoundPlus,
} from 'lucide-react'
import { useEffect, useMemo, type ReactElement, type ReactNode } from 'react'
import type { SaleReturn } from '../../../contracts/payments/returns.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { useReturn } from './returns.ts'
import { ActionButton } from '../../core/ui/button.tsx'
import { Notices } from '../../core/ui/notices.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { CounterButtons } from '../receipt/after-sale.tsx'
import { ReprintVoucher, toneOfPrint, VoucherDocuments } from '../receipt/voucher-documents.tsx'
import styles from './returns.module.css'

/** A second Enter within this time after the confirmation must not close the instructions. */
const DOUBLE_TAP_MS = 350

export function ReturnDone({ done }: { readonly done: SaleReturn }) {
  const { t } = useI18n()
  const { seen, exchanged } = useReturn()
  const onward = useAction('return-continue').enabled
  const action = onward ? 'return-continue' : exchanged ? 'return-completed' : 'return-next'
  useEffect(() => {
    const timer = setTimeout(() => useReturn.setState({ seen: true }), DOUBLE_TAP_MS)
    return () => clearTimeout(timer)
  }, [])
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
        <Todo done={done} credits={credits} />
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

interface TodoProps {
  readonly done: SaleReturn
  /** Store credit that the return issued and that still has a balance. */
  readonly credits: readonly Pick<SaleReturn['vouchers'][number], 'id' | 'balanceCents'>[]
}

function Todo({ done, credits }: TodoProps) {
  const { t, format } = useI18n()
  const { exchanged, recalled } = useReturn()
  // The print was requested with the return, so its state is “queued” until a print event arrives.
  const print = useEvents((state) => state.prints[done.id]) ?? 'queued'
  const offline = useEvents((state) => state.queue?.central === 'offline')
  return (
    <ol className={`stack-3 ${styles['todo']}`} aria-label={t('returnScreen.todo')}>
      {done.refunds.map(({ kind, amountCents, roundingCents, reference }) => {
        const amount = format.money(amountCents + roundingCents)
        switch (kind) {
          case 'cash':
            return <Step key={kind} large icon={<Coins />} text={t('returnScreen.giveCash', { amount })} />
          case 'card':
            return (
              <Step
                key={kind}
                icon={<CreditCard />}
                text={t('returnScreen.gaveCard', { amount, number: reference ?? '' })}
              />
            )
          case 'card-terminal':
            return <Step key={kind} icon={<CreditCard />} text={t('returnScreen.goesToCard', { amount })} />
          case 'miles':
            return (
              <Step
                key={kind}
                icon={<Gift />}
                text={t(offline ? 'returnScreen.milesWait' : 'returnScreen.milesGo', { amount })}
              />
            )
          // All store credit is on one paper, which is listed below.
          case 'store-credit':
            return null
        }
      })}
      {credits.map(({ id, balanceCents }) => (
        <Step
          key={id}
          large
          icon={<Ticket />}
          text={t('returnScreen.giveCredit', { amount: format.money(balanceCents) })}
        />
      ))}
      {recalled.map(({ name, lot }, index) => (
        <Step
          key={index}
          large
          icon={<TriangleAlert />}
          text={t('returnScreen.setAside', { name: format.text(name), lot })}
        />
      ))}
      {exchanged && (
        <Step
          icon={<ArrowLeftRight />}
          text={t(exchanged.dueCents > 0 ? 'returnScreen.exchanged' : 'returnScreen.exchangedWhole', {
            amount: format.money(exchanged.paysCents),
            due: format.money(exchanged.dueCents),
          })}
        />
      )}
      <Step icon={<ScrollText />} text={t('returnScreen.giveSlip')}>
        {' '}
        <Tag tone={toneOfPrint(print)}>{t(`after.print.${print}`)}</Tag>
      </Step>
    </ol>
  )
}

interface StepProps {
  readonly icon: ReactElement
  readonly text: string
  readonly large?: boolean
  readonly children?: ReactNode
}

const Step = ({ icon, text, large, children }: StepProps) => (
  <li className="row-3 wraps box text-l weight-600 pad-4-5" data-large={large}>
    {icon}
    {text}
    {children}
  </li>
)
