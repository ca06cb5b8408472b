import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWords } from '../../i18n/words.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import queueStyles from '../queue/queue.module.css'
import styles from './day-end.module.css'
import { MoreButton } from './more-button.tsx'

export interface Column {
  readonly words: string
  /** Amounts stand on the right; what only a screen reader says has no head to see. */
  readonly as?: 'amount' | 'spoken'
}

/** A list that is loaded page by page, in each of its states. */
export function PagedTable<Page, Row>({
  pages,
  rowsOf,
  label,
  columns,
  empty,
  children,
}: {
  readonly pages: UseInfiniteQueryResult<readonly Page[]>
  readonly rowsOf: (page: Page) => readonly Row[]
  readonly label: string
  readonly columns: readonly Column[]
  readonly empty: ReactNode
  /** A row of the table, with its key. */
  readonly children: (row: Row) => ReactNode
}) {
  const { t } = useWords()
  const rows = pages.data?.flatMap(rowsOf)
  return (
    <>
      {pages.isPending && <p role="status">{t('app.loading')}</p>}
      {pages.isError && <LoadFailed error={pages.error} retry={() => void pages.refetch()} />}
      {rows?.length === 0 && <div className={styles['nothing']}>{empty}</div>}
      {rows && rows.length > 0 && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={label}>
            <thead>
              <tr>
                {columns.map(({ words, as }) => (
                  <th key={words} scope="col" className={as === 'amount' ? styles['right'] : undefined}>
                    {as === 'spoken' ? <span className="spoken">{words}</span> : words}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{rows.map(children)}</tbody>
          </table>
        </TableWrap>
      )}
      <MoreButton pages={pages} />
    </>
  )
}
