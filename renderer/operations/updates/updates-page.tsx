import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarClock, CircleCheck, Download, History, MonitorCheck, Pause, Wrench } from 'lucide-react'
import type { LastUpdate, NextVersion, UpdateDecision, Updates } from '../../../contracts/operations/updates.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { notify, report } from '../../core/state/notices.ts'
import { LoadFailed, PageHead, pageStyles } from '../../core/ui/page.tsx'
import { Empty, Tag, type TagTone } from '../../core/ui/surface.tsx'
import styles from './updates.module.css'
import { Button } from '../../core/ui/button.tsx'
import type { Names } from '../../../contracts/core/locales.ts'

const UPDATES = ['updates']
/**
 * Polling intervals, while a version is downloaded and while the page is open: a new version may be announced at any
 * time.
 */
const FETCHING_MS = 1_000
const OPEN_MS = 30_000

export function UpdatesPage() {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const updates = useQuery({
    queryKey: UPDATES,
    queryFn: storeApi.updates,
    refetchInterval: ({ state: { data } }) => (data?.next?.bytes ? FETCHING_MS : OPEN_MS),
    gcTime: 0,
  })
  const deciding = useMutation({
    mutationFn: storeApi.decideUpdate,
    onSuccess: async (now, { version, when }) => {
      await showAnswer(queries, UPDATES, now)
      notify('success', (i18n) => i18n.t(when === 'tonight' ? 'updates.ordered' : 'updates.postponed', { version }))
    },
    onError: (error) => {
      report(error)
      void updates.refetch()
    },
  })
  const { data } = updates
  return (
    <>
      <PageHead title={t('updates.title')} intro={t('updates.intro')} />
      {updates.isPending && <p role="status">{t('app.loading')}</p>}
      {updates.isError && <LoadFailed error={updates.error} retry={() => void updates.refetch()} />}
      {data && (
        <>
          {data.look?.trouble && (
            <div className="tone-danger round-m pad-4 below-4" role="alert">
              <p>
                <strong>{t('updates.troubleTitle')}</strong>
              </p>
              <p>
                {t(`updates.trouble.${data.look.trouble}`)}{' '}
                {t('updates.looked', { time: format.dateTime(data.look.at) })}
              </p>
            </div>
          )}
          {data.next && (
            <NextVersionCard
              next={data.next}
              busy={deciding.isPending}
              onDecide={(when) => deciding.mutate({ version: data.next?.version ?? '', when })}
            />
          )}
          <ul className={`${pageStyles['cards']} ${pageStyles['wideCards']}`}>
            <RunningCard running={data.running} />
            {data.last && <LastCard last={data.last} />}
          </ul>
          {!data.next && <Nothing updates={data} />}
        </>
      )}
    </>
  )
}

function RunningCard({ running: { version, since, notes } }: Pick<Updates, 'running'>) {
  const { t, format } = useI18n()
  return (
    <li className={pageStyles['card']}>
      <h3>
        <MonitorCheck aria-hidden="true" />
        {t('updates.running')}
      </h3>
      <p className="text-l weight-600 anywhere">{t('updates.version', { version })}</p>
      <p>{since === null ? t('updates.sinceUnknown') : t('updates.since', { time: format.dateTime(since) })}</p>
      {notes && (
        <details className={styles['details']}>
          <summary>{t('updates.whatWasNew')}</summary>
          <Notes notes={notes} />
        </details>
      )}
    </li>
  )
}

const OUTCOME_TONES: Readonly<Record<LastUpdate['outcome'], TagTone>> = {
  running: 'ok',
  'went-back': 'warn',
  failed: 'warn',
}

function LastCard({ last: { version, from, outcome, why, at } }: { readonly last: LastUpdate }) {
  const { t, format } = useI18n()
  return (
    <li className={pageStyles['card']}>
      <h3>
        <History aria-hidden="true" />
        {t('updates.last')}
      </h3>
      <div>
        <Tag tone={OUTCOME_TONES[outcome]}>{t(`updates.outcome.${outcome}`)}</Tag>
      </div>
      <p>{t(`updates.outcomeText.${outcome}`, { version, from, time: format.dateTime(at) })}</p>
      {why && <p>{t(`updates.why.${why}`)}</p>}
    </li>
  )
}

function Nothing({ updates: { slots, look } }: { readonly updates: Updates }) {
  const { t, format } = useI18n()
  const looked = look === null ? t('updates.neverLooked') : t('updates.looked', { time: format.dateTime(look.at) })
  return (
    <div className="nothing">
      {slots ? (
        <Empty
          icon={look?.trouble ? <Download /> : <CircleCheck />}
          title={t(look?.trouble ? 'updates.noneKnown' : 'updates.none')}
          text={look?.trouble ? t('updates.noneText') : `${t('updates.noneText')} ${looked}`}
        />
      ) : (
        <Empty icon={<Wrench />} title={t('updates.noSlots')} text={t('updates.noSlotsText')} />
      )}
    </div>
  )
}

const TONES: Readonly<Record<NextVersion['state'], TagTone>> = {
  fetching: 'neutral',
  ready: 'warn',
  tonight: 'ok',
  'not-now': 'neutral',
}
const MB = 1_000_000

interface NextVersionProps {
  readonly next: NextVersion
  readonly busy: boolean
  readonly onDecide: (when: UpdateDecision['when']) => void
}

export function NextVersionCard({ next, busy, onDecide }: NextVersionProps) {
  const { t, format } = useI18n()
  const { version, releasedAt, notes, state, heldUntil, bytes } = next
  const day = heldUntil === null ? '' : format.day(heldUntil)
  return (
    <section className="below-4" aria-label={t('updates.next', { version })}>
      <div className={pageStyles['card']}>
        <h3>{t('updates.next', { version })}</h3>
        <div className="wrap gap-2-3 middle note">
          <Tag tone={TONES[state]}>{t(`updates.state.${state}`)}</Tag>
          <span>{t('updates.released', { day: format.day(releasedAt) })}</span>
        </div>
        {bytes !== null && bytes.done < bytes.total && <DownloadProgress {...bytes} />}
        <p role="status">{t(`updates.stateHelp.${state}`, { day })}</p>
        <div className="wrap gap-2-3 middle">
          {state !== 'tonight' && (
            <Button
              look="primary"
              size="l"
              icon={<CalendarClock />}
              isDisabled={busy}
              onPress={() => onDecide('tonight')}
            >
              {t('updates.tonight')}
            </Button>
          )}
          {state !== 'not-now' && (
            <Button size="l" icon={<Pause />} isDisabled={busy} onPress={() => onDecide('not-now')}>
              {t('updates.notNow')}
            </Button>
          )}
        </div>
        <h4 className={styles['heading']}>{t('updates.whatIsNew')}</h4>
        <Notes notes={notes} />
      </div>
    </section>
  )
}

function DownloadProgress({ done, total }: { readonly done: number; readonly total: number }) {
  const { t, format } = useI18n()
  const megabytes = (bytes: number): string => format.miles(Math.round(bytes / MB))
  return (
    <div className="wrap gap-2-3 middle note">
      <progress aria-label={t('updates.progress')} value={done} max={total} />
      <span>{t('updates.downloaded', { done: megabytes(done), total: megabytes(total) })}</span>
    </div>
  )
}

export function Notes({ notes }: { readonly notes: Names }) {
  const { t, format } = useI18n()
  const points = format
    .text(notes)
    .split('\n')
    .map((line) => line.replace(/^\s*[-*•]\s+/, '').trim())
    .filter((line) => line !== '')
  if (points.length === 0) return <p>{t('updates.noNotes')}</p>
  return (
    <ul className={`stack-1 anywhere flush ${styles['notes']}`}>
      {points.map((point, index) => (
        <li key={index}>{point}</li>
      ))}
    </ul>
  )
}
