import { CreditCard } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Input, Label, Radio, RadioGroup, TextField } from 'react-aria-components'
import { ApiProblem } from '../../api/problem.ts'
import { storeApi } from '../../api/store-api.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useClaimedCard, type ClaimedCard } from '../../state/input-claims.ts'
import { problemSaying, type Saying } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import type { EntryFormProps } from './entry-forms.tsx'
import { NoteField, noteFits, OrderForm } from './order-form.tsx'
import styles from './queue.module.css'

/**
 * What is wrong with a refused call, put right: another card by a fresh read or by its number, since the customer has
 * left; another location.
 */
export function CorrectForm({ detail, ...rest }: EntryFormProps) {
  const { t } = useWords()
  const [anotherCard, setAnotherCard] = useState(detail.mend === 'card')
  const [card, setCard] = useState<ClaimedCard | null>(null)
  const [location, setLocation] = useState(detail.locationCode ?? '')
  const [note, setNote] = useState('')
  // Presenting a card says which card is meant: it needs no tap on the choice before.
  useClaimedCard((read) => {
    setCard(read)
    setAnotherCard(true)
  })
  const cardReady = !anotherCard || card !== null
  const locationFits = detail.locationCode === null || /^[A-Za-z0-9]{1,4}$/.test(location.trim())
  return (
    <OrderForm
      {...rest}
      intro={t('queue.correctIntro')}
      confirm={t('queue.correctConfirm')}
      ready={cardReady && locationFits && noteFits(note)}
      send={() =>
        storeApi.correctEntry(detail.id, {
          note: note.trim(),
          ...(anotherCard && card ? { readId: card.readId } : {}),
          ...(detail.locationCode !== null && location.trim() !== detail.locationCode
            ? { locationCode: location.trim() }
            : {}),
        })
      }
    >
      {(tried) => (
        <>
          <RadioGroup
            value={anotherCard ? 'another' : 'same'}
            onChange={(value) => setAnotherCard(value === 'another')}
            isInvalid={tried && !cardReady}
            className={styles['radios'] ?? ''}
          >
            <Label>{t('queue.cardLabel')}</Label>
            <Radio value="same" className={styles['radio'] ?? ''}>
              {t('queue.cardSame', { collector: detail.collector ?? t('member.none') })}
            </Radio>
            <Radio value="another" className={styles['radio'] ?? ''}>
              {t('queue.cardAnother')}
            </Radio>
            <FieldError>{t('queue.cardMissing')}</FieldError>
          </RadioGroup>
          {anotherCard && (
            <p className={styles['card']} role="status" data-read={card !== null}>
              <CreditCard aria-hidden="true" />
              {card
                ? t('queue.cardRead', { collector: t('member.number', { last4: card.last4 }) })
                : t('queue.cardWaiting')}
            </p>
          )}
          {anotherCard && <TypedNumber />}
          {detail.locationCode !== null && (
            <TextField
              value={location}
              onChange={setLocation}
              isInvalid={!locationFits}
              className={styles['field'] ?? ''}
            >
              <Label>{t('queue.location')}</Label>
              <Input maxLength={4} autoComplete="off" spellCheck="false" />
              <FieldError>{t('queue.locationInvalid')}</FieldError>
            </TextField>
          )}
          <NoteField label={t('queue.correctNote')} note={note} onChange={setNote} tried={tried} />
        </>
      )}
    </OrderForm>
  )
}

/** A number that was told or looked up. It comes back as a read, as a card's does: nothing of it stays here. */
function TypedNumber() {
  const words = useWords()
  const { t } = words
  const [digits, setDigits] = useState('')
  const [sending, setSending] = useState(false)
  const [wrong, setWrong] = useState<Saying | null>(null)
  const use = async (): Promise<void> => {
    if (digits === '' || sending) return
    setSending(true)
    try {
      await api.keyCollector(digits)
      setDigits('')
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemSaying(error))
    } finally {
      setSending(false)
    }
  }
  return (
    <TextField
      value={digits}
      onChange={(next) => {
        setWrong(null)
        setDigits(next.replaceAll(/[^\d\s\p{Pd}]/gu, ''))
      }}
      isInvalid={wrong !== null}
      inputMode="numeric"
      className={styles['field'] ?? ''}
    >
      <Label>{t('queue.cardTyped')}</Label>
      <span className={styles['typed']}>
        {/* Enter is for this number alone: the order has its own button. */}
        <Input
          maxLength={16}
          autoComplete="off"
          spellCheck="false"
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              void use()
            }
          }}
        />
        <Button isDisabled={digits === '' || sending} onPress={() => void use()}>
          {t('queue.cardTypedUse')}
        </Button>
      </span>
      <FieldError>{wrong?.(words)}</FieldError>
    </TextField>
  )
}
