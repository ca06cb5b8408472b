import { useQuery } from '@tanstack/react-query'
import { MonitorOff } from 'lucide-react'
import type { LaneOfStore, VouchersOfStore } from '../../../contracts/store/overview.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import { useServicesTexts } from '../../operations/status-bar/explain.tsx'
import { StorePage, useHasStore } from './store-page.tsx'
import styles from './store-overview.module.css'

const CENTRAL_PROBLEMS = ['offline', 'outage', 'secret-refused'] as const
/**
 * Interval of reloading the lanes: short enough to show a reconnected lane, long enough for the load of thirty open
 * pages.
 */
const AGAIN_MS = 5_000

export function LanesPage() {
  const { t } = useI18n()
  const hasStore = useHasStore()
  const lanes = useQuery({
    queryKey: ['store', 'lanes'],
    queryFn: storeApi.storeLanes,
    enabled: hasStore === true,
    refetchInterval: AGAIN_MS,
  })
  return (
    <StorePage title={t('wholeStore.lanes.title')} intro={t('wholeStore.lanes.intro')} query={lanes}>
      {({ lanes: all, thisLane, vouchers, authorityEnds }) =>
        all.length === 0 ? (
          <Empty icon={<MonitorOff />} title={t('wholeStore.lanes.emptyTitle')} text={t('wholeStore.lanes.empty')} />
        ) : (
          <>
            <AwaitedLanes {...vouchers} />
            <TableWrap>
              <table
                className={`${pageStyles['table']} ${queueStyles['entries']}`}
                aria-label={t('wholeStore.lanes.title')}
              >
                <thead>
                  <tr>
                    <th scope="col">{t('wholeStore.lane')}</th>
                    <th scope="col">{t('wholeStore.lanes.state')}</th>
                    <th scope="col">{t('wholeStore.lanes.lastSale')}</th>
                    <th scope="col">{t('wholeStore.lanes.drawer')}</th>
                    <th scope="col">{t('wholeStore.lanes.queue')}</th>
                    <th scope="col">{t('wholeStore.lanes.version')}</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((lane) => (
                    <LaneRow key={lane.lane} lane={lane} isThis={lane.lane === thisLane} />
                  ))}
                </tbody>
              </table>
            </TableWrap>
            <VoucherNotes {...vouchers} />
            <AuthorityNote ends={authorityEnds} />
          </>
        )
      }
    </StorePage>
  )
}

function LaneRow({ lane, isThis }: { readonly lane: LaneOfStore; readonly isThis: boolean }) {
  const { t } = useI18n()
  const { health } = lane
  const { isThatDay, moment: timeText } = useReportTimes(lane)
  const since = health?.drawer.open ? health.drawer.since : null
  return (
    <tr>
      <th scope="row" className={queueStyles['folds']}>
        {lane.lane} {isThis && <Tag>{t('wholeStore.thisLane')}</Tag>}
      </th>
      <td className={queueStyles['folds']}>
        <LaneState lane={lane} />
      </td>
      <td className={queueStyles['folds']}>
        {health && (health.lastSaleAt ? timeText(health.lastSaleAt) : t('wholeStore.lanes.noSale'))}
      </td>
      <td className={queueStyles['folds']}>
        {health &&
          (since === null
            ? t('wholeStore.lanes.drawerClosed')
            : t(`wholeStore.lanes.${isThatDay(since) ? 'drawerOpen' : 'drawerOpenOn'}`, { time: timeText(since) }))}
      </td>
      <td className={queueStyles['folds']}>{health && <LaneQueue queue={health.queue} timeText={timeText} />}</td>
      <td>{lane.version}</td>
    </tr>
  )
}

/**
 * Returns a formatter for times that a lane reported. It omits the date of a time on the day of the lane's last report.
 */
function useReportTimes({ heardAt }: LaneOfStore) {
  const { format } = useI18n()
  const isThatDay = (iso: string): boolean => heardAt !== null && format.localDate(iso) === format.localDate(heardAt)
  return { isThatDay, moment: (iso: string): string => (isThatDay(iso) ? format.time(iso) : format.dateTime(iso)) }
}

const REFUSED: Readonly<Record<string, 'refusedMode' | 'refusedHistory' | 'revoked'>> = {
  mode: 'refusedMode',
  'other-history': 'refusedHistory',
  revoked: 'revoked',
}

/** Problems of a lane, one a line: how long it has been disconnected, and what needs attention. */
function LaneState({ lane: { connected, heardAt, health, aside, refused } }: { readonly lane: LaneOfStore }) {
  const { t, format } = useI18n()
  const central = useServicesTexts()
  const nameOf = useDeviceNames()
  const notes = [
    ...(refused === null ? [] : [t(`wholeStore.lanes.${REFUSED[refused] ?? 'refused'}`)]),
    ...(connected || heardAt === null ? [] : [t('wholeStore.lanes.silentSince', { time: format.dateTime(heardAt) })]),
    ...(health && health.untold > 0 ? [t('wholeStore.lanes.untold', { count: health.untold })] : []),
    ...(aside > 0 ? [t('wholeStore.lanes.aside', { count: aside })] : []),
    ...(health && health.troubles.length > 0
      ? [t('wholeStore.lanes.troubles', { devices: health.troubles.map(nameOf).join(', ') })]
      : []),
  ]
  const centralProblem = health ? CENTRAL_PROBLEMS.find((state) => state === health.central) : undefined
  return (
    <>
      <Tag tone={connected ? 'ok' : 'warn'}>
        {t(
          connected
            ? 'wholeStore.lanes.connected'
            : heardAt === null
              ? 'wholeStore.lanes.never'
              : 'wholeStore.lanes.silent',
        )}
      </Tag>{' '}
      {health?.stopped != null && <Tag tone="danger">{t('wholeStore.lanes.stopped')}</Tag>}
      {centralProblem && (
        <small>
          <br />
          {t('echo.verdict', { state: t('status.central'), outcome: central(centralProblem).state })}
        </small>
      )}
      {notes.map((note) => (
        <small key={note}>
          <br />
          {note}
        </small>
      ))}
    </>
  )
}

const DEVICES = {
  'card-reader': 'status.cardReader',
  scanner: 'status.scanner',
  printer: 'status.printer',
  drawer: 'status.drawer',
  'line-display': 'status.lineDisplay',
  scale: 'status.scale',
  'card-terminal': 'status.cardTerminal',
} as const
const isDevice = (kind: string): kind is keyof typeof DEVICES => Object.hasOwn(DEVICES, kind)

function useDeviceNames(): (kind: string) => string {
  const { t } = useI18n()
  return (kind) => (isDevice(kind) ? t(DEVICES[kind]) : kind)
}

function LaneQueue({
  queue,
  timeText,
}: {
  readonly queue: NonNullable<LaneOfStore['health']>['queue']
  readonly timeText: (iso: string) => string
}) {
  const { t } = useI18n()
  const { waiting, attention, oldestAt } = queue
  if (waiting === 0 && attention === 0) return t('wholeStore.lanes.queueNone')
  return (
    <>
      {attention > 0 && <Tag tone="warn">{t('status.queueAttention', { count: attention })}</Tag>}{' '}
      {waiting > 0 && t('status.queueWaiting', { count: waiting })}
      {waiting > 0 && oldestAt && (
        <small>
          <br />
          {t('wholeStore.lanes.oldest', { time: timeText(oldestAt) })}
        </small>
      )}
    </>
  )
}

/**
 * Lanes that must be started because the store server's data was restored, and the features that are unavailable until
 * then.
 */
export function AwaitedLanes({ awaited }: Pick<VouchersOfStore, 'awaited'>) {
  const { t } = useI18n()
  if (awaited.length === 0) return null
  return (
    <section className={pageStyles['section']} aria-label={t('wholeStore.lanes.restored')}>
      <h3>{t('wholeStore.lanes.restored')}</h3>
      {awaited.map(({ lane, saidBy }) => (
        <p key={lane} className={`below-3 ${styles['wraps']}`}>
          <Tag tone="warn">
            {lane === '' ? t('wholeStore.lanes.awaitedUnknown') : t('wholeStore.lanes.awaited', { lane })}
          </Tag>
          {saidBy.length > 0 && ` ${t('wholeStore.lanes.saidBy', { lanes: saidBy.join(', ') })}`}
        </p>
      ))}
      <p className="below-3">{t('wholeStore.lanes.lostLane')}</p>
    </section>
  )
}

/** Warns before the certificate authority of the store server expires, which every lane pins. */
export function AuthorityNote({ ends }: { readonly ends: string | null }) {
  const { t, format } = useI18n()
  if (ends === null) return null
  return (
    <p className={`below-3 ${styles['wraps']}`}>
      <Tag tone="warn">{t('wholeStore.lanes.authorityEnds', { day: format.day(ends) })}</Tag>
    </p>
  )
}

/** Returns a function that names lanes in a sentence: “lane 03”, “lanes 03, 04”. */
export function useNamedLanes(): (lanes: readonly string[]) => string {
  const { t } = useI18n()
  return (lanes) => t('wholeStore.named', { count: lanes.length, lanes: lanes.join(', ') })
}

export function VoucherNotes({ open, soldTwice }: Pick<VouchersOfStore, 'open' | 'soldTwice'>) {
  const { t, format } = useI18n()
  const notes = [
    ...open.map(({ last4, lane, amountCents, since }) =>
      t('wholeStore.lanes.openDraw', {
        number: last4,
        amount: format.money(amountCents),
        lane,
        time: format.dateTime(since),
      }),
    ),
    ...soldTwice.map(({ last4, sold }) =>
      t('wholeStore.lanes.soldTwice', {
        number: last4,
        lanes: sold.map(({ lane, amountCents }) => `${lane} ${format.money(amountCents)}`).join(', '),
      }),
    ),
  ]
  if (notes.length === 0) return null
  return (
    <section className={pageStyles['section']} aria-label={t('wholeStore.lanes.vouchers')}>
      <h3>{t('wholeStore.lanes.vouchers')}</h3>
      {notes.map((note, index) => (
        // An index is the key because two notes may have the same text.
        <p key={index} className={`below-3 ${styles['wraps']}`}>
          <Tag tone="warn">{note}</Tag>
        </p>
      ))}
    </section>
  )
}
