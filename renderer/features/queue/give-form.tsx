import { useState } from 'react'
import { FieldError, Input, Label, Radio, RadioGroup, TextField } from 'react-aria-components'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import type { EntryFormProps } from './entry-forms.tsx'
import { NoteField, noteFits, OrderForm } from './order-form.tsx'
import styles from './queue.module.css'

const MOST = 100_000

/** Miles that a sale should have earned, under an offer of the store. */
export function GiveForm({ detail, ...rest }: EntryFormProps) {
  const { t, format } = useWords()
  // As it was when the form was opened: an order whose answer was lost is not given a second time.
  const [{ given, givable }] = useState(detail)
  const [code, setCode] = useState(givable[0] ?? '')
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const count = /^\d{1,6}$/.test(typed.trim()) ? Number(typed) : 0
  const countFits = count > 0 && count <= MOST
  const confirm = countFits ? t('queue.giveConfirm', { miles: format.miles(count), count }) : t('queue.order.give')
  return (
    <OrderForm
      {...rest}
      intro={t('queue.giveIntro', { collector: detail.collector ?? '' })}
      confirm={confirm}
      ready={countFits && noteFits(reason)}
      send={() =>
        storeApi.giveMiles(detail.id, { issuanceOfferCode: code, miles: count, given, reason: reason.trim() })
      }
    >
      {(tried) => (
        <>
          <RadioGroup value={code} onChange={setCode} className={styles['radios'] ?? ''}>
            <Label>{t('queue.offer')}</Label>
            {givable.map((offer) => (
              <Radio key={offer} value={offer} className={styles['radio'] ?? ''}>
                {offer}
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
            <Label>{t('queue.milesToGive')}</Label>
            <Input maxLength={6} autoComplete="off" />
            <FieldError>{t('queue.milesInvalid', { most: format.miles(MOST) })}</FieldError>
          </TextField>
          <NoteField label={t('queue.reason')} note={reason} onChange={setReason} tried={tried} />
        </>
      )}
    </OrderForm>
  )
}
