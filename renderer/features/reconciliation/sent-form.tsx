import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig, Send } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { ReconciliationReport } from '../../../contracts/api/reconciliation.ts'
import { showAnswer } from '../../api/answers.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { useTries } from '../../ui/use-tries.ts'
import styles from '../queue/queue.module.css'
import { NoteField, noteFits } from '../queue/order-form.tsx'

/** That the original of a day was sent to the operator: once, with who and how. */
export function SentForm({
  day,
  isSent,
}: {
  readonly day: ReconciliationReport['businessDay']
  readonly isSent: boolean
}) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [open, setOpen] = useState(false)
  const [note, setNote] = useState('')
  const { tried, attempt, form } = useTries()
  const order = useMutation({
    mutationFn: () => storeApi.markReportSent(day, { note: note.trim() }),
    onSuccess: (days) => showAnswer(queries, ['reconciliation'], days),
  })
  const submit = (): void => {
    attempt()
    if (noteFits(note) && !order.isPending) order.mutate()
  }
  if (order.isSuccess)
    return (
      <div className={styles['done']} role="status">
        <CircleCheckBig aria-hidden="true" />
        <span>{t('reconciliation.marked')}</span>
      </div>
    )
  if (isSent) return null
  if (!open)
    return (
      <div className={styles['orders']}>
        <Button icon={<Send />} onPress={() => setOpen(true)}>
          {t('reconciliation.markSent')}
        </Button>
      </div>
    )
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
      <p>{t('reconciliation.sentIntro')}</p>
      <NoteField label={t('reconciliation.sentNote')} note={note} onChange={setNote} tried={tried} />
      {order.isError && <LoadFailed error={order.error} retry={submit} />}
      <div className={styles['foot']}>
        <Button size="l" isDisabled={order.isPending} onPress={() => setOpen(false)}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look="primary" isDisabled={order.isPending}>
          {order.isPending ? t('queue.ordering') : t('reconciliation.markSent')}
        </Button>
      </div>
    </Form>
  )
}
