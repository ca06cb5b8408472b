import { useQuery } from '@tanstack/react-query'
import { CalendarCheck2, CircleCheckBig } from 'lucide-react'
import type { StoreCall, StoreQueue, StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import { useWorth } from '../../loyalty/queue/queue-page.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import styles from './store-overview.module.css'
import { READ_AGAIN_MS, StorePage, useHasStore } from './store-page.tsx'
import { useState } from 'react'
import { DayTable } from '../../loyalty/reconciliation-page.tsx'
import { StoreReportDialog } from './report-dialog.tsx'

const TYPES = [
  'redeem',
  'reverse',
  'issue',
  'return',
  'record',
  'post',
  'post-event',
  'post-reverse',
  'reverse-event',
] as const
const STATES = ['escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated'] as const

/**
 * Failed operations of all lanes. Each is resolved at its own lane, which has the call's bytes and the collector card.
 */
export function StoreQueuePage() {
  const { t } = useI18n()
  const hasStore = useHasStore()
  const queue = useQuery({
    queryKey: ['store', 'queue'],
    queryFn: storeApi.storeQueue,
    enabled: hasStore === true,
    refetchInterval: READ_AGAIN_MS,
  })
  return (
    <StorePage title={t('wholeStore.queue.title')} intro={t('wholeStore.queue.intro')} query={queue}>
      {(answer) =>
        answer.lanes.length === 0 ? (
          <Empty
            icon={<CircleCheckBig />}
            title={t('wholeStore.queue.emptyTitle')}
            text={t('wholeStore.queue.empty')}
          />
        ) : (
          <Calls answer={answer} asOf={queue.dataUpdatedAt} />
        )
      }
    </StorePage>
  )
}

function Calls({ answer: { lanes, calls }, asOf }: { readonly answer: StoreQueue; readonly asOf: number }) {
  const { t, format } = useI18n()
  const all = lanes.reduce((sum, { attention }) => sum + attention, 0)
  return (
    <>
      <p className="below-3">{t('wholeStore.queue.act')}</p>
      <dl className={`wrap-2 ${styles['counts']}`} aria-label={t('wholeStore.queue.counts')}>
        {lanes.map(({ lane, attention }) => (
          <div className="flex gap-2 round-m surface-2 pad-2-3" key={lane}>
            <dt>{t('status.lane', { lane })}</dt>
            <dd className="weight-700 flush figures">{format.miles(attention)}</dd>
          </div>
        ))}
      </dl>
      <section className={pageStyles['section']} aria-label={t('wholeStore.queue.title')}>
        <TableWrap>
          <table
            className={`${pageStyles['table']} ${queueStyles['entries']} selectable`}
            aria-label={t('wholeStore.queue.title')}
          >
            <thead>
              <tr>
                <th scope="col">{t('wholeStore.lane')}</th>
                <th scope="col">{t('queue.what')}</th>
                <th scope="col">{t('queue.state')}</th>
                <th scope="col">{t('queue.amount')}</th>
                <th scope="col">{t('queue.code')}</th>
                <th scope="col">{t('queue.age')}</th>
                <th scope="col">{t('queue.sale')}</th>
              </tr>
            </thead>
            <tbody>
              {calls.map((call) => (
                <CallRow key={call.id} call={call} asOf={asOf} />
              ))}
            </tbody>
          </table>
        </TableWrap>
        {calls.length < all && (
          <p>{t('wholeStore.queue.shown', { shown: format.miles(calls.length), all: format.miles(all) })}</p>
        )}
      </section>
    </>
  )
}

function CallRow({ call, asOf }: { readonly call: StoreCall; readonly asOf: number }) {
  const { t, format } = useI18n()
  const worth = useWorth()
  const type = TYPES.find((one) => one === call.type)
  const state = STATES.find((one) => one === call.state)
  return (
    <tr>
      <th scope="row">{call.lane}</th>
      <td>{type ? t(`queue.kind.${type}`) : call.type}</td>
      <td className={queueStyles['folds']}>
        <Tag tone="warn">{state ? t(`queue.states.${state}`) : call.state}</Tag>
      </td>
      <td>{worth(call)}</td>
      <td>{call.responseCode ?? ''}</td>
      <td>{format.age(asOf - Date.parse(call.createdAt))}</td>
      <td>{call.saleId}</td>
    </tr>
  )
}

type Day = StoreReconciliationDays['days'][number]
const TONES = { open: 'neutral', due: 'warn', exported: 'ok' } as const satisfies Record<Day['state'], string>

/** Approvals of all lanes that came on a retry, by day, in one report for the program's operator. */
export function StoreReconciliationPage() {
  const { t } = useI18n()
  const hasStore = useHasStore()
  const [openDay, setOpenDay] = useState<Day['businessDay'] | null>(null)
  const days = useQuery({
    queryKey: ['store', 'reconciliation'],
    queryFn: storeApi.storeReconciliation,
    enabled: hasStore === true,
    refetchInterval: READ_AGAIN_MS,
  })
  const open = days.data?.days.find(({ businessDay }) => businessDay === openDay)
  return (
    <>
      <StorePage title={t('wholeStore.reconciliation.title')} intro={t('wholeStore.reconciliation.intro')} query={days}>
        {(answer) =>
          answer.days.length === 0 ? (
            <Empty
              icon={<CalendarCheck2 />}
              title={t('reconciliation.emptyTitle')}
              text={t('wholeStore.reconciliation.empty')}
            />
          ) : (
            <DayTable
              days={answer.days}
              stateOf={({ state }) => <Tag tone={TONES[state]}>{t(`wholeStore.reconciliation.states.${state}`)}</Tag>}
              onOpen={setOpenDay}
            />
          )
        }
      </StorePage>
      {/* The dialog is outside the page, so that a finished report can still be saved if the store server is
          offline by then. */}
      {open && <StoreReportDialog day={open} onClose={() => setOpenDay(null)} />}
    </>
  )
}
