import { useQuery } from '@tanstack/react-query'
import type { TracedCall } from '../../../contracts/api/call-traces.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import styles from './journal-search.module.css'

/** What support asks for: the calls of a receipt that moved miles, each with its trace and what became of it. */
export function CallTraces({ receipt }: { readonly receipt: string }) {
  const { t } = useWords()
  const traces = useQuery({ queryKey: ['traces', receipt], queryFn: () => storeApi.traces(receipt) })
  return (
    <section className={styles['traces']} aria-label={t('journalSearch.traces')}>
      <h3>{t('journalSearch.traces')}</h3>
      {traces.isPending && <p role="status">{t('journalSearch.tracesLoading')}</p>}
      {traces.isError && <LoadFailed error={traces.error} retry={() => void traces.refetch()} />}
      {traces.data?.calls.length === 0 && <p>{t('journalSearch.tracesNone')}</p>}
      {traces.data?.calls.map((call) => (
        <Call key={`${call.operation} ${call.purpose}`} call={call} />
      ))}
    </section>
  )
}

/** From here on a step tells its time, and not how long it took. */
const A_WHILE_MS = 60_000

function Call({ call: { purpose, trace, steps } }: { readonly call: TracedCall }) {
  const { t, format } = useWords()
  const first = Date.parse(steps[0]?.at ?? '')
  // A call is over within seconds, or days.
  const whenOf = (at: string): string => {
    const ms = Date.parse(at) - first
    return ms === 0 || ms >= A_WHILE_MS
      ? format.dateTime(at)
      : t('journalSearch.stepLater', { seconds: Math.round(ms / 10) / 100 })
  }
  return (
    <div className={`${styles['call']} selectable`}>
      <h4>{t(`queue.kind.${purpose}`)}</h4>
      <p className={`${styles['trace']} figures`}>
        <small>{t('queue.trace')}</small> {trace}
      </p>
      <ol>
        {steps.map(({ at, state, sent }, index) => (
          <li key={`${at} ${index}`}>
            <span className="figures">{whenOf(at)}</span> {t(`queue.states.${state}`)}
            {sent && state !== 'sent' && ` · ${t('journalSearch.stepSent')}`}
          </li>
        ))}
      </ol>
    </div>
  )
}
