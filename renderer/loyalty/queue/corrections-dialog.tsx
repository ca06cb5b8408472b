import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronRight, CreditCard, History } from 'lucide-react'
import type { CorrectionList } from '../../../contracts/loyalty/queue.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import styles from './queue.module.css'
import { useState } from 'react'
import { FieldError, Input, Label, Radio, RadioGroup, TextField } from 'react-aria-components'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { type CapturedCard, useCapturedCard } from '../../core/state/window.ts'
import { type LazyText, problemText } from '../../core/state/notices.ts'
import { type EntryFormProps, NoteField, CorrectionForm, noteFits } from './entry-forms.tsx'

type Correction = CorrectionList['corrections'][number]

export function CorrectionsDialog({
  onClose,
  onOpen,
}: {
  readonly onClose: () => void
  readonly onOpen: (id: string) => void
}) {
  const { t } = useI18n()
  const pages = useInfiniteQuery({
    queryKey: ['queue-corrections'],
    queryFn: ({ pageParam }) => storeApi.corrections(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: CorrectionList) => next ?? undefined,
    gcTime: 0,
  })
  const rows = pages.data?.pages.flatMap(({ corrections }) => corrections)
  return (
    <Dialog open onClose={onClose} size="l" title={t('queue.corrections')}>
      {pages.isPending && <p role="status">{t('app.loading')}</p>}
      {pages.isError && <LoadFailed error={pages.error} retry={() => void pages.refetch()} />}
      {rows?.length === 0 && (
        <Empty icon={<History />} title={t('queue.correctionsEmptyTitle')} text={t('queue.correctionsEmpty')} />
      )}
      {rows && rows.length > 0 && <Rows rows={rows} onOpen={onOpen} />}
      {pages.hasNextPage && (
        <div className="flex gap-4 middle centred dim pad-3">
          <Button isDisabled={pages.isFetching} onPress={() => void pages.fetchNextPage()}>
            {t('queue.showMore')}
          </Button>
        </div>
      )}
    </Dialog>
  )
}

function Rows({ rows, onOpen }: { readonly rows: readonly Correction[]; readonly onOpen: (id: string) => void }) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} selectable`} aria-label={t('queue.corrections')}>
        <thead>
          <tr>
            <th scope="col">{t('queue.correctedAt')}</th>
            <th scope="col">{t('queue.what')}</th>
            <th scope="col">{t('queue.correctedBy')}</th>
            <th scope="col">{t('queue.sale')}</th>
            <th scope="col">{t('queue.correctedWhy')}</th>
            <th scope="col">
              <span className="sr-only">{t('queue.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ number, at, by, what, operationId, saleId, note, miles, amountCents }) => (
            <tr key={number}>
              <td>{format.dateTime(at)}</td>
              <th scope="row">{t(`queue.correction.${what}`)}</th>
              <td>{by ?? ''}</td>
              <td>{saleId ?? ''}</td>
              <td>
                {[
                  miles === null ? '' : milesText(miles),
                  amountCents === null ? '' : format.money(amountCents),
                  note ?? '',
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </td>
              <td>
                {operationId && (
                  <IconButton
                    icon={<ChevronRight />}
                    label={t('queue.openCorrection', { sale: saleId ?? '' })}
                    onPress={() => onOpen(operationId)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

/**
 * Form that corrects a rejected call: with another collector card, read again or typed because the customer has left,
 * or with another location.
 */
export function CorrectForm({ detail, ...rest }: EntryFormProps) {
  const { t } = useI18n()
  const [anotherCard, setAnotherCard] = useState(detail.mend === 'card')
  const [card, setCard] = useState<CapturedCard | null>(null)
  const [location, setLocation] = useState(detail.locationCode ?? '')
  const [note, setNote] = useState('')
  // A collector card presented to the lane selects the choice "another card".
  useCapturedCard((read) => {
    setCard(read)
    setAnotherCard(true)
  })
  const cardReady = !anotherCard || card !== null
  const locationFits = detail.locationCode === null || /^[A-Za-z0-9]{1,4}$/.test(location.trim())
  return (
    <CorrectionForm
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
            className="stack-2 radios"
          >
            <Label>{t('queue.cardLabel')}</Label>
            <Radio value="same" className="radio">
              {t('queue.cardSame', { collector: detail.collector ?? t('member.none') })}
            </Radio>
            <Radio value="another" className="radio">
              {t('queue.cardAnother')}
            </Radio>
            <FieldError>{t('queue.cardMissing')}</FieldError>
          </RadioGroup>
          {anotherCard && (
            <p
              className={`row-3 weight-600 round-m pad-3-4 icons-24 ${styles['card']}`}
              role="status"
              data-read={card !== null}
            >
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
              className={`stack-1 field ringed ${styles['field']}`}
            >
              <Label>{t('queue.location')}</Label>
              <Input maxLength={4} autoComplete="off" spellCheck="false" />
              <FieldError>{t('queue.locationInvalid')}</FieldError>
            </TextField>
          )}
          <NoteField label={t('queue.correctNote')} note={note} onChange={setNote} tried={tried} />
        </>
      )}
    </CorrectionForm>
  )
}

/** Field for a collector number. The number comes back as a card read and is not stored here. */
function TypedNumber() {
  const i18n = useI18n()
  const { t } = i18n
  const [digits, setDigits] = useState('')
  const [sending, setSending] = useState(false)
  const [wrong, setWrong] = useState<LazyText | null>(null)
  const use = async (): Promise<void> => {
    if (digits === '' || sending) return
    setSending(true)
    try {
      await api.keyCollector(digits)
      setDigits('')
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemText(error))
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
      className={`stack-1 field ringed ${styles['field']}`}
    >
      <Label>{t('queue.cardTyped')}</Label>
      <span className="stack-2 with-end">
        {/* Enter submits the typed number only: the correction has its own button. */}
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
      <FieldError>{wrong?.(i18n)}</FieldError>
    </TextField>
  )
}
