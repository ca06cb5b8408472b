import { useQuery } from '@tanstack/react-query'
import type { Setting } from '../../../contracts/api/settings.ts'
import type { Locale } from '../../../contracts/i18n/languages.ts'
import { REGION_TAXES } from '../../../contracts/region-taxes.ts'
import type { TaxCode } from '../../../contracts/regions.ts'
import type { Permission } from '../../../contracts/sale-rules.ts'
import { SETTINGS, type SettingName } from '../../../contracts/setting-names.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useTerminal } from '../../state/terminal.ts'

export type Value = Setting['value']

export interface TaxDraft {
  readonly code: TaxCode
  readonly percent: number
}
export interface AgeDraft {
  readonly id: string
  readonly minimumAge: number
}

/** What the backend has checked, by the form of its setting. */
export const linesOf = (value: Value): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
export const linesByLanguage = (value: Value): Partial<Record<Locale, readonly string[]>> =>
  (value ?? {}) as Partial<Record<Locale, readonly string[]>>
export const taxesOf = (value: Value): readonly TaxDraft[] => (value ?? []) as unknown as readonly TaxDraft[]
export const agesOf = (value: Value): readonly AgeDraft[] => (value ?? []) as unknown as readonly AgeDraft[]
export const textOf = (value: Value): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
export const permissionOf = (value: Value): Permission => value as unknown as Permission

/** The departments of the catalog, by their names; none until they are known. */
export function useDepartments(): readonly { readonly id: string; readonly name: string }[] {
  const { format } = useWords()
  const keys = useQuery({ queryKey: ['quick-keys'], queryFn: api.quickKeys })
  return keys.data?.departments.map(({ id, name }) => ({ id, name: format.text(name) })) ?? []
}

/** The taxes of the store's region, at the rates that are in force where the store sets none of its own. */
export function useRegionTaxes(): readonly TaxDraft[] {
  const region = useTerminal(({ terminal }) => terminal?.region)
  if (region === undefined) return []
  return REGION_TAXES[region].map(({ code, ratePpm }) => ({ code, percent: ratePpm / 10_000 }))
}

/** Names of settings and their values as a manager reads them. */
export function useSettingWords() {
  const { t, format } = useWords()
  const departments = useDepartments()
  const regionTaxes = useRegionTaxes()
  const nameOf = (name: SettingName): string => t(`settings.name.${name}` as never)

  function valueOf(name: SettingName, value: Value): string {
    const { form } = SETTINGS[name]
    if (form.as === 'taxes') {
      const rates = (value === null ? regionTaxes : taxesOf(value))
        .map(({ code, percent }) =>
          t('settings.tax', { name: t(`sale.tax.${code}`), percent: format.percent(percent * 10_000) }),
        )
        .join(', ')
      return value === null ? t('settings.regionTaxes', { rates }) : rates
    }
    if (value === null) return t('settings.none')
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
        return (
          agesOf(value)
            .map(({ id, minimumAge }) =>
              t('settings.age', { name: departments.find((one) => one.id === id)?.name ?? id, age: minimumAge }),
            )
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
