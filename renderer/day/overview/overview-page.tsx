import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheckBig, Info, RefreshCw } from 'lucide-react'
import { Link } from 'wouter'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { useUnsentEmails } from '../../payments/earlier-sales/unsent-emails.tsx'
import { useHeldSales } from '../../sales/held-sales.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import { SHIFTS, useShiftChanges } from '../drawer/shifts.ts'
import styles from './overview.module.css'
import { useTodoTexts } from './todo-texts.ts'
import { type Todo, todosOf } from './todos.ts'
import { useEffect, useRef, useState } from 'react'
import { changeOf, rangeOf } from '../reports/report-figures.tsx'
import { Facts } from '../reports/report-summary.tsx'
import { useReportRun } from '../reports/use-report-run.ts'

export function OverviewPage() {
  const { t } = useI18n()
  const { queue, devices, maintenance, notOnPaper } = useEvents()
  const held = useHeldSales((state) => state.sales.length)
  const emails = useUnsentEmails().filter(({ state }) => state === 'failed').length
  const day = useQuery({ queryKey: [SHIFTS, 'day'], queryFn: () => storeApi.zReports() })
  const connection = useQuery({ queryKey: ['connection'], queryFn: storeApi.connection })
  useShiftChanges()
  const again = (): void => {
    void day.refetch()
    void connection.refetch()
  }
  const failed = day.error ?? connection.error
  return (
    <>
      <PageHead title={t('overview.title')} intro={t('overview.intro')}>
        <Button icon={<RefreshCw />} isDisabled={day.isFetching || connection.isFetching} onPress={again}>
          {t('store.refresh')}
        </Button>
      </PageHead>
      {failed && <LoadFailed error={failed} retry={again} />}
      {!failed && !(day.data && connection.data) && <p role="status">{t('app.loading')}</p>}
      {day.data && connection.data && (
        <Todos
          todos={todosOf({
            now: Math.max(day.dataUpdatedAt, connection.dataUpdatedAt),
            queue,
            devices,
            maintenance,
            notOnPaper,
            emails,
            held,
            waiting: day.data.waiting,
            check: connection.data.check,
          })}
        />
      )}
      <SalesSoFar />
    </>
  )
}

function Todos({ todos }: { readonly todos: readonly Todo[] }) {
  const { t } = useI18n()
  if (todos.length === 0)
    return <Empty icon={<CircleCheckBig />} title={t('overview.clearTitle')} text={t('overview.clear')} />
  return (
    <section aria-label={t('overview.todo')}>
      <ul className={`stack-2 ${styles['todos']}`}>
        {todos.map((todo, index) => (
          // An index is a safe key: tasks have no id, and rows have no state.
          <TodoRow key={`${todo.kind}-${index}`} todo={todo} />
        ))}
      </ul>
    </section>
  )
}

function TodoRow({ todo }: { readonly todo: Todo }) {
  const { t } = useI18n()
  const { text, help, section } = useTodoTexts(todo)
  return (
    <li className="stack-3 middle target box pad-2-3" data-urgent={todo.urgent}>
      <span aria-hidden="true">{todo.urgent ? <CircleAlert /> : <Info />}</span>
      <span>
        <strong>{text}</strong>
        {help && <small className="block text-s">{help}</small>}
      </span>
      <Link
        href={`/manager/${section}`}
        aria-label={t('overview.openOf', { page: t(`store.${section}`) })}
        className={pageStyles['link'] ?? ''}
      >
        {t('overview.open')}
      </Link>
    </li>
  )
}

const FIGURES = ['sales', 'netCents', 'totalCents', 'giftCardCents', 'returnCents'] as const

/** Figures of today next to the same weekday a week earlier, both up to this time of day. */
export function SalesSoFar() {
  const i18n = useI18n()
  const { t, format } = i18n
  const [today] = useState(() => rangeOf('today', format.localDate(new Date().toJSON())))
  const { start, run } = useReportRun()
  const { mutate: show } = start
  const shown = useRef(false)
  useEffect(() => {
    if (shown.current) return
    shown.current = true
    show(today)
  }, [show, today])
  const failed = start.error ?? run.error ?? (run.data?.state === 'failed' ? new Error('failed') : null)
  if (failed) return <LoadFailed error={failed} retry={() => show(today)} />
  const report = run.data?.report
  if (!report) return <p role="status">{t('app.loading')}</p>
  const { now, before } = report.summary
  const names = {
    sales: t('reports.sales'),
    netCents: t('reports.net'),
    totalCents: t('reports.total'),
    giftCardCents: t('reports.giftCards'),
    returnCents: t('reports.returns'),
  }
  return (
    <>
      <Facts
        title={t('overview.soFar')}
        facts={FIGURES.map((name) => {
          const write = name === 'sales' ? format.miles : format.money
          return {
            label: names[name],
            value: write(now[name]),
            change: changeOf({ now: now[name], before: before[name] }, write, i18n),
          }
        })}
      />
      <p>
        {t('overview.soFarHelp', { time: format.time(report.until), day: format.date(report.before.from) })}{' '}
        <Link href="/manager/reports" className={pageStyles['link'] ?? ''}>
          {t('overview.allReports')}
        </Link>
      </p>
    </>
  )
}
