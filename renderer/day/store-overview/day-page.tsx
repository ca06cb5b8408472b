import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarDays, Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { StoreDayReport } from '../../../contracts/day/store-overview.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { DayField, FilterRow } from '../../core/ui/filter-fields.tsx'
import { TableWrap, Views, pageStyles } from '../../core/ui/page.tsx'
import { saveFile } from '../../core/ui/save-file.ts'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import { FigureTable, TotalsTable, useFigureNames } from './day-totals.tsx'
import { useNamedLanes } from './lanes-page.tsx'
import styles from './store-overview.module.css'
import { READ_AGAIN_MS, StorePage, useHasStore } from './store-page.tsx'
import { StoreZDialog } from './z-dialog.tsx'
import { OpenCell } from '../day-end/paged-table.tsx'
import { useOutcome } from '../drawer/close.tsx'

const DAY_MS = 86_400_000
const NEAR = ['today', 'yesterday'] as const
const TODAY: string = 'today'

type Z = StoreDayReport['zs'][number]

const dayOf = (day: string) => ({ queryKey: ['store', 'day', day], queryFn: () => storeApi.storeDay(day) })

export function StoreDayPage() {
  const { t, format } = useI18n()
  const hasStore = useHasStore()
  const onTheClock = format.localDate(useNow())
  // The lane decides which day is today, so a page that stays open past midnight shows the new day.
  const [day, setDay] = useState(TODAY)
  const [opened, setOpened] = useState<Z | null>(null)
  const query = useQuery({ ...dayOf(day), enabled: hasStore === true, refetchInterval: READ_AGAIN_MS })
  const { data: newest } = useQuery({ ...dayOf(TODAY), enabled: false })
  // While another day is shown, the lane is not asked for today, so after midnight today comes from this computer’s
  // clock.
  const today = newest === undefined || (day !== TODAY && newest.day < onTheClock) ? onTheClock : newest.day
  return (
    <StorePage
      title={t('wholeStore.day.title')}
      intro={t('wholeStore.day.intro')}
      query={query}
      actions={query.data && <ExportDay day={query.data.day} />}
      filters={<ChooseDay today={today} day={day === TODAY ? today : day} onChange={setDay} />}
    >
      {(report) => (
        <>
          <Day report={report} isOver={day !== TODAY && day < today} onOpen={setOpened} />
          {opened && <StoreZDialog z={opened} onClose={() => setOpened(null)} />}
        </>
      )}
    </StorePage>
  )
}

function useNow(): string {
  const [now, setNow] = useState(() => new Date().toJSON())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().toJSON()), READ_AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

function ChooseDay({
  today,
  day,
  onChange,
}: {
  readonly today: string
  readonly day: string
  readonly onChange: (day: string) => void
}) {
  const { t } = useI18n()
  const yesterday = new Date(Date.parse(today) - DAY_MS).toJSON().slice(0, today.length)
  const near = { today, yesterday }
  return (
    <>
      <Views
        label={t('wholeStore.day.choose')}
        views={NEAR}
        texts={(name) => t(`wholeStore.day.${name}`)}
        view={NEAR.find((name) => near[name] === day) ?? null}
        onChange={(name) => onChange(name === TODAY ? TODAY : near[name])}
      />
      <TypeDay day={day} onChange={onChange} />
    </>
  )
}

function TypeDay({ day, onChange }: { readonly day: string; readonly onChange: (day: string) => void }) {
  const { t } = useI18n()
  const [typed, setTyped] = useState<string | null>(day)
  const [shown, setShown] = useState(day)
  const [field, setField] = useState(0)
  if (shown !== day) {
    setShown(day)
    // A typed day is already in its field, which must keep the focus.
    if (typed !== day) {
      setTyped(day)
      setField(field + 1)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== null) onChange(typed)
      }}
    >
      <FilterRow label={t('wholeStore.day.choose')}>
        <DayField key={field} begin={day} label={t('wholeStore.day.typed')} onChange={setTyped} />
        <Button type="submit" icon={<CalendarDays />} isDisabled={typed === null}>
          {t('wholeStore.day.show')}
        </Button>
      </FilterRow>
    </form>
  )
}

function ExportDay({ day }: { readonly day: string }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const exporting = useMutation({
    mutationFn: () => storeApi.exportStoreDay(day),
    onSuccess: ({ csv, fileName }) => {
      saveFile(fileName, 'text/csv', csv)
      clearProblems()
      notify('success', (i18n) => i18n.t('reports.exported'))
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['audit'] }),
  })
  return (
    <Button icon={<Download />} isDisabled={exporting.isPending} onPress={() => exporting.mutate()}>
      {t('wholeStore.day.csv')}
    </Button>
  )
}

function Day({
  report,
  isOver,
  onOpen,
}: {
  readonly report: StoreDayReport
  readonly isOver: boolean
  readonly onOpen: (z: Z) => void
}) {
  const { t, format } = useI18n()
  const names = useFigureNames()
  const { lanes, together, zs, shifts, withoutZ, incomplete } = report
  const list = useNamedLanes()
  return (
    <>
      {incomplete.length > 0 && (
        <p role="status" className={`below-3 ${styles['wraps']}`}>
          <Tag tone="warn">{t('wholeStore.day.incomplete', { lanes: list(incomplete) })}</Tag>
        </p>
      )}
      {lanes.length === 0 && zs.length === 0 && (
        <div className="nothing">
          <Empty
            icon={<CalendarDays />}
            title={t('wholeStore.day.emptyTitle')}
            text={t('wholeStore.day.empty', { day: format.date(report.day) })}
          />
        </div>
      )}
      {lanes.length > 0 && (
        <>
          <section className={pageStyles['section']} aria-label={t('wholeStore.day.totals')}>
            <h3>{t('wholeStore.day.totals')}</h3>
            <TotalsTable lanes={lanes} together={together} />
          </section>
          <FigureTable title={t('wholeStore.day.payments')} report={report} of="tenders" nameOf={names.tender} />
          <FigureTable title={t('wholeStore.day.taxes')} report={report} of="taxes" nameOf={names.tax} />
        </>
      )}
      {(lanes.length > 0 || zs.length > 0) && (
        <>
          <section className={pageStyles['section']} aria-label={t('wholeStore.day.zs')}>
            <h3>{t('wholeStore.day.zs')}</h3>
            <p className={`below-3 ${styles['wraps']}`}>
              <Tag tone={withoutZ.length === 0 ? 'ok' : isOver ? 'warn' : 'neutral'}>
                {withoutZ.length === 0
                  ? t('wholeStore.day.allZ')
                  : t('wholeStore.day.withoutZ', { lanes: list(withoutZ) })}
              </Tag>
            </p>
            {zs.length === 0 ? <p>{t('wholeStore.day.noZ')}</p> : <ZTable zs={zs} onOpen={onOpen} />}
          </section>
          <section className={pageStyles['section']} aria-label={t('wholeStore.day.shifts')}>
            <h3>{t('wholeStore.day.shifts')}</h3>
            {shifts.length === 0 ? <p>{t('wholeStore.day.noShifts')}</p> : <ShiftTable shifts={shifts} />}
          </section>
        </>
      )}
    </>
  )
}

export function ZTable({ zs, onOpen }: { readonly zs: readonly Z[]; readonly onOpen: (z: Z) => void }) {
  const { t, format } = useI18n()
  const outcome = useOutcome()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={t('wholeStore.day.zs')}>
        <thead>
          <tr>
            <th scope="col">{t('wholeStore.lane')}</th>
            <th scope="col">{t('dayEnd.zNumber')}</th>
            <th scope="col">{t('dayEnd.zAt')}</th>
            <th scope="col">{t('dayEnd.zBy')}</th>
            <th scope="col" className="right">
              {t('dayEnd.zSales')}
            </th>
            <th scope="col" className="right">
              {t('dayEnd.total')}
            </th>
            <th scope="col">{t('shifts.difference')}</th>
            <th scope="col">
              <span className="sr-only">{t('dayEnd.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {zs.map((z) => (
            <tr key={`${z.stream} ${z.number}`}>
              <th scope="row">{z.lane}</th>
              <td>{t('dayEnd.z', { number: String(z.number) })}</td>
              <td>{format.dateTime(z.at)}</td>
              <td className={`${queueStyles['folds']} prose`}>{z.closedBy}</td>
              <td className="right">{format.miles(z.sales)}</td>
              <td className="right">{format.money(z.totalCents)}</td>
              <td className={queueStyles['folds']}>{outcome(z.differenceCents)}</td>
              <OpenCell
                label={t('wholeStore.day.openZ', { number: String(z.number), lane: z.lane })}
                onOpen={() => onOpen(z)}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

export function ShiftTable({ shifts }: Pick<StoreDayReport, 'shifts'>) {
  const { t, format } = useI18n()
  const outcome = useOutcome()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={t('wholeStore.day.shifts')}>
        <thead>
          <tr>
            <th scope="col">{t('wholeStore.lane')}</th>
            <th scope="col">{t('dayEnd.shift')}</th>
            <th scope="col">{t('shifts.since')}</th>
            <th scope="col">{t('dayEnd.closed')}</th>
            <th scope="col">{t('dayEnd.zBy')}</th>
            <th scope="col">{t('shifts.difference')}</th>
          </tr>
        </thead>
        <tbody>
          {shifts.map(({ stream, id, lane, drawerOf, openedAt, closedAt, closedBy, differenceCents }) => (
            <tr key={`${stream} ${id}`}>
              <th scope="row">{lane}</th>
              <td className={`${queueStyles['folds']} prose`}>
                {drawerOf === null
                  ? t('shifts.number', { number: String(id) })
                  : t('shifts.numberOf', { number: String(id), name: drawerOf })}
              </td>
              <td>{format.dateTime(openedAt)}</td>
              <td>{format.dateTime(closedAt)}</td>
              <td className={`${queueStyles['folds']} prose`}>{closedBy}</td>
              <td className={queueStyles['folds']}>{differenceCents === null ? '' : outcome(differenceCents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
