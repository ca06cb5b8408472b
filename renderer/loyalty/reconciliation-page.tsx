import { useQuery } from '@tanstack/react-query'
import { CalendarCheck2, CircleCheckBig, RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { z } from 'zod'
import type {
  ReconciliationDay,
  ReconciliationDays,
  ReconciliationReport,
} from '../../contracts/loyalty/reconciliation.ts'
import { storeApi } from '../core/api/store-api.ts'
import { api } from '../core/api/terminal-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { useEvents } from '../core/state/events.ts'
import { Button } from '../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty, Tag } from '../core/ui/surface.tsx'
import { EntryDialog } from './queue/entry-dialog.tsx'
import { EntryTable } from './queue/queue-page.tsx'
import styles from './queue/queue.module.css'
import { OpenCell } from '../day/day-end/paged-table.tsx'
import { ReportDialog, type ReportSource, ReportTable, SentForm } from './reconciliation-dialog.tsx'

type Day = z.infer<typeof ReconciliationDay>
const TONES = { open: 'neutral', due: 'neutral', exported: 'warn', sent: 'ok' } as const satisfies Record<
  Day['state'],
  string
>

/**
 * Page with the approvals that came on a retry, by day, for the program's operator, and the calls that were given up.
 */
export function ReconciliationPage() {
  const { t } = useI18n()
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
        <div className="nothing">
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

function Ledger({ ledger: { approved, reported, waiting, ties } }: { readonly ledger: ReconciliationDays['ledger'] }) {
  const { t, format } = useI18n()
  return (
    <section className={`row-3 wraps ${styles['bulk']}`} aria-label={t('reconciliation.ledger')}>
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

type Shown = Pick<ReconciliationDay, 'businessDay' | 'totals' | 'exportedAt' | 'exportedBy' | 'copies'> &
  Partial<Pick<ReconciliationDay, 'sentAt' | 'sentBy'>>

export function DayTable<Day extends Shown>({
  days,
  stateOf,
  onOpen,
}: {
  readonly days: readonly Day[]
  readonly stateOf: (day: Day) => ReactNode
  readonly onOpen: (day: Day['businessDay']) => void
}) {
  const { t, format } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['entries']}`} aria-label={t('reconciliation.days')}>
        <thead>
          <tr>
            <th scope="col">{t('reconciliation.day')}</th>
            <th scope="col">{t('reconciliation.state')}</th>
            <th scope="col">{t('reconciliation.approvals')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.miles')}</th>
            <th scope="col">
              <span className="sr-only">{t('queue.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.businessDay}>
              <th scope="row">{format.date(day.businessDay)}</th>
              <td className={styles['folds']}>
                {stateOf(day)}
                <Made day={day} />
              </td>
              <td>{day.totals.rows}</td>
              <td>{format.money(day.totals.amountCents)}</td>
              <td>{format.miles(day.totals.miles)}</td>
              <OpenCell
                label={t('reconciliation.openDay', { day: format.date(day.businessDay) })}
                onOpen={() => onOpen(day.businessDay)}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

function Made({ day: { exportedAt, exportedBy, copies, sentAt, sentBy } }: { readonly day: Shown }) {
  const { t, format } = useI18n()
  if (exportedAt === null) return null
  const name = exportedBy ?? t('reconciliation.byItself')
  return (
    <>
      <br />
      <small>
        {t('reconciliation.exportedBy', { time: format.dateTime(exportedAt), name })}{' '}
        {t('reconciliation.copies', { count: copies })}{' '}
        {sentAt && t('reconciliation.sentBy', { time: format.dateTime(sentAt), name: sentBy ?? '' })}
      </small>
    </>
  )
}

const SOURCE: ReportSource<ReconciliationReport> = {
  queryKey: ['reconciliation'],
  preview: storeApi.reconciliationDay,
  make: storeApi.exportReconciliation,
  original: storeApi.originalReport,
}

export function DayDialog({ day, onClose }: { readonly day: ReconciliationDay; readonly onClose: () => void }) {
  const { t } = useI18n()
  const { businessDay, state } = day
  return (
    <ReportDialog day={day} about={t(`reconciliation.about.${state}`)} source={SOURCE} hasJson onClose={onClose}>
      {(report) => (
        <>
          {(state === 'exported' || state === 'sent') && <SentForm day={businessDay} isSent={state === 'sent'} />}
          <ReportTable report={report} label={t('reconciliation.title')} ofStore={false} />
        </>
      )}
    </ReportDialog>
  )
}
