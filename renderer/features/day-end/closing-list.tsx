import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import type { ClosingList as Closings, ClosingSpan } from '../../../contracts/api/day-end.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { useOutcome } from '../drawer/outcome.ts'
import queueStyles from '../queue/queue.module.css'
import { ClosingDialog } from './closing-dialog.tsx'
import styles from './day-end.module.css'
import { OpenCell } from './open-cell.tsx'
import { PagedTable } from './paged-table.tsx'
import { usePages } from './pages.ts'

type Row = Closings['closings'][number]

/** The Zs of each day or month together, newest first. */
export function ClosingList({ span }: { readonly span: ClosingSpan }) {
  const { t, format } = useWords()
  const outcome = useOutcome()
  const [opened, setOpened] = useState<string | null>(null)
  const pages = usePages(
    `closings-${span}`,
    (before) => storeApi.closings(span, before),
    ({ closings }) => closings.at(-1)?.period,
  )
  const numbers = (runs: Row['zs']): string =>
    runs.map(({ first, last }) => (first === last ? first : t('dayEnd.closing.run', { first, last }))).join(', ')
  return (
    <>
      <PagedTable
        pages={pages}
        rowsOf={({ closings }) => closings}
        label={t(`dayEnd.views.${span}`)}
        columns={[
          { words: t(`dayEnd.closing.${span}`) },
          { words: t('dayEnd.inZ') },
          { words: t('dayEnd.zSales'), as: 'amount' },
          { words: t('dayEnd.total'), as: 'amount' },
          { words: t('dayEnd.returned'), as: 'amount' },
          { words: t('shifts.difference') },
          { words: t('dayEnd.open'), as: 'spoken' },
        ]}
        empty={
          <Empty icon={<CalendarDays />} title={t('dayEnd.closing.emptyTitle')} text={t('dayEnd.closing.empty')} />
        }
      >
        {({ period, isOver, zs, sales, totalCents, returnedCents, differenceCents }) => (
          <tr key={period}>
            <th scope="row" className={queueStyles['folds']}>
              {format.date(period)} {!isOver && <Tag>{t('dayEnd.closing.soFar')}</Tag>}
            </th>
            <td className={queueStyles['folds']}>{numbers(zs)}</td>
            <td className={styles['right']}>{format.miles(sales)}</td>
            <td className={styles['right']}>{format.money(totalCents)}</td>
            <td className={styles['right']}>{format.money(returnedCents)}</td>
            <td className={queueStyles['folds']}>{outcome(differenceCents)}</td>
            <OpenCell
              label={t('dayEnd.closing.open', { period: format.date(period) })}
              onOpen={() => setOpened(period)}
            />
          </tr>
        )}
      </PagedTable>
      {opened && <ClosingDialog period={opened} onClose={() => setOpened(null)} />}
    </>
  )
}
