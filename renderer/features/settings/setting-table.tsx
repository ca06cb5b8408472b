import { Pencil } from 'lucide-react'
import type { Setting } from '../../../contracts/api/settings.ts'
import { ROLES } from '../../../contracts/permissions.ts'
import { actionOfSetting } from '../../../contracts/setting-names.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { ChangedElsewhere } from './changed-elsewhere.tsx'
import { Tag } from '../../ui/surface.tsx'
import { permissionOf, useSettingWords } from './setting-words.ts'
import styles from './settings.module.css'

interface TableProps {
  readonly label: string
  readonly settings: readonly Setting[]
  readonly onEdit: (setting: Setting) => void
}

/** Settings with what holds of each; those of the table of permissions are a table of their own. */
export function SettingTable({ label, settings, onEdit }: TableProps) {
  const plain = settings.filter(({ name }) => actionOfSetting(name) === null)
  const actions = settings.filter(({ name }) => actionOfSetting(name) !== null)
  return (
    <div className={styles['tables']}>
      {plain.length > 0 && <PlainTable label={label} settings={plain} onEdit={onEdit} />}
      {actions.length > 0 && <PermissionTable label={label} settings={actions} onEdit={onEdit} />}
    </div>
  )
}

function PlainTable({ label, settings, onEdit }: TableProps) {
  const { t } = useWords()
  const { nameOf, valueOf } = useSettingWords()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('settings.setting')}</th>
            <th scope="col">{t('settings.value')}</th>
            <th scope="col">{t('settings.state')}</th>
            <th scope="col">
              <span className="spoken">{t('settings.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.name}>
              <th scope="row" className="words">
                {nameOf(setting.name)}
              </th>
              <td className={styles['value']}>{valueOf(setting.name, setting.value)}</td>
              <td className={styles['value']}>
                <State setting={setting} />
              </td>
              <td className={styles['act']}>
                <Edit setting={setting} onEdit={onEdit} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

function PermissionTable({ label, settings, onEdit }: TableProps) {
  const { t } = useWords()
  const { nameOf } = useSettingWords()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('settings.action')}</th>
            {ROLES.map((role) => (
              <th key={role} scope="col">
                {t(`signIn.${role}`)}
              </th>
            ))}
            <th scope="col">{t('settings.approvers')}</th>
            <th scope="col">
              <span className="spoken">{t('settings.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => {
            const permission = permissionOf(setting.value)
            return (
              <tr key={setting.name}>
                <th scope="row" className="words">
                  {nameOf(setting.name)} <State setting={setting} />
                </th>
                {ROLES.map((role) => (
                  <td key={role}>{t(`settings.permit.${permission[role]}`)}</td>
                ))}
                <td>{permission.approvers.map((role) => t(`signIn.${role}`)).join(', ')}</td>
                <td className={styles['act']}>
                  <Edit setting={setting} onEdit={onEdit} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </TableWrap>
  )
}

function State({ setting: { differs, change, planned, name, elsewhere } }: { readonly setting: Setting }) {
  const { t, format } = useWords()
  const { valueOf } = useSettingWords()
  return (
    <span className={styles['state']}>
      {differs && <Tag tone="miles">{t('settings.set')}</Tag>}
      {differs && change && (
        <small>{t('settings.since', { time: format.dateTime(change.from), name: change.by })}</small>
      )}
      <ChangedElsewhere elsewhere={elsewhere} />
      {planned.map(({ id, from, value }) => (
        <small key={id}>
          {t('settings.plannedFrom', { time: format.dateTime(from), value: valueOf(name, value) })}
        </small>
      ))}
    </span>
  )
}

function Edit({ setting, onEdit }: { readonly setting: Setting; readonly onEdit: (setting: Setting) => void }) {
  const { t } = useWords()
  const { nameOf } = useSettingWords()
  return (
    <Button
      icon={<Pencil />}
      aria-label={t('settings.changeOf', { name: nameOf(setting.name) })}
      onPress={() => onEdit(setting)}
    >
      {t('settings.change')}
    </Button>
  )
}
