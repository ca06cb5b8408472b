import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CreditCard } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Form } from 'react-aria-components'
import type { CardTransaction } from '../../../contracts/tenders/card-terminal.ts'
import { showAnswer } from '../../api/answers.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { useTries } from '../../ui/use-tries.ts'
import { NoteField, noteFits } from './order-form.tsx'
import styles from './queue.module.css'

const QUERY = ['card-transactions']

/** Payments that the card terminal cannot tell of, and refunds that it did not give: a manager settles them. */
export function CardNotices() {
  const { t } = useWords()
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
    <section aria-label={t('queue.cardTitle')} className={styles['notices']}>
      {entries.map((entry) => (
        <CardNotice key={`${entry.reference} ${entry.state}`} entry={entry} />
      ))}
    </section>
  )
}

function CardNotice({ entry }: { readonly entry: CardTransaction }) {
  const { t, format } = useWords()
  const [settling, setSettling] = useState<'moved' | 'not-moved' | null>(null)
  const { kind, state, reason, amountCents, saleId, reference, askedAt } = entry
  const amount = format.money(amountCents)
  const unknown = state === 'unknown'
  return (
    <div className={styles['says']} role="group" aria-label={t(`queue.card.${kind}`, { amount })}>
      <p className={styles['lead']}>
        <CreditCard aria-hidden="true" />{' '}
        <strong>{unknown ? t(`queue.card.${kind}-unknown`, { amount }) : t(`queue.card.${kind}`, { amount })}</strong>
      </p>
      <p>
        {reason && t(kind === 'refund' ? `queue.refundReason.${reason}` : `tender.terminalReason.${reason}`)}{' '}
        {t(`queue.cardTodo.${unknown ? 'unknown' : 'refund'}`)}
      </p>
      <p className="figures">{t('queue.cardFacts', { sale: saleId, reference, time: format.dateTime(askedAt) })}</p>
      {settling ? (
        <SettleForm entry={entry} moved={settling === 'moved'} onBack={() => setSettling(null)} />
      ) : (
        <div className={styles['orders']}>
          {unknown && <Button onPress={() => setSettling('moved')}>{t(`queue.cardMoved.${kind}`)}</Button>}
          <Button onPress={() => setSettling('not-moved')}>
            {t(unknown ? `queue.cardNotMoved.${kind}` : 'queue.cardOtherwise')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface SettleFormProps {
  readonly entry: CardTransaction
  readonly moved: boolean
  readonly onBack: () => void
}

function SettleForm({ entry: { reference }, moved, onBack }: SettleFormProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const { tried, attempt, form } = useTries()
  const order = useMutation({
    mutationFn: () => api.resolveCardTransaction(reference, { moved, note: note.trim() }),
    onSuccess: (answer) => showAnswer(queries, QUERY, answer),
  })
  const submit = (): void => {
    attempt()
    if (noteFits(note) && !order.isPending) order.mutate()
  }
  return (
    <Form
      ref={form}
      className={styles['form'] ?? ''}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <NoteField label={t('queue.cardNote')} note={note} onChange={setNote} tried={tried} />
      {order.isError && <LoadFailed error={order.error} retry={submit} />}
      <div className={styles['foot']}>
        <Button size="l" onPress={onBack} isDisabled={order.isPending}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look="primary" isDisabled={order.isPending}>
          {order.isPending ? t('queue.ordering') : t('queue.cardConfirm')}
        </Button>
      </div>
    </Form>
  )
}
