import type { LostGroup, LostKind, LostThing } from '../../../contracts/api/backups.ts'
import { SETTING_NAMES } from '../../../contracts/setting-names.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { useDepartments, useSettingWords } from '../settings/setting-words.ts'
import styles from './backups.module.css'

/** Everything that a restore would lose: counted, summed, and the newest of each kind by name. */
export function Lost({ groups }: { readonly groups: readonly LostGroup[] }) {
  const { t, format } = useWords()
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

/** The newest of a kind by name, under the name of the kind. */
function Named({ group: { kind, count, newest } }: { readonly group: LostGroup }) {
  const { t, format } = useWords()
  const nameOf = useName()
  return (
    <details className={styles['details']}>
      <summary>{t(`backups.lost.${kind}`)}</summary>
      <ul>
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
/** What else names a thing of these kinds, as it is. */
const TOLD: ReadonlySet<LostKind> = new Set(['redemptions', 'cards', 'cash', 'unfinished'])
/** Of these kinds: what was done to it. */
const DONE_TO: ReadonlySet<LostKind> = new Set([
  'staff',
  'badges',
  'settings',
  'imports',
  'items',
  'coupons',
  'planned-prices',
  'review',
  'reports',
])

/** One thing in the words of a store: its number, time and amount, and what else names it. */
function useName(): (kind: LostKind, thing: LostThing) => string {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const departments = useDepartments()
  const settings = useSettingWords()
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
    if (change !== undefined && DONE_TO.has(kind)) return t(`backups.change.${change}`)
    if (kind === 'issuances') return milesText(Number(detail))
    if (kind === 'planned-prices') return format.money(Number(detail))
    return TOLD.has(kind) ? detail : ''
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
