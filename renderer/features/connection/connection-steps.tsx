import { CircleCheckBig, CircleDashed, CircleMinus, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react'
import type {
  ConnectionCheck,
  ConnectionHost,
  ConnectionStep,
  ConnectionStepId,
} from '../../../contracts/api/connection.ts'
import type { Words } from '../../i18n/message-key.ts'
import { useWords } from '../../i18n/words.tsx'
import checkStyles from '../../ui/checks.module.css'
import { pageStyles } from '../../ui/page.tsx'
import { Tag, type TagTone } from '../../ui/surface.tsx'
import styles from './connection.module.css'

const MARKS = {
  waiting: { tone: 'neutral', icon: <CircleDashed /> },
  running: { tone: 'neutral', icon: <LoaderCircle className="turning" /> },
  ok: { tone: 'ok', icon: <CircleCheckBig /> },
  warning: { tone: 'warn', icon: <TriangleAlert /> },
  failed: { tone: 'danger', icon: <CircleX /> },
  skipped: { tone: 'neutral', icon: <CircleMinus /> },
  'not-configured': { tone: 'neutral', icon: <CircleMinus /> },
} as const satisfies Record<ConnectionStep['state'], { tone: TagTone; icon: unknown }>

/** The steps of the last check by hand, each as it goes: how it ended, how long it took, why, and what to do. */
export function ConnectionSteps({ check }: { readonly check: ConnectionCheck | null }) {
  const { t, format } = useWords()
  return (
    <section className={pageStyles['section']} aria-label={t('connection.steps')}>
      <h3>{t('connection.steps')}</h3>
      {/* One region that is there before it speaks: what is running, and how it ended. */}
      <p role="status" className={styles['progress']}>
        {check === null ? t('connection.notRun') : progressOf(t, check)}
        {check !== null &&
          check.endedAt !== null &&
          ` ${t('connection.checkedAt', { time: format.dateTime(check.endedAt) })}`}
      </p>
      {check && (
        <ol className={checkStyles['list']}>
          {check.steps.map((step, index) => (
            <Step key={step.step} step={step} number={index + 1} check={check} />
          ))}
        </ol>
      )}
    </section>
  )
}

function progressOf(t: Words, { steps, endedAt }: ConnectionCheck): string {
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
  const { t, format } = useWords()
  const { tone, icon } = MARKS[step.state]
  const skips = check.steps.filter(({ skippedFor }) => skippedFor === step.step)
  const about = [
    step.ms === null ? null : t('connection.ms', { ms: format.miles(Math.round(step.ms)) }),
    step.code === null ? null : t('connection.code', { code: step.code }),
    step.trace === null ? null : t('connection.trace', { trace: step.trace }),
  ].filter((one) => one !== null)
  return (
    <li className={`${checkStyles['row']} ${styles['step']}`} data-tone={tone}>
      <span className={styles['number']} aria-hidden="true">
        {number}
      </span>
      <div className={styles['stepBody']}>
        <h4>
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
          <ul>
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

/** An address, what is there, and what became of it; of an encrypted one its certificate's last day. */
function Host({ host, several }: { readonly host: ConnectionHost; readonly several: boolean }) {
  const { t, format } = useWords()
  const named = {
    host: host.proxied ? t('connection.proxied', { host: host.host }) : host.host,
    services: host.services.map((service) => t(`connection.service.${service}`)).join(', '),
  }
  const says = [
    host.plain ? t('connection.plain') : null,
    host.validTo === null ? null : t('connection.certificate', { day: format.day(host.validTo) }),
    // Of one host the step says it.
    several && host.cause ? t(`connection.cause.${host.cause}`) : null,
  ].filter((one) => one !== null)
  return (
    <li className="selectable">
      {says.length === 0 ? t('connection.host', named) : t('connection.hostSays', { ...named, says: says.join(' ') })}
    </li>
  )
}
