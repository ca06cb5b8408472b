import { useQuery } from '@tanstack/react-query'
import { CalendarCheck2, CircleCheckBig, RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import type { ReconciliationDay, ReconciliationDays } from '../../../contracts/api/reconciliation.ts'
import { storeApi } from '../../api/store-api.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { EntryDialog } from '../queue/entry-dialog.tsx'
import { EntryTable } from '../queue/entry-table.tsx'
import styles from '../queue/queue.module.css'
import { DayDialog } from './day-dialog.tsx'
import { DayTable } from './day-table.tsx'

type Day = z.infer<typeof ReconciliationDay>
const TONES = { open: 'neutral', due: 'neutral', exported: 'warn', sent: 'ok' } as const satisfies Record<
  Day['state'],
  string
>

/**
 * The approvals that came on a retry, day by day, for the program's operator; beside them what the machine gave up on.
 */
export function ReconciliationPage() {
  const { t } = useWords()
  const [openDay, setOpenDay] = useState<Day['businessDay'] | null>(null)
  const [openEntry, setOpenEntry] = useState<string | null>(null)
  const changes = useEvents((state) => state.queueCount)
  const days = useQuery({ queryKey: ['reconciliation'], queryFn: storeApi.reconciliationDays })
  const queue = useQuery({ queryKey: ['queue', ''], queryFn: () => api.queue({}) })
  const { refetch: refetchDays } = days
  const { refetch: refetchQueue } = queue
  useEffect(() => {
    void refetchDays()
    void refetchQueue()
  }, [changes, refetchDays, refetchQueue])
  const exceptions = queue.data?.entries.filter(({ attention }) => attention)
  const open = days.data?.days.find(({ businessDay }) => businessDay === openDay)
  const again = (): void => {
    void refetchDays()
    void refetchQueue()
  }
  return (
    <>
      <PageHead title={t('reconciliation.title')} intro={t('reconciliation.intro')}>
        <Button icon={<RefreshCw />} isDisabled={days.isFetching} onPress={again}>
          {t('store.refresh')}
        </Button>
      </PageHead>
      {days.isPending && <p role="status">{t('app.loading')}</p>}
      {days.isError && <LoadFailed error={days.error} retry={again} />}
      {days.data?.days.length === 0 && (
        <div className={styles['nothing']}>
          <Empty icon={<CalendarCheck2 />} title={t('reconciliation.emptyTitle')} text={t('reconciliation.empty')} />
        </div>
      )}
      {days.data && <Ledger ledger={days.data.ledger} />}
      {days.data && days.data.days.length > 0 && (
        <DayTable
          days={days.data.days}
          stateOf={({ state }) => <Tag tone={TONES[state]}>{t(`reconciliation.states.${state}`)}</Tag>}
          onOpen={setOpenDay}
        />
      )}
      <section className={pageStyles['section']} aria-label={t('reconciliation.exceptions')}>
        <h3>{t('reconciliation.exceptions')}</h3>
        {queue.isError && <LoadFailed error={queue.error} retry={again} />}
        {exceptions?.length === 0 && (
          <p>
            <Tag tone="ok" icon={<CircleCheckBig />}>
              {t('reconciliation.noExceptions')}
            </Tag>
          </p>
        )}
        {exceptions && exceptions.length > 0 && (
          <EntryTable
            label={t('reconciliation.exceptions')}
            entries={exceptions}
            asOf={queue.dataUpdatedAt}
            onOpen={setOpenEntry}
          />
        )}
      </section>
      {open && <DayDialog day={open} onClose={() => setOpenDay(null)} />}
      {openEntry && <EntryDialog key={openEntry} id={openEntry} onClose={() => setOpenEntry(null)} />}
    </>
  )
}

/** Whether the lane's own records of these approvals and its reports come to the same. */
function Ledger({ ledger: { approved, reported, waiting, ties } }: { readonly ledger: ReconciliationDays['ledger'] }) {
  const { t, format } = useWords()
  return (
    <section className={styles['bulk']} aria-label={t('reconciliation.ledger')}>
      <Tag tone={ties ? 'ok' : 'danger'}>{t(ties ? 'reconciliation.ties' : 'reconciliation.tiesNot')}</Tag>
      <p className="figures">
        {t('reconciliation.ledgerText', {
          approved: format.miles(approved.rows),
          reported: format.miles(reported.rows),
          waiting: format.miles(waiting.rows),
        })}{' '}
        {!ties && t('reconciliation.ledgerTodo')}
      </p>
    </section>
  )
}
