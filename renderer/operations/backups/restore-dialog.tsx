import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type {
  ListedBackup,
  LostGroup,
  LostKind,
  LostRecord,
  RestorePreview,
} from '../../../contracts/operations/backups.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { PinPad } from '../../core/ui/pin-pad.tsx'
import styles from './backups.module.css'
import { SETTING_NAMES } from '../../../contracts/staff/setting-names.ts'
import { useDepartments, useSettingTexts } from '../../staff/settings/setting-table.tsx'
import type { Format } from '../../core/i18n/format.ts'

export function RestoreDialog({ backup, onClose }: { readonly backup: ListedBackup; readonly onClose: () => void }) {
  const { t, format } = useI18n()
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
        <div role="status" className={`row-3 wraps text-s ${styles['work']}`}>
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
  const { t, format } = useI18n()
  const { lost, waits, answeredSince, openSales, refusal } = preview
  if (refusal !== null) return <p role="alert">{t(`backups.refusal.${refusal}`)}</p>
  return (
    <div className={`grid start ${styles['restore']}`}>
      <div className="stack-3 min-width-0">
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

function Approve({ preview }: { readonly preview: RestorePreview }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  const [chosen, setChosen] = useState<string | null>(null)
  const managers = staff.data?.staff.filter(({ role }) => role === 'manager') ?? []
  const manager = managers.find(({ id }) => id === chosen) ?? (managers.length === 1 ? managers[0] : undefined)
  const restore = async (pin: string): Promise<void> => {
    if (!manager) return
    const { covers } = preview
    const requested = await storeApi.restoreBackup({ covers, approval: { staffId: manager.id, pin, covers } })
    await showAnswer(queries, BACKUPS, requested)
  }
  return (
    <div className="stack-3 min-width-0">
      {staff.isError && <LoadFailed error={staff.error} retry={() => void staff.refetch()} />}
      {staff.isSuccess && managers.length === 0 && <p role="alert">{t('backups.nobody')}</p>}
      {managers.length > 1 && (
        <div className="stack-3 min-width-0" role="group" aria-label={t('backups.who')}>
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
          texts={{ submit: t('backups.confirm'), busy: t('backups.checking') }}
          submit={restore}
        />
      )}
    </div>
  )
}

export function Lost({ groups }: { readonly groups: readonly LostGroup[] }) {
  const { t, format } = useI18n()
  const lost = groups.filter(({ count }) => count > 0)
  if (lost.length === 0) return <p>{t('backups.previewNone')}</p>
  return (
    <>
      <p>
        <strong>{t('backups.lose')}</strong>
      </p>
      <TableWrap>
        <table className={pageStyles['table']} aria-label={t('backups.lostList')}>
          <thead>
            <tr>
              <th scope="col">{t('backups.lostWhat')}</th>
              <th scope="col">{t('backups.lostCount')}</th>
              <th scope="col">{t('backups.lostTotal')}</th>
            </tr>
          </thead>
          <tbody>
            {lost.map((group) => (
              <tr key={group.kind}>
                <td>
                  <Named group={group} />
                </td>
                <td>{format.miles(group.count)}</td>
                <td>{group.totalCents === null ? '' : format.money(group.totalCents)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </>
  )
}

function Named({ group: { kind, count, newest } }: { readonly group: LostGroup }) {
  const { t, format } = useI18n()
  const nameOf = useName()
  return (
    <details className={styles['details']}>
      <summary className="flex middle target">{t(`backups.lost.${kind}`)}</summary>
      <ul className="flush weight-400">
        {newest.map((thing, index) => (
          <li key={index}>{nameOf(kind, thing)}</li>
        ))}
        {count > newest.length && <li>{t('backups.more', { count: format.miles(count - newest.length) })}</li>}
      </ul>
    </details>
  )
}

const CHANGES = [
  'added',
  'removed',
  'returned',
  'role',
  'pin',
  'name',
  'language',
  'assigned',
  'deactivated',
  'changed',
  'cancelled',
  'undone',
  'open',
  'settled',
  'sent',
] as const
const MOVEMENTS = ['paid-in', 'paid-out', 'drop', 'pickup', 'no-sale', 'deposit'] as const
/** Kinds of entries that a restore loses whose detail text is shown as the backend sends it. */
const DETAIL_KINDS: ReadonlySet<LostKind> = new Set(['redemptions', 'cards', 'cash', 'unfinished'])
const ACTION_KINDS: ReadonlySet<LostKind> = new Set([
  'staff',
  'badges',
  'settings',
  'imports',
  'items',
  'coupons',
  'promotions',
  'planned-prices',
  'review',
  'reports',
])

function useName(): (kind: LostKind, thing: LostRecord) => string {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const departments = useDepartments()
  const settings = useSettingTexts()
  const titleOf = (kind: LostKind, id: string): string => {
    const movement = kind === 'cash' ? MOVEMENTS.find((one) => one === id) : undefined
    if (movement !== undefined) return t(`cash.kind.${movement}`)
    const setting = kind === 'settings' ? SETTING_NAMES.find((one) => one === id) : undefined
    if (setting !== undefined) return settings.nameOf(setting)
    if (kind === 'quick-keys') return departments.find((one) => one.id === id)?.name ?? id
    return kind === 'z' || kind === 'shifts' ? t(kind === 'z' ? 'backups.z' : 'backups.shift', { number: id }) : id
  }
  const detailOf = (kind: LostKind, detail: string): string => {
    const change = CHANGES.find((one) => one === detail)
    if (change !== undefined && ACTION_KINDS.has(kind)) return t(`backups.change.${change}`)
    if (kind === 'issuances') return milesText(Number(detail))
    if (kind === 'planned-prices') return format.money(Number(detail))
    return DETAIL_KINDS.has(kind) ? detail : ''
  }
  return (kind, { id, at, amountCents, detail }) =>
    [
      titleOf(kind, id),
      at === null ? '' : format.dateTime(at),
      amountCents === null ? '' : format.money(amountCents),
      detail === null ? '' : detailOf(kind, detail),
    ]
      .filter((part) => part !== '')
      .join(' · ')
}

export const BACKUPS = ['backups']
export const LOOK_AGAIN_MS = 400

export const useBackups = () =>
  useQuery({
    queryKey: BACKUPS,
    queryFn: storeApi.backups,
    refetchInterval: ({ state: { data } }) => (data?.work ? LOOK_AGAIN_MS : false),
    gcTime: 0,
  })

const MB = 1_000_000

/** Formats a size in whole megabytes, at least one. */
export const megabytes = (bytes: number, format: Pick<Format, 'miles'>): string =>
  format.miles(Math.max(1, Math.round(bytes / MB)))
