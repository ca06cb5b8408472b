import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ListedBackup, RestorePreview } from '../../../contracts/api/backups.ts'
import { showAnswer } from '../../api/answers.ts'
import { storeApi } from '../../api/store-api.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { PinPad } from '../../ui/pin-pad.tsx'
import styles from './backups.module.css'
import { Lost } from './lost.tsx'
import { BACKUPS, useBackups } from './use-backups.ts'

/** What a restore would lose, and the PIN that orders it. The backend compares on a thread of its own. */
export function RestoreDialog({ backup, onClose }: { readonly backup: ListedBackup; readonly onClose: () => void }) {
  const { t, format } = useWords()
  const queries = useQueryClient()
  const backups = useBackups()
  const compare = useMutation({
    mutationFn: () => storeApi.previewRestore(backup.name),
    onSuccess: (begun) => showAnswer(queries, BACKUPS, begun),
  })
  const { mutate } = compare
  useEffect(() => {
    mutate()
  }, [mutate])
  const work = backups.data?.work ?? null
  const found = backups.data?.preview
  const preview = found?.backup.name === backup.name && work?.kind !== 'preview' ? found : null
  const failed = compare.isSuccess && work === null && preview === null
  return (
    <Dialog open onClose={onClose} title={t('backups.previewTitle', { time: format.dateTime(backup.at) })} size="l">
      {compare.isError && <LoadFailed error={compare.error} retry={() => mutate()} />}
      {failed && <LoadFailed error={new Error()} retry={() => mutate()} />}
      {!compare.isError && !failed && preview === null && (
        <div role="status" className={styles['work']}>
          <p>{t('backups.doing.comparing')}</p>
          <progress aria-label={t('backups.work')} />
        </div>
      )}
      {preview && work?.phase === 'restarting' && <p role="status">{t('backups.restarting')}</p>}
      {preview && work?.phase !== 'restarting' && <Preview preview={preview} />}
    </Dialog>
  )
}

function Preview({ preview }: { readonly preview: RestorePreview }) {
  const { t, format } = useWords()
  const { lost, waits, answeredSince, openSales, refusal } = preview
  if (refusal !== null) return <p role="alert">{t(`backups.refusal.${refusal}`)}</p>
  return (
    <div className={styles['restore']}>
      <div className={styles['what']}>
        <Lost groups={lost} />
        <p>
          {t('backups.waits', { count: format.miles(waits) })}{' '}
          {answeredSince > 0 && t('backups.answered', { count: format.miles(answeredSince) })}
        </p>
        {openSales > 0 && <p>{t('backups.openSales', { count: format.miles(openSales) })}</p>}
        <p>{t('backups.epoch')}</p>
        <p>
          <strong>{t('backups.restarts')}</strong>
        </p>
      </div>
      <Approve preview={preview} />
    </div>
  )
}

/** The lane goes back on a manager's word alone, typed for this preview. */
function Approve({ preview }: { readonly preview: RestorePreview }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  const [chosen, setChosen] = useState<string | null>(null)
  const managers = staff.data?.staff.filter(({ role }) => role === 'manager') ?? []
  const manager = managers.find(({ id }) => id === chosen) ?? (managers.length === 1 ? managers[0] : undefined)
  const order = async (pin: string): Promise<void> => {
    if (!manager) return
    const { covers } = preview
    const ordered = await storeApi.restoreBackup({ covers, approval: { staffId: manager.id, pin, covers } })
    await showAnswer(queries, BACKUPS, ordered)
  }
  return (
    <div className={styles['what']}>
      {staff.isError && <LoadFailed error={staff.error} retry={() => void staff.refetch()} />}
      {staff.isSuccess && managers.length === 0 && <p role="alert">{t('backups.nobody')}</p>}
      {managers.length > 1 && (
        <div className={styles['people']} role="group" aria-label={t('backups.who')}>
          {managers.map(({ id, name }) => (
            <Button
              key={id}
              size="l"
              aria-pressed={manager?.id === id}
              look={manager?.id === id ? 'primary' : 'plain'}
              onPress={() => setChosen(id)}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
      {manager && (
        <PinPad
          key={`${manager.id} ${preview.covers}`}
          name={manager.name}
          icon={<RotateCcw />}
          words={{ submit: t('backups.confirm'), busy: t('backups.checking') }}
          submit={order}
        />
      )}
    </div>
  )
}
