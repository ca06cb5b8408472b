import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Activity,
  CircleCheckBig,
  CircleDashed,
  CircleHelp,
  CircleMinus,
  CircleX,
  LoaderCircle,
  TriangleAlert,
} from 'lucide-react'
import { useEffect } from 'react'
import type {
  ConnectionCheck,
  ConnectionHost,
  ConnectionStatus,
  ConnectionStep,
  ConnectionStepId,
} from '../../../contracts/operations/connection.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { ConnectionHistory } from './connection-history.tsx'
import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import type { Format } from '../../core/i18n/format.ts'
import type { Translate } from '../../core/i18n/message-key.ts'
import { causeCode } from '../status-bar/explain.tsx'
import styles from './connection.module.css'
import checkStyles from '../../core/ui/checks.module.css'
import { Tag, type TagTone } from '../../core/ui/surface.tsx'

export function ConnectionPage() {
  const { t } = useI18n()
  const queries = useQueryClient()
  const echoes = useEvents((state) => state.echoCount)
  const steps = useEvents((state) => state.connectionCount)
  const status = useQuery({ queryKey: ['connection'], queryFn: storeApi.connection })
  const { refetch } = status
  useEffect(() => {
    void refetch()
  }, [echoes, steps, refetch])
  const start = useMutation({
    mutationFn: storeApi.checkConnection,
    onSuccess: (check) => {
      queries.setQueryData<ConnectionStatus>(['connection'], (known) => known && { ...known, check })
      void refetch()
    },
  })
  const check = status.data?.check ?? null
  const running = start.isPending || (check !== null && check.endedAt === null)
  return (
    <>
      <PageHead title={t('connection.title')} intro={t('connection.intro')}>
        <Button look="primary" size="l" icon={<Activity />} isDisabled={running} onPress={() => start.mutate()}>
          {t(running ? 'connection.running' : 'connection.run')}
        </Button>
      </PageHead>
      {start.isError && <LoadFailed error={start.error} retry={() => start.mutate()} />}
      {status.isError && <LoadFailed error={status.error} retry={() => void refetch()} />}
      {status.isPending && <p role="status">{t('app.loading')}</p>}
      {status.isSuccess && (
        <>
          <ConnectionNow status={status.data} />
          <ConnectionSteps check={check} />
          <ConnectionHistory />
          {status.data.latest && <LastCheck result={status.data.latest} />}
        </>
      )}
    </>
  )
}

export function ConnectionNow({ status }: { readonly status: ConnectionStatus }) {
  const i18n = useI18n()
  const { t } = i18n
  const { state, latest, support } = status
  const tone = state === 'online' ? 'good' : state === 'unknown' ? 'unknown' : 'bad'
  const Icon = tone === 'good' ? CircleCheckBig : tone === 'unknown' ? CircleHelp : TriangleAlert
  return (
    <section
      className={`flex gap-4 middle tone-warn round-l pad-4-5 ${styles['verdict']}`}
      data-tone={tone}
      aria-label={t('connection.now')}
    >
      <Icon aria-hidden="true" />
      <div>
        <div role="status">
          <h3 className="text-xl">{sentenceOf(i18n, status)}</h3>
        </div>
        {latest && tone === 'bad' && (
          <>
            <p className="ink anywhere">
              {`${t(`echo.outcome.${latest.outcome}`)}. ${t(`echo.advice.${latest.outcome}`)}`}
            </p>
            <p className="ink anywhere selectable">
              {support === null
                ? t('connection.call', { support: t('connection.supportDefault'), trace: latest.traceId })
                : t('connection.callPhone', { support: support.name, phone: support.phone, trace: latest.traceId })}
            </p>
          </>
        )}
        <p className="ink anywhere">{intervalOf(t, status.intervalMs)}</p>
      </div>
    </section>
  )
}

function sentenceOf({ t, format }: { t: Translate; format: Format }, status: ConnectionStatus): string {
  if (status.since === null || status.state === 'unknown') return t('connection.sentence.unknown')
  if (status.sinceAtLeast) return t('connection.sentence.onlineAtLeast')
  return t(`connection.sentence.${status.state}`, { time: format.dateTime(status.since) })
}

function intervalOf(t: Translate, intervalMs: number): string {
  const seconds = Math.max(1, Math.round(intervalMs / 1_000))
  return seconds % 60 === 0
    ? t('connection.intervalMinutes', { minutes: seconds / 60 })
    : t('connection.interval', { seconds })
}

/**
 * Details of the last ECHO for certification (specification 3 §4.5): code, status, time, trace id and the sent headers.
 */
export function LastCheck({ result }: { readonly result: EchoResult }) {
  const { t, format } = useI18n()
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
    // With a response code, the message is a text of the program. Without one, it is an English error of this computer,
    // of which only the error code is shown, because the code needs no translation.
    result.responseCode === null
      ? [t('echo.cause'), causeCode(result.message) ?? t('echo.none')]
      : [t('echo.message'), result.message ?? t('echo.none')],
    [t('echo.at'), format.dateTime(result.at)],
    [t('echo.trace'), result.traceId],
  ]
  return (
    <section className={pageStyles['section']}>
      <h3>{t('connection.detail')}</h3>
      <dl className={`stack-3 ${styles['facts']} figures selectable`}>
        {facts.map(([name, value]) => (
          <div className="box pad-3-4" key={name}>
            <dt className="text-xs dim">{name}</dt>
            <dd className="weight-650 anywhere">{value}</dd>
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
                <th scope="row" className="prose">
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

const MARKS = {
  waiting: { tone: 'neutral', icon: <CircleDashed /> },
  running: { tone: 'neutral', icon: <LoaderCircle className="spin" /> },
  ok: { tone: 'ok', icon: <CircleCheckBig /> },
  warning: { tone: 'warn', icon: <TriangleAlert /> },
  failed: { tone: 'danger', icon: <CircleX /> },
  skipped: { tone: 'neutral', icon: <CircleMinus /> },
  'not-configured': { tone: 'neutral', icon: <CircleMinus /> },
} as const satisfies Record<ConnectionStep['state'], { tone: TagTone; icon: unknown }>

export function ConnectionSteps({ check }: { readonly check: ConnectionCheck | null }) {
  const { t, format } = useI18n()
  return (
    <section className={pageStyles['section']} aria-label={t('connection.steps')}>
      <h3>{t('connection.steps')}</h3>
      {/* One live region for progress and outcome; it must exist before its first announcement. */}
      <p role="status" className="dim below-3">
        {check === null ? t('connection.notRun') : progressOf(t, check)}
        {check !== null &&
          check.endedAt !== null &&
          ` ${t('connection.checkedAt', { time: format.dateTime(check.endedAt) })}`}
      </p>
      {check && (
        <ol className={`stack-2 flush pad-0 ${checkStyles['list']}`}>
          {check.steps.map((step, index) => (
            <Step key={step.step} step={step} number={index + 1} check={check} />
          ))}
        </ol>
      )}
    </section>
  )
}

function progressOf(t: Translate, { steps, endedAt }: ConnectionCheck): string {
  if (endedAt !== null) return t('connection.ended', { failed: steps.filter(({ state }) => state === 'failed').length })
  const index = steps.findIndex(({ state }) => state === 'running')
  const running = steps[index]
  return running
    ? t('connection.progress', { number: index + 1, all: steps.length, step: t(`connection.step.${running.step}`) })
    : t('connection.running')
}

const numberOf = (check: ConnectionCheck, step: ConnectionStepId): number =>
  check.steps.findIndex((one) => one.step === step) + 1

function Step({
  step,
  number,
  check,
}: {
  readonly step: ConnectionStep
  readonly number: number
  readonly check: ConnectionCheck
}) {
  const { t, format } = useI18n()
  const { tone, icon } = MARKS[step.state]
  const skips = check.steps.filter(({ skippedFor }) => skippedFor === step.step)
  const about = [
    step.ms === null ? null : t('connection.ms', { ms: format.miles(Math.round(step.ms)) }),
    step.code === null ? null : t('connection.code', { code: step.code }),
    step.trace === null ? null : t('connection.trace', { trace: step.trace }),
  ].filter((one) => one !== null)
  return (
    <li className={`grid gap-3 box pad-3-4 ${checkStyles['row']} ${styles['step']}`} data-tone={tone}>
      <span className={`grid weight-700 surface-3 ${styles['number']}`} aria-hidden="true">
        {number}
      </span>
      <div className={styles['stepBody']}>
        <h4 className="row-2 wraps between flush">
          <span>{t(`connection.step.${step.step}`)}</span>
          <Tag tone={tone} icon={icon}>
            {t(`connection.state.${step.state}`)}
          </Tag>
        </h4>
        {step.cause && (
          <p>
            <strong>{t(`connection.cause.${step.cause}`)}</strong> {t(`connection.todo.${step.cause}`)}
          </p>
        )}
        {step.skippedFor && (
          <p>
            {t('connection.skippedFor', {
              number: numberOf(check, step.skippedFor),
              step: t(`connection.step.${step.skippedFor}`),
            })}
          </p>
        )}
        {step.state === 'not-configured' && <p>{t('connection.notConfigured')}</p>}
        {skips.length > 0 && (
          <p>{t('connection.skips', { steps: skips.map((one) => numberOf(check, one.step)).join(', ') })}</p>
        )}
        {step.hosts.length > 0 && (
          <ul className="flush pad-0">
            {step.hosts.map((host) => (
              <Host key={host.host} host={host} several={step.hosts.length > 1} />
            ))}
          </ul>
        )}
        {about.length > 0 && <p className={`${styles['about']} figures selectable`}>{about.join(' · ')}</p>}
      </div>
    </li>
  )
}

function Host({ host, several }: { readonly host: ConnectionHost; readonly several: boolean }) {
  const { t, format } = useI18n()
  const named = {
    host: host.proxied ? t('connection.proxied', { host: host.host }) : host.host,
    services: host.services.map((service) => t(`connection.service.${service}`)).join(', '),
  }
  const facts = [
    host.plain ? t('connection.plain') : null,
    host.validTo === null ? null : t('connection.certificate', { day: format.day(host.validTo) }),
    // With a single host, the step itself shows the cause.
    several && host.cause ? t(`connection.cause.${host.cause}`) : null,
  ].filter((one) => one !== null)
  return (
    <li className="selectable">
      {facts.length === 0 ? t('connection.host', named) : t('connection.hostSays', { ...named, says: facts.join(' ') })}
    </li>
  )
}
