import { CalendarDays, CircleAlert, CircleCheckBig, FileCheck2, Inbox, Info, Printer } from 'lucide-react'
import { useState } from 'react'
import type { ClosingList as Closings, ClosingSpan, ZReportList } from '../../../contracts/day/day-end.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import { useOutcome } from '../drawer/close.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import { ClosingDialog } from './day-end-dialogs.tsx'
import styles from './day-end.module.css'
import { OpenCell, PagedTable, usePages } from './paged-table.tsx'
import type { UnprintedDocument } from '../../../contracts/day/search.ts'
import type { Shift } from '../../../contracts/day/shifts.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { reprint, shiftPaper } from '../../payments/receipt/documents.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { SHIFTS, useShiftName } from '../drawer/shifts.ts'
import { RECEIPT_TONES, useUnprintedDocuments } from '../../payments/earlier-sales/unprinted-documents.tsx'
import { useQuery } from '@tanstack/react-query'
import { LoadFailed, pageStyles } from '../../core/ui/page.tsx'
import { CountDialog } from '../drawer/count.tsx'

type Row = Closings['closings'][number]

export function ClosingList({ span }: { readonly span: ClosingSpan }) {
  const { t, format } = useI18n()
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
          { text: t(`dayEnd.closing.${span}`) },
          { text: t('dayEnd.inZ') },
          { text: t('dayEnd.zSales'), as: 'amount' },
          { text: t('dayEnd.total'), as: 'amount' },
          { text: t('dayEnd.returned'), as: 'amount' },
          { text: t('shifts.difference') },
          { text: t('dayEnd.open'), as: 'sr-only' },
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
            <td className="right">{format.miles(sales)}</td>
            <td className="right">{format.money(totalCents)}</td>
            <td className="right">{format.money(returnedCents)}</td>
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

const TONES = { open: 'neutral', counted: 'warn', closed: 'ok' } as const satisfies Record<Shift['state'], string>

export function ShiftList() {
  const { t } = useI18n()
  const unprinted = useUnprintedDocuments().data?.documents
  const pages = usePages('shifts', storeApi.shifts, ({ shifts }) => shifts.at(-1)?.id)
  return (
    <PagedTable
      pages={pages}
      rowsOf={({ shifts }) => shifts}
      label={t('dayEnd.views.shifts')}
      columns={[
        { text: t('dayEnd.shift') },
        { text: t('shifts.since') },
        { text: t('dayEnd.closed') },
        { text: t('shifts.difference') },
        { text: t('dayEnd.inZ') },
        { text: t('dayEnd.reprint'), as: 'sr-only' },
      ]}
      empty={<Empty icon={<Inbox />} title={t('dayEnd.shiftsEmptyTitle')} text={t('dayEnd.shiftsEmpty')} />}
    >
      {(shift) => (
        <ShiftRow key={shift.id} shift={shift} unprinted={unprinted?.find(({ id }) => id === shiftPaper(shift.id))} />
      )}
    </PagedTable>
  )
}

function ShiftRow({ shift, unprinted }: { readonly shift: Shift; readonly unprinted: UnprintedDocument | undefined }) {
  const { t, format } = useI18n()
  const nameOf = useShiftName()
  const outcome = useOutcome()
  const printing = useInFlight('print')
  const { id, state, openedAt, closedAt, closedBy, result, reason, zNumber } = shift
  return (
    <tr>
      <th scope="row" className={queueStyles['folds']}>
        {nameOf(shift)}
        {unprinted && (
          <>
            {' '}
            <Tag tone={RECEIPT_TONES[unprinted.receipt]}>{t(`earlier.receipt.${unprinted.receipt}`)}</Tag>
          </>
        )}
      </th>
      <td>{format.dateTime(openedAt)}</td>
      <td className={queueStyles['folds']}>
        {closedAt === null ? (
          <Tag tone={TONES[state]}>{t(`dayEnd.state.${state}`)}</Tag>
        ) : (
          <>
            {format.dateTime(closedAt)}
            <br />
            <small>{closedBy}</small>
          </>
        )}
      </td>
      <td className={queueStyles['folds']}>
        {result && outcome(result.cash.differenceCents)}
        {reason !== null && (
          <>
            <br />
            <small>{reason}</small>
          </>
        )}
      </td>
      <td>{zNumber ?? ''}</td>
      <td className="right">
        {state === 'closed' && (
          <IconButton
            icon={<Printer />}
            label={t('dayEnd.reprintOf', { shift: nameOf(shift) })}
            isDisabled={printing}
            onPress={() => void reprint(shiftPaper(id), 'shift')}
          />
        )}
      </td>
    </tr>
  )
}

export function WaitingShifts({ waiting }: { readonly waiting: ZReportList['waiting'] }) {
  const { t, format } = useI18n()
  const nameOf = useShiftName()
  const shifts = useQuery({ queryKey: [SHIFTS, 'waiting'], queryFn: () => storeApi.shifts() })
  const [counting, setCounting] = useState<Shift | null>(null)
  const unclosed = shifts.data?.shifts.filter(({ state }) => state !== 'closed') ?? []
  return (
    <section className={`stack-2 below-4 ${styles['waiting']}`} aria-label={t('dayEnd.toClose')}>
      <p>
        {waiting.counted > 0 ? (
          <Tag tone="warn" icon={<CircleAlert />}>
            {t('dayEnd.closeFirst')}
          </Tag>
        ) : waiting.closed > 0 ? (
          <Tag tone="ok" icon={<CircleCheckBig />}>
            {t('dayEnd.ready', { count: waiting.closed })}
          </Tag>
        ) : (
          <Tag icon={<Info />}>{t('dayEnd.nothing')}</Tag>
        )}
      </p>
      {shifts.isError && <LoadFailed error={shifts.error} retry={() => void shifts.refetch()} />}
      {unclosed.length > 0 && (
        <ul className={`stack-2 ${pageStyles['wideCards']}`}>
          {unclosed.map((shift) => (
            <li className="grid with-end middle box" key={shift.id}>
              <span>
                <strong>{nameOf(shift)}</strong>{' '}
                <Tag tone={shift.state === 'counted' ? 'warn' : 'neutral'}>{t(`dayEnd.state.${shift.state}`)}</Tag>
                <small className="block note">
                  {t('dayEnd.opened', { time: format.dateTime(shift.openedAt), name: shift.openedBy })}
                </small>
              </span>
              <Button
                aria-label={t(shift.state === 'counted' ? 'shifts.finish' : 'dayEnd.countOf', {
                  shift: nameOf(shift),
                })}
                onPress={() => setCounting(shift)}
              >
                {t(shift.state === 'counted' ? 'dayEnd.close' : 'dayEnd.count')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {counting && <CountDialog key={counting.id} opened={counting} onClose={() => setCounting(null)} />}
    </section>
  )
}

export function ZList({ onOpen }: { readonly onOpen: (number: number) => void }) {
  const { t, format } = useI18n()
  const outcome = useOutcome()
  const pages = usePages('z', storeApi.zReports, ({ reports }) => reports.at(-1)?.number)
  return (
    <PagedTable
      pages={pages}
      rowsOf={({ reports }) => reports}
      label={t('dayEnd.views.z')}
      columns={[
        { text: t('dayEnd.zNumber') },
        { text: t('dayEnd.zAt') },
        { text: t('dayEnd.zBy') },
        { text: t('dayEnd.zSales'), as: 'amount' },
        { text: t('dayEnd.total'), as: 'amount' },
        { text: t('shifts.difference') },
        { text: t('dayEnd.open'), as: 'sr-only' },
      ]}
      empty={<Empty icon={<FileCheck2 />} title={t('dayEnd.zEmptyTitle')} text={t('dayEnd.zEmpty')} />}
    >
      {({ number, at, closedBy, sales, totalCents, differenceCents }) => (
        <tr key={number}>
          <th scope="row">{t('dayEnd.z', { number: String(number) })}</th>
          <td>{format.dateTime(at)}</td>
          <td className={queueStyles['folds']}>{closedBy}</td>
          <td className="right">{format.miles(sales)}</td>
          <td className="right">{format.money(totalCents)}</td>
          <td>{outcome(differenceCents)}</td>
          <OpenCell label={t('dayEnd.openZ', { number: String(number) })} onOpen={() => onOpen(number)} />
        </tr>
      )}
    </PagedTable>
  )
}
