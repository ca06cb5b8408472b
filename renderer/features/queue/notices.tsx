import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CreditCard, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { CardSlip, IssuanceNotice, SettleNotice } from '../../../contracts/api/queue.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { useTries } from '../../ui/use-tries.ts'
import { NoteField, noteFits } from './order-form.tsx'
import styles from './queue.module.css'

/** Card slips of more than was due, until a manager has written down how the difference was given back. */
export function CardSlips({ slips }: { readonly slips: readonly CardSlip[] }) {
  const { t } = useWords()
  if (slips.length === 0) return null
  return (
    <section aria-label={t('queue.slips')} className={styles['notices']}>
      {slips.map((slip) => (
        <Slip key={slip.number} slip={slip} />
      ))}
    </section>
  )
}

function Slip({ slip }: { readonly slip: CardSlip }) {
  const { t, format } = useWords()
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
    <div className={styles['says']} role="group" aria-label={title}>
      <p className={styles['lead']}>
        <CreditCard aria-hidden="true" /> <strong>{title}</strong>
      </p>
      <p>{t('queue.slipTodo')}</p>
      <p className="figures">{t('queue.slipFacts', facts)}</p>
      {settling ? (
        <SettleForm
          label={t('queue.slipNote')}
          send={(note) => storeApi.settleSlip(slip.number, note)}
          onBack={() => setSettling(false)}
        />
      ) : (
        <div className={styles['orders']}>
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
        <SettleForm
          intro={t('queue.noticeIntro')}
          label={t('queue.noticeNote')}
          send={(note) => storeApi.settleNotice(notice.id, note)}
          onBack={() => setSettling(false)}
        />
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

interface SettleFormProps {
  readonly intro?: string
  readonly label: string
  readonly send: (given: SettleNotice) => Promise<unknown>
  readonly onBack: () => void
}

function SettleForm({ intro, label, send, onBack }: SettleFormProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const { tried, attempt, form } = useTries()
  const order = useMutation({
    mutationFn: () => send({ note: note.trim() }),
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
      {intro !== undefined && <p>{intro}</p>}
      <NoteField label={label} note={note} onChange={setNote} tried={tried} />
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
