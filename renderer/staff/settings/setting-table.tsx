import { Pencil } from 'lucide-react'
import type { Setting } from '../../../contracts/staff/settings.ts'
import { ROLES } from '../../../contracts/staff/permissions.ts'
import { SETTINGS, type SettingName, actionOfSetting } from '../../../contracts/staff/setting-names.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import styles from './settings.module.css'
import type { Elsewhere } from '../../../contracts/store/status.ts'
import { useQuery } from '@tanstack/react-query'
import type { Locale } from '../../../contracts/i18n/languages.ts'
import type { TaxCode } from '../../../contracts/core/regions.ts'
import type { Permission } from '../../../contracts/sales/sale-rules.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { REGION_TAXES } from '../../../contracts/core/region-taxes.ts'

interface TableProps {
  readonly label: string
  readonly settings: readonly Setting[]
  readonly onEdit: (setting: Setting) => void
}

export function SettingTable({ label, settings, onEdit }: TableProps) {
  const plain = settings.filter(({ name }) => actionOfSetting(name) === null)
  const actions = settings.filter(({ name }) => actionOfSetting(name) !== null)
  return (
    <div className="stack-4 single">
      {plain.length > 0 && <PlainTable label={label} settings={plain} onEdit={onEdit} />}
      {actions.length > 0 && <PermissionTable label={label} settings={actions} onEdit={onEdit} />}
    </div>
  )
}

function PlainTable({ label, settings, onEdit }: TableProps) {
  const { t } = useI18n()
  const { nameOf, valueOf } = useSettingTexts()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('settings.setting')}</th>
            <th scope="col">{t('settings.value')}</th>
            <th scope="col">{t('settings.state')}</th>
            <th scope="col">
              <span className="sr-only">{t('settings.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.name}>
              <th scope="row" className="prose">
                {nameOf(setting.name)}
              </th>
              <td className={styles['value']}>{valueOf(setting.name, setting.value)}</td>
              <td className={styles['value']}>
                <State setting={setting} />
              </td>
              <td className="right nowrap">
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
  const { t } = useI18n()
  const { nameOf } = useSettingTexts()
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
              <span className="sr-only">{t('settings.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => {
            const permission = permissionOf(setting.value)
            return (
              <tr key={setting.name}>
                <th scope="row" className="prose">
                  {nameOf(setting.name)} <State setting={setting} />
                </th>
                {ROLES.map((role) => (
                  <td key={role}>{t(`settings.permit.${permission[role]}`)}</td>
                ))}
                <td>{permission.approvers.map((role) => t(`signIn.${role}`)).join(', ')}</td>
                <td className="right nowrap">
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
  const { t, format } = useI18n()
  const { valueOf } = useSettingTexts()
  return (
    <span className={`gap-1 justify-start ${styles['state']}`}>
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
  const { t } = useI18n()
  const { nameOf } = useSettingTexts()
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

export function ChangedElsewhere({ elsewhere }: { readonly elsewhere: Elsewhere | undefined }) {
  const { t } = useI18n()
  if (elsewhere === undefined) return null
  const { lane, by, inPlaceOf } = elsewhere
  return (
    <>
      <small>{by === null ? t('settings.atLaneByProfile', { lane }) : t('settings.atLane', { lane, name: by })}</small>
      {inPlaceOf !== null && <small>{t('settings.inPlaceOf', { name: inPlaceOf })}</small>}
    </>
  )
}

export type Value = Setting['value']

export interface TaxDraft {
  readonly code: TaxCode
  readonly percent: number
}
/** A number of a department: a minimum age, or days for a return. */
export type DepartmentNumber = { readonly id: string } & Partial<Record<'minimumAge' | 'days', number>>

export const linesOf = (value: Value): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
export const linesByLanguage = (value: Value): Partial<Record<Locale, readonly string[]>> =>
  (value ?? {}) as Partial<Record<Locale, readonly string[]>>
export const taxesOf = (value: Value): readonly TaxDraft[] => (value ?? []) as unknown as readonly TaxDraft[]
export const departmentNumbersOf = (value: Value): readonly DepartmentNumber[] =>
  (value ?? []) as unknown as readonly DepartmentNumber[]
export const textOf = (value: Value): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
export const permissionOf = (value: Value): Permission => value as unknown as Permission

export function useDepartments(): readonly { readonly id: string; readonly name: string }[] {
  const { format } = useI18n()
  const keys = useQuery({ queryKey: ['quick-keys'], queryFn: api.quickKeys })
  return keys.data?.departments.map(({ id, name }) => ({ id, name: format.text(name) })) ?? []
}

/** Returns the taxes of the store's region, with the rates that apply where the store sets none. */
export function useRegionTaxes(): readonly TaxDraft[] {
  const region = useTerminal(({ terminal }) => terminal?.region)
  if (region === undefined) return []
  return REGION_TAXES[region].map(({ code, ratePpm }) => ({ code, percent: ratePpm / 10_000 }))
}

export function useSettingTexts() {
  const { t, format } = useI18n()
  const departments = useDepartments()
  const regionTaxes = useRegionTaxes()
  const nameOf = (name: SettingName): string => t(`settings.name.${name}` as never)

  function valueOf(name: SettingName, value: Value): string {
    const { form, group } = SETTINGS[name]
    if (form.as === 'taxes') {
      const rates = (value === null ? regionTaxes : taxesOf(value))
        .map(({ code, percent }) =>
          t('settings.tax', { name: t(`sale.tax.${code}`), percent: format.percent(percent * 10_000) }),
        )
        .join(', ')
      return value === null ? t('settings.regionTaxes', { rates }) : rates
    }
    if (value === null) return t(group === 'returns' ? 'settings.noLimit' : 'settings.none')
    switch (form.as) {
      case 'lines':
        return linesOf(value).join(' / ') || t('settings.none')
      case 'lines-by-language':
        return linesByLanguage(value)[format.locale]?.join(' / ') || t('settings.none')
      case 'text':
        return textOf(value)
      case 'switch':
        return t(value === true ? 'settings.on' : 'settings.off')
      case 'permission': {
        const { cashier, supervisor, manager } = permissionOf(value)
        return [cashier, supervisor, manager].map((permit) => t(`settings.permit.${permit}`)).join(' / ')
      }
      case 'ages':
      case 'return-days':
        return (
          departmentNumbersOf(value)
            .map(({ id, minimumAge = 0, days }) => {
              const department = departments.find((one) => one.id === id)?.name ?? id
              return days === undefined
                ? t('settings.age', { name: department, age: minimumAge })
                : t('settings.daysOf', { name: department, days })
            })
            .join(', ') || t('settings.none')
        )
      case 'number':
        return numberOf(form.unit, Number(value) / form.times)
    }
  }

  function numberOf(
    unit: Extract<(typeof SETTINGS)[SettingName]['form'], { as: 'number' }>['unit'],
    count: number,
  ): string {
    if (unit === 'dollars') return format.money(Math.round(count * 100))
    if (unit === 'percent') return format.percent(count * 10_000)
    return t(`settings.unit.${unit}`, { count })
  }

  return { nameOf, valueOf }
}
