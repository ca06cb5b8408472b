import { useQuery } from '@tanstack/react-query'
import { CalendarCheck2 } from 'lucide-react'
import { useState } from 'react'
import type { StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { OpenCell } from '../day-end/open-cell.tsx'
import queueStyles from '../queue/queue.module.css'
import { StoreReportDialog } from './report-dialog.tsx'
import { StorePage, useHasStore } from './store-page.tsx'

type Day = StoreReconciliationDays['days'][number]

/** The approvals that came on a retry at any lane, day by day, in one report for the program's operator. */
export function StoreReconciliationPage() {
  const { t } = useWords()
  const hasStore = useHasStore()
  const [open, setOpen] = useState<Day | null>(null)
  const days = useQuery({
    queryKey: ['store', 'reconciliation'],
    queryFn: storeApi.storeReconciliation,
    enabled: hasStore,
  })
  return (
    <StorePage title={t('wholeStore.reconciliation.title')} intro={t('wholeStore.reconciliation.intro')} query={days}>
      {(told) => (
        <>
          {told.days.length === 0 ? (
            <Empty
              icon={<CalendarCheck2 />}
              title={t('reconciliation.emptyTitle')}
              text={t('wholeStore.reconciliation.empty')}
            />
          ) : (
            <DayTable days={told.days} onOpen={setOpen} />
          )}
          {open && <StoreReportDialog day={open} onClose={() => setOpen(null)} />}
        </>
      )}
    </StorePage>
  )
}

function DayTable({ days, onOpen }: { readonly days: readonly Day[]; readonly onOpen: (day: Day) => void }) {
  const { t, format } = useWords()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={t('reconciliation.days')}>
        <thead>
          <tr>
            <th scope="col">{t('reconciliation.day')}</th>
            <th scope="col">{t('reconciliation.state')}</th>
            <th scope="col">{t('reconciliation.approvals')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.miles')}</th>
            <th scope="col">
              <span className="spoken">{t('queue.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.businessDay}>
              <th scope="row">{format.date(day.businessDay)}</th>
              <td className={queueStyles['folds']}>
                <Tag tone={day.state === 'exported' ? 'ok' : day.state === 'due' ? 'warn' : 'neutral'}>
                  {t(`wholeStore.reconciliation.states.${day.state}`)}
                </Tag>
                {day.exportedAt && (
                  <small>
                    <br />
                    {t('reconciliation.exportedBy', {
                      time: format.dateTime(day.exportedAt),
                      name: day.exportedBy ?? '',
                    })}{' '}
                    {t('reconciliation.copies', { count: day.copies })}
                  </small>
                )}
              </td>
              <td>{day.totals.rows}</td>
              <td>{format.money(day.totals.amountCents)}</td>
              <td>{format.miles(day.totals.miles)}</td>
              <OpenCell
                label={t('reconciliation.openDay', { day: format.date(day.businessDay) })}
                onOpen={() => onOpen(day)}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
