import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CreditCard, KeyRound, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Form } from 'react-aria-components'
import type { CardSlip, IssuanceNotice, SecretRefused, ResolveNotice } from '../../../contracts/loyalty/queue.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { useTries } from '../../core/ui/focus.ts'
import { NoteField, noteFits } from './entry-forms.tsx'
import styles from './queue.module.css'
import type { CardTransaction } from '../../../contracts/payments/tenders/card-terminal.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useEvents } from '../../core/state/events.ts'

/**
 * Lists payments by card slip that exceed the amount due, until a manager has recorded how the difference was paid
 * back.
 */
export function CardSlips({ slips }: { readonly slips: readonly CardSlip[] }) {
  const { t } = useI18n()
  if (slips.length === 0) return null
  return (
    <section aria-label={t('queue.slips')} className={`stack-3 above-4 ${styles['notices']}`}>
      {slips.map((slip) => (
        <Slip key={slip.number} slip={slip} />
      ))}
    </section>
  )
}

function Slip({ slip }: { readonly slip: CardSlip }) {
  const { t, format } = useI18n()
  const [settling, setSettling] = useState(false)
  const title = t('queue.slip', { amount: format.money(slip.overCents) })
  const facts = {
    reference: slip.reference,
    slip: format.money(slip.slipCents),
    due: format.money(slip.dueCents),
    sale: slip.saleId,
    by: slip.by ?? '',
    time: format.dateTime(slip.at),
  }
  return (
    <div className={`stack-1 round-m pad-3-4 warn-box ${styles['status']}`} role="group" aria-label={title}>
      <p className={`flex gap-2 icons-22 ${styles['lead']}`}>
        <CreditCard aria-hidden="true" /> <strong>{title}</strong>
      </p>
      <p>{t('queue.slipTodo')}</p>
      <p className="figures">{t('queue.slipFacts', facts)}</p>
      {settling ? (
        <ResolveSlipForm
          label={t('queue.slipNote')}
          send={(note) => storeApi.resolveSlip(slip.number, note)}
          onBack={() => setSettling(false)}
        />
      ) : (
        <div className={`wrap-3 ${styles['actions']}`}>
          <Button onPress={() => setSettling(true)}>{t('queue.noticeSettle')}</Button>
        </div>
      )}
    </div>
  )
}

interface NoticesProps {
  readonly notices: readonly IssuanceNotice[]
  readonly onOpen: (id: string) => void
}

/** Lists settings errors that keep miles waiting, each once above the affected calls. */
export function QueueNotices({ notices, onOpen }: NoticesProps) {
  const { t } = useI18n()
  if (notices.length === 0) return null
  return (
    <section aria-label={t('queue.notices')} className={`stack-3 above-4 ${styles['notices']}`}>
      {notices.map((notice) => (
        <Notice key={notice.id} notice={notice} onOpen={onOpen} />
      ))}
    </section>
  )
}

function Notice({ notice, onOpen }: { readonly notice: IssuanceNotice; readonly onOpen: (id: string) => void }) {
  const { t, format } = useI18n()
  const [settling, setSettling] = useState(false)
  const { code, subject, times } = notice
  const met = {
    times: format.miles(times),
    count: times,
    from: format.dateTime(notice.firstAt),
    until: format.dateTime(notice.lastAt),
  }
  return (
    <div
      className={`stack-1 round-m pad-3-4 warn-box ${styles['status']}`}
      role="group"
      aria-label={t('queue.noticeTitle', { code })}
    >
      <p className={`flex gap-2 icons-22 ${styles['lead']}`}>
        <TriangleAlert aria-hidden="true" /> <strong>{format.text(notice.says)}</strong>
      </p>
      <p>{format.text(notice.todo)}</p>
      <p className="figures">
        {subject === '' ? t('queue.noticeMet', { code, ...met }) : t('queue.noticeMetAbout', { code, subject, ...met })}
      </p>
      {settling ? (
        <ResolveSlipForm
          intro={t('queue.noticeIntro')}
          label={t('queue.noticeNote')}
          send={(note) => storeApi.resolveNotice(notice.id, note)}
          onBack={() => setSettling(false)}
        />
      ) : (
        <div className={`wrap-3 ${styles['actions']}`}>
          <Button onPress={() => setSettling(true)}>{t('queue.noticeSettle')}</Button>
          <Button look="quiet" onPress={() => onOpen(notice.newestId)}>
            {t('queue.noticeOpen', { sale: notice.saleId })}
          </Button>
        </div>
      )}
    </div>
  )
}

interface ResolveSlipFormProps {
  readonly intro?: string
  readonly label: string
  readonly send: (given: ResolveNotice) => Promise<unknown>
  readonly onBack: () => void
}

function ResolveSlipForm({ intro, label, send, onBack }: ResolveSlipFormProps) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const { tried, attempt, form } = useTries()
  const settling = useMutation({
    mutationFn: () => send({ note: note.trim() }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['queue'] })
    },
  })
  const submit = (): void => {
    attempt()
    if (noteFits(note) && !settling.isPending) settling.mutate()
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
      {intro !== undefined && <p>{intro}</p>}
      <NoteField label={label} note={note} onChange={setNote} tried={tried} />
      {settling.isError && <LoadFailed error={settling.error} retry={submit} />}
      <div className="stack-3 foot">
        <Button size="l" onPress={onBack} isDisabled={settling.isPending}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look="primary" isDisabled={settling.isPending}>
          {settling.isPending ? t('queue.ordering') : t('queue.noticeSettle')}
        </Button>
      </div>
    </Form>
  )
}

const QUERY = ['card-transactions']

/** Lists card payments with an unknown outcome and failed refunds, for a manager to resolve. */
export function CardNotices() {
  const { t } = useI18n()
  const changes = useEvents((state) => state.queueCount)
  const query = useQuery({ queryKey: QUERY, queryFn: api.cardTransactions })
  const { refetch } = query
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  const entries = query.data?.entries ?? []
  if (query.isError) return <LoadFailed error={query.error} retry={() => void refetch()} />
  if (entries.length === 0) return null
  return (
    <section aria-label={t('queue.cardTitle')} className={`stack-3 above-4 ${styles['notices']}`}>
      {entries.map((entry) => (
        <CardNotice key={`${entry.reference} ${entry.state}`} entry={entry} />
      ))}
    </section>
  )
}

function CardNotice({ entry }: { readonly entry: CardTransaction }) {
  const { t, format } = useI18n()
  const [settling, setSettling] = useState<'moved' | 'not-moved' | null>(null)
  const { kind, state, reason, amountCents, saleId, reference, askedAt } = entry
  const amount = format.money(amountCents)
  const unknown = state === 'unknown'
  return (
    <div
      className={`stack-1 round-m pad-3-4 warn-box ${styles['status']}`}
      role="group"
      aria-label={t(`queue.card.${kind}`, { amount })}
    >
      <p className={`flex gap-2 icons-22 ${styles['lead']}`}>
        <CreditCard aria-hidden="true" />{' '}
        <strong>{unknown ? t(`queue.card.${kind}-unknown`, { amount }) : t(`queue.card.${kind}`, { amount })}</strong>
      </p>
      <p>
        {reason && t(kind === 'refund' ? `queue.refundReason.${reason}` : `tender.terminalReason.${reason}`)}{' '}
        {t(`queue.cardTodo.${unknown ? 'unknown' : 'refund'}`)}
      </p>
      <p className="figures">{t('queue.cardFacts', { sale: saleId, reference, time: format.dateTime(askedAt) })}</p>
      {settling ? (
        <CardResolveForm entry={entry} moved={settling === 'moved'} onBack={() => setSettling(null)} />
      ) : (
        <div className={`wrap-3 ${styles['actions']}`}>
          {unknown && <Button onPress={() => setSettling('moved')}>{t(`queue.cardMoved.${kind}`)}</Button>}
          <Button onPress={() => setSettling('not-moved')}>
            {t(unknown ? `queue.cardNotMoved.${kind}` : 'queue.cardOtherwise')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface CardResolveFormProps {
  readonly entry: CardTransaction
  readonly moved: boolean
  readonly onBack: () => void
}

function CardResolveForm({ entry: { reference }, moved, onBack }: CardResolveFormProps) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const { tried, attempt, form } = useTries()
  const settling = useMutation({
    mutationFn: () => api.resolveCardTransaction(reference, { moved, note: note.trim() }),
    onSuccess: (answer) => showAnswer(queries, QUERY, answer),
  })
  const submit = (): void => {
    attempt()
    if (noteFits(note) && !settling.isPending) settling.mutate()
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
      <NoteField label={t('queue.cardNote')} note={note} onChange={setNote} tried={tried} />
      {settling.isError && <LoadFailed error={settling.error} retry={submit} />}
      <div className="stack-3 foot">
        <Button size="l" onPress={onBack} isDisabled={settling.isPending}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look="primary" isDisabled={settling.isPending}>
          {settling.isPending ? t('queue.ordering') : t('queue.cardConfirm')}
        </Button>
      </div>
    </Form>
  )
}

/**
 * Notice that the program rejects the lane's secret, so that nothing is sent. It is shown above all calls until the
 * program accepts the secret.
 */
export function SecretNotice({ refused }: { readonly refused: SecretRefused }) {
  const { t, format } = useI18n()
  return (
    <div className={`stack-3 above-4 ${styles['notices']}`}>
      <div className={`stack-1 round-m pad-3-4 warn-box ${styles['status']}`} role="alert">
        <p className={`flex gap-2 icons-22 ${styles['lead']}`}>
          <KeyRound aria-hidden="true" /> <strong>{format.text(refused.says)}</strong>
        </p>
        <p>{format.text(refused.todo)}</p>
        <p className="figures">{t('queue.secretSince', { time: format.dateTime(refused.since) })}</p>
      </div>
    </div>
  )
}
