import { FileCheck2 } from 'lucide-react'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Empty } from '../../ui/surface.tsx'
import { useOutcome } from '../drawer/outcome.ts'
import queueStyles from '../queue/queue.module.css'
import styles from './day-end.module.css'
import { OpenCell } from './open-cell.tsx'
import { PagedTable } from './paged-table.tsx'
import { usePages } from './pages.ts'

/** The Z reports of the lane, newest first. */
export function ZList({ onOpen }: { readonly onOpen: (number: number) => void }) {
  const { t, format } = useWords()
  const outcome = useOutcome()
  const pages = usePages('z', storeApi.zReports, ({ reports }) => reports.at(-1)?.number)
  return (
    <PagedTable
      pages={pages}
      rowsOf={({ reports }) => reports}
      label={t('dayEnd.views.z')}
      columns={[
        { words: t('dayEnd.zNumber') },
        { words: t('dayEnd.zAt') },
        { words: t('dayEnd.zBy') },
        { words: t('dayEnd.zSales'), as: 'amount' },
        { words: t('dayEnd.total'), as: 'amount' },
        { words: t('shifts.difference') },
        { words: t('dayEnd.open'), as: 'spoken' },
      ]}
      empty={<Empty icon={<FileCheck2 />} title={t('dayEnd.zEmptyTitle')} text={t('dayEnd.zEmpty')} />}
    >
      {({ number, at, closedBy, sales, totalCents, differenceCents }) => (
        <tr key={number}>
          <th scope="row">{t('dayEnd.z', { number: String(number) })}</th>
          <td>{format.dateTime(at)}</td>
          <td className={queueStyles['folds']}>{closedBy}</td>
          <td className={styles['right']}>{format.miles(sales)}</td>
          <td className={styles['right']}>{format.money(totalCents)}</td>
          <td>{outcome(differenceCents)}</td>
          <OpenCell label={t('dayEnd.openZ', { number: String(number) })} onOpen={() => onOpen(number)} />
        </tr>
      )}
    </PagedTable>
  )
}
