import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useI18n } from '../../core/i18n/i18n.ts'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import styles from './day-end.module.css'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { ChevronRight } from 'lucide-react'
import { SHIFTS } from '../drawer/shifts.ts'

export interface Column {
  readonly text: string
  /** Kind of column: amounts are aligned right; a column for screen readers only has no visible header. */
  readonly as?: 'amount' | 'sr-only'
}

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
  readonly children: (row: Row) => ReactNode
}) {
  const { t } = useI18n()
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
                {columns.map(({ text, as }) => (
                  <th key={text} scope="col" className={as === 'amount' ? 'right' : undefined}>
                    {as === 'sr-only' ? <span className="sr-only">{text}</span> : text}
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
  const { t } = useI18n()
  if (!hasNextPage) return null
  return (
    <p className="flex centred pad-3">
      <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
        {t('dayEnd.more')}
      </Button>
    </p>
  )
}

export function OpenCell({ label, onOpen }: { readonly label: string; readonly onOpen: () => void }) {
  return (
    <td className={queueStyles['open']}>
      <IconButton icon={<ChevronRight />} label={label} onPress={onOpen} />
    </td>
  )
}

/**
 * Loads a list page by page, newest first: `load` gets the number or period of the last entry shown, and returns the
 * entries before it. After a change all shown pages are loaded again.
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

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={`stack-2 card below-4 ${styles['section']}`} aria-label={title}>
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
            <span className="sr-only">{label}</span>
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
