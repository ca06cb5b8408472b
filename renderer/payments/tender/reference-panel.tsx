import { ArrowLeft, CreditCard, ScrollText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { FieldError, Form, Input, Label, Text, TextField } from 'react-aria-components'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import type { MessageKey } from '../../core/i18n/message-key.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { useUnderWay } from '../../core/state/command-queue.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './tender.module.css'
import { pay } from '../../sales/sale-commands.ts'

export interface ReferencePanelProps {
  readonly totals: z.infer<typeof SaleTotals>
  readonly icon: ReactNode
  /** What a number looks like that can be taken. */
  readonly pattern: RegExp
  readonly longest: number
  readonly words: Readonly<Record<'title' | 'reference' | 'steps' | 'missing' | 'amount' | 'take', MessageKey>>
  /** The paper may be of more than is due, and is recorded once that is confirmed. */
  readonly mayExceed?: boolean
  readonly onTake: (payment: { amountCents: number; reference: string; confirmed?: true }) => unknown
}

/** A payment of an amount, what is due unless it is changed, that a number on a paper proves. */
export function ReferencePanel({
  totals,
  icon,
  pattern,
  longest,
  words,
  mayExceed = false,
  onTake,
}: ReferencePanelProps) {
  const { t, format } = useWords()
  const busy = useUnderWay('tender')
  const [typed, setTyped] = useState<number | null>(null)
  const [reference, setReference] = useState('')
  // The paper is of what was due when its number was begun: an item that is scanned meanwhile is still to be paid.
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
    <section className={`stack-3 with-foot min-height-0 ${styles['panel']}`} aria-label={t(words.title)}>
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
            <Label>{t(words.reference)}</Label>
            <Input maxLength={longest} autoComplete="off" spellCheck="false" />
            <Text slot="description">{t(words.steps)}</Text>
            <FieldError>{t(words.missing)}</FieldError>
          </TextField>
          <AmountPad
            label={t(words.amount)}
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
            {busy ? t('tender.taking') : t(words.take, { amount: format.money(amountValid ? amount : 0) })}
          </Button>
        </div>
      </Form>
    </section>
  )
}

const CARD_WORDS = {
  title: 'tender.cardTitle',
  reference: 'tender.reference',
  steps: 'tender.cardSteps',
  missing: 'tender.referenceMissing',
  amount: 'tender.cardAmount',
  take: 'tender.takeCard',
} as const

/** Card on a payment terminal that this program does not speak to: its slip has an approval number. */
export const CardPanel = ({ totals }: Pick<ReferencePanelProps, 'totals'>) => (
  <ReferencePanel
    totals={totals}
    icon={<CreditCard />}
    pattern={/./}
    longest={40}
    mayExceed
    words={CARD_WORDS}
    onTake={(slip) => pay({ kind: 'card', ...slip })}
  />
)

const CHEQUE_WORDS = {
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
    words={CHEQUE_WORDS}
    onTake={(cheque) => pay({ kind: 'cheque', ...cheque })}
  />
)
