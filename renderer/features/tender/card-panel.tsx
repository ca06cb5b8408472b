import { ArrowLeft, CreditCard } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, Text, TextField } from 'react-aria-components'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../stores/command-queue.ts'
import { pay } from '../../stores/sale-commands.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useTries } from '../../ui/use-tries.ts'
import styles from './tender.module.css'

const LONGEST_REFERENCE = 40

/**
 * Card on the store's own payment terminal: the amount is what is due unless it is changed, and the slip's reference.
 */
export function CardPanel({ totals }: { readonly totals: z.infer<typeof SaleTotals> }) {
  const { t, format } = useWords()
  const busy = useUnderWay('tender')
  const [typed, setTyped] = useState<number | null>(null)
  const [reference, setReference] = useState('')
  // The slip is of what was due when its number was begun: an item that is scanned meanwhile is still to be paid.
  const [onSlip, setOnSlip] = useState<number | null>(null)
  const write = (text: string): void => {
    setReference(text)
    setOnSlip((known) => (text === '' ? null : (known ?? totals.dueCents)))
  }
  const { tried, attempt, form } = useTries()
  const proposed = onSlip ?? totals.dueCents
  const amount = typed ?? proposed
  const amountValid = amount > 0 && amount <= totals.dueCents
  const referenceValid = reference.trim() !== ''
  const confirm = (): void => {
    attempt()
    if (amountValid && referenceValid) void pay({ kind: 'card', amountCents: amount, reference: reference.trim() })
  }
  return (
    <section className={styles['panel']} aria-label={t('tender.cardTitle')}>
      <Form
        ref={form}
        className={styles['form'] ?? ''}
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <div className={styles['card']}>
          <TextField
            autoFocus
            value={reference}
            onChange={write}
            isInvalid={tried && !referenceValid}
            className={styles['field'] ?? ''}
          >
            <Label>{t('tender.reference')}</Label>
            <Input maxLength={LONGEST_REFERENCE} autoComplete="off" spellCheck="false" />
            <Text slot="description">{t('tender.cardSteps')}</Text>
            <FieldError>{t('tender.referenceMissing')}</FieldError>
          </TextField>
          <AmountPad
            label={t('tender.cardAmount')}
            typed={typed}
            onType={setTyped}
            proposed={proposed}
            wrong={!amountValid}
            {...(amountValid
              ? {}
              : { hint: t('tender.amountInvalid', { least: format.money(1), most: format.money(totals.dueCents) }) })}
            onEnter={confirm}
            autoFocus={false}
          />
        </div>
        <div className={styles['foot']}>
          <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
          <Button type="submit" look="primary" size="l" wide icon={<CreditCard />} isDisabled={busy || !amountValid}>
            {busy ? t('tender.taking') : t('tender.takeCard', { amount: format.money(amountValid ? amount : 0) })}
          </Button>
        </div>
      </Form>
    </section>
  )
}
