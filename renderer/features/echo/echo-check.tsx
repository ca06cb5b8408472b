import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Activity, CircleCheckBig, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import type { EchoHistory, EchoResult } from '../../../contracts/api/diagnostics.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { causeCode, centralAfter, useCentralWords } from '../status-bar/central-messages.ts'
import styles from './echo-check.module.css'

/** ECHO (specification 3 §4.5): run it, read its code, status, time and headers, and what to do. */
export function EchoCheck() {
  const { t } = useWords()
  const queries = useQueryClient()
  const pushed = useEvents((state) => state.echoCount)
  const history = useQuery({ queryKey: ['echo'], queryFn: api.echoHistory })
  const { refetch } = history
  useEffect(() => {
    void refetch()
  }, [pushed, refetch])
  const run = useMutation({
    mutationFn: api.runEcho,
    onSuccess: (result) => {
      queries.setQueryData<EchoHistory>(['echo'], (known) => ({
        results: [result, ...(known?.results ?? []).filter((other) => other.traceId !== result.traceId)],
      }))
    },
  })
  const results = history.data?.results ?? []
  const [latest] = results
  return (
    <>
      <PageHead title={t('echo.title')} intro={t('echo.intro')}>
        <Button look="primary" size="l" icon={<Activity />} isDisabled={run.isPending} onPress={() => run.mutate()}>
          {t(run.isPending ? 'echo.running' : 'echo.run')}
        </Button>
      </PageHead>
      {run.isError && <LoadFailed error={run.error} retry={() => run.mutate()} />}
      {history.isError && <LoadFailed error={history.error} retry={() => void refetch()} />}
      {history.isPending && <p role="status">{t('app.loading')}</p>}
      {history.isSuccess && !latest && (
        <Empty icon={<Activity />} title={t('echo.emptyTitle')} text={t('echo.empty')} />
      )}
      {latest && <Latest result={latest} />}
      {results.length > 1 && <History results={results} />}
    </>
  )
}

/** The state that the status bar shows after it, and what more the echo knows. */
function useVerdict(): (outcome: EchoResult['outcome']) => string {
  const { t } = useWords()
  const words = useCentralWords()
  return (outcome) => {
    const central = centralAfter(outcome)
    return central === null || central === 'online'
      ? t(`echo.outcome.${outcome}`)
      : t('echo.verdict', { state: words(central).state, outcome: t(`echo.outcome.${outcome}`) })
  }
}

function Latest({ result }: { readonly result: EchoResult }) {
  const { t, format } = useWords()
  const verdict = useVerdict()
  const centralWords = useCentralWords()
  const central = centralAfter(result.outcome)
  const good = result.outcome === 'approved'
  const facts: readonly (readonly [string, string])[] = [
    [t('echo.code'), result.responseCode ?? t('echo.none')],
    [t('echo.http'), result.httpStatus === null ? t('echo.none') : String(result.httpStatus)],
    [
      t('echo.latency'),
      result.latencyMs === null
        ? t('echo.none')
        : t('echo.latencyValue', { ms: format.miles(Math.round(result.latencyMs)) }),
    ],
    // With a code the words are the program's own; without one they are of this machine, and only a code is of every
    // language.
    result.responseCode === null
      ? [t('echo.cause'), causeCode(result.message) ?? t('echo.none')]
      : [t('echo.message'), result.message ?? t('echo.none')],
    [t('echo.at'), format.dateTime(result.at)],
    [t('echo.trace'), result.traceId],
  ]
  return (
    <section aria-label={t('echo.last')}>
      <div className={styles['verdict']} data-good={good} role="status">
        {good ? <CircleCheckBig aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
        <div>
          <h3>{verdict(result.outcome)}</h3>
          {central !== null && !good && <p>{centralWords(central).help}</p>}
          <p>{t(`echo.advice.${result.outcome}`)}</p>
        </div>
      </div>
      <dl className={`${styles['facts']} figures selectable`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className={pageStyles['section']}>
        <h3>{t('echo.headers')}</h3>
        <TableWrap>
          <table className={`${pageStyles['table']} selectable`} aria-label={t('echo.headers')}>
            <thead>
              <tr>
                <th scope="col">{t('echo.header')}</th>
                <th scope="col">{t('echo.value')}</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(result.requestHeaders).map(([name, value]) => (
                <tr key={name}>
                  <th scope="row" className="words">
                    {name}
                  </th>
                  <td className={pageStyles['mono']}>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      </div>
    </section>
  )
}

function History({ results }: { readonly results: readonly EchoResult[] }) {
  const { t, format } = useWords()
  const verdict = useVerdict()
  return (
    <section className={pageStyles['section']}>
      <h3>{t('echo.history')}</h3>
      <TableWrap>
        <table className={pageStyles['table']} aria-label={t('echo.history')}>
          <thead>
            <tr>
              <th scope="col">{t('echo.at')}</th>
              <th scope="col">{t('echo.outcomeLabel')}</th>
              <th scope="col">{t('echo.code')}</th>
              <th scope="col">{t('echo.http')}</th>
              <th scope="col">{t('echo.latency')}</th>
            </tr>
          </thead>
          <tbody>
            {results.map((result) => (
              <tr key={result.traceId}>
                <th scope="row">{format.dateTime(result.at)}</th>
                <td>
                  <Tag tone={result.outcome === 'approved' ? 'ok' : 'warn'}>{verdict(result.outcome)}</Tag>
                </td>
                <td>{result.responseCode ?? ''}</td>
                <td>{result.httpStatus ?? ''}</td>
                <td>
                  {result.latencyMs === null
                    ? ''
                    : t('echo.latencyValue', { ms: format.miles(Math.round(result.latencyMs)) })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </section>
  )
}
