import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, Download, History, MonitorCheck, Wrench } from 'lucide-react'
import type { LastUpdate, Updates } from '../../../contracts/api/updates.ts'
import { showAnswer } from '../../api/answers.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { notify, report } from '../../state/notices.ts'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag, type TagTone } from '../../ui/surface.tsx'
import { NextVersionCard } from './next-version.tsx'
import { Notes } from './notes.tsx'
import styles from './updates.module.css'

const UPDATES = ['updates']
/** While a version comes in, and while the page stands open: a lane may be told of one at any moment. */
const FETCHING_MS = 1_000
const OPEN_MS = 30_000

/** Which version the lane runs, which comes next, when, and what became of the last one. */
export function UpdatesPage() {
  const { t, format } = useWords()
  const queries = useQueryClient()
  const updates = useQuery({
    queryKey: UPDATES,
    queryFn: storeApi.updates,
    refetchInterval: ({ state: { data } }) => (data?.next?.bytes ? FETCHING_MS : OPEN_MS),
    gcTime: 0,
  })
  const order = useMutation({
    mutationFn: storeApi.orderUpdate,
    onSuccess: async (now, { version, when }) => {
      await showAnswer(queries, UPDATES, now)
      notify('success', (words) => words.t(when === 'tonight' ? 'updates.ordered' : 'updates.postponed', { version }))
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
            <div className={styles['trouble']} role="alert">
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
              busy={order.isPending}
              onOrder={(when) => order.mutate({ version: data.next?.version ?? '', when })}
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
  const { t, format } = useWords()
  return (
    <li className={pageStyles['card']}>
      <h3>
        <MonitorCheck aria-hidden="true" />
        {t('updates.running')}
      </h3>
      <p className={styles['version']}>{t('updates.version', { version })}</p>
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
  const { t, format } = useWords()
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

/** No version waits: up to date, or nothing that this lane looks for. */
function Nothing({ updates: { slots, look } }: { readonly updates: Updates }) {
  const { t, format } = useWords()
  const looked = look === null ? t('updates.neverLooked') : t('updates.looked', { time: format.dateTime(look.at) })
  return (
    <div className={styles['nothing']}>
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
