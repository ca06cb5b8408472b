import { useMutation, useQueryClient } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { IssuanceNotice } from '../../../contracts/api/queue.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { useTries } from '../../ui/use-tries.ts'
import { NoteField, noteFits } from './order-form.tsx'
import styles from './queue.module.css'

interface NoticesProps {
  readonly notices: readonly IssuanceNotice[]
  readonly onOpen: (id: string) => void
}

/** What keeps miles waiting until somebody mends a setting: each stands once, above the calls that met it. */
export function QueueNotices({ notices, onOpen }: NoticesProps) {
  const { t } = useWords()
  if (notices.length === 0) return null
  return (
    <section aria-label={t('queue.notices')} className={styles['notices']}>
      {notices.map((notice) => (
        <Notice key={notice.id} notice={notice} onOpen={onOpen} />
      ))}
    </section>
  )
}

function Notice({ notice, onOpen }: { readonly notice: IssuanceNotice; readonly onOpen: (id: string) => void }) {
  const { t, format } = useWords()
  const [settling, setSettling] = useState(false)
  const { code, subject, times } = notice
  const met = {
    times: format.miles(times),
    count: times,
    from: format.dateTime(notice.firstAt),
    until: format.dateTime(notice.lastAt),
  }
  return (
    <div className={styles['says']} role="group" aria-label={t('queue.noticeTitle', { code })}>
      <p className={styles['lead']}>
        <TriangleAlert aria-hidden="true" /> <strong>{format.text(notice.says)}</strong>
      </p>
      <p>{format.text(notice.todo)}</p>
      <p className="figures">
        {subject === '' ? t('queue.noticeMet', { code, ...met }) : t('queue.noticeMetAbout', { code, subject, ...met })}
      </p>
      {settling ? (
        <SettleForm notice={notice} onBack={() => setSettling(false)} />
      ) : (
        <div className={styles['orders']}>
          <Button onPress={() => setSettling(true)}>{t('queue.noticeSettle')}</Button>
          <Button look="quiet" onPress={() => onOpen(notice.newestId)}>
            {t('queue.noticeOpen', { sale: notice.saleId })}
          </Button>
        </div>
      )}
    </div>
  )
}

function SettleForm({ notice, onBack }: { readonly notice: IssuanceNotice; readonly onBack: () => void }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const { tried, attempt, form } = useTries()
  const order = useMutation({
    mutationFn: () => storeApi.settleNotice(notice.id, { note: note.trim() }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['queue'] })
    },
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
      <p>{t('queue.noticeIntro')}</p>
      <NoteField label={t('queue.noticeNote')} note={note} onChange={setNote} tried={tried} />
      {order.isError && <LoadFailed error={order.error} retry={submit} />}
      <div className={styles['foot']}>
        <Button size="l" onPress={onBack} isDisabled={order.isPending}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look="primary" isDisabled={order.isPending}>
          {order.isPending ? t('queue.ordering') : t('queue.noticeSettle')}
        </Button>
      </div>
    </Form>
  )
}
