import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { DatabaseBackup, History, RotateCcw, ShieldCheck, Usb } from 'lucide-react'
import { useState } from 'react'
import type { BackupCopies, Backups, ListedBackup, RestoreResult } from '../../../contracts/operations/backups.ts'
import { CLOCK_SLACK_MS } from '../../../contracts/operations/kinds.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { notify, report } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty, Tag, type TagTone } from '../../core/ui/surface.tsx'
import { BACKUPS, LOOK_AGAIN_MS, RestoreDialog, megabytes, useBackups } from './restore-dialog.tsx'
import styles from './backups.module.css'

export function BackupsPage() {
  const { t } = useI18n()
  const queries = useQueryClient()
  const backups = useBackups()
  const [restoring, setRestoring] = useState<ListedBackup | null>(null)
  const begin = useMutation({
    mutationFn: (request: () => Promise<Backups>) => request(),
    onSuccess: (begun) => showAnswer(queries, BACKUPS, begun),
    onError: report,
  })
  const { data } = backups
  // A restart after a restore signs everyone out: the sign-in screen appears when the lane is ready again.
  const isRestarting = data?.work?.phase === 'restarting'
  const busy = begin.isPending || (data?.work ?? null) !== null
  return (
    <>
      <PageHead title={t('backups.title')} intro={t('backups.intro')}>
        <Button
          icon={<DatabaseBackup />}
          look="primary"
          isDisabled={busy}
          onPress={() =>
            begin.mutate(storeApi.backUp, {
              onSuccess: () => void showOutcome(queries),
            })
          }
        >
          {t('backups.now')}
        </Button>
      </PageHead>
      {backups.isPending && <p role="status">{t('app.loading')}</p>}
      {backups.isError && !isRestarting && <LoadFailed error={backups.error} retry={() => void backups.refetch()} />}
      {data && (
        <>
          <Work work={data.work} />
          <ul className={`${pageStyles['cards']} ${pageStyles['wideCards']}`}>
            <CopiesCard copies={data.copies} />
            {data.restored && <RestoredCard restored={data.restored} />}
          </ul>
          {data.backups.length === 0 ? (
            <div className="nothing">
              <Empty icon={<DatabaseBackup />} title={t('backups.emptyTitle')} text={t('backups.empty')} />
            </div>
          ) : (
            <List
              backups={data.backups}
              asOf={backups.dataUpdatedAt}
              busy={busy}
              onVerify={(name) => begin.mutate(() => storeApi.proveBackup(name))}
              onRestore={setRestoring}
            />
          )}
        </>
      )}
      {restoring && <RestoreDialog backup={restoring} onClose={() => setRestoring(null)} />}
    </>
  )
}

async function showOutcome(queries: QueryClient): Promise<void> {
  for (;;) {
    const now = await queries.fetchQuery({ queryKey: BACKUPS, queryFn: storeApi.backups, staleTime: 0 })
    if (now.work === null) {
      const outcome = now.last?.outcome ?? 'failed'
      if (outcome === 'kept') notify('success', (i18n) => i18n.t('backups.made'))
      else notify('warning', (i18n) => i18n.t(`backups.notMade.${outcome}`))
      return
    }
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_AGAIN_MS)
    })
  }
}

function Work({ work }: { readonly work: Backups['work'] }) {
  const { t } = useI18n()
  return (
    <div role="status" className={`row-3 wraps text-s ${styles['work']}`}>
      {work && (
        <>
          <p>{t(`backups.doing.${work.phase}`)}</p>
          <progress aria-label={t('backups.work')} {...(work.share === null ? {} : { value: work.share, max: 1 })} />
        </>
      )}
    </div>
  )
}

const COPY_TONES: Readonly<Record<BackupCopies['state'], TagTone>> = {
  off: 'neutral',
  waiting: 'neutral',
  copying: 'neutral',
  copied: 'ok',
  'not-there': 'warn',
  full: 'danger',
  'read-only': 'danger',
  failed: 'danger',
}

function CopiesCard({ copies: { state, folder, lastAt } }: { readonly copies: BackupCopies }) {
  const { t, format } = useI18n()
  return (
    <li className={pageStyles['card']}>
      <h3>
        <Usb aria-hidden="true" />
        {t('backups.second')}
      </h3>
      <div>
        <Tag tone={COPY_TONES[state]}>{t(`backups.copy.${state}`)}</Tag>
      </div>
      <p>
        {t(`backups.copyHelp.${state}`)} {lastAt && t('backups.lastCopy', { time: format.dateTime(lastAt) })}
      </p>
      {folder && <p className={pageStyles['mono']}>{folder}</p>}
    </li>
  )
}

function RestoredCard({ restored }: { readonly restored: RestoreResult }) {
  const { t, format } = useI18n()
  const { outcome, backup, at, by, reason, epoch } = restored
  return (
    <li className={pageStyles['card']}>
      <h3>
        <History aria-hidden="true" />
        {t('backups.lastRestore')}
      </h3>
      <div>
        <Tag tone={outcome === 'restored' ? 'ok' : 'danger'}>
          {t(outcome === 'restored' ? 'backups.restored' : 'backups.notRestored')}
        </Tag>
      </div>
      <p className={pageStyles['mono']}>
        {outcome === 'restored'
          ? t('backups.restoredText', {
              backup,
              time: format.dateTime(at),
              name: by ?? t('backups.commandLine'),
              epoch: String(epoch ?? ''),
            })
          : t('backups.notRestoredText', { backup, time: format.dateTime(at), reason: reason ?? '' })}
      </p>
    </li>
  )
}

interface ListProps {
  readonly backups: readonly ListedBackup[]
  readonly asOf: number
  readonly busy: boolean
  readonly onVerify: (name: string) => void
  readonly onRestore: (backup: ListedBackup) => void
}

function List({ backups, asOf, busy, onVerify, onRestore }: ListProps) {
  const { t, format } = useI18n()
  return (
    <section className={pageStyles['section']}>
      <TableWrap>
        <table className={pageStyles['table']} aria-label={t('backups.list')}>
          <thead>
            <tr>
              <th scope="col">{t('backups.at')}</th>
              <th scope="col">{t('backups.kindLabel')}</th>
              <th scope="col">{t('backups.size')}</th>
              <th scope="col">{t('backups.age')}</th>
              <th scope="col">{t('backups.proof')}</th>
              <th scope="col">
                <span className="sr-only">{t('backups.restore')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {backups.map((backup) => (
              <tr key={backup.name}>
                <th scope="row">
                  {format.dateTime(backup.at)}
                  <small className={`block dim anywhere ${styles['name']} prose`}>{backup.name}</small>
                </th>
                <td>{t(`backups.kind.${backup.kind}`)}</td>
                <td className="nowrap">{t('backups.megabytes', { size: megabytes(backup.bytes, format) })}</td>
                <td>
                  {Date.parse(backup.at) > asOf + CLOCK_SLACK_MS ? (
                    <Tag tone="warn">{t('backups.ahead')}</Tag>
                  ) : (
                    format.age(Math.max(0, asOf - Date.parse(backup.at)))
                  )}
                </td>
                <td>
                  <Proof proof={backup.proof} />
                </td>
                <td>
                  <div className={`wrap-2 ${styles['actions']}`}>
                    <Button
                      icon={<ShieldCheck />}
                      isDisabled={busy}
                      aria-label={t('backups.verifyOne', { name: backup.name })}
                      onPress={() => onVerify(backup.name)}
                    >
                      {t('backups.verify')}
                    </Button>
                    <Button
                      icon={<RotateCcw />}
                      isDisabled={busy}
                      aria-label={t('backups.restoreOne', { name: backup.name })}
                      onPress={() => onRestore(backup)}
                    >
                      {t('backups.restore')}
                    </Button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </section>
  )
}

const PROOF_TONES = { held: 'ok', broken: 'danger', none: 'neutral' } as const
const PROOF_TEXTS = { held: 'backups.held', broken: 'backups.broken', none: 'backups.unproved' } as const

function Proof({ proof: { state, at } }: Pick<ListedBackup, 'proof'>) {
  const { t, format } = useI18n()
  return (
    <>
      <Tag tone={PROOF_TONES[state]}>{t(PROOF_TEXTS[state])}</Tag>
      {at && <small className={`block dim anywhere ${styles['name']}`}>{format.dateTime(at)}</small>}
    </>
  )
}
