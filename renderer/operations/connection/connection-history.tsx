import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import { Fragment, lazy, Suspense, useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import type {
  ConnectionHistory as History,
  ConnectionOutage,
  ConnectionPeriod,
  ConnectionPoint,
  ConnectionSums,
} from '../../../contracts/operations/connection.ts'
import { storeApi } from '../../core/api/store-api.ts'
import type { Format } from '../../core/i18n/format.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { loadChunk } from '../../core/loading/chunks.ts'
import { useEvents } from '../../core/state/events.ts'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import chartStyles from '../../core/ui/chart.module.css'
import styles from './connection.module.css'

// The chart library is loaded only with the connection page.
const ConnectionChart = lazy(() => loadChunk(() => import('./connection-chart.tsx')))

const PERIODS = ['day', 'week', 'month', 'year'] as const satisfies readonly ConnectionPeriod[]

export function ConnectionHistory() {
  const { t } = useI18n()
  const [period, setPeriod] = useState<ConnectionPeriod>('day')
  const echoes = useEvents((state) => state.echoCount)
  const history = useQuery({
    queryKey: ['connection-history', period, echoes],
    queryFn: () => storeApi.connectionHistory(period),
    placeholderData: keepPreviousData,
  })
  return (
    <section className={pageStyles['section']} aria-label={t('connection.history')}>
      <div className={`row-3 wraps between ${styles['sectionHead']}`}>
        <h3>{t('connection.history')}</h3>
        <ToggleButtonGroup
          aria-label={t('connection.period')}
          className={`wrap framed ${styles['periods']}`}
          disallowEmptySelection
          selectedKeys={[period]}
          onSelectionChange={([next]) => {
            const chosen = PERIODS.find((known) => known === next)
            if (chosen) setPeriod(chosen)
          }}
        >
          {PERIODS.map((id) => (
            <ToggleButton
              key={id}
              id={id}
              className={`target weight-600 nowrap borderless surface-1 ${styles['period']}`}
            >
              {t(`connection.periods.${id}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </div>
      {history.isError && <LoadFailed error={history.error} retry={() => void history.refetch()} />}
      {history.isPending && <p role="status">{t('app.loading')}</p>}
      {history.data && <Shown history={history.data} />}
    </section>
  )
}

function Shown({ history }: { readonly history: History }) {
  const { t } = useI18n()
  if (history.sums.checks === 0)
    return <Empty icon={<Activity />} title={t('connection.noHistoryTitle')} text={t('connection.noHistory')} />
  return (
    <>
      <Sums sums={history.sums} />
      <div className={`stack-4 below-4 ${chartStyles['chart']}`} aria-hidden="true">
        <Suspense fallback={<p>{t('app.loading')}</p>}>
          <ConnectionChart points={history.points} period={history.period} />
        </Suspense>
      </div>
      <PointTable history={history} />
      <Outages history={history} />
    </>
  )
}

/**
 * Uptime as a share of the known time, in parts per million; null if no time is known. Never 100 % if there was a
 * failure.
 */
export function uptimeOf({ onMs, downMs }: ConnectionSums): number | null {
  if (onMs === 0) return null
  const ppm = Math.floor(((onMs - downMs) / onMs) * 10_000) * 100
  return downMs > 0 ? Math.min(ppm, 999_900) : ppm
}

function Sums({ sums }: { readonly sums: ConnectionSums }) {
  const { t, format } = useI18n()
  const uptime = uptimeOf(sums)
  const ms = (value: number | null): string =>
    value === null ? t('connection.none') : t('connection.ms', { ms: format.miles(Math.round(value)) })
  const facts: readonly (readonly [string, string])[] = [
    [t('connection.uptime'), uptime === null ? t('connection.none') : format.percent(uptime)],
    [t('connection.laneOn'), format.age(sums.onMs)],
    [
      t('connection.failures'),
      t('connection.ofChecks', { failures: format.miles(sums.failures), checks: format.miles(sums.checks) }),
    ],
    [t('connection.mean'), ms(sums.latencyMeanMs)],
    [t('connection.most'), ms(sums.latencyMaxMs)],
  ]
  return (
    <dl className={`stack-3 ${styles['facts']} figures selectable`}>
      {facts.map(([name, value]) => (
        <div className="box pad-3-4" key={name}>
          <dt className="text-xs dim">{name}</dt>
          <dd className="weight-650 anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export const labelOf = (format: Format, period: ConnectionPeriod, iso: string): string =>
  period === 'day' ? format.time(iso) : period === 'week' ? format.dateTime(iso) : format.day(iso)

function PointTable({ history }: { readonly history: History }) {
  const { t, format } = useI18n()
  const ms = (value: number | null): string => (value === null ? t('connection.none') : format.miles(Math.round(value)))
  const row = (point: ConnectionPoint) => {
    const uptime = uptimeOf(point)
    return (
      <tr key={point.from}>
        <th scope="row">{labelOf(format, history.period, point.from)}</th>
        <td>{uptime === null ? t('connection.offRow') : format.percent(uptime)}</td>
        <td>{point.onMs === 0 ? t('connection.none') : format.age(point.onMs)}</td>
        <td>
          {t('connection.ofChecks', { failures: format.miles(point.failures), checks: format.miles(point.checks) })}
        </td>
        <td>{ms(point.latencyMeanMs)}</td>
        <td>{ms(point.latencyMaxMs)}</td>
      </tr>
    )
  }
  return (
    <div className={chartStyles['tall']}>
      <TableWrap>
        <table className={`${pageStyles['table']} selectable`} aria-label={t('connection.table')}>
          <thead>
            <tr>
              <th scope="col">{t('connection.from')}</th>
              <th scope="col">{t('connection.uptime')}</th>
              <th scope="col">{t('connection.laneOn')}</th>
              <th scope="col">{t('connection.failures')}</th>
              <th scope="col">{t('connection.meanMs')}</th>
              <th scope="col">{t('connection.mostMs')}</th>
            </tr>
          </thead>
          <tbody>{history.points.toReversed().map(row)}</tbody>
        </table>
      </TableWrap>
    </div>
  )
}

function Outages({ history: { outages, outagesInAll } }: { readonly history: History }) {
  const { t } = useI18n()
  return (
    <div className={pageStyles['section']}>
      <h3>{t('connection.outages')}</h3>
      {outages.length === 0 && <p>{t('connection.noOutages')}</p>}
      {outages.length < outagesInAll && (
        <p>{t('connection.outagesShown', { shown: outages.length, all: outagesInAll })}</p>
      )}
      {outages.length > 0 && <OutageTable outages={outages} />}
    </div>
  )
}

function OutageTable({ outages }: { readonly outages: readonly ConnectionOutage[] }) {
  const { t, format } = useI18n()
  const newest = outages[0]
  const down = useEvents((state) => state.queue?.central !== 'online')
  /**
   * Text for the end of an outage. Without a recorded end, the newest outage still lasts if the services do not answer
   * now; in all other cases the lane was switched off before the end.
   */
  const endOf = (outage: ConnectionOutage): string => {
    if (outage.to !== null) return format.dateTime(outage.to)
    return t(outage === newest && down ? 'connection.lasting' : 'connection.endUnknown')
  }
  return (
    <div className={chartStyles['tall']}>
      <TableWrap>
        <table className={`${pageStyles['table']} selectable`} aria-label={t('connection.outages')}>
          <thead>
            <tr>
              {(['from', 'to', 'lasted', 'cause', 'code', 'checks'] as const).map((column) => (
                <th key={column} scope="col">
                  {t(`connection.outage.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {outages.map((outage) => (
              <Fragment key={outage.trace}>
                <tr>
                  <th scope="row">{format.dateTime(outage.from)}</th>
                  <td>{endOf(outage)}</td>
                  <td className="nowrap">
                    {outage.to === null
                      ? t('connection.none')
                      : format.left(Date.parse(outage.to) - Date.parse(outage.from))}
                  </td>
                  <td>{t(`echo.outcome.${outage.outcome}`)}</td>
                  <td className={`anywhere ${styles['code']}`}>
                    {outage.responseCode ?? outage.code ?? outage.httpStatus ?? t('connection.none')}
                  </td>
                  <td>{format.miles(outage.checks)}</td>
                </tr>
                <tr className={styles['trace']}>
                  <td colSpan={6}>
                    <small className="text-xs dim weight-600">{t('connection.outage.trace')}</small>{' '}
                    <span className="nowrap">{outage.trace}</span>
                  </td>
                </tr>
              </Fragment>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </div>
  )
}
