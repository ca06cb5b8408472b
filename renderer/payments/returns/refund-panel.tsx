import { ArrowLeftRight, CloudOff, Coins, CreditCard, Gift, Ticket, TimerReset, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { FieldError, Input, Label, Text, TextField, ToggleButton } from 'react-aria-components'
import type { MilesTaken, RefundKind, ReturnQuote } from '../../../contracts/payments/returns.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { goesBackCents, requote, setExchanging, useReturn } from './returns.ts'
import { ActionButton } from '../../core/ui/button.tsx'
import { Key } from '../../core/ui/key.tsx'
import { RuleNotices } from '../../sales/return-rules.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import styles from './returns.module.css'
import type { RefundReason } from '../../../contracts/payments/tenders/registry.ts'

const LONGEST_REFERENCE = 40

export function RefundPanel() {
  const { t, format } = useI18n()
  const { quote, pieces } = useReturn()
  const chosen = Object.values(pieces).some((quantity) => quantity > 0)
  return (
    <>
      <div className={`flex gap-3 baseline between board pad-4-5 ${styles['board']}`}>
        <span>{t('returnScreen.goesBack')}</span>
        <output className="figures" aria-label={t('returnScreen.goesBack')}>
          {format.money(goesBackCents(quote))}
        </output>
      </div>
      <div className={`min-height-0 scroll ${styles['stage']}`}>
        {chosen && quote ? (
          <Plan quote={quote} />
        ) : (
          <Empty icon={<Undo2 />} title={t('returnScreen.chooseTitle')} text={t('returnScreen.choose')} />
        )}
      </div>
      {quote?.exchange ? (
        <ActionButton id="return-exchange-confirm" look="primary" size="xl" wide icon={<ArrowLeftRight />} />
      ) : (
        <ActionButton id="return-confirm" look="primary" size="xl" wide icon={<Undo2 />} />
      )}
    </>
  )
}

function Plan({ quote }: { readonly quote: ReturnQuote }) {
  const { t, format } = useI18n()
  const exchanging = useReturn((state) => state.exchanging)
  const exchange = useAction('return-exchange')
  const offline = useEvents((state) => state.queue?.central === 'offline')
  const card = quote.refunds.find(({ kind }) => kind === 'card')
  const byMiles = quote.refunds.some(({ kind }) => kind === 'miles')
  return (
    <div className={`stack-3 ${styles['plan']}`}>
      {(exchange.enabled || exchanging) && (
        <ToggleButton
          isSelected={exchanging}
          isDisabled={!exchange.enabled}
          onChange={setExchanging}
          className={`row-3 centred target control weight-650 icons-20 ${styles['exchange']}`}
        >
          <ArrowLeftRight aria-hidden="true" />
          {t('returnScreen.exchange')}
          {exchange.keys[0] && <Key name={exchange.keys[0]} />}
        </ToggleButton>
      )}
      <RuleNotices brokenRules={quote.brokenRules} recalled={quote.recalled} />
      <RefundList refunds={quote.refunds} />
      {quote.exchange && (
        <p role="status" className={`row-3 weight-600 round-m pad-3-4 icons-22 ${styles['hint']}`}>
          <ArrowLeftRight aria-hidden="true" />
          {t(quote.exchange.dueCents > 0 ? 'returnScreen.exchangePays' : 'returnScreen.exchangePaysWhole', {
            amount: format.money(quote.exchange.paysCents),
            due: format.money(quote.exchange.dueCents),
          })}
          {quote.exchange.evenCount > 0 && ` ${t('returnScreen.even', { count: quote.exchange.evenCount })}`}
        </p>
      )}
      {(quote.reversible || quote.milesTaken) && (
        <div className={`stack-2 tone-miles text-s weight-600 round-m pad-2-4 icons-22 ${styles['miles']}`}>
          {quote.reversible && (
            <Deadline key={quote.reversible.closesAt} reversible={quote.reversible} used={byMiles} />
          )}
          <DeductedMiles taken={quote.milesTaken} />
        </div>
      )}
      {offline && (byMiles || quote.milesTaken !== null) && (
        <p role="status" className="row-3 tone-warn weight-600 round-m pad-3-4 icons-22">
          <CloudOff aria-hidden="true" />
          {t('returnScreen.offline')}
        </p>
      )}
      {card && <CardReference amountCents={card.amountCents} />}
    </div>
  )
}

const SECOND = 1_000

/** Shows the time left in which miles can be returned as miles. At the deadline, requests the refund again. */
function Deadline({
  reversible: { closesAt, miles },
  used,
}: {
  readonly reversible: NonNullable<ReturnQuote['reversible']>
  readonly used: boolean
}) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const [left, setLeft] = useState(() => Date.parse(closesAt) - Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Date.parse(closesAt) - Date.now()
      setLeft(now)
      if (now > 0) return
      clearInterval(timer)
      void requote()
    }, SECOND)
    return () => clearInterval(timer)
  }, [closesAt])
  return (
    <p className="row-3">
      <TimerReset aria-hidden="true" />
      <span>
        {t(used ? 'returnScreen.deadlineUsed' : 'returnScreen.deadlineOpen', {
          miles: milesText(miles),
          time: format.dateTime(closesAt),
        })}{' '}
        <strong className="nowrap text-m figures" role="timer">
          {t('returnScreen.timeLeft', { left: format.left(left) })}
        </strong>
      </span>
    </p>
  )
}

function DeductedMiles({ taken }: { readonly taken: MilesTaken | null }) {
  const { t } = useI18n()
  const milesText = useMilesText()
  if (!taken) return null
  return (
    <p className="row-3">
      <Gift aria-hidden="true" />
      <span>
        {taken.certainty === 'later'
          ? t('returnScreen.takenLater')
          : t(`returnScreen.taken.${taken.certainty}`, { miles: milesText(taken.miles) })}
      </span>
    </p>
  )
}

function CardReference({ amountCents }: { readonly amountCents: number }) {
  const { t, format } = useI18n()
  const { cardReference, missing } = useReturn()
  return (
    <TextField
      value={cardReference}
      onChange={(next) => useReturn.setState({ cardReference: next, missing: null })}
      isInvalid={missing === 'card-reference'}
      className={`stack-1 field ringed ${styles['field']}`}
    >
      <Label>{t('returnScreen.cardFirst', { amount: format.money(amountCents) })}</Label>
      <Input maxLength={LONGEST_REFERENCE} autoComplete="off" spellCheck="false" />
      <Text slot="description">{t('tender.referenceHint')}</Text>
      <FieldError>{t('tender.referenceMissing')}</FieldError>
    </TextField>
  )
}

const ICONS = {
  cash: <Coins />,
  card: <CreditCard />,
  'card-terminal': <CreditCard />,
  miles: <Gift />,
  'store-credit': <Ticket />,
} as const satisfies Record<RefundKind, unknown>

export function RefundList({
  refunds,
}: {
  readonly refunds: readonly {
    readonly kind: RefundKind
    readonly amountCents: number
    readonly roundingCents: number
    readonly why: RefundReason
  }[]
}) {
  const { t, format } = useI18n()
  return (
    <ul className={`stack-2 icons-22 ${styles['refunds']}`} aria-label={t('returnScreen.goesBack')}>
      {refunds.map(({ kind, amountCents, roundingCents, why }) => (
        <li key={`${kind} ${why} ${amountCents}`} className="stack-3 middle framed weight-650 surface-1 figures">
          <span aria-hidden="true">{ICONS[kind]}</span>
          <span className="prose">
            {t(`returnScreen.kind.${kind}`)}
            <small className="block note weight-500">{t(`tender.whyBack.${why}`)}</small>
          </span>
          <strong className="text-xl">{format.money(amountCents + roundingCents)}</strong>
        </li>
      ))}
    </ul>
  )
}
