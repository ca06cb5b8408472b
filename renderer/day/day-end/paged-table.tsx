import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWords } from '../../core/i18n/words.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import styles from './day-end.module.css'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { ChevronRight } from 'lucide-react'
import { SHIFTS } from '../drawer/shifts.ts'

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
      {rows?.length === 0 && <div className="nothing">{empty}</div>}
      {rows && rows.length > 0 && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={label}>
            <thead>
              <tr>
                {columns.map(({ words, as }) => (
                  <th key={words} scope="col" className={as === 'amount' ? 'right' : undefined}>
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

export function MoreButton({
  pages: { hasNextPage, isFetching, fetchNextPage },
}: {
  readonly pages: {
    readonly hasNextPage: boolean
    readonly isFetching: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
}) {
  const { t } = useWords()
  if (!hasNextPage) return null
  return (
    <p className="flex centred pad-3">
      <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
        {t('dayEnd.more')}
      </Button>
    </p>
  )
}

/** The end of a row that can be opened. */
export function OpenCell({ label, onOpen }: { readonly label: string; readonly onOpen: () => void }) {
  return (
    <td className={queueStyles['open']}>
      <IconButton icon={<ChevronRight />} label={label} onPress={onOpen} />
    </td>
  )
}

/**
 * Pages of a list, newest first, each before the last of the one before it, which is named by its number or its period.
 * What changed meanwhile is loaded again as
 * far as it was shown.
 */
export function usePages<Page extends { readonly more: boolean }>(
  name: string,
  load: (before?: string) => Promise<Page>,
  lastOf: (page: Page) => string | number | undefined,
): UseInfiniteQueryResult<Page[]> {
  return useInfiniteQuery({
    queryKey: [SHIFTS, 'pages', name],
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.more ? lastOf(page)?.toString() : undefined),
    select: ({ pages }) => pages,
  })
}

/** One part of the report, under its name. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={`stack-2 card below-4 ${styles['part']}`} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

export interface Figure {
  readonly label: string
  readonly value: string
  readonly strong?: boolean
}

/** Names on the left, figures below each other on the right. */
export function Figures({ rows }: { readonly rows: readonly Figure[] }) {
  return (
    <dl className={`stack-1 ${styles['figures']} figures`}>
      {rows.map(({ label, value, strong }, index) => (
        <div className="wrap baseline between" key={index} data-strong={strong}>
          <dt className="dim">{label}</dt>
          <dd className="selectable">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The same with several columns of amounts. */
export function Amounts({
  label,
  columns,
  rows,
}: {
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly name: string; readonly amounts: readonly string[] }[]
}) {
  return (
    <table className={`full-width text-s ${styles['amounts']} figures`}>
      <thead>
        <tr>
          <th scope="col">
            <span className="spoken">{label}</span>
          </th>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, amounts }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {amounts.map((amount, index) => (
              <td key={index}>{amount}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
