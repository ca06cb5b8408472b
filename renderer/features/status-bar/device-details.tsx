import type { DeviceDetails } from '../../../contracts/api/devices.ts'
import { useWords } from '../../i18n/words.tsx'
import { pageStyles } from '../../ui/page.tsx'

const COUNTS = ['reads', 'refused', 'unreadable', 'stale', 'bytes', 'noiseBytes', 'connections', 'disconnections'] as const
const JOBS = ['confirmed', 'sent', 'unknown', 'failed'] as const

/** What a device is connected by, what it did since the start, and the shape of what came over its wire. */
export function DeviceDetailsOf({ device }: { readonly device: DeviceDetails }) {
  const { t, format } = useWords()
  const { statistics, jobs, lastRead } = device
  return (
    <>
      <p className={pageStyles['mono']}><strong>{t('devices.wire')}</strong> {device.wire}</p>
      {device.language && <p className={pageStyles['mono']}><strong>{t('devices.language')}</strong> {device.language}</p>}
      {lastRead && <p><strong>{t('devices.lastRead')}</strong> {t(`devices.read.${lastRead.kind}`, { shown: lastRead.shown ?? '' })} {format.time(lastRead.at)}</p>}
      {(statistics || jobs) && (
        <details>
          <summary>{t('devices.statistics')}</summary>
          <ul>
            {statistics && COUNTS.map((count) => <li key={count}>{t(`devices.count.${count}`, { count: statistics[count] })}</li>)}
            {jobs && JOBS.map((state) => <li key={state}>{t(`devices.jobs.${state}`, { count: jobs[state] })}</li>)}
          </ul>
        </details>
      )}
      {statistics && (
        <details>
          <summary>{t('devices.bytes')}</summary>
          <p>{t('devices.bytesHint')}</p>
          {device.bytes.length === 0 && <p>{t('devices.bytesNone')}</p>}
          {device.bytes.map(({ at, text }, index) => <p key={`${at} ${index}`} className={pageStyles['mono']}><code>{text}</code></p>)}
        </details>
      )}
    </>
  )
}
