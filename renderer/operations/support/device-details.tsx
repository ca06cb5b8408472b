import { useMeasureTexts } from '../../sales/measure-texts.ts'
import type { Translate } from '../../core/i18n/message-key.ts'
import type { DeviceDetails, DeviceConnection } from '../../../contracts/operations/devices.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { pageStyles } from '../../core/ui/page.tsx'
import { STATISTICS } from '../../../contracts/operations/kinds.ts'

const JOBS = ['confirmed', 'sent', 'unknown', 'failed'] as const

const readText = (t: Translate, { kind, shown }: NonNullable<DeviceDetails['lastRead']>): string =>
  t(`devices.read.${kind}`, { shown: shown ?? '' })

export function DeviceDetailsOf({ device }: { readonly device: DeviceDetails }) {
  const { t, format } = useI18n()
  const { identity, statistics, jobs, lastRead, scale } = device
  const texts = useMeasureTexts()
  return (
    <>
      <p className={pageStyles['mono']}>
        <strong>{t('devices.wire')}</strong> {wireOf(t, device.connection)}
      </p>
      {device.language && (
        <p className={pageStyles['mono']}>
          <strong>{t('devices.language')}</strong>{' '}
          {device.columns === null
            ? device.language
            : t('devices.languageColumns', { language: device.language, columns: device.columns })}
        </p>
      )}
      {identity && <Identity identity={identity} />}
      {scale && (
        <p>
          <strong>{t('weighing.weight')}</strong>{' '}
          {scale.grossThousandths === null
            ? t(`weighing.state.${scale.state}`)
            : texts.quantity(scale.grossThousandths, scale.unit, scale.decimals)}
        </p>
      )}
      {lastRead && (
        <p>
          <strong>{t('devices.lastRead')}</strong> {readText(t, lastRead)} {format.time(lastRead.at)}
        </p>
      )}
      <details>
        <summary>{t('devices.statistics')}</summary>
        <ul>
          {jobs && JOBS.map((state) => <li key={state}>{t(`devices.jobs.${state}`, { count: jobs[state] })}</li>)}
          {STATISTICS.map(
            (name) =>
              statistics[name] !== undefined && (
                <li key={name}>{t(`devices.count.${name}`, { count: statistics[name] })}</li>
              ),
          )}
        </ul>
      </details>
      {(device.role === 'card-reader' || device.role === 'scanner') && (
        <details>
          <summary>{t('devices.bytes')}</summary>
          <p>{t('devices.bytesHint')}</p>
          {device.bytes.length === 0 && <p>{t('devices.bytesNone')}</p>}
          {device.bytes.map(({ at, text }, index) => (
            <p key={`${at} ${index}`} className={pageStyles['mono']}>
              <code>{text}</code>
            </p>
          ))}
        </details>
      )}
    </>
  )
}

function wireOf(t: Translate, connection: DeviceConnection): string {
  switch (connection.kind) {
    case 'serial':
      return t('devices.connection.serial', { path: connection.path, baudRate: String(connection.baudRate) })
    case 'tcp':
      return t('devices.connection.tcp', { host: connection.host, port: String(connection.port) })
    case 'file':
      return t('devices.connection.file', { path: connection.path })
    case 'virtual':
    case 'printer':
      return t(`devices.connection.${connection.kind}`)
  }
}

function Identity({
  identity: { manufacturerName, modelName, firmwareRevision, serialNumber },
}: {
  readonly identity: NonNullable<DeviceDetails['identity']>
}) {
  const { t } = useI18n()
  return (
    <div>
      <p>
        <strong>{t('devices.identity')}</strong> {manufacturerName} {modelName}
      </p>
      {firmwareRevision && <p>{t('devices.firmware', { firmware: firmwareRevision })}</p>}
      {serialNumber && <p>{t('devices.serialNumber', { number: serialNumber })}</p>}
    </div>
  )
}
