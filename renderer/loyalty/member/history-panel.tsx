import { useMutation } from '@tanstack/react-query'
import { ArrowLeft, ArrowRight, Printer, ScrollText, TriangleAlert } from 'lucide-react'
import type {
  HistoryFailure,
  HistoryPrinted,
  HistoryShown,
  MemberHistoryPage,
  MemberTransaction,
} from '../../../contracts/loyalty/member.ts'
import { HISTORY_ORDERS, HISTORY_RANGES, HISTORY_SPONSORS } from '../../../contracts/loyalty/kinds.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { changeHistory, useMemberHistoryPage } from './member-history.ts'
import { report } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { ChoiceField, FilterRow } from '../../core/ui/filter-fields.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import styles from './history-panel.module.css'
import { SponsorName } from './member-card.tsx'

const PAGE = 10

/**
 * The miles history of the signed-in member, for a conversation with them; the customer display shows the same page.
 */
export default function HistoryPanel({ saleId, shown }: { readonly saleId: string; readonly shown: HistoryShown }) {
  const { t } = useI18n()
  const page = useMemberHistoryPage(saleId, shown)
  return (
    <>
      <div className={styles['filters']}>
        <HistoryFilters shown={shown} />
      </div>
      {page.isPending && <p role="status">{t('memberHistory.loading')}</p>}
      {page.isError && <LoadFailed error={page.error} retry={() => void page.refetch()} />}
      {page.data?.kind === 'failed' && (
        <FailureNotice failure={page.data.failure} retry={page.isFetching ? undefined : () => void page.refetch()} />
      )}
      {page.data?.kind === 'page' && <Transactions shown={shown} page={page.data} />}
      {page.data?.kind === 'page' && page.data.total > 0 && (
        <HistoryFoot saleId={saleId} shown={shown} page={page.data} />
      )}
    </>
  )
}

function HistoryFilters({ shown }: { readonly shown: HistoryShown }) {
  const { t } = useI18n()
  return (
    <FilterRow label={t('historyPanel.filters')}>
      <Choice
        label={t('historyPanel.range')}
        value={shown.range}
        values={HISTORY_RANGES}
        texts={(range) => t(`memberHistory.ranges.${range}`)}
        onChange={(range) => changeHistory({ range })}
      />
      <Choice
        label={t('historyPanel.sponsors')}
        value={shown.sponsors}
        values={HISTORY_SPONSORS}
        texts={(sponsors) => t(`historyPanel.sponsor.${sponsors}`)}
        onChange={(sponsors) => changeHistory({ sponsors })}
      />
      <Choice
        label={t('historyPanel.sort')}
        value={shown.sort[0] ?? 'newest'}
        values={HISTORY_ORDERS}
        texts={(order) => t(`historyPanel.sorts.${order}`)}
        onChange={(order) => changeHistory({ sort: [order] })}
      />
    </FilterRow>
  )
}

function Choice<Value extends string>({
  label,
  value,
  values,
  texts,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly values: readonly Value[]
  readonly texts: (value: Value) => string
  readonly onChange: (value: Value) => void
}) {
  return (
    <ChoiceField
      label={label}
      value={value}
      onChange={(text) => {
        const chosen = values.find((known) => known === text)
        if (chosen !== undefined) onChange(chosen)
      }}
    >
      {values.map((known) => (
        <option key={known} value={known}>
          {texts(known)}
        </option>
      ))}
    </ChoiceField>
  )
}

function Transactions({ shown, page }: { readonly shown: HistoryShown; readonly page: MemberHistoryPage }) {
  const { t } = useI18n()
  const { transactions, total } = page
  if (transactions.length === 0) {
    const hint =
      total > 0
        ? 'historyPanel.pastEnd'
        : shown.range === '2-years' && shown.sponsors === 'all'
          ? 'historyPanel.emptyLongest'
          : 'historyPanel.empty'
    return (
      <div className={styles['nothing']}>
        <Empty icon={<ScrollText />} title={t('historyPanel.emptyTitle')} text={t(hint)} />
      </div>
    )
  }
  return (
    <>
      <p className="sr-only" role="status">
        {t('historyPanel.count', { count: total })}
      </p>
      <HistoryTable transactions={transactions} />
    </>
  )
}

function HistoryFoot({
  saleId,
  shown,
  page: { page, pages, total, transactions },
}: {
  readonly saleId: string
  readonly shown: HistoryShown
  readonly page: MemberHistoryPage
}) {
  const { t } = useI18n()
  const print = useMutation({
    mutationFn: () => api.printHistory(saleId, { range: shown.range, sponsors: shown.sponsors }),
    onError: report,
    gcTime: 0,
  })
  return (
    <footer className="row-3 wraps">
      <Button icon={<Printer />} isDisabled={print.isPending} onPress={() => print.mutate()}>
        {t('historyPanel.print')}
      </Button>
      <p role="status" className={`text-s anywhere ${styles['printed']}`}>
        {print.isPending ? t('historyPanel.printing') : print.data && <Printed printed={print.data} />}
      </p>
      {transactions.length > 0 && (
        <span className="figures">
          {t('historyPanel.shown', {
            from: String(page * PAGE + 1),
            to: String(page * PAGE + transactions.length),
            total: String(total),
          })}
        </span>
      )}
      {(pages > 1 || page > 0) && (
        <div className="row-3 wraps">
          <Button icon={<ArrowLeft />} isDisabled={page === 0} onPress={() => changeHistory({ page: page - 1 })}>
            {t('historyPanel.previous')}
          </Button>
          <Button
            icon={<ArrowRight />}
            isDisabled={page + 1 >= pages}
            onPress={() => changeHistory({ page: page + 1 })}
          >
            {t('historyPanel.next')}
          </Button>
        </div>
      )}
    </footer>
  )
}

function Printed({ printed }: { readonly printed: HistoryPrinted }) {
  const { t } = useI18n()
  switch (printed.kind) {
    case 'printed':
      return t(`historyPanel.printed.${printed.state}`)
    case 'empty':
      return t('historyPanel.printed.empty')
    case 'failed':
      return (
        <>
          {t(`historyPanel.cause.${printed.failure.cause}`)} {t(`historyPanel.todo.${printed.failure.cause}`)}{' '}
          <Reference failure={printed.failure} />
        </>
      )
  }
}

/**
 * Explains why there is no history and what to do, with the error reference for support. `retry`: undefined while a
 * retry is running.
 */
function FailureNotice({
  failure,
  retry,
}: {
  readonly failure: HistoryFailure
  readonly retry: (() => void) | undefined
}) {
  const { t } = useI18n()
  return (
    <div className={`row-3 wraps round-m pad-3-4 warn-box icons-24 ${styles['notice']}`} role="alert">
      <TriangleAlert aria-hidden="true" />
      <div className="stack-1">
        <p className="anywhere">
          <strong className="warn">{t(`historyPanel.cause.${failure.cause}`)}</strong>{' '}
          {t(`historyPanel.todo.${failure.cause}`)}
        </p>
        <p className="anywhere selectable">
          <Reference failure={failure} />
        </p>
      </div>
      <Button isPending={retry === undefined} onPress={() => retry?.()}>
        {t(retry === undefined ? 'memberHistory.loading' : 'app.tryAgain')}
      </Button>
    </div>
  )
}

function Reference({ failure: { code, correlationId: id } }: { readonly failure: HistoryFailure }) {
  const { t } = useI18n()
  if (code !== null && id !== null) return t('historyPanel.reference', { code, id })
  if (code !== null) return t('historyPanel.referenceCode', { code })
  return id === null ? null : t('historyPanel.referenceId', { id })
}

/** Table of a member's transactions, without card number and balance (specification 3 §4.5 rule 4). */
export function HistoryTable({ transactions }: { readonly transactions: readonly MemberTransaction[] }) {
  const { t } = useI18n()
  return (
    <div className={`min-height-0 scroll-y ${styles['rows']}`}>
      <TableWrap>
        <table className={pageStyles['table']} aria-label={t('memberHistory.title')}>
          <thead>
            <tr>
              <th scope="col">{t('historyPanel.date')}</th>
              <th scope="col">{t('historyPanel.sponsors')}</th>
              <th scope="col">{t('historyPanel.what')}</th>
              <th scope="col" className="right nowrap">
                {t('historyPanel.miles')}
              </th>
            </tr>
          </thead>
          <tbody>
            {transactions.map((transaction, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a transaction has no unique id
              <Row key={index} transaction={transaction} />
            ))}
          </tbody>
        </table>
      </TableWrap>
    </div>
  )
}

function Row({ transaction }: { readonly transaction: MemberTransaction }) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const { at, sponsor, miles, cashPart, dreamPart, description, offer, activity } = transaction
  const kind = activity === null ? null : t(`memberHistory.activity.${activity}`)
  const more = [description === null ? null : kind, offer].filter((text) => text !== null)
  return (
    <tr>
      <td className="nowrap">{at === null ? t('memberHistory.noDate') : format.dateTime(at)}</td>
      <td>{sponsor && <SponsorName sponsor={sponsor} />}</td>
      <td className="prose">
        <strong>{description ?? kind}</strong>
        {more.map((text) => (
          <small className="block note" key={text}>
            {text}
          </small>
        ))}
      </td>
      <td className="right nowrap figures">
        {miles !== null && <strong>{milesText(miles)}</strong>}
        {cashPart !== null && dreamPart !== null && (
          <small className="block note">
            {t('historyPanel.parts', { cash: format.miles(cashPart), dream: format.miles(dreamPart) })}
          </small>
        )}
      </td>
    </tr>
  )
}
