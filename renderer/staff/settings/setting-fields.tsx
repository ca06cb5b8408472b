import { Plus, X } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { FieldError, Input, Label, TextField } from 'react-aria-components'
import { LANGUAGES, LOCALES } from '../../../contracts/i18n/languages.ts'
import { APPROVER_ROLES, PERMITS, ROLES } from '../../../contracts/staff/permissions.ts'
import { SETTINGS, type SettingName } from '../../../contracts/staff/setting-names.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { PaperWarning } from '../../core/ui/paper-warning.tsx'
import { Choice } from '../../sales/changes/changes-menu.tsx'
import {
  departmentNumbersOf,
  linesByLanguage,
  linesOf,
  permissionOf,
  taxesOf,
  textOf,
  useDepartments,
  useRegionTaxes,
  useSettingTexts,
  type Value,
} from './setting-table.tsx'
import styles from './settings.module.css'

/** Validation errors of the backend by their path in the value: '' is the whole value. */
export type FieldProblems = Readonly<Record<string, string>>

interface FieldsProps {
  readonly name: SettingName
  readonly value: Value
  readonly problems: FieldProblems
  readonly onChange: (value: Value) => void
}

export function SettingFields({ name, value, problems, onChange }: FieldsProps) {
  const { t } = useI18n()
  const { nameOf } = useSettingTexts()
  const { form } = SETTINGS[name]
  const label = nameOf(name)
  switch (form.as) {
    case 'lines':
      return <Lines lines={linesOf(value)} problems={problems} onChange={(lines) => onChange([...lines])} />
    case 'lines-by-language':
      return (
        <>
          {LOCALES.map((locale) => (
            <fieldset key={locale} className={`stack-2 min-width-0 borderless flush pad-0 ${styles['group']}`}>
              <legend>{LANGUAGES[locale].name}</legend>
              <Lines
                lines={linesByLanguage(value)[locale] ?? []}
                problems={below(problems, locale)}
                onChange={(lines) => onChange({ ...linesByLanguage(value), [locale]: lines } as Value)}
              />
            </fieldset>
          ))}
        </>
      )
    case 'text':
      return (
        <Text
          label={label}
          value={textOf(value)}
          problem={problems['']}
          hint={t('settings.empty')}
          onChange={(text) => onChange(text.trim() === '' ? null : text.trim())}
        />
      )
    case 'switch':
      return (
        <Choice
          label={label}
          options={['on', 'off'] as const}
          texts={(one) => t(`settings.${one}`)}
          value={value === true ? 'on' : 'off'}
          onChange={(chosen) => onChange(chosen === 'on')}
          missing={null}
        />
      )
    case 'number':
      return (
        <Amount
          label={`${label}. ${t(`settings.unitOf.${form.unit}`)}`}
          value={value}
          times={form.times}
          problem={problems['']}
          hint={SETTINGS[name].optional ? t('settings.empty') : null}
          onChange={onChange}
        />
      )
    case 'taxes':
      return <Taxes value={value} problems={problems} onChange={onChange} />
    case 'ages':
      return <DepartmentNumbers field="minimumAge" first={19} value={value} problems={problems} onChange={onChange} />
    case 'return-days':
      return <DepartmentNumbers field="days" first={30} value={value} problems={problems} onChange={onChange} />
    case 'permission':
      return <PermissionFields value={value} problems={problems} onChange={onChange} />
  }
}

const below = (problems: FieldProblems, part: string | number): FieldProblems =>
  Object.fromEntries(
    Object.entries(problems).flatMap(([path, text]) => {
      const [first, ...rest] = path.split('/')
      return first === String(part) ? [[rest.join('/'), text]] : []
    }),
  )

function Text({
  label,
  value,
  problem,
  hint = null,
  paper = false,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly problem?: string | undefined
  readonly hint?: string | null
  readonly paper?: boolean
  readonly onChange: (text: string) => void
}) {
  return (
    <TextField
      value={value}
      onChange={onChange}
      isInvalid={problem !== undefined}
      className={`stack-1 min-width-0 field ${styles['field']}`}
    >
      <Label>{label}</Label>
      <Input maxLength={200} autoComplete="off" spellCheck="false" />
      {paper && <PaperWarning text={value} />}
      {hint !== null && <small>{hint}</small>}
      <FieldError>{problem}</FieldError>
    </TextField>
  )
}

/** Number field that keeps the typed text until it is a valid number; the backend rejects invalid text. */
function Amount({
  value,
  times,
  onChange,
  ...field
}: {
  readonly label: string
  readonly value: Value
  readonly times: number
  readonly problem?: string | undefined
  readonly hint?: string | null
  readonly onChange: (value: Value) => void
}) {
  const { format } = useI18n()
  const point = format.locale.startsWith('fr') ? ',' : '.'
  const shown = typeof value === 'number' ? String(value / times).replace('.', point) : textOf(value)
  const change = (typed: string): void => {
    const text = typed.trim().replace(',', '.')
    // Text that is not yet a complete number, such as a trailing decimal point, stays as typed.
    if (text === '') onChange(null)
    else if (/^\d+(\.\d*[1-9])?$/.test(text)) onChange(Number((Number(text) * times).toFixed(6)))
    else onChange(typed)
  }
  return <Text {...field} value={shown} onChange={change} />
}

function Lines({
  lines,
  problems,
  onChange,
}: {
  readonly lines: readonly string[]
  readonly problems: FieldProblems
  readonly onChange: (lines: readonly string[]) => void
}) {
  const { t } = useI18n()
  return (
    <Rows
      count={lines.length}
      add={t('settings.addLine')}
      onAdd={() => onChange([...lines, ''])}
      remove={(number) => t('settings.removeLine', { number })}
      onRemove={(index) => onChange(lines.toSpliced(index, 1))}
      row={(index) => (
        <Text
          label={t('settings.line', { number: index + 1 })}
          value={lines[index] ?? ''}
          problem={problems[String(index)]}
          paper
          onChange={(text) => onChange(lines.with(index, text))}
        />
      )}
    />
  )
}

const TAX_CODES = ['GST', 'HST', 'PST', 'QST'] as const

function Taxes({ value, problems, onChange }: Omit<FieldsProps, 'name'>) {
  const { t } = useI18n()
  const { valueOf } = useSettingTexts()
  const regionTaxes = useRegionTaxes()
  const taxes = taxesOf(value)
  const missing = regionTaxes.find(({ code }) => !taxes.some((tax) => tax.code === code))
  const set = (next: readonly object[]): void => onChange(next.length === 0 ? null : ([...next] as unknown as Value))
  return (
    <>
      {value === null && <p>{valueOf('taxes', null)}</p>}
      <Rows
        count={taxes.length}
        add={t('settings.addTax')}
        onAdd={() =>
          // The store's own tax rates replace all of the region's, so a new list starts with the region's rates.
          set(taxes.length === 0 ? regionTaxes : [...taxes, missing ?? regionTaxes[0] ?? { code: 'GST', percent: 0 }])
        }
        remove={(number) => t('settings.removeTax', { number })}
        onRemove={(index) => set(taxes.toSpliced(index, 1))}
        row={(index) => {
          const tax = taxes[index] ?? { code: 'GST' as const, percent: 0 }
          const at = below(problems, index)
          return (
            <>
              <Select
                label={t('settings.taxCode', { number: index + 1 })}
                value={tax.code}
                problem={at['code']}
                onChange={(code) =>
                  set(taxes.with(index, { ...tax, code: TAX_CODES.find((one) => one === code) ?? tax.code }))
                }
              >
                {TAX_CODES.map((code) => (
                  <option key={code} value={code}>
                    {t(`sale.tax.${code}`)}
                  </option>
                ))}
              </Select>
              <Amount
                label={t('settings.taxPercent', { number: index + 1 })}
                value={tax.percent}
                times={1}
                problem={at['percent']}
                onChange={(percent) => set(taxes.with(index, { ...tax, percent: percent as number }))}
              />
            </>
          )
        }}
      />
    </>
  )
}

function DepartmentNumbers({
  field,
  first,
  value,
  problems,
  onChange,
}: Omit<FieldsProps, 'name'> & {
  readonly field: 'minimumAge' | 'days'
  /** First value for a department that is added: its minimum age, or its days for a return. */
  readonly first: number
}) {
  const { t } = useI18n()
  const departments = useDepartments()
  const numbers = departmentNumbersOf(value)
  const set = (next: readonly object[]): void => onChange([...next] as unknown as Value)
  const free = departments.find(({ id }) => !numbers.some((one) => one.id === id))
  return (
    <Rows
      count={numbers.length}
      add={t('settings.addAge')}
      onAdd={() => set([...numbers, { id: free?.id ?? '', [field]: first }])}
      remove={(number) => t('settings.removeAge', { number })}
      onRemove={(index) => set(numbers.toSpliced(index, 1))}
      row={(index) => {
        const one = numbers[index]
        const at = below(problems, index)
        return (
          <>
            <Select
              label={t('settings.department', { number: index + 1 })}
              value={one?.id ?? ''}
              problem={at['id']}
              onChange={(id) => set(numbers.with(index, { id, [field]: one?.[field] ?? 0 }))}
            >
              {departments.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
            <Amount
              label={t(`settings.${field === 'days' ? 'returnDays' : field}`, { number: index + 1 })}
              value={one?.[field] ?? null}
              times={1}
              problem={at[field]}
              onChange={(typed) => set(numbers.with(index, { id: one?.id ?? '', [field]: typed as number }))}
            />
          </>
        )
      }}
    />
  )
}

function Rows({
  count,
  row,
  add,
  onAdd,
  remove,
  onRemove,
}: {
  readonly count: number
  readonly row: (index: number) => ReactNode
  readonly add: string
  readonly onAdd: () => void
  readonly remove: (number: number) => string
  readonly onRemove: (index: number) => void
}) {
  return (
    <div className="stack-2 justify-start">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="wrap gap-2-3 bottom full-width">
          {row(index)}
          <IconButton look="plain" icon={<X />} label={remove(index + 1)} onPress={() => onRemove(index)} />
        </div>
      ))}
      <Button icon={<Plus />} onPress={onAdd}>
        {add}
      </Button>
    </div>
  )
}

function Select({
  label,
  value,
  problem,
  onChange,
  children,
}: {
  readonly label: string
  readonly value: string
  readonly problem?: string | undefined
  readonly onChange: (value: string) => void
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <div className={`stack-1 min-width-0 field ${styles['field']}`}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={(event) => onChange(event.target.value)}
      >
        {children}
      </select>
      {problem !== undefined && (
        <span id={`${id}-problem`} className={styles['problem']}>
          {problem}
        </span>
      )}
    </div>
  )
}

function PermissionFields({ value, problems, onChange }: Omit<FieldsProps, 'name'>) {
  const { t } = useI18n()
  const permission = permissionOf(value)
  const whose = (role: (typeof APPROVER_ROLES)[number]): string => t(`signIn.${role}`)
  return (
    <>
      <div className={`stack-4 ${styles['roles']}`}>
        {ROLES.map((role) => (
          <Choice
            key={role}
            label={t(`signIn.${role}`)}
            options={PERMITS}
            texts={(permit) => t(`settings.permit.${permit}`)}
            value={permission[role]}
            onChange={(permit) => onChange({ ...permission, [role]: permit } as unknown as Value)}
            missing={problems[role] ?? null}
          />
        ))}
      </div>
      <fieldset className={`stack-2 min-width-0 borderless flush pad-0 ${styles['group']}`}>
        <legend>{t('settings.approvers')}</legend>
        <div className={`wrap ${styles['checks']}`}>
          {APPROVER_ROLES.map((role) => (
            <label key={role}>
              <input
                type="checkbox"
                checked={permission.approvers.includes(role)}
                onChange={({ target }) =>
                  onChange({
                    ...permission,
                    approvers: APPROVER_ROLES.filter((one) =>
                      one === role ? target.checked : permission.approvers.includes(one),
                    ),
                  } as unknown as Value)
                }
              />
              {whose(role)}
            </label>
          ))}
        </div>
        {problems['approvers'] !== undefined && <span className={styles['problem']}>{problems['approvers']}</span>}
      </fieldset>
    </>
  )
}
