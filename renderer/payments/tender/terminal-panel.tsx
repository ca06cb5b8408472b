import { ArrowLeft, LoaderCircle, Nfc } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import type { CardPayment } from '../../../contracts/payments/tenders/card-terminal.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { charge } from '../../sales/sale-commands.ts'
import { isCharging, useSale } from '../../sales/sale.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import states from './terminal-panel.module.css'
import styles from './tender.module.css'

export function TerminalPanel({ totals }: { readonly totals: z.infer<typeof SaleTotals> }) {
  const payment = useSale((state) => state.current?.cardPayment ?? null)
  if (payment && isCharging(payment)) return <Charging payment={payment} />
  return <Amount key={payment?.reference} totals={totals} failed={payment} />
}

function Charging({ payment: { amountCents, state } }: { readonly payment: CardPayment }) {
  const { t, format } = useI18n()
  const amount = format.money(amountCents)
  const unknown = state === 'unknown'
  return (
    <section className={`stack-3 with-foot min-height-0 ${styles['panel']}`} aria-label={t('tender.terminalTitle')}>
      <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
        <div className={`row-3 column center ${states['state']}`}>
          <LoaderCircle className={`${states['waiting']} spin`} aria-hidden="true" />
          <h2 className="text-xl">{t(unknown ? 'tender.terminalUnknown' : 'tender.terminalAsks', { amount })}</h2>
          <p role="status">{t(unknown ? 'tender.terminalUnknownHelp' : 'tender.terminalAsksHelp')}</p>
        </div>
      </div>
      <ActionButton id="card-stop" size="l" wide />
    </section>
  )
}

interface AmountProps {
  readonly totals: z.infer<typeof SaleTotals>
  /** The last request to the card terminal, whose reason is shown unless it was approved; null: no request yet. */
  readonly failed: CardPayment | null
}

function Amount({ totals, failed }: AmountProps) {
  const { t, format } = useI18n()
  const busy = useInFlight('tender')
  const [typed, setTyped] = useState<number | null>(null)
  const amount = typed ?? totals.dueCents
  const valid = amount > 0 && amount <= totals.dueCents
  const confirm = (): void => {
    if (valid) void charge(amount)
  }
  return (
    <section className={`stack-3 with-foot min-height-0 ${styles['panel']}`} aria-label={t('tender.terminalTitle')}>
      <Form
        className={`stack-3 with-foot min-height-0 ${styles['form']}`}
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
          {failed?.reason && failed.state !== 'approved' && (
            <p role="status" className="tone-danger round-m pad-3">
              <strong>{t('tender.terminalNotCharged')}</strong> {t(`tender.terminalReason.${failed.reason}`)}
            </p>
          )}
          <AmountPad
            label={t('tender.cardAmount')}
            typed={typed}
            onType={setTyped}
            proposed={totals.dueCents}
            wrong={!valid}
            {...(valid
              ? {}
              : { hint: t('tender.amountInvalid', { least: format.money(1), most: format.money(totals.dueCents) }) })}
            onEnter={confirm}
            autoFocus
          />
        </div>
        <div className="stack-3 with-start">
          <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
          <Button type="submit" look="primary" size="l" wide icon={<Nfc />} isDisabled={busy || !valid}>
            {busy ? t('tender.taking') : t('tender.terminalCharge', { amount: format.money(valid ? amount : 0) })}
          </Button>
        </div>
      </Form>
    </section>
  )
}
