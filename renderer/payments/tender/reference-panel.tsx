import { ArrowLeft, CreditCard, ScrollText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { FieldError, Form, Input, Label, Text, TextField } from 'react-aria-components'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import type { MessageKey } from '../../core/i18n/message-key.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './tender.module.css'
import { pay } from '../../sales/sale-commands.ts'

export interface ReferencePanelProps {
  readonly totals: z.infer<typeof SaleTotals>
  readonly icon: ReactNode
  readonly pattern: RegExp
  readonly longest: number
  readonly texts: Readonly<Record<'title' | 'reference' | 'steps' | 'missing' | 'amount' | 'take', MessageKey>>
  /** Whether the amount on the paper may exceed the amount due, after a confirmation. */
  readonly mayExceed?: boolean
  readonly onTake: (payment: { amountCents: number; reference: string; confirmed?: true }) => unknown
}

export function ReferencePanel({
  totals,
  icon,
  pattern,
  longest,
  texts,
  mayExceed = false,
  onTake,
}: ReferencePanelProps) {
  const { t, format } = useI18n()
  const busy = useInFlight('tender')
  const [typed, setTyped] = useState<number | null>(null)
  const [reference, setReference] = useState('')
  // The paper covers the amount that was due when the cashier began to type its number: items scanned later are still
  // to be paid.
  const [onPaper, setOnPaper] = useState<number | null>(null)
  const write = (text: string): void => {
    setReference(text)
    setOnPaper((known) => (text === '' ? null : (known ?? totals.dueCents)))
  }
  const { tried, attempt, form } = useTries()
  const proposed = onPaper ?? totals.dueCents
  const amount = typed ?? proposed
  const exceeds = amount > totals.dueCents
  const amountValid = amount > 0 && (mayExceed || !exceeds)
  const [asked, setAsked] = useState<number | null>(null)
  const referenceValid = pattern.test(reference.trim())
  const confirm = (): void => {
    attempt()
    if (!amountValid || !referenceValid) return
    if (exceeds && asked !== amount) setAsked(amount)
    else onTake({ amountCents: amount, reference: reference.trim(), ...(exceeds ? { confirmed: true } : {}) })
  }
  return (
    <section className={`stack-3 with-foot min-height-0 ${styles['panel']}`} aria-label={t(texts.title)}>
      <Form
        ref={form}
        className={`stack-3 with-foot min-height-0 ${styles['form']}`}
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
          <TextField
            autoFocus
            value={reference}
            onChange={write}
            isInvalid={tried && !referenceValid}
            className={`stack-1 field ringed ${styles['field']}`}
          >
            <Label>{t(texts.reference)}</Label>
            <Input maxLength={longest} autoComplete="off" spellCheck="false" />
            <Text slot="description">{t(texts.steps)}</Text>
            <FieldError>{t(texts.missing)}</FieldError>
          </TextField>
          <AmountPad
            label={t(texts.amount)}
            typed={typed}
            onType={setTyped}
            proposed={proposed}
            wrong={!amountValid || exceeds}
            {...(amountValid
              ? exceeds
                ? { hint: t('tender.slipExceeds', { amount: format.money(amount - totals.dueCents) }) }
                : {}
              : { hint: t('tender.amountInvalid', { least: format.money(1), most: format.money(totals.dueCents) }) })}
            onEnter={confirm}
            autoFocus={false}
          />
        </div>
        <div className="stack-3 with-start">
          <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
          <Button type="submit" look="primary" size="l" wide icon={icon} isDisabled={busy || !amountValid}>
            {busy ? t('tender.taking') : t(texts.take, { amount: format.money(amountValid ? amount : 0) })}
          </Button>
        </div>
      </Form>
    </section>
  )
}

const CARD_TEXTS = {
  title: 'tender.cardTitle',
  reference: 'tender.reference',
  steps: 'tender.cardSteps',
  missing: 'tender.referenceMissing',
  amount: 'tender.cardAmount',
  take: 'tender.takeCard',
} as const

/**
 * Panel for a card payment on a card terminal without a connection to this program: its slip has an approval number.
 */
export const CardPanel = ({ totals }: Pick<ReferencePanelProps, 'totals'>) => (
  <ReferencePanel
    totals={totals}
    icon={<CreditCard />}
    pattern={/./}
    longest={40}
    mayExceed
    texts={CARD_TEXTS}
    onTake={(slip) => pay({ kind: 'card', ...slip })}
  />
)

const CHEQUE_TEXTS = {
  title: 'tender.chequeTitle',
  reference: 'tender.chequeNumber',
  steps: 'tender.chequeSteps',
  missing: 'tender.chequeNumberMissing',
  amount: 'tender.chequeAmount',
  take: 'tender.takeCheque',
} as const

export const ChequePanel = ({ totals }: Pick<ReferencePanelProps, 'totals'>) => (
  <ReferencePanel
    totals={totals}
    icon={<ScrollText />}
    pattern={/^\d{1,10}$/}
    longest={10}
    texts={CHEQUE_TEXTS}
    onTake={(cheque) => pay({ kind: 'cheque', ...cheque })}
  />
)
