import { CircleCheckBig, CircleHelp, TriangleAlert } from 'lucide-react'
import type { ConnectionStatus } from '../../../contracts/api/connection.ts'
import type { EchoResult } from '../../../contracts/api/diagnostics.ts'
import type { Format } from '../../i18n/format.ts'
import type { Words } from '../../i18n/message-key.ts'
import { useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { causeCode } from '../status-bar/central-messages.ts'
import styles from './connection.module.css'

/** One sentence: how it is and since when; and what to do, and whom to call, where it is not well. */
export function ConnectionNow({ status }: { readonly status: ConnectionStatus }) {
  const words = useWords()
  const { t } = words
  const { state, latest, support } = status
  const tone = state === 'online' ? 'good' : state === 'unknown' ? 'unknown' : 'bad'
  const Icon = tone === 'good' ? CircleCheckBig : tone === 'unknown' ? CircleHelp : TriangleAlert
  return (
    <section className={styles['verdict']} data-tone={tone} aria-label={t('connection.now')}>
      <Icon aria-hidden="true" />
      <div>
        <div role="status">
          <h3>{sentenceOf(words, status)}</h3>
        </div>
        {latest && tone === 'bad' && (
          <>
            <p>{`${t(`echo.outcome.${latest.outcome}`)}. ${t(`echo.advice.${latest.outcome}`)}`}</p>
            <p className="selectable">
              {support === null
                ? t('connection.call', { support: t('connection.supportDefault'), trace: latest.traceId })
                : t('connection.callPhone', { support: support.name, phone: support.phone, trace: latest.traceId })}
            </p>
          </>
        )}
        <p>{intervalOf(t, status.intervalMs)}</p>
      </div>
    </section>
  )
}

function sentenceOf({ t, format }: { t: Words; format: Format }, status: ConnectionStatus): string {
  if (status.since === null || status.state === 'unknown') return t('connection.sentence.unknown')
  if (status.sinceAtLeast) return t('connection.sentence.onlineAtLeast')
  return t(`connection.sentence.${status.state}`, { time: format.dateTime(status.since) })
}

function intervalOf(t: Words, intervalMs: number): string {
  const seconds = Math.max(1, Math.round(intervalMs / 1_000))
  return seconds % 60 === 0
    ? t('connection.intervalMinutes', { minutes: seconds / 60 })
    : t('connection.interval', { seconds })
}

/** What certification asks to see of ECHO (specification 3 §4.5): code, status, time, trace, and the headers sent. */
export function LastCheck({ result }: { readonly result: EchoResult }) {
  const { t, format } = useWords()
  const facts: readonly (readonly [string, string])[] = [
    [t('echo.outcomeLabel'), t(`echo.outcome.${result.outcome}`)],
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
    <section className={pageStyles['section']}>
      <h3>{t('connection.detail')}</h3>
      <dl className={`${styles['facts']} figures selectable`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
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
    </section>
  )
}
