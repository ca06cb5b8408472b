import { ArrowLeft, BadgeCheck, CircleX, Gift, LoaderCircle, Minus, Plus, Undo2 } from 'lucide-react'
import type { z } from 'zod'
import type { RedemptionChoice, Sale } from '../../contracts/sales/sales.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { type RedemptionFacts, outcomeOf, useSale } from '../sales/sale.ts'
import { ActionButton, Button } from '../core/ui/button.tsx'
import { Tag } from '../core/ui/surface.tsx'
import { useAction } from '../core/ui/use-actions.ts'
import styles from './redeem.module.css'
import { type ReactNode, useEffect, useState } from 'react'
import { ProgressBar } from 'react-aria-components'
import { useTerminal } from '../core/state/terminal.ts'
import { PayKeys } from '../payments/tender/registry.tsx'

export function RedeemPanel({
  sale,
  choice,
}: {
  readonly sale: Sale
  readonly choice: z.infer<typeof RedemptionChoice>
}) {
  const { t, format } = useI18n()
  const chosen = useSale((state) => state.units) ?? choice.defaultUnits
  const more = useAction('units-more')
  const fewer = useAction('units-fewer')
  const amount = chosen * choice.unitCents
  const max = choice.maxUnits * choice.unitCents
  return (
    <section className="stack-3 with-foot min-height-0" aria-label={t('redeem.title')}>
      <div className={`column-3 min-height-0 scroll panel pad-5 ${styles['card']}`}>
        <h2>{t('redeem.title')}</h2>
        <p className={`dim ${styles['question']}`}>{t('redeem.question')}</p>
        <div
          className={`stack-3 middle round-l pad-3 ${styles['stepper']}`}
          role="group"
          aria-label={t('redeem.units')}
        >
          <Button
            size="xl"
            aria-label={fewer.label}
            isDisabled={!fewer.enabled}
            icon={<Minus />}
            onPress={fewer.perform}
          />
          <output className="grid center line-tight miles-ink figures" aria-live="polite">
            <strong>{format.money(amount)}</strong>
            <span>{t('redeem.costs', { miles: format.miles(chosen * choice.unitMiles) })}</span>
            <small className="text-xs">
              {t('redeem.unitsValue', { count: chosen, amount: format.money(choice.unitCents) })}
            </small>
          </output>
          <Button size="xl" aria-label={more.label} isDisabled={!more.enabled} icon={<Plus />} onPress={more.perform} />
        </div>
        <div className="stack-3 halves">
          <Button isDisabled={chosen === 1} onPress={() => useSale.setState({ units: 1 })}>
            {t('redeem.least')}
          </Button>
          <Button isDisabled={chosen === choice.maxUnits} onPress={() => useSale.setState({ units: choice.maxUnits })}>
            {t('redeem.most')}
          </Button>
        </div>
        <p className="note">{t(`redeem.limitedBy.${choice.limitedBy}`, { amount: format.money(max) })}</p>
        <ul className={`grid note ${styles['limits']} figures`} aria-label={t('redeem.limits')}>
          {choice.limits.map(({ by, amountCents }) => (
            <li className="row-3 between" key={by} data-binds={amountCents === max}>
              <span className="prose">{t(`redeem.limit.${by}`)}</span>
              <span>
                {t('redeem.upTo', { amount: format.money(amountCents) })}
                {amountCents === max && <Tag tone="miles">{t('redeem.limitBinds')}</Tag>}
              </span>
            </li>
          ))}
        </ul>
        <p className="text-l weight-650">
          {t('redeem.afterwards', { due: format.money(sale.totals.dueCents - amount) })}
        </p>
      </div>
      <div className="stack-3 with-start">
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <ActionButton id="redeem-confirm" look="miles" size="l" wide icon={<Gift />} />
      </div>
    </section>
  )
}

export function RedemptionPanel({ sale, redemption }: { readonly sale: Sale; readonly redemption: RedemptionFacts }) {
  const outcome = outcomeOf(redemption)
  switch (outcome) {
    case 'progress':
      return <Progress key={redemption.id} redemption={redemption} />
    case 'approved':
      return <Approved sale={sale} redemption={redemption} />
    case 'failed':
      return <Failed sale={sale} redemption={redemption} />
    case 'reversal':
      // The redemption never paid anything: miles that the program deducted are returned, and the customer pays
      // otherwise.
      return sale.state === 'open' && !redemption.wasApplied ? (
        <Failed sale={sale} redemption={redemption} />
      ) : (
        <Reversal sale={sale} redemption={redemption} />
      )
  }
}

function Progress({ redemption }: { readonly redemption: RedemptionFacts }) {
  const { t, format } = useI18n()
  const retrying = redemption.state === 'retry'
  const longest = useTerminal((state) => state.terminal?.redemptionSeconds ?? 0)
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((known) => known + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  const amount = format.money(redemption.amountCents)
  return (
    <section className="stack-3 with-foot min-height-0" aria-label={t('redeem.progressLabel')}>
      <Card look="centered">
        <LoaderCircle className={`${styles['waiting']} spin`} aria-hidden="true" />
        <h2>{t(retrying ? 'redeem.retryingTitle' : 'redeem.sendingTitle', { amount })}</h2>
        <p role="status">{t(retrying ? 'redeem.retrying' : 'redeem.sending')}</p>
        <ProgressBar
          aria-label={t('redeem.progressLabel')}
          value={Math.min(seconds, longest)}
          maxValue={longest}
          className={`full-width ${styles['progress']}`}
        >
          {({ percentage }) => (
            <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="4" className={styles['track']} />
              <rect width={percentage ?? 0} height="4" className={styles['done']} />
            </svg>
          )}
        </ProgressBar>
        <ol className={`flex gap-2 between full-width text-xs weight-600 ${styles['steps']}`}>
          <li className="dim" data-state="done">
            {t('redeem.stepSent')}
          </li>
          <li className="dim" data-state={retrying ? 'done' : 'ahead'}>
            {t('redeem.stepRetry')}
          </li>
          <li className="dim" data-state="ahead">
            {t('redeem.stepAnswer')}
          </li>
        </ol>
        <p className="note">{t('redeem.progressEnd', { seconds: longest })}</p>
      </Card>
    </section>
  )
}

function Approved({ sale, redemption }: { readonly sale: Sale; readonly redemption: RedemptionFacts }) {
  const { t, format } = useI18n()
  return (
    <section className="stack-3 with-foot min-height-0" aria-label={t('redeem.title')}>
      <Card look="approved">
        <p className={`row-3 text-xl line-tight ${styles['verdict']}`}>
          <BadgeCheck aria-hidden="true" />
          <strong>{t('redeem.approvedTitle', { amount: format.money(redemption.amountCents) })}</strong>
        </p>
        <p>{t('redeem.approved', { miles: format.miles(redemption.miles) })}</p>
        <dl className={`stack-3 push-down ${styles['facts']}`}>
          <div>
            <dt className="note">{t('redeem.confirmation')}</dt>
            <dd className="text-xl weight-700 anywhere figures selectable">{redemption.confirmationNumber}</dd>
          </div>
          <div>
            <dt className="note">{t('redeem.leftToPay')}</dt>
            <dd className="text-xl weight-700 anywhere figures">{format.money(sale.totals.dueCents)}</dd>
          </div>
        </dl>
      </Card>
      <PayRest next="redemption-continue" />
    </section>
  )
}

function Failed({ sale, redemption }: { readonly sale: Sale; readonly redemption: RedemptionFacts }) {
  const { t, format } = useI18n()
  const notApplied = redemption.state !== 'declined'
  const { dueCents, cashDueCents } = sale.totals
  return (
    <section className="stack-3 with-foot min-height-0" aria-label={t('redeem.title')}>
      <Card look="failed">
        <div className="row-2 wraps">
          <p className={`inline gap-2 middle weight-700 icons-22 ${styles['badge']}`}>
            <CircleX aria-hidden="true" />
            {t('redeem.notAppliedBadge')}
          </p>
          {redemption.responseCode && <Tag>{t('redeem.code', { code: redemption.responseCode })}</Tag>}
        </div>
        <h2>{t(notApplied ? 'redeem.notAppliedTitle' : 'redeem.declinedTitle')}</h2>
        <p className="text-l">{t(`redeem.outcome.${redemption.outcome}`)}</p>
        {redemption.message && <p>{t('member.saysReason', { message: redemption.message })}</p>}
        <p className="push-down text-l weight-700">
          {t(dueCents === cashDueCents ? 'redeem.nextStep' : 'redeem.nextStepRounded', {
            amount: format.money(dueCents),
            cash: format.money(cashDueCents),
          })}
        </p>
      </Card>
      <PayRest next="redemption-dismiss" />
    </section>
  )
}

function Reversal({ sale, redemption }: { readonly sale: Sale; readonly redemption: RedemptionFacts }) {
  const { t } = useI18n()
  return (
    <section className="stack-3 with-foot min-height-0" aria-label={t('redeem.title')}>
      <Card look="plain">
        <p className={`row-3 text-xl line-tight ${styles['verdict']}`}>
          <Undo2 aria-hidden="true" />
          <strong>{t('redeem.reversingTitle')}</strong>
        </p>
        <p role="status">{t(`redeem.outcome.${redemption.outcome}`)}</p>
      </Card>
      {sale.state === 'open' && sale.totals.dueCents > 0 ? (
        <PayRest next="redemption-dismiss" />
      ) : (
        <ActionButton id="redemption-dismiss" look="primary" size="xl" wide />
      )}
    </section>
  )
}

/** The text of a redemption's outcome. In a low window it scrolls, so the keyboard must reach it (WCAG 2.1.1). */
function Card({
  look,
  children,
}: {
  readonly look: 'centered' | 'approved' | 'failed' | 'plain'
  readonly children: ReactNode
}) {
  return (
    <div
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolling content must be reachable by keyboard
      tabIndex={0}
      data-whole
      className={`column-3 min-height-0 scroll panel pad-5 ${styles['card']} ${styles[look] ?? ''}`}
    >
      {children}
    </div>
  )
}

function PayRest({ next }: { readonly next: 'redemption-continue' | 'redemption-dismiss' }) {
  return (
    <div className={`stack-2 ${styles['ways']}`}>
      <ActionButton id={next} wide size="l" />
      <PayKeys />
    </div>
  )
}
