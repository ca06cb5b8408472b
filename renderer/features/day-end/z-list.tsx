import { ChevronRight, FileCheck2 } from 'lucide-react'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { IconButton } from '../../ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import { useOutcome } from '../drawer/outcome.ts'
import queueStyles from '../queue/queue.module.css'
import styles from './day-end.module.css'
import { MoreButton } from './more-button.tsx'
import { usePages } from './pages.ts'

/** The Z reports of the lane, newest first. */
export function ZList({ onOpen }: { readonly onOpen: (number: number) => void }) {
  const { t, format } = useWords()
  const outcome = useOutcome()
  const pages = usePages('z', api.zReports, ({ reports }) => reports.at(-1)?.number)
  const reports = pages.data?.flatMap((page) => page.reports)
  return (
    <>
      {pages.isPending && <p role="status">{t('app.loading')}</p>}
      {pages.isError && <LoadFailed error={pages.error} retry={() => void pages.refetch()} />}
      {reports?.length === 0 && (
        <div className={styles['nothing']}>
          <Empty icon={<FileCheck2 />} title={t('dayEnd.zEmptyTitle')} text={t('dayEnd.zEmpty')} />
        </div>
      )}
      {reports && reports.length > 0 && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={t('dayEnd.views.z')}>
            <thead>
              <tr>
                <th scope="col">{t('dayEnd.zNumber')}</th>
                <th scope="col">{t('dayEnd.zAt')}</th>
                <th scope="col">{t('dayEnd.zBy')}</th>
                <th scope="col" className={styles['right']}>
                  {t('dayEnd.zSales')}
                </th>
                <th scope="col" className={styles['right']}>
                  {t('dayEnd.total')}
                </th>
                <th scope="col">{t('shifts.difference')}</th>
                <th scope="col">
                  <span className="spoken">{t('dayEnd.open')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {reports.map(({ number, at, closedBy, sales, totalCents, differenceCents }) => (
                <tr key={number}>
                  <th scope="row">{t('dayEnd.z', { number: String(number) })}</th>
                  <td>{format.dateTime(at)}</td>
                  <td className={queueStyles['folds']}>{closedBy}</td>
                  <td className={styles['right']}>{format.miles(sales)}</td>
                  <td className={styles['right']}>{format.money(totalCents)}</td>
                  <td>{outcome(differenceCents)}</td>
                  <td className={queueStyles['open']}>
                    <IconButton
                      icon={<ChevronRight />}
                      label={t('dayEnd.openZ', { number: String(number) })}
                      onPress={() => onOpen(number)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      <MoreButton pages={pages} />
    </>
  )
}
