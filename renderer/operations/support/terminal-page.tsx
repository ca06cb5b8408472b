import { Clock, DatabaseBackup, HardDrive } from 'lucide-react'
import type { BackupResult, ClockHealth, DiskSpace } from '../../../contracts/operations/diagnostics.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { PageHead, pageStyles } from '../../core/ui/page.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { SoundsCard } from '../sounds/sounds-card.tsx'
import { causeCode } from '../status-bar/explain.tsx'
import { useClockTexts } from '../status-bar/status-bar.tsx'

export function TerminalPage() {
  const { t } = useI18n()
  const maintenance = useEvents((state) => state.maintenance)
  return (
    <>
      <PageHead title={t('terminalPage.title')} intro={t('terminalPage.intro')} />
      {!maintenance && <p role="status">{t('app.loading')}</p>}
      {maintenance && (
        <ul className={`${pageStyles['cards']} ${pageStyles['wideCards']}`}>
          <ClockCard clock={maintenance.clock} />
          <BackupCard backup={maintenance.backup} />
          <DiskSpaceCard room={maintenance.room} />
          <SoundsCard />
        </ul>
      )}
    </>
  )
}

function ClockCard({ clock }: { readonly clock: ClockHealth }) {
  const { t } = useI18n()
  const { state, help, signal } = useClockTexts(clock)
  return (
    <li className={pageStyles['card']}>
      <h3>
        <Clock aria-hidden="true" />
        {t('status.clockName')}
      </h3>
      <div>
        <Tag tone={signal === 'ok' ? 'ok' : 'warn'}>{state}</Tag>
      </div>
      <p>{help}</p>
    </li>
  )
}

function DiskSpaceCard({ room }: { readonly room: DiskSpace }) {
  const { t, format } = useI18n()
  return (
    <li className={pageStyles['card']}>
      <h3>
        <HardDrive aria-hidden="true" />
        {t('terminalPage.room')}
      </h3>
      <div>
        <Tag tone={room.state === 'enough' ? 'ok' : 'warn'}>{t(`terminalPage.roomState.${room.state}`)}</Tag>
      </div>
      <p>
        {t(`terminalPage.roomHelp.${room.state}`, {
          free: format.miles(room.freeMb),
          needed: format.miles(room.neededMb),
        })}
      </p>
    </li>
  )
}

function BackupCard({ backup }: { readonly backup: BackupResult | null }) {
  const { t, format } = useI18n()
  // The backup's error code is language-independent; its sentence is only in the log.
  const cause = causeCode(backup?.detail?.split(':')[0] ?? null)
  return (
    <li className={pageStyles['card']}>
      <h3>
        <DatabaseBackup aria-hidden="true" />
        {t('terminalPage.backup')}
      </h3>
      <div>
        <Tag tone={backup === null ? 'neutral' : backup.outcome === 'kept' ? 'ok' : 'warn'}>
          {backup === null ? t('terminalPage.backupNone') : t(`terminalPage.backupOutcome.${backup.outcome}`)}
        </Tag>
      </div>
      {backup === null ? (
        <p>{t('terminalPage.backupNoneHelp')}</p>
      ) : (
        <>
          <p>{format.dateTime(backup.at)}</p>
          <p>
            {t(`terminalPage.backupHelp.${backup.outcome}`, {
              file: backup.file ?? '',
              size: format.miles(Math.ceil((backup.bytes ?? 0) / 1_000)),
            })}
          </p>
        </>
      )}
      {cause && (
        <p className={pageStyles['mono']}>
          <strong>{t('status.detail')}</strong> {cause}
        </p>
      )}
    </li>
  )
}
