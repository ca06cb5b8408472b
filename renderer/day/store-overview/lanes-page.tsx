import { useQuery } from '@tanstack/react-query'
import { MonitorOff } from 'lucide-react'
import type { LaneOfStore, VouchersOfStore } from '../../../contracts/store/overview.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import { useCentralWords } from '../../operations/status-bar/explain.tsx'
import { StorePage, useHasStore } from './store-page.tsx'
import styles from './store-overview.module.css'

const CENTRAL_AWAY = ['offline', 'outage', 'secret-refused'] as const
/** Often enough to see a lane come back, seldom enough for thirty managers. */
const AGAIN_MS = 5_000

/** Each lane of the store, as it last said of itself. */
export function LanesPage() {
  const { t } = useWords()
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
  const { t } = useWords()
  const { health } = lane
  const { isThatDay, moment } = useMomentOf(lane)
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
        {health && (health.lastSaleAt ? moment(health.lastSaleAt) : t('wholeStore.lanes.noSale'))}
      </td>
      <td className={queueStyles['folds']}>
        {health &&
          (since === null
            ? t('wholeStore.lanes.drawerClosed')
            : t(`wholeStore.lanes.${isThatDay(since) ? 'drawerOpen' : 'drawerOpenOn'}`, { time: moment(since) }))}
      </td>
      <td className={queueStyles['folds']}>{health && <LaneQueue queue={health.queue} moment={moment} />}</td>
      <td>{lane.version}</td>
    </tr>
  )
}

/** A moment that a lane tells of: of the day on which it told, the time alone. */
function useMomentOf({ heardAt }: LaneOfStore) {
  const { format } = useWords()
  const isThatDay = (iso: string): boolean => heardAt !== null && format.localDate(iso) === format.localDate(heardAt)
  return { isThatDay, moment: (iso: string): string => (isThatDay(iso) ? format.time(iso) : format.dateTime(iso)) }
}

/** By the server's word for it: what is said of it. */
const REFUSED: Readonly<Record<string, 'refusedMode' | 'refusedHistory' | 'revoked'>> = {
  mode: 'refusedMode',
  'other-history': 'refusedHistory',
  revoked: 'revoked',
}

/** What is the matter with it, a line each: since when nothing is heard, and what somebody should look at. */
function LaneState({ lane: { connected, heardAt, health, aside, refused } }: { readonly lane: LaneOfStore }) {
  const { t, format } = useWords()
  const central = useCentralWords()
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
  const away = health ? CENTRAL_AWAY.find((state) => state === health.central) : undefined
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
      {away && (
        <small>
          <br />
          {t('echo.verdict', { state: t('status.central'), outcome: central(away).state })}
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
  'card-terminal': 'status.cardTerminal',
} as const
const isDevice = (kind: string): kind is keyof typeof DEVICES => Object.hasOwn(DEVICES, kind)

/** A kind of device in words; one that this program does not know by its own name. */
function useDeviceNames(): (kind: string) => string {
  const { t } = useWords()
  return (kind) => (isDevice(kind) ? t(DEVICES[kind]) : kind)
}

/** What waits, and what a person has to look at: at the lane itself. */
function LaneQueue({
  queue,
  moment,
}: {
  readonly queue: NonNullable<LaneOfStore['health']>['queue']
  readonly moment: (iso: string) => string
}) {
  const { t } = useWords()
  const { waiting, attention, oldestAt } = queue
  if (waiting === 0 && attention === 0) return t('wholeStore.lanes.queueNone')
  return (
    <>
      {attention > 0 && <Tag tone="warn">{t('status.queueAttention', { count: attention })}</Tag>}{' '}
      {waiting > 0 && t('status.queueWaiting', { count: waiting })}
      {waiting > 0 && oldestAt && (
        <small>
          <br />
          {t('wholeStore.lanes.oldest', { time: moment(oldestAt) })}
        </small>
      )}
    </>
  )
}

/** The lanes that have to be started since the store’s data was restored, and what waits for them; else nothing. */
export function AwaitedLanes({ awaited }: Pick<VouchersOfStore, 'awaited'>) {
  const { t } = useWords()
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

/** Announces the end of the store's authority, which every lane pins; nothing, where it is far away. */
export function AuthorityNote({ ends }: { readonly ends: string | null }) {
  const { t, format } = useWords()
  if (ends === null) return null
  return (
    <p className={`below-3 ${styles['wraps']}`}>
      <Tag tone="warn">{t('wholeStore.lanes.authorityEnds', { day: format.day(ends) })}</Tag>
    </p>
  )
}

/** Lanes by their numbers, for a sentence: “lane 03”, “lanes 03, 04”. */
export function useNamedLanes(): (lanes: readonly string[]) => string {
  const { t } = useWords()
  return (lanes) => t('wholeStore.named', { count: lanes.length, lanes: lanes.join(', ') })
}

/** What of gift cards and store credit somebody has to look at; nothing, where there is nothing. */
export function VoucherNotes({ open, soldTwice }: Pick<VouchersOfStore, 'open' | 'soldTwice'>) {
  const { t, format } = useWords()
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
        // Two may read the same.
        <p key={index} className={`below-3 ${styles['wraps']}`}>
          <Tag tone="warn">{note}</Tag>
        </p>
      ))}
    </section>
  )
}
