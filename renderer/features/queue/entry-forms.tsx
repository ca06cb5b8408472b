import { useState } from 'react'
import { FieldError, Input, Label, Radio, RadioGroup, TextField } from 'react-aria-components'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import type { Detail } from './entry-facts.tsx'
import { NoteField, noteFits, OrderForm } from './order-form.tsx'
import styles from './queue.module.css'

export interface EntryFormProps {
  readonly detail: Detail
  readonly onDone: (answer: Awaited<ReturnType<typeof storeApi.queueEntry>>) => void
  readonly onBack: () => void
}

export function SendAgainForm({ detail, ...rest }: EntryFormProps) {
  const { t } = useWords()
  return (
    <OrderForm
      {...rest}
      intro={t('queue.sendAgainIntro')}
      confirm={t('queue.order.send-again')}
      ready
      send={() => storeApi.sendAgain(detail.id)}
    />
  )
}

/** Store credit in the place of miles that can no longer go back, of what they are worth. */
export function CreditForm({ detail, ...rest }: EntryFormProps) {
  const { t, format } = useWords()
  // As it was when the form was opened: an order whose answer was lost is not given a second time.
  const [amountCents] = useState(detail.creditCents ?? 0)
  const amount = format.money(amountCents)
  return (
    <OrderForm
      {...rest}
      intro={t('queue.creditIntro', { amount })}
      confirm={t('queue.creditConfirm', { amount })}
      ready
      send={() => storeApi.creditMiles(detail.id, { amountCents })}
    />
  )
}

const FOUND = ['not-at-central', 'settled-with-operator', 'nothing-to-do'] as const

export function ResolveForm({ detail, ...rest }: EntryFormProps) {
  const { t } = useWords()
  const [found, setFound] = useState<(typeof FOUND)[number] | null>(null)
  const [note, setNote] = useState('')
  return (
    <OrderForm
      {...rest}
      intro={t('queue.resolveIntro')}
      confirm={t('queue.resolveConfirm')}
      ready={found !== null && noteFits(note)}
      send={() => storeApi.resolveEntry(detail.id, { found: found ?? 'nothing-to-do', note: note.trim() })}
    >
      {(tried) => (
        <>
          <RadioGroup
            value={found}
            onChange={(value) => setFound(FOUND.find((one) => one === value) ?? null)}
            isInvalid={tried && found === null}
            className={styles['radios'] ?? ''}
          >
            <Label>{t('queue.foundLabel')}</Label>
            {FOUND.map((one, index) => (
              <Radio key={one} value={one} autoFocus={index === 0} className={styles['radio'] ?? ''}>
                {t(`queue.found.${one}`)}
              </Radio>
            ))}
            <FieldError>{t('queue.foundMissing')}</FieldError>
          </RadioGroup>
          <NoteField label={t('queue.note')} note={note} onChange={setNote} tried={tried} />
        </>
      )}
    </OrderForm>
  )
}

export function TakeBackForm({ detail, ...rest }: EntryFormProps) {
  const { t, format } = useWords()
  // As it was when the form was opened: an order whose answer was lost is not given a second time on what it has left.
  const [issued] = useState(detail.issued)
  const offers = issued.filter(({ left }) => left > 0)
  const [code, setCode] = useState(offers[0]?.issuanceOfferCode ?? '')
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const most = offers.find(({ issuanceOfferCode }) => issuanceOfferCode === code)?.left ?? 0
  const count = /^\d{1,7}$/.test(typed.trim()) ? Number(typed) : 0
  const countFits = count > 0 && count <= most
  return (
    <OrderForm
      {...rest}
      danger
      intro={t('queue.takeBackIntro', { collector: detail.collector ?? '' })}
      confirm={
        countFits ? t('queue.takeBackConfirm', { miles: format.miles(count), count }) : t('queue.order.take-back')
      }
      ready={countFits && noteFits(reason)}
      send={() =>
        storeApi.takeBack(detail.id, { issuanceOfferCode: code, miles: count, left: most, reason: reason.trim() })
      }
    >
      {(tried) => (
        <>
          <RadioGroup value={code} onChange={setCode} className={styles['radios'] ?? ''}>
            <Label>{t('queue.offer')}</Label>
            {offers.map((offer) => (
              <Radio key={offer.issuanceOfferCode} value={offer.issuanceOfferCode} className={styles['radio'] ?? ''}>
                {t('queue.offerLeft', { code: offer.issuanceOfferCode, miles: format.miles(offer.left) })}
              </Radio>
            ))}
          </RadioGroup>
          <TextField
            autoFocus
            value={typed}
            onChange={setTyped}
            isInvalid={tried && !countFits}
            inputMode="numeric"
            className={styles['field'] ?? ''}
          >
            <Label>{t('queue.milesToTake')}</Label>
            <Input maxLength={7} autoComplete="off" />
            <FieldError>{t('queue.milesInvalid', { most: format.miles(most) })}</FieldError>
          </TextField>
          <NoteField label={t('queue.reason')} note={reason} onChange={setReason} tried={tried} />
        </>
      )}
    </OrderForm>
  )
}
