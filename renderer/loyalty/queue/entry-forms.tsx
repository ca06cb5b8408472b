import { type ReactNode, useState } from 'react'
import { FieldError, Form, Input, Label, Radio, RadioGroup, TextArea, TextField } from 'react-aria-components'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import type { Detail } from './entry-facts.tsx'
import styles from './queue.module.css'
import { useMutation } from '@tanstack/react-query'
import type { QueueDetail } from '../../../contracts/loyalty/queue.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { useTries } from '../../core/ui/focus.ts'

export interface EntryFormProps {
  readonly detail: Detail
  readonly onDone: (answer: Awaited<ReturnType<typeof storeApi.queueEntry>>) => void
  readonly onBack: () => void
}

export function SendAgainForm({ detail, ...rest }: EntryFormProps) {
  const { t } = useI18n()
  return (
    <CorrectionForm
      {...rest}
      intro={t('queue.sendAgainIntro')}
      confirm={t('queue.order.send-again')}
      ready
      send={() => storeApi.sendAgain(detail.id)}
    />
  )
}

export function CreditForm({ detail, ...rest }: EntryFormProps) {
  const { t, format } = useI18n()
  // The amount at the opening of the form, so that a retry after a lost answer sends the same command.
  const [amountCents] = useState(detail.creditCents ?? 0)
  const amount = format.money(amountCents)
  return (
    <CorrectionForm
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
  const { t } = useI18n()
  const [found, setFound] = useState<(typeof FOUND)[number] | null>(null)
  const [note, setNote] = useState('')
  return (
    <CorrectionForm
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
            className="stack-2 radios"
          >
            <Label>{t('queue.foundLabel')}</Label>
            {FOUND.map((one, index) => (
              <Radio key={one} value={one} autoFocus={index === 0} className="radio">
                {t(`queue.found.${one}`)}
              </Radio>
            ))}
            <FieldError>{t('queue.foundMissing')}</FieldError>
          </RadioGroup>
          <NoteField label={t('queue.note')} note={note} onChange={setNote} tried={tried} />
        </>
      )}
    </CorrectionForm>
  )
}

export function TakeBackForm({ detail, ...rest }: EntryFormProps) {
  const { t, format } = useI18n()
  // The miles at the opening of the form: a retry after a lost answer must not take the remaining miles too.
  const [issued] = useState(detail.issued)
  const offers = issued.filter(({ left }) => left > 0)
  const [code, setCode] = useState(offers[0]?.issuanceOfferCode ?? '')
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const max = offers.find(({ issuanceOfferCode }) => issuanceOfferCode === code)?.left ?? 0
  const count = /^\d{1,7}$/.test(typed.trim()) ? Number(typed) : 0
  const countFits = count > 0 && count <= max
  return (
    <CorrectionForm
      {...rest}
      danger
      intro={t('queue.takeBackIntro', { collector: detail.collector ?? '' })}
      confirm={
        countFits ? t('queue.takeBackConfirm', { miles: format.miles(count), count }) : t('queue.order.take-back')
      }
      ready={countFits && noteFits(reason)}
      send={() =>
        storeApi.takeBack(detail.id, { issuanceOfferCode: code, miles: count, left: max, reason: reason.trim() })
      }
    >
      {(tried) => (
        <>
          <RadioGroup value={code} onChange={setCode} className="stack-2 radios">
            <Label>{t('queue.offer')}</Label>
            {offers.map((offer) => (
              <Radio key={offer.issuanceOfferCode} value={offer.issuanceOfferCode} className="radio">
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
            className={`stack-1 field ringed ${styles['field']}`}
          >
            <Label>{t('queue.milesToTake')}</Label>
            <Input maxLength={7} autoComplete="off" />
            <FieldError>{t('queue.milesInvalid', { most: format.miles(max) })}</FieldError>
          </TextField>
          <NoteField label={t('queue.reason')} note={reason} onChange={setReason} tried={tried} />
        </>
      )}
    </CorrectionForm>
  )
}

const MAX = 100_000

export function GiveForm({ detail, ...rest }: EntryFormProps) {
  const { t, format } = useI18n()
  // The miles at the opening of the form, so that a retry after a lost answer sends the same command.
  const [{ given, givable }] = useState(detail)
  const [code, setCode] = useState(givable[0] ?? '')
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const count = /^\d{1,6}$/.test(typed.trim()) ? Number(typed) : 0
  const countFits = count > 0 && count <= MAX
  const confirm = countFits ? t('queue.giveConfirm', { miles: format.miles(count), count }) : t('queue.order.give')
  return (
    <CorrectionForm
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
          <RadioGroup value={code} onChange={setCode} className="stack-2 radios">
            <Label>{t('queue.offer')}</Label>
            {givable.map((offer) => (
              <Radio key={offer} value={offer} className="radio">
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
            className={`stack-1 field ringed ${styles['field']}`}
          >
            <Label>{t('queue.milesToGive')}</Label>
            <Input maxLength={6} autoComplete="off" />
            <FieldError>{t('queue.milesInvalid', { most: format.miles(MAX) })}</FieldError>
          </TextField>
          <NoteField label={t('queue.reason')} note={reason} onChange={setReason} tried={tried} />
        </>
      )}
    </CorrectionForm>
  )
}

const LONGEST_NOTE = 400
const SHORTEST_NOTE = 3

/**
 * A form that confirms and sends a manager's action. A press runs `send`, unless an earlier `send` is still running;
 * errors are shown in the form, which keeps its input.
 */
export function CorrectionForm({
  intro,
  confirm,
  danger = false,
  ready,
  send,
  onDone,
  onBack,
  children,
}: {
  readonly intro: string
  readonly confirm: string
  readonly danger?: boolean
  /** Whether the input is complete; if not, a press shows the errors. */
  readonly ready: boolean
  readonly send: () => Promise<QueueDetail>
  readonly onDone: (answer: QueueDetail) => void
  readonly onBack: () => void
  readonly children?: (tried: boolean) => ReactNode
}) {
  const { t } = useI18n()
  const { tried, attempt, form } = useTries()
  const sending = useMutation({ mutationFn: send, onSuccess: onDone })
  const submit = (): void => {
    attempt()
    if (ready && !sending.isPending) sending.mutate()
  }
  return (
    <Form
      ref={form}
      className={`stack-4 ${styles['form']}`}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <p>{intro}</p>
      {children?.(tried)}
      {sending.isError && <LoadFailed error={sending.error} retry={submit} />}
      <div className="stack-3 foot">
        <Button size="l" autoFocus={!children} onPress={onBack} isDisabled={sending.isPending}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look={danger ? 'danger' : 'primary'} isDisabled={sending.isPending}>
          {sending.isPending ? t('queue.ordering') : confirm}
        </Button>
      </div>
    </Form>
  )
}

export const noteFits = (note: string): boolean => note.trim().length >= SHORTEST_NOTE

export function NoteField({
  label,
  note,
  onChange,
  tried,
}: {
  readonly label: string
  readonly note: string
  readonly onChange: (note: string) => void
  readonly tried: boolean
}) {
  const { t } = useI18n()
  return (
    <TextField
      value={note}
      onChange={onChange}
      isInvalid={tried && !noteFits(note)}
      className={`stack-1 field ringed ${styles['field']}`}
    >
      <Label>{label}</Label>
      <TextArea maxLength={LONGEST_NOTE} rows={3} />
      <FieldError>{t('queue.noteMissing')}</FieldError>
    </TextField>
  )
}
